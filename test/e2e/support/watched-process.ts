/** A child process whose output a test can wait for. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";

export interface EndedProcess {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface WatchedProcess {
  child: ChildProcessWithoutNullStreams;
  stdout: () => string;
  stderr: () => string;
  /** Resolves once stdout or stderr contains the text or matches the pattern. Rejects if the process ends without it. */
  saw: (text: string | RegExp) => Promise<void>;
  ended: Promise<EndedProcess>;
}

export interface ProcessOptions {
  /** Written to stdin, which is then closed. */
  input?: string | Buffer;
  /** Leaves stdin open. Default: closed. */
  stdin?: "open";
  /** Added to the environment of the folder; an undefined value removes a variable. */
  env?: Record<string, string | undefined>;
  cwd?: string;
}

/** Starts the program `words[0]` with the other words as its arguments. */
export function startWatched(
  words: readonly string[],
  place: { folder: string; env: Record<string, string> },
  options: ProcessOptions,
): WatchedProcess {
  const variables = Object.entries({ ...place.env, ...options.env }).filter(([, value]) => value !== undefined);
  const child = spawn(words[0]!, words.slice(1), {
    cwd: options.cwd ?? place.folder,
    env: Object.fromEntries(variables) as Record<string, string>,
    stdio: "pipe",
  });
  const seen = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      seen[name] += text;
      for (const watch of watchers) watch();
    });
  }
  child.stdin.on("error", () => undefined);
  if (options.stdin !== "open") child.stdin.end(options.input);
  const ended = new Promise<EndedProcess>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...seen }));
  });
  const saw = (text: string | RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const isIn = (output: string): boolean => (typeof text === "string" ? output.includes(text) : text.test(output));
      const watch = (): void => {
        if (!isIn(seen.stdout) && !isIn(seen.stderr)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
      ended.then(
        (end) => reject(new Error(`ended with ${end.code} without ${text}:\n${end.stdout}${end.stderr}`)),
        reject,
      );
    });
  return { child, stdout: () => seen.stdout, stderr: () => seen.stderr, saw, ended };
}
