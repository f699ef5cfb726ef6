/** Runs a program of the user's, such as an editor, that has the terminal until it ends. */
import { spawn } from "node:child_process";
import { isFolder } from "../../lib/path-status.ts";
import type { Environment } from "../../lib/environment.ts";
import { hasErrorCode } from "../../lib/error-text.ts";
import { killStarted } from "../../lib/kill-started.ts";
import { onAbort } from "../../lib/on-abort.ts";
import { withMachinePathFirst, machineProgramOnly } from "../../lib/repository-programs.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";

/** Milliseconds a program has to end after SIGTERM, when the person has left. */
const killDelayMs = 2_000;
const noProgram = "there is no such program";

export interface ProgramContext {
  env: Environment;
  cwd: string;
  /** Ends the program. */
  signal: AbortSignal;
  after: KeyboardOptions["after"];
  /** Restores the terminal after a program that was killed. */
  setRight: () => void;
}

export interface Program {
  /** The program's name and arguments. */
  words: readonly string[];
  /** The text for its standard input, which is the terminal by default. */
  input?: string;
}

/** `isBegun` is false if the program could not be started. `why` ends a sentence about it; undefined if it succeeded. */
export interface ProgramEnd {
  isBegun: boolean;
  why?: string;
}

/** Runs the program without API keys in its environment. Never runs a program that the repository brings along. Never rejects. */
export function runWithTerminal({ words, input }: Program, context: ProgramContext): Promise<ProgramEnd> {
  const { env, cwd, signal, after, setRight } = context;
  const [name = "", ...args] = words;
  const environment = withMachinePathFirst(scrubEnvironment(env), cwd);
  const file = machineProgramOnly(name, environment, cwd);
  if (file === undefined) return Promise.resolve({ isBegun: false, why: noProgram });
  return new Promise((resolve) => {
    const stdin = input === undefined ? "inherit" : "pipe";
    const child = spawn(file, args, {
      // If the working directory does not exist, the error would look like a missing program.
      cwd: isFolder(cwd) ? cwd : "/",
      env: environment,
      stdio: [stdin, "inherit", "inherit"],
    });
    let stopWaiting: (() => void) | undefined;
    const stopListening = onAbort(signal, () => {
      if (child.pid === undefined) return;
      child.kill("SIGTERM");
      // A program that ignores SIGTERM would keep the session, which waits for it, from closing.
      stopWaiting = after(killDelayMs, () => killStarted(child));
    });
    const settle = (programEnd: ProgramEnd): void => {
      stopListening();
      stopWaiting?.();
      resolve(programEnd);
    };
    child.on("error", (error) => {
      if (child.pid === undefined) settle({ isBegun: false, why: startReason(error) });
    });
    child.on("exit", (code, killedBy) => {
      if (killedBy !== null) setRight();
      if (code === 0) return settle({ isBegun: true });
      settle({ isBegun: true, why: killedBy === null ? `ended with exit code ${code}` : `was ended by ${killedBy}` });
    });
    // The program may close its input early.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

function startReason(error: Error): string {
  return hasErrorCode(error, "ENOENT") ? noProgram : reasonOf(error);
}
