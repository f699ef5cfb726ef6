/** The way to a server, by its type. */
import { spawn } from "node:child_process";
import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { hasPipes } from "../lib/has-pipes.ts";
import { signalGroup } from "../lib/process-tree.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { adapted, connectInstance } from "./in-process.ts";
import type { RemoteServer, Server, StdioServer } from "./server.ts";
import { StdioTransport } from "./stdio.ts";
import type { McpWorld } from "./world.ts";

export interface OpenTransport {
  transport: Transport;
  /** Ends it for good; resolves when nothing of it is left. */
  close(): Promise<void>;
  killNow(): void;
  /** What a process last wrote to its standard error. */
  lastErrors(): string;
  /** Whether newer protocol versions may be asked for: where the question costs no second process. */
  mayNegotiate: boolean;
  /** Ends a login that a refusal began; absent where nobody can be asked. */
  finishLogin?: () => Promise<void>;
}

export async function openTransport(server: Server, world: McpWorld): Promise<OpenTransport> {
  switch (server.type) {
    case "stdio":
      return openProcess(server, world);
    case "http":
    case "sse":
      return await openRemote(server, world);
    case "sdk":
      return plain((await connectInstance(server.instance)) as Transport);
    case "transport":
      return plain(adapted(server.open()) as Transport);
    default:
      return server satisfies never;
  }
}

function plain(transport: Transport, mayNegotiate = false): OpenTransport {
  return { transport, close: () => transport.close(), killNow: () => {}, lastErrors: () => "", mayNegotiate };
}

function openProcess({ command, args, env, cwd, name }: StdioServer, world: McpWorld): OpenTransport {
  const tag = world.newTag();
  const environment = { ...world.environment(), ...env };
  environment["PAWL_TASK"] = `${environment["PAWL_TASK"] ?? ""}${tag}`;
  const log = (line: string): void => world.debug(`mcp ${JSON.stringify(name)} ${line}`);
  const transport = new StdioTransport({ command, args, cwd, env: environment, tag, clock: world.clock, log });
  return {
    transport: transport as Transport,
    close: () => transport.close(),
    killNow: () => transport.killNow(),
    lastErrors: () => transport.lastErrors,
    mayNegotiate: false,
  };
}

async function openRemote(server: RemoteServer, world: McpWorld): Promise<OpenTransport> {
  const headers = { ...server.headers, ...(await helperHeaders(server, world)) };
  const auth = world.authOf?.(server);
  const options = {
    fetch: boundedFetch(world.fetch),
    requestInit: { headers },
    ...(auth === undefined ? {} : { authProvider: auth.provider }),
  };
  const url = new URL(server.url);
  const isHttp = server.type === "http";
  const transport = isHttp ? new StreamableHTTPClientTransport(url, options) : new SSEClientTransport(url, options);
  const code = auth?.code;
  if (code === undefined) return plain(transport, isHttp);
  return { ...plain(transport, isHttp), finishLogin: async () => transport.finishAuth(await code()) };
}

const helperMs = 10_000;
const maxHelperBytes = 64 * 1024;

/** Prints a JSON object of texts. A shell runs it, since it is written as a command line; only trusted configurations get this far. */
function helperHeaders(server: RemoteServer, world: McpWorld): Promise<Record<string, string>> {
  const { headersHelper: command } = server;
  if (command === undefined) return Promise.resolve({});
  return new Promise((resolve, reject) => {
    const env = {
      ...world.environment(),
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
    child.on("error", reject);
    child.stdout.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxHelperBytes) end("prints too much");
      else output.push(chunk);
    });
    child.on("close", (code) => {
      stop();
      const headers = code === 0 ? readHeaders(Buffer.concat(output).toString("utf8")) : undefined;
      if (headers === undefined)
        reject(
          new Error(
            `its headersHelper ${code === 0 ? "prints no JSON object of texts" : `ended with code ${code ?? "unknown"}`}`,
          ),
        );
      else resolve(headers);
    });
  });
}

function readHeaders(text: string): Record<string, string> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value);
    return entries.every(([, item]) => typeof item === "string")
      ? (Object.fromEntries(entries) as Record<string, string>)
      : undefined;
  } catch {
    return undefined;
  }
}
