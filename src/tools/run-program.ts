/** Runs a helper program (rg, pdftotext) from an argument list, with limited output, and leaves no process behind. */
import { spawn, type ChildProcess } from "node:child_process";
import { killStarted } from "../lib/kill-started.ts";
import { signalGroup } from "../lib/process-tree.ts";
import { basename } from "node:path";
import { hasPipes } from "../lib/has-pipes.ts";
import { HeadTail } from "../lib/head-tail.ts";
import { onAbort } from "../lib/on-abort.ts";
import { findProgramOutside, findRepositoryTop } from "../lib/repository-programs.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { ToolError } from "./failure.ts";
import type { Environment } from "../lib/environment.ts";

export interface ProgramRun {
  file: string;
  args: readonly string[];
  cwd?: string;
  signal: AbortSignal;
  /** Ends the run once more than this many bytes came out. */
  maxBytes: number;
  /** Starts a timer that calls back when the run's time is up; returns a function that stops the timer. */
  limit(onExpired: () => void): () => void;
}

export interface ProgramResult {
  stdout: Buffer;
  /** At most the first 8 KB. */
  stderr: string;
  /** Null if a signal ended the program. */
  code: number | null;
  /** Why the program was ended early. */
  endReason?: "timeout" | "output" | "aborted";
}

/** Rejects only if the program cannot be started, with a `ToolError` whose cause is the system's error. */
export function runProgram(run: ProgramRun): Promise<ProgramResult> {
  return new Promise((resolve, fail) => {
    const reject = (error: unknown): void =>
      fail(new ToolError(`${basename(run.file)} could not be started: ${reasonOf(error)}.`, { cause: error }));
    // The helper programs need none of the user's variables, and some variables would change their behaviour.
    const child = spawn(run.file, run.args, {
      cwd: run.cwd,
      env: { LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own: what is found as `rg` may be a script that starts the real program.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    if (!hasPipes(child)) return void child.once("error", reject);
    const out: Buffer[] = [];
    const errors = new HeadTail(8192, 0);
    let bytes = 0;
    let ended: ProgramResult["endReason"];
    const end = (why: NonNullable<ProgramResult["endReason"]>): void => {
      if (ended !== undefined) return;
      ended = why;
      killAll(child);
      // Whoever still holds the pipes is not waited for.
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const stopClock = run.limit(() => end("timeout"));
    const release = (): void => {
      stopClock();
      stopListening();
    };
    const stopListening = onAbort(run.signal, () => end("aborted"));
    child.stdout.on("data", (chunk: Buffer) => {
      if (ended !== undefined) return;
      out.push(chunk);
      bytes += chunk.length;
      if (bytes > run.maxBytes) end("output");
    });
    child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
    child.on("error", (error) => {
      release();
      reject(error);
    });
    child.on("close", (code) => {
      release();
      const result: ProgramResult = { stdout: Buffer.concat(out), stderr: errors.head().toString().trim(), code };
      if (ended !== undefined) result.endReason = ended;
      resolve(result);
    });
  });
}

function killAll(child: ChildProcess): void {
  if (process.platform === "win32") killStarted(child);
  else if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
}

/** The absolute path of a program on the PATH, or undefined. Not inside the project around `folder`: it must not choose our tools. */
export function findProgram(name: string, environment: Environment, folder: string): string | undefined {
  return findProgramOutside(name, environment["PATH"] ?? "", findRepositoryTop(folder, environment["HOME"]));
}
