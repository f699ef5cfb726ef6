// The machine a simulated process runs on: a disk in memory, processes that are simulated too, no git and no memory files.
import { noKnowledge } from "../../src/knowledge/load-knowledge.ts";
import { NestedMemory } from "../../src/knowledge/nested-memory.ts";
import type { Machine } from "../../src/session/surroundings/machine.ts";
import type { World, Process } from "./world.ts";
import { neverResolves } from "./world.ts";

export function createMachine(world: World, process: Process): Machine {
  let nonces = 0;
  return {
    platform: "simulated",
    release: "1",
    files: process.mount,
    processes: {
      pid: process.pid,
      host: "simulated",
      isAlive: (pid) => pid === process.pid && !process.isDead,
      startTimeOf: (pid) => `start-of-${pid}`,
      nonce: () => `${process.pid}-${nonces++}`,
      onExit: (run) => void process.onExit.add(run),
      offExit: (run) => void process.onExit.delete(run),
    },
    processesOf: () => [],
    paths: {
      realpath: (path) => path,
      readlink(path) {
        throw Object.assign(new Error(`EINVAL: ${path}`), { code: "EINVAL" });
      },
    },
    spills: {
      temporary: () => "/tmp",
      make: () => undefined,
      makeNew: () => undefined,
      remove: () => undefined,
      open: (directory) => ({
        directory,
        write: (name, content) => spill(world, process, `${directory}/${name}.txt`, content),
      }),
    },
    isGitRepository: () => false,
    gitBranch: () => undefined,
    worktrees: () => [],
    gitStatus: async () => undefined,
    memory: () => ({ text: "", notices: [], files: [], scoped: [] }),
    knowledge: async () => noKnowledge(),
    nestedMemory: (options, told) => new NestedMemory({ ...options, cwd: "/nowhere/at/all" }, told),
  };
}

async function spill(world: World, process: Process, path: string, content: string | Uint8Array): Promise<string> {
  await world.scheduler.pause(world.latency() % 1_000, "spill", process);
  if (process.isDead) return neverResolves();
  if (world.choices.chance(10)) throw Object.assign(new Error("ENOSPC: simulated"), { code: "ENOSPC" });
  for (let copy = 1; ; copy++) {
    const name = copy === 1 ? path : path.replace(/\.txt$/, `-${copy}.txt`);
    if (world.disk.writeNew(name, Buffer.from(content).toString())) return name;
  }
}
