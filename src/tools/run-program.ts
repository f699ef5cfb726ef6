/** Runs a helper program (rg, pdftotext) by its argument list, with bounded output, and leaves nothing of it behind. */
import { spawn } from "node:child_process";
import { killStarted } from "../lib/kill-started.ts";
import { basename } from "node:path";
import { hasPipes } from "../lib/has-pipes.ts";
import { HeadTail } from "../lib/head-tail.ts";
import { programOutside, topOf } from "../lib/program-outside.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { ToolError } from "./failure.ts";
import type { Variables } from "./variables.ts";

export interface ProgramRun {
  file: string;
  args: readonly string[];
  cwd?: string;
  signal: AbortSignal;
  /** Ends the run once so many bytes came out. */
  maxBytes: number;
  /** Starts a clock that calls back when the run has had its time; returns what stops the clock. */
  limit(onExpired: () => void): () => void;
}

export interface ProgramResult {
  stdout: Buffer;
  /** The first 8 KB. */
  stderr: string;
  /** Null where a signal ended it. */
  code: number | null;
  /** Why it was ended before its own end. */
  ended?: "timeout" | "output" | "aborted";
}

/** Rejects only where the program cannot be started, with a `ToolError` whose cause is the system's error. */
export function runProgram(run: ProgramRun): Promise<ProgramResult> {
  return new Promise((resolve, fail) => {
    const reject = (error: unknown): void =>
      fail(new ToolError(`${basename(run.file)} could not be started: ${reasonOf(error)}.`, { cause: error }));
    // The helpers need no variable of the user's, and some would change what they do.
    const child = spawn(run.file, run.args, {
      cwd: run.cwd,
      env: { LC_ALL: "C.UTF-8" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    if (!hasPipes(child)) return void child.once("error", reject);
    const out: Buffer[] = [];
    const errors = new HeadTail(8192, 0);
    let bytes = 0;
    let ended: ProgramResult["ended"];
    const end = (why: NonNullable<ProgramResult["ended"]>): void => {
      ended ??= why;
      killStarted(child);
    };
    const onAbort = (): void => end("aborted");
    const stopClock = run.limit(() => end("timeout"));
    const release = (): void => {
      stopClock();
      run.signal.removeEventListener("abort", onAbort);
    };
    run.signal.addEventListener("abort", onAbort, { once: true });
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
      if (ended !== undefined) result.ended = ended;
      resolve(result);
    });
    if (run.signal.aborted) onAbort();
  });
}

/** The absolute path of a program on the user's path; undefined where it is not there. `folder` is worked in: the project must not choose our tools. */
export function findProgram(name: string, environment: Variables, folder: string): string | undefined {
  return programOutside(name, environment["PATH"] ?? "", topOf(folder, environment["HOME"]));
}
