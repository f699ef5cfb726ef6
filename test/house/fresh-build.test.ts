import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { isBuildFresh } from "../../scripts/run/fresh-build.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;

/** Sets when it was changed, in seconds; a folder's time as well. */
function changed(path: string, at: number): void {
  utimesSync(join(folder, path), at, at);
}

const files = [
  "src/lib/a.ts",
  "scripts/build.ts",
  "package.json",
  "package-lock.json",
  "node_modules/.package-lock.json",
];

beforeEach(() => {
  folder = temporaryFolder();
  for (const file of [...files, "dist/command/main.cjs"]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "");
  }
  for (const path of [...files, "src/lib", "src", "scripts"]) changed(path, 1_000);
  changed("dist/command/main.cjs", 2_000);
});

test("a build newer than all its sources is fresh", () => {
  expect(isBuildFresh(folder)).toBe(true);
});

test.each([...files, "src/lib", "src", "scripts"])("a build is stale if %s has changed", (path) => {
  changed(path, 3_000);
  expect(isBuildFresh(folder)).toBe(false);
});

test("a build is stale if a source was removed or nothing was built", () => {
  rmSync(join(folder, "src/lib/a.ts"));
  expect(isBuildFresh(folder)).toBe(false);
  changed("src/lib", 1_000);
  expect(isBuildFresh(folder)).toBe(true);
  rmSync(join(folder, "dist"), { recursive: true });
  expect(isBuildFresh(folder)).toBe(false);
});
