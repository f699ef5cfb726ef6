// Two thousand turns in one process, through the command and through the library, with faults in between: flat memory and handles.
import { expect, test } from "vitest";
import type { Sample } from "../support/faults/sampler.ts";
import { growthPerTurn, soak } from "../support/faults/soak.ts";
import { sharedTemporaryFolder } from "../support/temporary-folder.ts";

const cache = sharedTemporaryFolder();

const turns = Number(process.env["TURNS"] ?? 2_000);
const every = turns / 20;
/**
 * Bytes a turn, after a collection. A session that goes on knows its own ids and files; what was said is shortened
 * again and again, so the conversation itself does not grow.
 */
const mostHeapSlope = 1_024;
const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);

test.each(["command", "library"] as const)(
  `${turns} turns of the %s keep memory and handles flat`,
  { timeout: 3_600_000 },
  async (way) => {
    const { turns: made, samples, counts, seconds } = await soak(way, { turns, every }, cache);
    const [first, last] = [samples[Math.floor(samples.length / 5)], samples.at(-1)];
    if (first === undefined || last === undefined) throw new Error("no samples");
    const heapSlope = growthPerTurn(samples, every, ({ heapBytes, outsideBytes }) => heapBytes + outsideBytes);
    const rssSlope = growthPerTurn(samples, every, ({ rssBytes }) => rssBytes);
    console.log(
      `soak: ${way}: ${made} turns in ${Math.round(seconds)} s; heap ${megabytes(first.heapBytes)} to ${megabytes(last.heapBytes)} MB ` +
        `(${Math.round(heapSlope)} bytes a turn), rss ${megabytes(first.rssBytes)} to ${megabytes(last.rssBytes)} MB ` +
        `(${Math.round(rssSlope)} bytes a turn), descriptors ${first.descriptors} to ${last.descriptors}; ${JSON.stringify(counts)}`,
    );
    const series = (figure: (sample: Sample) => number): string =>
      samples.map((one) => megabytes(figure(one))).join(" ");
    console.log(
      `soak: ${way}: heap ${series(({ heapBytes }) => heapBytes)}; rss ${series(({ rssBytes }) => rssBytes)} MB`,
    );
    expect(counts["summaries"]).toBeGreaterThan(turns / 150);
    expect(counts["summaries of spans"]).toBeGreaterThan(0);
    // In fewer turns code and caches are still warming up.
    if (turns >= 2_000) expect(heapSlope).toBeLessThan(mostHeapSlope);
    expect(last.descriptors).toBeLessThanOrEqual(first.descriptors + 2);
    for (const [name, count] of Object.entries(last.held))
      expect(count, name).toBeLessThanOrEqual((first.held[name] ?? 0) + 2);
    // The space for new objects may be doubled once more, whenever that comes.
    expect(last.rssBytes).toBeLessThan(first.rssBytes + 64 * 2 ** 20);
  },
);
