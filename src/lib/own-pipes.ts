/**
 * A shell that makes the pipes of its own output, as shells make them (shell-pipes.ts): of a process as large as this one the start of
 * another takes longer than all the rest, so none is started for the pipes alone. It begins what it is to run once it is told to, and
 * where nobody does, it ends.
 */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import type { Duplex } from "node:stream";
import { hasPipes } from "./has-pipes.ts";
import { killStarted } from "./kill-started.ts";
import { canHavePipes, shellPipesOf, type ShellPipe } from "./shell-pipes.ts";

/** Before the shell's own script. It asks on descriptor 3, which is a socket. */
export const makesOwnPipes = `exec 6<<E 7<<E >/proc/self/fd/6 2>/proc/self/fd/7||exit 1

E

E
echo >&3;read -r _pawl <&3||exit 1;exec 6<&- 7<&-
`;
const longestMs = 5_000;

/** False once a shell has shown that it makes none: bash before 5.1 keeps here-documents in files. */
let canMake = canHavePipes();

export interface OwnPipes {
  child: ChildProcess;
  pid: number;
  pipes: [ShellPipe, ShellPipe];
}

interface Start extends Omit<SpawnOptions, "stdio"> {
  stdin: "ignore" | "pipe" | number;
  /** Awaited while the shell gets ready: what this throws is why it does not begin. */
  check: (() => void | Promise<void>) | undefined;
}

/** The script among `args` begins with `makesOwnPipes`. Undefined: it has not run, and is gone. */
export async function spawnWithOwnPipes(
  file: string,
  args: readonly string[],
  { stdin, check, ...options }: Start,
): Promise<OwnPipes | undefined> {
  if (!canMake) return undefined;
  const child = spawn(file, args, { ...options, stdio: [stdin, "pipe", "pipe", "pipe"] });
  const over = new Promise<void>((resolve) => {
    child.on("error", () => resolve());
    child.on("close", () => resolve());
  });
  let own: OwnPipes | undefined;
  try {
    const asking = asked(child, over);
    await check?.();
    own = answered(child, await asking);
  } finally {
    if (own === undefined) await ended(child, over);
  }
  return own;
}

/** Where it hears whether to begin; undefined: it has not asked. */
async function asked(child: ChildProcess, over: Promise<void>): Promise<Duplex | undefined> {
  if (!hasPipes(child)) return undefined;
  const line = child.stdio[3] as Duplex;
  line.on("error", () => {});
  const heard = Promise.withResolvers<Duplex | undefined>();
  const timer = setTimeout(heard.resolve, longestMs, undefined);
  line.once("data", () => heard.resolve(line));
  const gone = over.then(() => undefined);
  const asking = await Promise.race([heard.promise, gone]);
  clearTimeout(timer);
  return asking;
}

function answered(child: ChildProcess, line: Duplex | undefined): OwnPipes | undefined {
  const { pid } = child;
  const isThere = pid !== undefined && child.signalCode === null;
  const pipes = isThere && line !== undefined ? shellPipesOf(pid, [6, 7]) : undefined;
  if (line === undefined || pipes === undefined || !isThere) {
    if (isThere) canMake = false;
    return undefined;
  }
  line.write("\n");
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { child, pid, pipes };
}

async function ended(child: ChildProcess, over: Promise<void>): Promise<void> {
  killStarted(child);
  if (hasPipes(child)) child.stdio.forEach((stream) => stream?.destroy());
  await over;
}
