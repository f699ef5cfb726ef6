/** A git that waits to be let go: a test sees what happens before it answers. */
import { spawnSync } from "node:child_process";
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

export interface HeldGit {
  /** A `PATH` with this git first. */
  path: string;
  /** Process ids of those that have been started so far. */
  pids(): number[];
  /** Lets those that wait answer, and each later one. */
  release(): void;
}

/** Makes a repository of `repository`, and in `folder` a git that says `M held.txt` of it. */
export function holdGit(folder: string, repository: string): HeldGit {
  mkdirSync(folder, { recursive: true });
  const [program, fifo, pidFile] = [join(folder, "git"), join(folder, "held"), join(folder, "pids")];
  for (const [command, ...args] of [
    ["mkfifo", fifo],
    ["git", "init", "-q", "-b", "main", repository],
  ] as const)
    if (spawnSync(command, args).status !== 0) throw new Error(`${command} failed`);
  const answers = `case "$*" in *" status "*) echo " M held.txt";; *" log "*) echo "0123abc First";; esac`;
  writeFileSync(program, `#!/bin/sh\necho $$ >> '${pidFile}'\nread -r line < '${fifo}'\n${answers}\n`);
  chmodSync(program, 0o755);
  // Opened for both, it waits for nobody; those that still read it end when it is closed, also by the end of this process.
  const held = openSync(fifo, "r+");
  onTestFinished(() => closeSync(held));
  return {
    path: [folder, process.env["PATH"]].join(delimiter),
    pids: () => (existsSync(pidFile) ? readFileSync(pidFile, "utf8").trim().split("\n").map(Number) : []),
    // Each takes a line.
    release: () => void writeSync(held, "\n".repeat(100)),
  };
}
