// Seeds in a process of their own, where nothing else runs: no law is broken, and many reach every way on and out.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { byTestDepth } from "../support/test-depth.ts";

const root = join(import.meta.dirname, "../..");

function simulated(...given: string[]): { status: number | null; out: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "scripts/simulate.ts"), ...given], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 27,
  });
  return { status, out: stdout + stderr };
}

// Hundreds reach every reason, and say whether memory grows, which is looked at every 250 seeds.
const seeds = byTestDepth(60, 1_000);

test("no seed breaks a law, and hundreds of seeds reach every reason", { timeout: 300_000 }, () => {
  const { status, out } = simulated("--seeds", String(seeds), ...byTestDepth(["--partial"], []));
  expect(out.slice(-4_000)).toMatch(new RegExp(String.raw`simulate: ${seeds} passed, 0 failed\n$`));
  expect(status).toBe(0);
});

test(
  "too few seeds do not reach every reason, which is a failure that names the missing ones",
  { timeout: 60_000 },
  () => {
    const { status, out } = simulated("--seeds", "2");
    expect(out).toMatch(/never reached: terminal image_error/);
    expect(status).toBe(1);
  },
);

test("one seed with --trace is printed event by event", { timeout: 60_000 }, () => {
  const { status, out } = simulated("--seed", "2", "--trace");
  expect(out).toMatch(/\nrequest root main .*\n/);
  expect(out).toMatch(/seed 2: 0 problems, .* hash [0-9a-f]{16}-\d+\n$/);
  expect(status).toBe(0);
});

test("a seed count that is not a number is a usage error", () => {
  expect(simulated("--seeds", "many")).toMatchObject({ status: 2, out: "--seeds must be a whole number.\n" });
});
