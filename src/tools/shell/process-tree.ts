/**
 * Ends a command with all its descendants. Most share its process group; those that left it (setsid, daemons) still carry the tag
 * in their environment, which on Linux can be read.
 */
import { readdirSync, readFileSync } from "node:fs";
import type { ToolClock } from "../dependencies.ts";

export interface ProcessTree {
  /** Process group: the pid of the shell that was started as its leader. */
  group: number;
  /** Found in the environment of every descendant. */
  tag: string;
}

export function signalGroup(group: number, signal: NodeJS.Signals): void {
  sendSignal(-group, signal);
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone already, or someone else's (sudo): nothing this process can do about either.
    if (!isSystemError(error, "ESRCH") && !isSystemError(error, "EPERM")) throw error;
  }
}

function isSystemError(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}

interface Member {
  pid: number;
  isInGroup: boolean;
}

/**
 * Processes alive that belong to the tree; undefined without /proc. Synchronous, since a look at a few hundred processes takes a
 * few milliseconds this way and ten times that through the thread pool.
 */
function findMembers(tree: Partial<ProcessTree>): Member[] | undefined {
  let entries: string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    return undefined;
  }
  const members: Member[] = [];
  for (const entry of entries) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    const member = memberOf(tree, pid);
    if (member !== undefined) members.push(member);
  }
  return members;
}

/** Empty for processes that are gone or are not ours to look into. */
function readProcess(pid: number, what: string): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, "latin1");
  } catch {
    return "";
  }
}

function memberOf({ group, tag }: Partial<ProcessTree>, pid: number): Member | undefined {
  // A zombie has no environment, and neither has a thread of the kernel.
  const isTagged = tag !== undefined && readProcess(pid, "environ").includes(tag);
  if (group === undefined) return isTagged ? { pid, isInGroup: false } : undefined;
  const stat = readProcess(pid, "stat");
  // pid (name, which may hold anything) state ppid pgrp …
  const [state, , processGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === "Z" || state === "X") return undefined;
  if (Number(processGroup) === group) return { pid, isInGroup: true };
  return isTagged ? { pid, isInGroup: false } : undefined;
}

/** Waits between looks at a tree that is ending, ms. Their sum is about the grace. */
const waits = [10, 20, 40, 80, 150, 300, 400, 500, 500];

export interface EndOptions {
  clock: ToolClock;
  /** From TERM to KILL, ms. */
  graceMs: number;
}

/** TERM to all, then KILL to what is left after the grace. Resolves when nothing is left, or nothing that can be killed. */
export async function endTree(tree: ProcessTree, { clock, graceMs }: EndOptions): Promise<void> {
  // The group first and at once: looking for the others takes a few milliseconds.
  signalGroup(tree.group, "SIGTERM");
  // Stopped processes would not see it.
  signalGroup(tree.group, "SIGCONT");
  const members = findMembers(tree);
  for (const { pid, isInGroup } of members ?? []) if (!isInGroup) sendSignal(pid, "SIGTERM");
  if (members?.length === 0 || (await isGoneWithin(tree, clock, graceMs))) return;
  signalGroup(tree.group, "SIGKILL");
  killTagged(tree);
}

async function isGoneWithin(tree: ProcessTree, clock: ToolClock, graceMs: number): Promise<boolean> {
  let left = graceMs;
  for (const wait of waits) {
    if (left <= 0) return false;
    await new Promise<void>((resolve) => void clock.timer(Math.min(wait, left), resolve));
    left -= wait;
    const members = findMembers(tree);
    const isGone = members === undefined ? !isGroupAlive(tree.group) : members.length === 0;
    if (isGone) return true;
  }
  return false;
}

function isGroupAlive(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return !isSystemError(error, "ESRCH");
  }
}

/** KILL to whatever carries the tag (or is in the group), until a look finds nothing: a process may be forking meanwhile. */
export function killTagged(tree: Partial<ProcessTree>): void {
  for (let round = 0; round < 5; round += 1) {
    const members = findMembers(tree) ?? [];
    if (members.length === 0) return;
    for (const { pid } of members) sendSignal(pid, "SIGKILL");
  }
}
