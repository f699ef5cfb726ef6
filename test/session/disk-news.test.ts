import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createDiskNews } from "../../src/session/tools/disk-news.ts";
import { createReadFileState } from "../../src/tools/read-state.ts";

function watching(count: number) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-news-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const readState = createReadFileState();
  const paths = Array.from({ length: count }, (_, at) => join(folder, `note-${at}.txt`));
  for (const path of paths) {
    writeFileSync(path, "as it was read");
    const { mtimeMs, size } = statSync(path);
    readState.set(path, { mtimeMs, size });
  }
  let now = 0;
  const news = createDiskNews(readState, { elapsed: () => now });
  return {
    paths,
    touchAll: () => paths.forEach((path, at) => utimesSync(path, 1_000_000 + at, 1_000_000 + at)),
    pass: (ms: number) => (now += ms),
    told: () => news().map(({ path }) => path),
  };
}

test("a few files are looked at at every border", () => {
  const { paths, touchAll, told } = watching(4);
  expect(told()).toEqual([]);
  touchAll();
  expect(told().toSorted()).toEqual(paths);
  expect(told()).toEqual([]);
});

test("many files are looked at in turn where borders follow each other at once, and none is missed or told twice", () => {
  const { paths, touchAll, told } = watching(20);
  expect(told()).toEqual([]);
  touchAll();
  const seen = Array.from({ length: 5 }, told);
  expect(seen.map((each) => each.length)).toEqual([4, 4, 4, 4, 4]);
  expect(seen.flat().toSorted()).toEqual(paths.toSorted());
  expect(told()).toEqual([]);
});

test("all of them are looked at after half a second", () => {
  const { paths, touchAll, pass, told } = watching(20);
  expect(told()).toEqual([]);
  touchAll();
  pass(500);
  expect(told().toSorted()).toEqual(paths.toSorted());
});
