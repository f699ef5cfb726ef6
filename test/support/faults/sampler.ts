/** Preloaded with `--expose-gc`: on SIGUSR2, what the process holds after a collection, as a JSON line in the file named. */
import { appendFileSync, readdirSync } from "node:fs";

export const sampleVariable = "PAWL_TEST_SAMPLES";

export interface Sample {
  heapBytes: number;
  /** Buffers and what else lies outside the heap. */
  outsideBytes: number;
  rssBytes: number;
  descriptors: number;
  /** By kind: timers, sockets, child processes, and listeners of the process. */
  held: Record<string, number>;
}

function sample(): Sample {
  const held: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) held[name] = (held[name] ?? 0) + 1;
  for (const name of process.eventNames()) held[`on ${String(name)}`] = process.listenerCount(name);
  const { heapUsed, external, rss } = process.memoryUsage();
  const descriptors = readdirSync("/proc/self/fd").length;
  return { heapBytes: heapUsed, outsideBytes: external, rssBytes: rss, descriptors, held };
}

const file = process.env[sampleVariable];
if (file !== undefined && globalThis.gc !== undefined) {
  const collect = globalThis.gc as () => void;
  process.on("SIGUSR2", () => {
    // What a turn let go of last is still on the stack of its promises.
    setTimeout(() => {
      collect();
      collect();
      appendFileSync(file, `${JSON.stringify(sample())}\n`);
    }, 50);
  });
}
