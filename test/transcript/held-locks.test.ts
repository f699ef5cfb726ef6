// Locks of one process in one folder are one file under several names, and are locks all the same.
import { readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { expect, test } from "vitest";
import { acquireLock, isLocked, nodeFileSystem, TranscriptError, transcriptPath } from "../../src/transcript/index.ts";
import type { ProcessTable } from "../../src/transcript/process-table.ts";
import { breakable, idOf, refusalOf, systemError } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

function places(count: number): string[] {
  const folder = temporaryFolder();
  return Array.from({ length: count }, (_, index) => transcriptPath(folder, idOf(index)));
}

function machine(pid: number, alive: Set<number>): ProcessTable {
  let nonces = 0;
  return {
    pid,
    host: "here",
    isAlive: (each) => alive.has(each),
    startTimeOf: (each) => (alive.has(each) ? `s${each}` : undefined),
    nonce: () => `${pid}-${nonces++}`,
    onExit: () => undefined,
    offExit: () => undefined,
  };
}

const filesBeside = (path: string): string[] => readdirSync(dirname(path)).toSorted();
const inodeOf = (path: string): number => statSync(path).ino;

test("further locks of a process are links to its first one, and each is released by itself", () => {
  const paths = places(4);
  const alive = new Set([1, 2]);
  const [one, two] = [machine(1, alive), machine(2, alive)];
  const locks = paths.map((path) => acquireLock(path, { processes: one }));
  expect(new Set(locks.map(({ path }) => inodeOf(path))).size).toBe(1);
  for (const path of paths) expect(refusalOf(() => acquireLock(path, { processes: two }))).toMatchObject({ pid: 1 });
  for (const path of paths) expect(refusalOf(() => acquireLock(path, { processes: one }))).toMatchObject({ pid: 1 });
  locks[0]!.release();
  expect(paths.map((path) => isLocked(path, { processes: two }))).toEqual([false, true, true, true]);
  const taken = acquireLock(paths[0]!, { processes: two });
  locks[0]!.release();
  expect(isLocked(paths[0]!, { processes: one })).toBe(true);
  for (const lock of [...locks, taken]) lock.release();
  expect(filesBeside(paths[0]!)).toEqual([]);
});

test("one heartbeat keeps all linked locks alive, even after one of them was removed by hand", () => {
  const paths = places(3);
  const touched: string[] = [];
  const beats = new Set<() => void>();
  const fs = {
    ...nodeFileSystem,
    touch(path: string) {
      nodeFileSystem.touch?.(path);
      touched.push(path);
    },
  };
  const processes: ProcessTable = {
    ...machine(1, new Set([1])),
    onHeartbeat(run) {
      beats.add(run);
      return () => beats.delete(run);
    },
  };
  const locks = paths.map((path) => acquireLock(path, { fs, processes }));
  for (const run of beats) run();
  rmSync(locks[0]!.path);
  for (const run of beats) run();
  expect(touched).toEqual([locks[0]!.path, locks[1]!.path]);
  for (const lock of locks) lock.release();
  expect(beats.size).toBe(0);
});

test("all linked locks of a dead process can be taken over", () => {
  const paths = places(3);
  const alive = new Set([1, 2]);
  const dead = machine(1, alive);
  for (const path of paths) acquireLock(path, { processes: dead });
  alive.delete(1);
  const processes = machine(2, alive);
  const locks = paths.map((path) => acquireLock(path, { processes }));
  for (const path of paths)
    expect(refusalOf(() => acquireLock(path, { processes: machine(3, new Set([2, 3])) })).pid).toBe(2);
  expect(filesBeside(paths[0]!)).toEqual(locks.map(({ path }) => basename(path)).toSorted());
  for (const lock of locks) lock.release();
  expect(filesBeside(paths[0]!)).toEqual([]);
});

test("a lock that was removed by hand is not linked to, and releasing it leaves another process's lock alone", () => {
  const [first, second, third] = places(3) as [string, string, string];
  const alive = new Set([1, 2]);
  const [one, two] = [machine(1, alive), machine(2, alive)];
  const removed = acquireLock(first, { processes: one });
  rmSync(removed.path);
  const foreign = acquireLock(first, { processes: two });
  // What it would be linked to names another process now.
  expect(refusalOf(() => acquireLock(second, { processes: one })).pid).toBe(2);
  const own = acquireLock(third, { processes: one });
  expect(refusalOf(() => acquireLock(third, { processes: two })).pid).toBe(1);
  removed.release();
  expect(isLocked(first, { processes: one })).toBe(true);
  own.release();
  foreign.release();
  expect(filesBeside(first)).toContain(`${idOf(1)}.lock`);
});

test("releasing an earlier lock of this process leaves its later lock at the same path", () => {
  const [path] = places(1) as [string];
  const processes = machine(1, new Set([1]));
  const removed = acquireLock(path, { processes });
  rmSync(removed.path);
  const again = acquireLock(path, { processes });
  removed.release();
  expect(isLocked(path, { processes })).toBe(true);
  again.release();
  expect(filesBeside(path)).toEqual([]);
});

test.each(["EMLINK", "EPERM", "EIO", "ENOENT"])("a lock is a file of its own if linking fails with %s", (code) => {
  const [first, second] = places(2) as [string, string];
  const alive = new Set([1, 2]);
  const processes = machine(1, alive);
  let links = 0;
  // The second lock's own link; that of its draft works again.
  const fs = breakable((call) => (call === "link" && ++links === 2 ? systemError(code) : undefined));
  const locks = [first, second].map((path) => acquireLock(path, { fs, processes }));
  expect(inodeOf(locks[0]!.path)).not.toBe(inodeOf(locks[1]!.path));
  expect(refusalOf(() => acquireLock(second, { processes: machine(2, alive) })).pid).toBe(1);
  for (const lock of locks) lock.release();
  expect(filesBeside(first)).toEqual([]);
});

test("exactly one of two processes gets a lock by linking, whenever the other one comes in", () => {
  const outcome = (at: number): number => {
    const [first, second] = places(2) as [string, string];
    const alive = new Set([1, 2]);
    const processes = machine(1, alive);
    const wins: number[] = [];
    const take = (pid: number, run: () => unknown): void => {
      try {
        run();
        wins.push(pid);
      } catch (error) {
        if (!(error instanceof TranscriptError && error.code === "locked")) throw error;
      }
    };
    let isOver = false;
    let calls = 0;
    const fs = breakable((_call) => {
      if (wins.length === 0 && armed && calls++ === at && !isOver) {
        isOver = true;
        take(2, () => acquireLock(second, { fs: nodeFileSystem, processes: machine(2, alive) }));
      }
      return undefined;
    });
    let armed = false;
    acquireLock(first, { fs, processes });
    armed = true;
    take(1, () => acquireLock(second, { fs, processes }));
    expect(wins, `at ${at}`).toHaveLength(1);
    return calls;
  };
  const calls = outcome(-1);
  expect(calls).toBeGreaterThanOrEqual(4);
  for (let at = 0; at < calls; at++) outcome(at);
});

test("a half written lock beside own locks is still respected", () => {
  const [first, second] = places(2) as [string, string];
  const processes = machine(1, new Set([1]));
  acquireLock(first, { processes });
  writeFileSync(second.replace(/\.jsonl$/, ".lock"), "{");
  expect(refusalOf(() => acquireLock(second, { processes })).code).toBe("locked");
});
