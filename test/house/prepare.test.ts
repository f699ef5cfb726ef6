// An install of a clone without what builds it: one sentence, where it ended in a stack trace.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
  cpSync(join(import.meta.dirname, "../../scripts/prepare.mjs"), join(folder, "scripts/prepare.mjs"));
  mkdirSync(join(folder, "src"));
});

const prepare = () =>
  spawnSync(process.execPath, [join(folder, "scripts/prepare.mjs")], { cwd: folder, encoding: "utf8" });

test("an install without development dependencies says in one sentence that they build pawl", () => {
  const { status, stderr } = prepare();
  expect(status).toBe(1);
  expect(stderr).toMatch(/^prepare: pawl cannot be built, as [^\n]+ --include=dev[^\n]+\n$/u);
});

// Seen: in a workspace of npm, whose packages lie in the folder above, each install failed.
test("the build tools may lie in a folder above", () => {
  const clone = join(folder, "packages/pawl");
  for (const name of ["scripts", "src"]) cpSync(join(folder, name), join(clone, name), { recursive: true });
  writeFileSync(join(clone, "scripts/build.ts"), 'console.log("built");');
  mkdirSync(join(folder, "node_modules/rolldown"), { recursive: true });
  writeFileSync(join(folder, "node_modules/rolldown/index.js"), "");
  const { stdout } = spawnSync(process.execPath, [join(clone, "scripts/prepare.mjs")], { encoding: "utf8" });
  expect(stdout).toBe("built\n");
});

test("an existing build stays", () => {
  mkdirSync(join(folder, "dist/command"), { recursive: true });
  const { status, stderr } = prepare();
  expect(status).toBe(0);
  expect(stderr).toMatch(/^prepare: dist\/ stays as it was built[^\n]+\n$/u);
});

test("a package without sources is not built", () => {
  rmSync(join(folder, "src"), { recursive: true });
  expect(prepare()).toMatchObject({ status: 0, stderr: "" });
});
