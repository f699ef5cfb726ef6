/**
 * A shell that makes the pipes for its own output, as shells make them (shell-pipes.ts): in a process as large as this one, starting
 * another process takes longer than everything else, so none is started just for pipes. The shell runs its script only once it is told to,
 * and ends if it is not.
 */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import type { Duplex, Writable } from "node:stream";
import { afterMs } from "./after-ms.ts";
import { hasPipes } from "./has-pipes.ts";
import { killStarted } from "./kill-started.ts";
import { findInheritedSocket } from "./process-tree.ts";
import { canHavePipes, shellPipesOf, type ShellPipe } from "./shell-pipes.ts";

const waitsForPermission = "read -r _pawl <&3||exit 1;exec 6<&- 7<&-";
/**
 * Goes before the shell's own script. The shell asks for pipes on descriptor 3, which is a socket, unless its output already is a pipe; in
 * both cases it waits there for a line.
 */
export const makesOwnPipes = `if [ -S /proc/self/fd/1 ];then exec 6<<E 7<<E >/proc/self/fd/6 2>/proc/self/fd/7||exit 1

E

E
echo >&3;fi;${waitsForPermission}
`;
/** The same for bash, in one line: bash counts the lines of a command from those of its script. */
export const makesOwnPipesInBash = `if [ -S /proc/self/fd/1 ];then exec 6<<<"" 7<<<"" >/proc/self/fd/6 2>/proc/self/fd/7||exit 1;echo >&3;fi;${waitsForPermission};`;
const requestLimitMs = 5_000;

/** False once a shell turned out not to make pipes: bash before 5.1 keeps here-documents in files. */
let canMakePipes = canHavePipes();

export interface OwnPipes {
  child: ChildProcess;
  pid: number;
  pipes: [ShellPipe, ShellPipe];
  /** The system's name of the shell's end of descriptor 3; undefined if it cannot be determined. */
  reportSocket: string | undefined;
}

interface OwnPipesOptions extends Omit<SpawnOptions, "stdio"> {
  stdin: "ignore" | "pipe" | number;
  /** Awaited while the shell gets ready; if it throws, the script does not begin. */
  check: (() => void | Promise<void>) | undefined;
  /** Called right before the script begins, which may be some time after the check; if it throws, the script does not begin. */
  recheck?: (() => void) | undefined;
}

/** The script in `args` must begin with `makesOwnPipes` or `makesOwnPipesInBash`. Undefined: the script did not run, and the shell is gone. */
export async function spawnWithOwnPipes(
  file: string,
  args: readonly string[],
  { stdin, check, recheck, ...options }: OwnPipesOptions,
): Promise<OwnPipes | undefined> {
  if (!canMakePipes) return undefined;
  const child = spawn(file, args, { ...options, stdio: [stdin, "pipe", "pipe", "pipe"] });
  const over = new Promise<void>((resolve) => {
    child.on("error", () => resolve());
    child.on("close", () => resolve());
  });
  let own: OwnPipes | undefined;
  try {
    const asking = waitForRequest(child, over);
    await check?.();
    const line = await asking;
    recheck?.();
    own = grantStart(child, line);
  } finally {
    if (own === undefined) await killAndWait(child, over);
  }
  return own;
}

/** Returns the stream on which the shell waits for permission to begin; undefined if it did not ask. */
async function waitForRequest(child: ChildProcess, over: Promise<void>): Promise<Duplex | undefined> {
  if (!hasPipes(child)) return undefined;
  const line = child.stdio[3] as Duplex;
  line.on("error", () => {});
  const connection = Promise.withResolvers<Duplex | undefined>();
  const stopTimer = afterMs(requestLimitMs, () => connection.resolve(undefined));
  line.once("data", () => connection.resolve(line));
  const whenOver = over.then(() => undefined);
  const asking = await Promise.race([connection.promise, whenOver]);
  stopTimer();
  return asking;
}

function grantStart(child: ChildProcess, line: Duplex | undefined): OwnPipes | undefined {
  const { pid } = child;
  const isThere = pid !== undefined && child.signalCode === null;
  const pipes = isThere && line !== undefined ? shellPipesOf(pid, [6, 7]) : undefined;
  if (line === undefined || pipes === undefined || !isThere) {
    if (isThere) canMakePipes = false;
    return undefined;
  }
  const reportSocket = letBegin(pid, line);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return { child, pid, pipes, reportSocket };
}

/**
 * Tells a shell that waits on descriptor 3 to begin its script. Returns the system's name of the shell's end of `line`, which is looked up
 * before that: on a busy machine the shell may be over before this process runs again. Undefined if the name cannot be determined.
 */
export function letBegin(pid: number, line: Writable): string | undefined {
  const reportSocket = findInheritedSocket(pid, [3])?.link;
  line.write("\n");
  return reportSocket;
}

async function killAndWait(child: ChildProcess, over: Promise<void>): Promise<void> {
  killStarted(child);
  if (hasPipes(child)) child.stdio.forEach((stream) => stream?.destroy());
  await over;
  // Node.js lets go of the process in the same turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
}
