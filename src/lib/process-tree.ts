/**
 * Ends a command with all its descendants. Most share its process group; those that left it (setsid, daemons) still carry the tag
 * in their environment, which on Linux can be read, or, where they cleared that or wrote over it, a descriptor of the shell's.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hasCode } from "./error-text.ts";
import { hasOwnProc } from "./own-proc.ts";

export interface ProcessTree {
  /** Process group: the pid of the shell that was started as its leader. */
  group: number;
  /** Found in the environment of every descendant, and in no other: of random signs. A short one is not looked for. */
  tag: string;
  /** A socket that is open in whoever did not close it, under one of these numbers. */
  socket?: InheritedSocket | undefined;
}

export interface InheritedSocket {
  /** As the system names it. */
  link: string;
  descriptors: readonly number[];
}

/** What the process has there; undefined where that is no socket, or cannot be told. */
export function socketOf(pid: number, descriptors: readonly number[]): InheritedSocket | undefined {
  const link = descriptors.map((each) => linkOf(pid, each)).find((each) => each.startsWith("socket:"));
  return link === undefined ? undefined : { link, descriptors };
}

function linkOf(pid: number, descriptor: number): string {
  const path = `/proc/${pid}/fd/${descriptor}`;
  try {
    // Most have none of this number: an answer takes a fifth of the time of an error. Where it leads is not looked at: that may hang.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? "" : readlinkSync(path);
  } catch {
    return "";
  }
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  sendSignal(-group, signal);
}

/** Refused: it is someone else's (sudo), and will be at the next try. */
function sendSignal(pid: number, signal: NodeJS.Signals): "sent" | "gone" | "refused" {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (error) {
    if (hasCode(error, "ESRCH")) return "gone";
    if (hasCode(error, "EPERM")) return "refused";
    throw error;
  }
}

/**
 * Processes alive that belong to the tree; undefined without a /proc of ours, or where it cannot be listed. Synchronous, since a look at a few hundred processes takes a
 * few milliseconds this way and ten times that through the thread pool.
 */
function findMembers(tree: Partial<ProcessTree>): number[] | undefined {
  const found = lookForMembers(tree);
  // One that forked and died while it was looked for hides its child from that look, and not from the next one.
  return found?.length === 0 ? lookForMembers(tree) : found;
}

function lookForMembers(tree: Partial<ProcessTree>): number[] | undefined {
  const entries = hasOwnProc() ? entriesOfProc() : undefined;
  if (entries === undefined) return undefined;
  // Mostly nobody is left in it: asked of the system once, instead of each process.
  const group = tree.group !== undefined && isGroupAlive(tree.group) ? tree.group : undefined;
  const looked = { ...tree, group };
  const members: number[] = [];
  for (const entry of entries) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (isMember(looked, pid)) members.push(pid);
  }
  return members;
}

function entriesOfProc(): string[] | undefined {
  try {
    return readdirSync("/proc");
  } catch {
    // With too many open files what belongs to the group can still be ended, and its end must not fail for the rest.
    return undefined;
  }
}

/** Signs that a tag has at least: fewer stand in the environment of others by chance, and none at all in every one. */
const leastTag = 8;

/** Empty for processes that are gone or are not ours to look into. */
function readProcess(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "latin1");
  } catch {
    return "";
  }
}

function isMember({ group, tag, socket }: Partial<ProcessTree>, pid: number): boolean {
  // A zombie has no environment, and neither has a thread of the kernel.
  if (tag !== undefined && tag.length >= leastTag && readProcess(pid, "environ").includes(tag)) return true;
  if (socket?.descriptors.some((each) => linkOf(pid, each) === socket.link) === true) return true;
  if (group === undefined) return false;
  const stat = readProcess(pid, "stat");
  // pid (name, which may hold anything) state ppid pgrp …
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(processGroup) === group && state !== "Z" && state !== "X";
}

/** Waits between looks at a tree that is ending, ms. Their sum is about the usual grace. */
const waits = [10, 20, 40, 80, 150, 300, 400, 500, 500];

export interface EndOptions {
  clock: { timer(ms: number, onFire: () => void): () => void };
  /** From TERM to KILL, ms. */
  graceMs: number;
}

/** TERM to all, then KILL to what is left after the grace. Resolves when nothing is left, or nothing that can be killed. */
export async function endTree(tree: ProcessTree, { clock, graceMs }: EndOptions): Promise<void> {
  const told = new Set<number>();
  let left = graceMs;
  for (const wait of waits) {
    if (!tellMembers(tree, told)) return;
    if (left <= 0) break;
    await new Promise<void>((resolve) => void clock.timer(Math.min(wait, left), resolve));
    left -= wait;
  }
  if (findMembers(tree)?.length === 0) return;
  signalGroup(tree.group, "SIGKILL");
  await killTree(tree, clock);
}

/** Waits between looks at what was killed, ms: the kernel takes a process down after the signal was sent. */
const lastWaits = [1, 2, 5, 10, 20, 40, 80, 150];

/** KILL to all, resolves when they are gone, or cannot be (a process in the middle of a device's work). */
export async function killTree(tree: Partial<ProcessTree>, clock: EndOptions["clock"]): Promise<void> {
  for (const wait of lastWaits) {
    if (killMembers(tree)) return;
    await new Promise<void>((resolve) => void clock.timer(wait, resolve));
  }
  killMembers(tree);
}

/** KILL to all that one look finds, without waiting for anything: for the last moment of the process. */
export function killTreeNow(tree: Partial<ProcessTree>): void {
  killMembers(tree);
}

/** Sends TERM once to each process of the tree, also to those that were forked since the last look. False: there is none left. */
function tellMembers(tree: ProcessTree, told: Set<number>): boolean {
  const members = findMembers(tree);
  if (members === undefined) {
    if (!told.has(tree.group)) signalGroup(tree.group, "SIGTERM");
    told.add(tree.group);
    return isGroupAlive(tree.group);
  }
  for (const pid of members) {
    if (told.has(pid)) continue;
    told.add(pid);
    sendSignal(pid, "SIGTERM");
    // A stopped process would not see it.
    sendSignal(pid, "SIGCONT");
  }
  return members.length > 0;
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return !hasCode(error, "ESRCH");
  }
}

/**
 * KILL to whatever carries the tag (or is in the group), until a look finds nothing, or nothing that can be killed: a process may be forking
 * meanwhile. True: it did.
 */
function killMembers(tree: Partial<ProcessTree>): boolean {
  for (let round = 0; round < 5; round += 1) {
    const members = findMembers(tree);
    if (members === undefined) {
      return tree.group === undefined || sendSignal(-tree.group, "SIGKILL") !== "sent" || !isGroupAlive(tree.group);
    }
    if (members.map((pid) => sendSignal(pid, "SIGKILL")).every((how) => how === "refused")) return true;
  }
  return false;
}
