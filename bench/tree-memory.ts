/** The memory of a process and all its descendants, as Linux accounts for it. */
import { readdirSync, readFileSync } from "node:fs";

export interface TreeMemory {
  /** Proportional set size in KB: pages shared by several processes are split among them. */
  pss: number;
  /** KB of pages that no other process has. */
  own: number;
}

/** Returns the memory of all of them together. A process that ends meanwhile does not count. */
export function treeMemory(pids: readonly number[]): TreeMemory {
  const sum: TreeMemory = { pss: 0, own: 0 };
  for (const pid of withDescendants(pids)) {
    const found = processMemory(pid);
    sum.pss += found.pss;
    sum.own += found.own;
  }
  return sum;
}

function processMemory(pid: number): TreeMemory {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  } catch {
    return { pss: 0, own: 0 };
  }
  const kilobytes = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "mu").exec(text)?.[1] ?? 0);
  return { pss: kilobytes("Pss"), own: kilobytes("Private_Clean") + kilobytes("Private_Dirty") };
}

function withDescendants(pids: readonly number[]): Set<number> {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const parent = /^\d+$/u.test(name) ? parentOf(Number(name)) : undefined;
    if (parent !== undefined) parents.set(Number(name), parent);
  }
  const tree = new Set(pids);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return tree;
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
