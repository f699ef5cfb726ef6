// How guarded places are found before each command: at any depth, at a bounded cost, and never from outdated listings.
import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { entriesOf } from "../../../src/lib/path-status.ts";
import { GuardedSearch } from "../../../src/permissions/sandbox/guarded-search.ts";
import { makePlace, type Place } from "../support.ts";

const places: Place[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

/** `later`: how long after the last change it is looked, ms. */
function ground(later = 60_000) {
  const place = makePlace();
  places.push(place);
  const read: string[] = [];
  const entries = (folder: string) => {
    read.push(folder);
    return entriesOf(folder);
  };
  const search = new GuardedSearch({ now: () => Date.now() + later, entries });
  const put = (name: string, text = "x"): string => {
    const path = join(place.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const found = () => search.placesIn([place.cwd]);
  /** How many folders were read for it. */
  const reads = (): number => {
    read.length = 0;
    found();
    return read.length;
  };
  return { cwd: place.cwd, put, found, reads };
}

test("guarded places are found at any depth, except in folders of package managers", () => {
  const { put, found } = ground();
  const deep = put("a/b/c/d/e/f/g/h/.npmrc");
  const config = put("a/b/c/d/e/sub/.git/config", "[core]\n");
  put("a/node_modules/b/.npmrc");
  put("a/.venv/lib/python3/site-packages/b/.npmrc");
  const { readOnly, pinned, isCut } = found();
  expect([readOnly.toSorted(), pinned, isCut]).toEqual([[deep, config].toSorted(), [dirname(config)], false]);
});

test("everything that configures git is found in a repository, its modules and work trees", () => {
  const { cwd, put, found } = ground();
  const kept = ["config", "config.worktree", "hooks", "commondir", "gitdir", "info/attributes"];
  const places = [".git", ".git/modules/m", ".git/worktrees/w"];
  for (const place of places)
    for (const name of [...kept, "index", "HEAD"]) put(`${place}/${name === "hooks" ? "hooks/a" : name}`);
  const expected = places.flatMap((place) => kept.map((name) => join(cwd, place, name)));
  expect(found().readOnly.toSorted()).toEqual(expected.toSorted());
});

describe("the content of a folder is cached", () => {
  test("until it changes, whatever timestamp it gets", () => {
    const { put, found, reads } = ground();
    put("a/b/c/one.txt");
    put("other/one.txt");
    expect(reads()).toBe(5);
    expect(reads()).toBe(0);
    const made = put("a/b/c/.npmrc");
    utimesSync(dirname(made), 1, 1);
    expect(found().readOnly).toEqual([made]);
    rmSync(made);
    expect([reads(), found().readOnly]).toEqual([1, []]);
  });

  test("but not if another folder has its name by now, or if it changed a moment ago", () => {
    const { cwd, put, found } = ground();
    put("a/b/one.txt");
    put("z/b/.npmrc");
    found();
    renameSync(join(cwd, "a"), join(cwd, "y"));
    renameSync(join(cwd, "z"), join(cwd, "a"));
    expect(found().readOnly).toEqual([join(cwd, "a/b/.npmrc")]);
    const fresh = ground(0);
    fresh.put("a/one.txt");
    expect([fresh.reads(), fresh.reads()]).toEqual([2, 2]);
  });
});

test("beyond the limit of folders or places, the nearest are guarded and the cut is reported", () => {
  const { cwd, put, found, reads } = ground();
  const near = put("near/.npmrc");
  for (let count = 0; count < 2_100; count += 1) mkdirSync(join(cwd, `many/m${count}`), { recursive: true });
  put("many/m5/deeper/.npmrc");
  expect(found()).toMatchObject({ readOnly: [near], isCut: true });
  rmSync(join(cwd, "many"), { recursive: true });
  expect(found().isCut).toBe(false);
  for (let count = 0; count < 320; count += 1) put(`p${count}/.npmrc`);
  const { readOnly, isCut } = found();
  expect([readOnly.length, isCut]).toEqual([300, true]);
  expect(reads()).toBe(0);
});
