/**
 * Gets the API key from a command that the user configured. The command runs when a key is first needed, and once more if the server
 * refused the key. Other helper commands of the user run in the same way.
 */
import { spawn } from "node:child_process";
import type { Environment } from "../lib/environment.ts";
import { afterMs } from "../lib/after-ms.ts";
import { hasPipes } from "../lib/has-pipes.ts";
import { signalGroup } from "../lib/process-tree.ts";

export interface KeySource {
  /** Resolves to the key; the command runs once for all callers. Rejects with a sentence for people if it fails or prints nothing. */
  get(): Promise<string>;
  /** Runs the command again, for a key that was refused. */
  refresh(): Promise<string>;
}

const helperTimeoutMs = 30_000;
const maxOutputCharacters = 64 * 1024;

export interface KeyHelperOptions {
  /** How long the command may take, in ms. */
  limitMs?: number;
}

export function createKeyHelper(command: string, env: Environment, options: KeyHelperOptions = {}): KeySource {
  let current: Promise<string> | null = null;
  const run = (): Promise<string> => {
    const started = runHelperCommand("apiKeyHelper", command, env, options.limitMs).then(validateKey);
    current = started;
    // A failure is reported to the caller and is not cached.
    started.catch(() => {
      if (current === started) current = null;
    });
    return started;
  };
  return { get: () => current ?? run(), refresh: run };
}

/** Resolves to the trimmed output. Rejects with a sentence that starts with `name` if it fails or prints nothing. `signal` ends it. */
export function runHelperCommand(
  name: string,
  command: string,
  env: Environment,
  limitMs: number = helperTimeoutMs,
  signal?: AbortSignal,
): Promise<string> {
  const isWindows = process.platform === "win32";
  const [program, ...args] = isWindows ? ["cmd.exe", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command];
  return new Promise((resolve, reject) => {
    // The command comes from the user's own settings; by convention a shell runs it.
    const child = spawn(program ?? "/bin/sh", args, {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: !isWindows,
      windowsHide: true,
    });
    if (!hasPipes(child))
      return void child.once("error", ({ message }) => reject(new Error(`${name} could not be started (${message}).`)));
    let output = "";
    let stderr = "";
    const finish = (outcome: HelperOutcome): void => {
      cancel();
      signal?.removeEventListener("abort", onAbort);
      killProcessGroup(child.pid, isWindows);
      child.stdout.destroy();
      child.stderr.destroy();
      if ("text" in outcome) resolve(outcome.text);
      else reject(new Error(`${name} ${outcome.problem}`));
    };
    const onAbort = (): void => finish({ problem: "was ended with the session." });
    signal?.addEventListener("abort", onAbort, { once: true });
    const cancel = afterMs(limitMs, () =>
      finish({ problem: `did not finish within ${limitMs / 1000} s: run it by hand and see what it waits for.` }),
    );
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > maxOutputCharacters)
        finish({ problem: "printed far too much: it should print what it is asked for and nothing else." });
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(0, 1_000);
    });
    child.on("error", (error) => finish({ problem: `could not be started (${error.message}).` }));
    // Processes it left running would hold the pipes open; once they are gone, the pipes close when all output has been read.
    child.on("exit", () => killProcessGroup(child.pid, isWindows));
    child.on("close", (code, signal) => finish(helperOutcome(output, code, signal, stderr)));
  });
}

type HelperOutcome = { text: string } | { problem: string };

function helperOutcome(output: string, code: number | null, signal: string | null, stderr: string): HelperOutcome {
  const firstLine = stderr.trim().split("\n")[0] ?? "";
  if (code !== 0)
    return { problem: `failed (${signal ?? `exit ${String(code)}`})${firstLine === "" ? "" : `: ${firstLine}`}.` };
  const text = output.trim();
  return text === "" ? { problem: "printed nothing." } : { text };
}

function validateKey(text: string): string {
  if (/\s/u.test(text))
    throw new Error("apiKeyHelper printed more than one word; it should print the key and nothing else.");
  return text;
}

/** Kills whatever the command left running. */
function killProcessGroup(pid: number | undefined, isWindows: boolean): void {
  if (pid !== undefined && !isWindows) signalGroup(pid, "SIGKILL");
}
