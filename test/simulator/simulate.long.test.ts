// Ten times the seeds of the fast tests, others of them: minutes of a processor.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("ten thousand more seeds break no law", { timeout: 3_600_000 }, () => {
  const given = [join(root, "scripts/simulate.ts"), "--seed", "1001", "--seeds", "10000"];
  const { status, stdout } = spawnSync(process.execPath, given, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 27 });
  expect(stdout.slice(-4_000)).toMatch(/simulate: 10000 passed, 0 failed\n$/);
  expect(status).toBe(0);
});
