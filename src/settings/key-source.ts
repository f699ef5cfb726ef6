/** The API key from a command the user configured: run when a key is first needed, and once more where the server refused what it gave. */
import { spawn } from "node:child_process";
import { afterMs } from "../lib/after-ms.ts";
import { hasPipes } from "../lib/has-pipes.ts";

export interface KeySource {
  /** The key; the command runs once, however many ask. Rejects with a sentence for people where it fails or says nothing. */
  get(): Promise<string>;
  /** Runs the command again: for a key that was refused. */
  refresh(): Promise<string>;
}

const limitMs = 30_000;
const maxCharacters = 64 * 1024;

export interface KeyHelperOptions {
  /** ms the command may take. */
  limitMs?: number;
}

export function createKeyHelper(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  options: KeyHelperOptions = {},
): KeySource {
  let current: Promise<string> | null = null;
  const run = (): Promise<string> => {
    const started = runHelper(command, env, options.limitMs ?? limitMs);
    current = started;
    // A failure is told to whoever asked, and is not kept.
    started.catch(() => {
      if (current === started) current = null;
    });
    return started;
  };
  return { get: () => current ?? run(), refresh: run };
}

function runHelper(command: string, env: Readonly<Record<string, string | undefined>>, limit: number): Promise<string> {
  const isWindows = process.platform === "win32";
  const [program, ...args] = isWindows ? ["cmd.exe", "/d", "/s", "/c", command] : ["/bin/sh", "-c", command];
  return new Promise((resolve, reject) => {
    // The command is the user's own, from the user's own settings; a shell is what the convention runs it in.
    const child = spawn(program ?? "/bin/sh", args, {
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
      detached: !isWindows,
      windowsHide: true,
    });
    if (!hasPipes(child))
      return void child.once("error", ({ message }) =>
        reject(new Error(`apiKeyHelper could not be started (${message}).`)),
      );
    let output = "";
    let complaint = "";
    const finish = (outcome: { key: string } | { problem: string }): void => {
      cancel();
      endGroup(child.pid, isWindows);
      child.stdout.destroy();
      child.stderr.destroy();
      if ("key" in outcome) resolve(outcome.key);
      else reject(new Error(`apiKeyHelper ${outcome.problem}`));
    };
    const cancel = afterMs(limit, () =>
      finish({ problem: `gave no key within ${limit / 1000} s: run it by hand and see what it waits for.` }),
    );
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > maxCharacters)
        finish({ problem: "printed more than a key: it should print the key and nothing else." });
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint = (complaint + text).slice(0, 1_000);
    });
    child.on("error", (error) => finish({ problem: `could not be started (${error.message}).` }));
    // What it left running would hold the pipes open; with that gone, they close when all of the output has been read.
    child.on("exit", () => endGroup(child.pid, isWindows));
    child.on("close", (code, signal) => finish(judge(output, code, signal, complaint)));
  });
}

function judge(
  output: string,
  code: number | null,
  signal: string | null,
  complaint: string,
): { key: string } | { problem: string } {
  const said = complaint.trim().split("\n")[0] ?? "";
  if (code !== 0) return { problem: `failed (${signal ?? `exit ${String(code)}`})${said === "" ? "" : `: ${said}`}.` };
  const key = output.trim();
  if (key === "") return { problem: "printed nothing; it should print the key." };
  return /\s/u.test(key)
    ? { problem: "printed more than one word; it should print the key and nothing else." }
    : { key };
}

/** Nothing it left behind lives on. */
function endGroup(pid: number | undefined, isWindows: boolean): void {
  if (pid === undefined || isWindows) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // Gone already, or on some systems not yet buried: nothing was left behind.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
