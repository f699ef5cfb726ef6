// More files, or larger ones, than a look takes, can reach in its time, or has room for.
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import type { EngineOptions } from "../../../src/index.ts";
import { networkPlacesIn } from "../../../src/session/trees/network-places.ts";
import type { Tree } from "../../../src/session/trees/entry.ts";
import { Trees } from "../../../src/session/trees/trees.ts";
import { snapshotLogPath } from "../../../src/transcript/paths.ts";
import { clearGrounds, disposeAll, layGround, openOn, scripted, turn } from "../support.ts";
import { keepTrees, makePlace, run, type KeepOptions, type Kept, type Place } from "./support.ts";

const places: { place: Place; kept: Kept }[] = [];

afterEach(() => {
  for (const { place, kept } of places.splice(0)) {
    kept.transcript.close();
    place.remove();
  }
});

function storeOf({ pawlHome }: Place): string {
  return join(pawlHome, "projects", "work", "snapshots");
}

function storedBytes(store: string, ending = ""): number {
  const names = readdirSync(store).filter((name) => name.endsWith(ending));
  return names.reduce((sum, name) => sum + statSync(join(store, name)).size, 0);
}

function folderOf(files: number, options: KeepOptions): Kept & { folder: string; store: string } {
  const place = makePlace();
  const folder = join(place.work, "many");
  mkdirSync(folder);
  for (let at = 0; at < files; at++) writeFileSync(join(folder, `${at}`), `content of ${at}`);
  writeFileSync(join(place.work, "other"), "");
  const kept = keepTrees(place, options);
  places.push({ place, kept });
  return { ...kept, folder, store: storeOf(place) };
}

function filesIn(tree: Tree): string[] {
  return [...tree].flatMap(([path, { kind }]) => (kind === "file" ? [path] : [])).toSorted();
}

/** A clock that goes on with each look at it. */
function ticking(): () => number {
  let now = 0;
  return () => (now += 2);
}

