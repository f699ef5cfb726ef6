// The engine broken on purpose: each way applies to the source as it is, and a sample is caught here. All of them: mutations.long.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutations } from "./mutations.ts";

const root = join(import.meta.dirname, "../..");

test("there are more than twenty, in loop, context and session, and each line stands once in its file", () => {
  expect(mutations.length).toBeGreaterThan(20);
  expect(new Set(mutations.map(({ file }) => file.split("/")[0]))).toEqual(new Set(["loop", "session", "context"]));
  for (const { name, file, from, to } of mutations) {
    expect(readFileSync(join(root, "src", file), "utf8").split(from).length - 1, name).toBe(1);
    expect(to, name).not.toBe(from);
  }
});

test("one that is caught at once is told with the law it breaks", { timeout: 120_000 }, () => {
  const given = [join(root, "scripts/mutate.ts"), "--seeds", "12", "--only", "exclusive calls run beside others"];
  const { status, stdout } = spawnSync(process.execPath, given, { cwd: root, encoding: "utf8" });
  expect(stdout).toMatch(/^caught .*\n +seed \d+ breaks §11.*\nmutations: 1 caught, 0 not\n$/);
  expect(status).toBe(0);
});
