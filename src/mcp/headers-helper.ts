/** Additional headers for a server over HTTP, printed by a command. */
import { spawn } from "node:child_process";
import { hasPipes } from "../lib/has-pipes.ts";
import { onAbort } from "../lib/on-abort.ts";
import { tryParseRecord } from "../lib/try-parse-json.ts";
import { signalGroup } from "../lib/process-tree.ts";
import { withMachinePathFirst } from "../lib/repository-programs.ts";
import { isChosenByUser, type RemoteServer, type SocketServer } from "./server.ts";
import type { McpWorld } from "./world.ts";

const helperMs = 10_000;
const maxHelperBytes = 64 * 1024;

/** The command prints a JSON object of strings. It is a command line, so a shell runs it, only if trusted. `signal` ends it. */
export function runHeadersHelper(
  server: RemoteServer | SocketServer,
  world: McpWorld,
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const { headersHelper: command } = server;
  if (command === undefined) return Promise.resolve({});
  return new Promise((resolve, reject) => {
    const inherited = world.environment();
    const env = {
      ...(isChosenByUser(server) ? withMachinePathFirst(inherited, server.cwd) : inherited),
      CLAUDE_CODE_MCP_SERVER_NAME: server.name,
      CLAUDE_CODE_MCP_SERVER_URL: server.url,
    };
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: server.cwd,
      env,
      stdio: ["ignore", "pipe", "ignore"],
      detached: true,
    });
    if (!hasPipes(child)) return void child.once("error", reject);
    const output: Buffer[] = [];
    let length = 0;
    const end = (why: string): void => {
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      reject(new Error(`its headersHelper ${why}`));
    };
    const stop = world.clock.timer(helperMs, () => end(`took longer than ${helperMs / 1000} s`));
    const stopListening = onAbort(signal, () => end("is no longer wanted"));
    child.on("error", reject);
    child.stdout.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxHelperBytes) end("prints too much");
      else output.push(chunk);
    });
    child.on("close", (code) => {
      stop();
      stopListening();
      const headers = code === 0 ? readHeaders(Buffer.concat(output).toString("utf8")) : undefined;
      if (headers === undefined)
        reject(
          new Error(
            `its headersHelper ${code === 0 ? "does not print a JSON object of strings" : `ended with code ${code ?? "unknown"}`}`,
          ),
        );
      else resolve(headers);
    });
  });
}

function readHeaders(text: string): Record<string, string> | undefined {
  const value = tryParseRecord(text);
  return value !== undefined && Object.values(value).every((item) => typeof item === "string")
    ? (value as Record<string, string>)
    : undefined;
}