/** How many of each there are below the folder. */
async function look({ trees, folder }: Kept & { folder: string }): Promise<Record<string, number>> {
  const { tree } = await trees.takeSnapshot("before");
  const counts: Record<string, number> = {};
  for (const [path, entry] of tree) {
    if (!path.startsWith(folder)) continue;
    const kind = entry.kind === "left" ? entry.why : entry.kind;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

test("a scan stops at its time limit within a folder, and marks unreached files as unknown", async () => {
  const counts = await look(folderOf(200, { limits: { ms: 100 }, elapsed: ticking() }));
  expect(counts["folder"]).toBe(1);
  expect(counts["file"]).toBeGreaterThan(5);
  expect(counts["too_slow"]).toBeGreaterThan(100);
  expect(counts["file"]! + counts["too_slow"]!).toBe(200);
});

test("a scan at the end of a session reads nothing that earlier ones did not reach, and keeps what the work has made", async () => {
  let tick = 2;
  let now = 0;
  const kept = folderOf(200, { limits: { ms: 100 }, elapsed: () => (now += tick) });
  kept.prompt();
  await kept.checkpoints.beforeAnything();
  const reached = filesIn(kept.trees.replayed(1).tree);
  expect(reached.length).toBeLessThan(150);
  // From now on there is time for everything.
  tick = 0;
  const made = join(kept.folder, "..", "made");
  writeFileSync(made, "made");
  kept.checkpoints.endTurn(false);
  await kept.checkpoints.close();
  expect(filesIn(kept.trees.replayed(2).tree)).toEqual([...reached, made].toSorted());
});

test("the end of a session counts as such for its scans, and the end of a turn does not", async () => {
  onTestFinished(clearGrounds);
  const closing = vi.spyOn(Trees.prototype, "close");
  const steps = [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }, "Done."];
  const options: EngineOptions = { permissionMode: "bypassPermissions", enableFileCheckpointing: true };
  const engine = await openOn(layGround(), scripted({ steps }), options);
  await turn(engine, "Go.");
  expect(closing).not.toHaveBeenCalled();
  await disposeAll();
  expect(closing).toHaveBeenCalledOnce();
});

test("a scan between two prompts reads what earlier ones did not reach", async () => {
  let tick = 2;
  let now = 0;
  const kept = folderOf(200, { limits: { ms: 100 }, elapsed: () => (now += tick) });
  await run(kept, () => (tick = 0));
  expect(filesIn(kept.trees.replayed(2).tree)).toHaveLength(201);
});

test("a folder on a network file system is not scanned, and a notice says so", async () => {
  const kept = folderOf(3, { networkPlaces: ({ work }) => new Set([join(work, "many")]) });
  const uuid = await run(kept, () => writeFileSync(join(kept.folder, "1"), "new"));
  expect(kept.notices).toEqual([`What commands change here cannot be rewound: ${kept.folder} (on another machine).`]);
  expect(await look(kept)).toEqual({ network: 1 });
  expect(await kept.checkpoints.rewind(uuid)).toMatchObject({ filesChanged: [] });
});

test("finds network folders in the mount table without touching them", () => {
  const lines = [
    "22 27 0:21 / /proc rw,relatime - proc proc rw",
    String.raw`31 27 0:40 / /work/my\040files rw shared:1 - fuse.sshfs me@host:/x rw,user_id=0`,
    "32 27 0:41 / /nas rw,relatime shared:2 master:1 - nfs4 host:/nas rw,vers=4.2",
    "33 27 0:42 / /work/here rw - fuse.portal portal rw",
    "34 27 0:43 / /mnt/c rw - 9p C: rw",
    "",
  ];
  expect([...networkPlacesIn(lines.join("\n"))]).toEqual(["/work/my files", "/nas"]);
});

test("other work continues while a large folder is scanned", async () => {
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

test("a folder with more files than the limit is left out as a whole, and its siblings are kept", async () => {
  const kept = folderOf(50, { limits: { entries: 20 } });
  expect(await look(kept)).toEqual({ too_much: 1 });
  expect(kept.trees.replayed(1).tree.get(join(kept.folder, "..", "other"))?.kind).toBe("file");
});

test("stores large files that appear later once for all new sessions, as those that were there first", async () => {
  const place = makePlace();
  onTestFinished(() => place.remove());
  writeFileSync(join(place.work, "small"), "");
  const bytesAfter = async (change: () => void): Promise<number> => {
    const kept = keepTrees(place);
    await run(kept, change);
    kept.transcript.close();
    return storedBytes(storeOf(place));
  };
  expect(await bytesAfter(() => undefined)).toBeLessThan(1 << 20);
  const size = 9 << 20;
  const large = await bytesAfter(() => writeFileSync(join(place.work, "large"), randomBytes(size)));
  expect(large).toBeGreaterThan(size);
  for (let session = 0; session < 3; session++) await bytesAfter(() => undefined);
  expect(await bytesAfter(() => undefined)).toBeLessThan(large + (1 << 20));
});

test("leaves half of the free disk space to everything else", async () => {
  const kept = folderOf(20, { freeBytes: (folder) => (existsSync(folder) ? 200 : undefined) });
  expect(await look(kept)).toEqual({ folder: 1, file: expect.any(Number), too_much: expect.any(Number) });
  expect(storedBytes(kept.store, ".pack")).toBeLessThan(100);
  expect(storedBytes(kept.store, ".pack")).toBeGreaterThan(50);
});

test("leaves half of the disk free over many prompts and sessions, and still keeps small changes", async () => {
  const place = makePlace();
  onTestFinished(() => place.remove());
  const disk = 4 << 20;
  for (let at = 0; at < 80; at++) writeFileSync(join(place.work, String(at)), randomBytes(50_000));
  writeFileSync(join(place.work, "a"), "");
  const free = (): number => disk - (existsSync(storeOf(place)) ? storedBytes(storeOf(place)) : 0);
  for (let session = 0; session < 3; session++) {
    const kept = keepTrees(place, { freeBytes: free });
    for (let prompt = 0; prompt < 4; prompt++) await run(kept, () => undefined);
    await run(kept, () => writeFileSync(join(place.work, "a"), `changed ${session}`));
    expect(kept.trees.replayed(1).tree.get(join(place.work, "a"))).toMatchObject({ kind: "file", size: 9 });
    kept.transcript.close();
  }
  expect(free()).toBeGreaterThan(disk / 3);
});

test("gives back the space of a snapshot that could not be recorded", async () => {
  let isBroken = false;
  const kept: ReturnType<typeof folderOf> = folderOf(20, {
    elapsed: () => {
      if (!isBroken) return 0;
      const log = snapshotLogPath(kept.transcript.path);
      rmSync(log, { recursive: true });
      mkdirSync(log);
      return 0;
    },
  });
  await run(kept, () => writeFileSync(join(kept.folder, "first"), randomBytes(1 << 20)));
  const before = storedBytes(kept.store, ".pack");
  expect(before).toBeGreaterThan(1 << 20);
  await run(kept, () => {
    writeFileSync(join(kept.folder, "second"), randomBytes(1 << 20));
    isBroken = true;
  });
  expect(kept.notices).toEqual([expect.stringContaining("the working folders could not be kept")]);
  expect(storedBytes(kept.store, ".pack")).toBe(before);
});
