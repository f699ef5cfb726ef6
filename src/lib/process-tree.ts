/**
 * Ends a command and all its descendants. Most share its process group; those that left it (setsid, daemons) still carry the tag in their
 * environment, which is readable on Linux, or, if they cleared or overwrote that, a descriptor of the shell.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hasErrorCode } from "./error-text.ts";
import { hasOwnProc } from "./own-proc.ts";

export interface ProcessTree {
  /** Process group: the pid of the shell that was started as its leader. */
  group: number;
  /** A random text in the environment of every descendant and of no other process. Too short a tag is not searched for. */
  tag: string;
  /** A socket that every descendant has open, unless it closed it, under one of these descriptors. */
  socket?: InheritedSocket | undefined;
}

export interface InheritedSocket {
  /** The system's name of the socket. */
  link: string;
  descriptors: readonly number[];
}

/** The socket at one of these descriptors; undefined if there is none, or it cannot be determined. */
export function findInheritedSocket(pid: number, descriptors: readonly number[]): InheritedSocket | undefined {
  const link = descriptors.map((each) => descriptorLink(pid, each)).find((each) => each.startsWith("socket:"));
  return link === undefined ? undefined : { link, descriptors };
}

function descriptorLink(pid: number, descriptor: number): string {
  const path = `/proc/${pid}/fd/${descriptor}`;
  try {
    // Most processes lack this descriptor, and a result takes a fifth of an error's time. The target is not opened: that may hang.
    return lstatSync(path, { throwIfNoEntry: false }) === undefined ? "" : readlinkSync(path);
  } catch {
    return "";
  }
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  sendSignal(-group, signal);
}

/** `refused`: the process belongs to someone else (sudo), and the next attempt will be refused too. */
function sendSignal(pid: number, signal: NodeJS.Signals): "sent" | "gone" | "refused" {
  try {
    process.kill(pid, signal);
    return "sent";
  } catch (error) {
    if (hasErrorCode(error, "ESRCH")) return "gone";
    if (hasErrorCode(error, "EPERM")) return "refused";
    throw error;
  }
}

/**
 * The live processes of the tree; undefined without a usable /proc. Synchronous: checking a few hundred processes takes a few milliseconds
 * this way, and ten times that through the thread pool.
 */
function findMembers(tree: Partial<ProcessTree>): number[] | undefined {
  const found = searchMembers(tree);
  // A process that forked and died during the search hides its child from that search, but not from the next.
  return found?.length === 0 ? searchMembers(tree) : found;
}

function searchMembers(tree: Partial<ProcessTree>): number[] | undefined {
  const entries = hasOwnProc() ? procEntries() : undefined;
  if (entries === undefined) return undefined;
  // Usually the group is empty: ask the system once instead of looking at each process.
  const group = tree.group !== undefined && isGroupAlive(tree.group) ? tree.group : undefined;
  const target = { ...tree, group };
  const members: number[] = [];
  for (const entry of entries) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (isMember(target, pid)) members.push(pid);
  }
  return members;
}

function procEntries(): string[] | undefined {
  try {
    return readdirSync("/proc");
  } catch {
    // Too many open files: the process group can still be ended, and that must not fail because of the rest.
    return undefined;
  }
}

/** The minimum length of a tag: a shorter text occurs elsewhere by chance, and an empty one everywhere. */
const minTagLength = 8;

/** Empty for processes that are gone or that we may not inspect. */
function readProcess(pid: number, entry: string): string {
  try {
    return readFileSync(`/proc/${pid}/${entry}`, "latin1");
  } catch {
    return "";
  }
}

function isMember({ group, tag, socket }: Partial<ProcessTree>, pid: number): boolean {
  // A zombie has no environment, and neither has a kernel thread.
  if (tag !== undefined && tag.length >= minTagLength && readProcess(pid, "environ").includes(tag)) return true;
  if (socket?.descriptors.some((each) => descriptorLink(pid, each) === socket.link) === true) return true;
  if (group === undefined) return false;
  const stat = readProcess(pid, "stat");
  // The format is: pid (name, which may contain anything) state ppid pgrp …
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(processGroup) === group && state !== "Z" && state !== "X";
}

/** Pauses between checks of a tree that is ending, ms. Their sum is about the usual grace period. */
const checkDelays = [10, 20, 40, 80, 150, 300, 400, 500, 500];

export interface EndOptions {
  clock: { timer(ms: number, onFire: () => void): () => void };
  /** The time from SIGTERM to SIGKILL, ms. */
  graceMs: number;
}

/** Sends SIGTERM to all, and SIGKILL to those left after the grace period. Resolves when nothing is left that can be killed. */
export async function endTree(tree: ProcessTree, { clock, graceMs }: EndOptions): Promise<void> {
  const signalled = new Set<number>();
  let left = graceMs;
  for (const wait of checkDelays) {
    if (!terminateMembers(tree, signalled)) return;
    if (left <= 0) break;
    await new Promise<void>((resolve) => void clock.timer(Math.min(wait, left), resolve));
    left -= wait;
  }
  if (findMembers(tree)?.length === 0) return;
  signalGroup(tree.group, "SIGKILL");
  await killTree(tree, clock);
}

/** Pauses between checks of killed processes, ms: the kernel ends a process some time after the signal. */
const killDelays = [1, 2, 5, 10, 20, 40, 80, 150];

/** Sends SIGKILL to all; resolves when they are gone, or cannot end (a process inside a device operation). */
export async function killTree(tree: Partial<ProcessTree>, clock: EndOptions["clock"]): Promise<void> {
  for (const wait of killDelays) {
    if (killMembers(tree)) return;
    await new Promise<void>((resolve) => void clock.timer(wait, resolve));
  }
  killMembers(tree);
}

/** Sends SIGKILL to all that one search finds, without waiting: for the moment this process exits. */
export function killTreeNow(tree: Partial<ProcessTree>): void {
  killMembers(tree);
}

/** Sends SIGTERM once to each process of the tree, including newly forked ones. Returns false if none is left. */
function terminateMembers(tree: ProcessTree, signalled: Set<number>): boolean {
  const members = findMembers(tree);
  if (members === undefined) {
    if (!signalled.has(tree.group)) signalGroup(tree.group, "SIGTERM");
    signalled.add(tree.group);
    return isGroupAlive(tree.group);
  }
  for (const pid of members) {
    if (signalled.has(pid)) continue;
    signalled.add(pid);
    sendSignal(pid, "SIGTERM");
    // A stopped process would not receive it.
    sendSignal(pid, "SIGCONT");
  }
  return members.length > 0;
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return !hasErrorCode(error, "ESRCH");
  }
}

/**
 * Sends SIGKILL to the whole tree until a search finds nothing that can be killed: a process may be forking in the meantime. Returns
 * whether that was reached.
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
