/** A program of the person's own that has the terminal until it ends, such as an editor. */
import { spawn } from "node:child_process";
import { isFolder } from "../../lib/disk-look.ts";
import { hasCode } from "../../lib/error-text.ts";
import { killStarted } from "../../lib/kill-started.ts";
import { machinesFirst, neverBrought } from "../../lib/program-outside.ts";
import { reasonOf } from "../../lib/system-reason.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";

/** Milliseconds to end in, once nobody is there any more. */
const grace = 2_000;
const noProgram = "there is no such program";

export interface ProgramPlace {
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  /** Ends it. */
  signal: AbortSignal;
  after: KeyboardOptions["after"];
  /** Puts the terminal right, which a program that was killed has left as it had it. */
  setRight: () => void;
}

export interface Program {
  /** Its name and what it is told. */
  words: readonly string[];
  /** On its standard input, which is the terminal else. */
  input?: string;
}

/** `isBegun` false: it could not be started. `why`: the end of a sentence about it; undefined where it ended well. */
export interface ProgramEnd {
  isBegun: boolean;
  why?: string;
}

/** Without keys, as whatever a person runs here; what the repository brings along is not taken for it. Never rejects. */
export function runLent({ words, input }: Program, place: ProgramPlace): Promise<ProgramEnd> {
  const { env, cwd, signal, after, setRight } = place;
  const [name = "", ...args] = words;
  const environment = machinesFirst(scrubEnvironment(env), cwd);
  const file = neverBrought(name, environment, cwd);
  if (file === undefined) return Promise.resolve({ isBegun: false, why: noProgram });
  return new Promise((resolve) => {
    const stdin = input === undefined ? "inherit" : "pipe";
    const child = spawn(file, args, {
      // One that is gone would be taken for a program that is not there.
      cwd: isFolder(cwd) ? cwd : "/",
      env: environment,
      stdio: [stdin, "inherit", "inherit"],
    });
    let stopWaiting: (() => void) | undefined;
    const end = (): void => {
      if (child.pid === undefined) return;
      child.kill("SIGTERM");
      // Else the session, which waits for it, would be held open by one that does not care.
      stopWaiting = after(grace, () => killStarted(child));
    };
    const settle = (ended: ProgramEnd): void => {
      signal.removeEventListener("abort", end);
      stopWaiting?.();
      resolve(ended);
    };
    child.on("error", (error) => {
      if (child.pid === undefined) settle({ isBegun: false, why: startReason(error) });
    });
    child.on("exit", (code, killedBy) => {
      if (killedBy !== null) setRight();
      if (code === 0) return settle({ isBegun: true });
      settle({ isBegun: true, why: killedBy === null ? `ended with exit code ${code}` : `was ended by ${killedBy}` });
    });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
    // It need not read all of it.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(input);
  });
}

function startReason(error: Error): string {
  return hasCode(error, "ENOENT") ? noProgram : reasonOf(error);
}
