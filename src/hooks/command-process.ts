/** One hook process: in its own group, with its input on stdin and bounded output. It ends, whatever it does with its pipes or children. */
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import type { Readable } from "node:stream";
import { openAnonymousFile } from "../lib/anonymous-file.ts";
import { endTree, killTree, killTreeNow } from "../lib/process-tree.ts";
import { spawnPiped, type PipedChild } from "../lib/spawn-piped.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import type { HookWork } from "./runner.ts";

export interface HookProcessOptions {
  file: string;
  args: readonly string[];
  cwd: string;
  environment: Record<string, string>;
  /** The text for its standard input. */
  input: string;
  /** Called with the first line of output while the process runs. */
  onFirstLine?: (line: string) => void;
}

export interface HookExit {
  /** Null if a signal ended the process. */
  code: number | null;
  signal: string | null;
  stdout: string;
  stderr: string;
}

interface ProcessClock {
  timer(ms: number, onFire: () => void): () => void;
}

const maxBytes = 1024 * 1024;
/** The end of output that was cut. */
export const cutMark = "\n… [cut at 1 MiB]";
/** How long processes the hook left behind may continue to write after it has exited, ms. */
const pipeWaitMs = 200;
const graceMs = 1_000;
/** Set in the environment of every process that the hook starts. */
const tagVariable = "PAWL_HOOK";

/** Runs the process. Rejects if it cannot be started, or if `signal` ended it; `ending` then awaits the end of its group. */
export async function runHookProcess(
  options: HookProcessOptions,
  signal: AbortSignal,
  clock: ProcessClock,
  { ending, killable, follow }: Pick<HookWork, "ending" | "killable" | "follow">,
): Promise<HookExit> {
  const tag = randomBytes(8).toString("hex");
  const piped = await startProcess(options, tag, signal);
  const { child, pid: group } = piped;
  const unregister = killable?.(() => killTreeNow({ group, tag }));
  const stdout = collect(piped.stdout);
  const stderr = collect(piped.stderr);
  if (options.onFirstLine !== undefined) watchFirstLine(piped.stdout, stdout, options.onFirstLine);
  follow(() => ({ stdout: stdout(), stderr: stderr() }));
  return await new Promise((resolve, reject) => {
    let stopWaiting = (): void => {};
    let isOver = false;
    const settle = (): boolean => {
      if (isOver) return false;
      isOver = true;
      stopWaiting();
      signal.removeEventListener("abort", onAbort);
      piped.releasePipes();
      return true;
    };
    const onAbort = (): void => {
      if (!settle()) return;
      ending(endTree({ group, tag }, { clock, graceMs }).finally(unregister));
      reject(new Error(abortedText));
    };
    child.on("exit", (code, endedBy) => {
      const finish = (): void => {
        if (!settle()) return;
        unregister?.();
        resolve({ code, signal: endedBy, stdout: stdout(), stderr: stderr() });
      };
      piped.closed.then(finish, reject);
      stopWaiting = clock.timer(pipeWaitMs, () => {
        // A process it started still holds a pipe. That process is not waited for, but killed, even if it left the group.
        if (!isOver) ending(killTree({ group, tag }, clock));
        finish();
      });
    });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else child.stdin?.end(options.input);
  });
}

const abortedText = "it was ended";

async function startProcess(
  { file, args, cwd, environment, input }: HookProcessOptions,
  tag: string,
  signal: AbortSignal,
): Promise<PipedChild> {
  const stdin = openAnonymousFile(input);
  try {
    return await spawnPiped(file, args, {
      cwd,
      env: { ...environment, [tagVariable]: tag },
      stdin: stdin ?? "pipe",
      detached: true,
      windowsHide: true,
      check: () => {
        if (signal.aborted) throw new Error(abortedText);
      },
    });
  } catch (error) {
    if (!machineErrorCodes.includes(systemCode(error) ?? "")) throw error;
    throw new Error(`it could not be started: ${reasonOf(error)}`, { cause: error });
  } finally {
    if (stdin !== undefined) closeSync(stdin);
  }
}

/** Errors of the machine rather than of the program. */
const machineErrorCodes: readonly string[] = ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "E2BIG"];

const maxFirstLine = 4_096;

function watchFirstLine(stream: Readable, printed: () => string, onLine: (line: string) => void): void {
  const onData = (): void => {
    const text = printed();
    const end = text.indexOf("\n");
    if (end < 0 && text.length < maxFirstLine) return;
    stream.off("data", onData);
    if (end >= 0) onLine(text.slice(0, end));
  };
  stream.on("data", onData);
}

/** Collects the first part of a stream. The rest is read and dropped, so that the hook never blocks on a full pipe. */
function collect(stream: Readable): () => string {
  const chunks: Buffer[] = [];
  let length = 0;
  stream.on("data", (chunk: Buffer) => {
    if (length >= maxBytes) return;
    chunks.push(chunk.subarray(0, maxBytes - length));
    length += chunk.length;
  });
  return () => Buffer.concat(chunks).toString("utf8") + (length > maxBytes ? cutMark : "");
}
