// Every way of breaking the engine is caught.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

test("the simulator catches every mutation", { timeout: 3_600_000 }, () => {
  const root = join(import.meta.dirname, "../..");
  const { status, stdout } = spawnSync(process.execPath, [join(root, "scripts/mutate.ts")], {
    cwd: root,
    encoding: "utf8",
  });
  expect(stdout).toMatch(/mutations: \d+ caught, 0 not\n$/);
  expect(status).toBe(0);
});
