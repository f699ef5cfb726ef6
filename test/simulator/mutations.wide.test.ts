// One way of breaking the engine, whole: a copy of the sources, unbroken and broken, each played by the simulator. All of them: mutations.long.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

test("a mutation that is caught at once is reported with the law it breaks", { timeout: 120_000 }, () => {
  const given = [join(root, "scripts/mutate.ts"), "--seeds", "12", "--only", "exclusive calls run beside others"];
  const { status, stdout } = spawnSync(process.execPath, given, { cwd: root, encoding: "utf8" });
  expect(stdout).toMatch(/^caught .*\n +seed \d+ breaks §11.*\nmutations: 1 caught, 0 not\n$/);
  expect(status).toBe(0);
});
