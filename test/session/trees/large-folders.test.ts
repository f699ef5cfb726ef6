// One folder with more files than a look takes, or can reach in its time.
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { keepTrees, makePlace, run, type KeepOptions, type Kept, type Place } from "./support.ts";

const places: { place: Place; kept: Kept }[] = [];

afterEach(() => {
  for (const { place, kept } of places.splice(0)) {
    kept.transcript.close();
    place.remove();
  }
});

function folderOf(files: number, options: KeepOptions): Kept & { folder: string } {
  const place = makePlace();
  const folder = join(place.work, "many");
  mkdirSync(folder);
  for (let at = 0; at < files; at++) writeFileSync(join(folder, `${at}`), `content of ${at}`);
  writeFileSync(join(place.work, "other"), "");
  const kept = keepTrees(place, options);
  places.push({ place, kept });
  return { ...kept, folder };
}

/** A clock that goes on with each look at it. */
function ticking(): () => number {
  let now = 0;
  return () => (now += 2);
}

/** How many of each there are below the folder. */
async function look({ trees, folder }: Kept & { folder: string }): Promise<Record<string, number>> {
  const { tree } = await trees.take("before");
  const counts: Record<string, number> = {};
  for (const [path, entry] of tree) {
    if (!path.startsWith(folder)) continue;
    const kind = entry.kind === "left" ? entry.why : entry.kind;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

test("a look ends in its time within one folder, and what it did not reach is no file that was not there", async () => {
  const counts = await look(folderOf(200, { limits: { ms: 100 }, elapsed: ticking() }));
  expect(counts["folder"]).toBe(1);
  expect(counts["file"]).toBeGreaterThan(5);
  expect(counts["too_slow"]).toBeGreaterThan(100);
  expect(counts["file"]! + counts["too_slow"]!).toBe(200);
});

test("others have their turn while one folder is looked at", async () => {
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const counts = await look(folderOf(200, { elapsed: ticking() }));
  isOver = true;
  expect(counts).toEqual({ folder: 1, file: 200 });
  expect(turns).toBeGreaterThan(20);
});

test("a folder of more files than a look takes is left whole, and those beside it are kept", async () => {
  const kept = folderOf(50, { limits: { entries: 20 } });
  expect(await look(kept)).toEqual({ too_much: 1 });
  expect(kept.trees.replayed(1).tree.get(join(kept.folder, "..", "other"))?.kind).toBe("file");
});

test("what is large and came later is kept once for all sessions that begin from then on, as what was there first is", async () => {
  const place = makePlace();
  onTestFinished(place.remove);
  writeFileSync(join(place.work, "small"), "");
  const bytesAfter = async (change: () => void): Promise<number> => {
    const kept = keepTrees(place);
    await run(kept, change);
    kept.transcript.close();
    const store = join(place.pawlHome, "projects", "work", "snapshots");
    return readdirSync(store).reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
  };
  expect(await bytesAfter(() => undefined)).toBeLessThan(1 << 20);
  const size = 9 << 20;
  const large = await bytesAfter(() => writeFileSync(join(place.work, "large"), randomBytes(size)));
  expect(large).toBeGreaterThan(size);
  for (let session = 0; session < 3; session++) await bytesAfter(() => undefined);
  expect(await bytesAfter(() => undefined)).toBeLessThan(large + (1 << 20));
});
