import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import LongFilesFirst from "./test/support/long-files-first.ts";

const long = ["test/long/**/*.test.ts", "test/**/*.long.test.ts"];
// Fast ones too, but each starts many processes, of which `npm test` starts some of each kind.
const wide = ["test/**/*.wide.test.ts"];
// Fast ones that go further among the wide tests.
const deep = readdirSync(join(import.meta.dirname, "test"), { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => `test/${file}`)
  .filter((file) => readFileSync(join(import.meta.dirname, file), "utf8").includes('/support/test-depth.ts"'));
const fastLimits = { testTimeout: 60_000, hookTimeout: 30_000 };
// What a test waits for is not there within the second that Vitest gives it, where the machine is busy.
const expectations = { poll: { timeout: 50_000 } };

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    // Tests hold no state outside themselves, so files share a worker, which loads what they import once.
    isolate: false,
    // Programs that tests start as sources lose their types once, not in each process; `npm test` begins with an empty folder.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, ".test/compiled") },
    pool: "forks",
    // Tests wait a quarter of their time, for processes and servers of their own: three workers keep two cores busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongFilesFirst },
    reporters: ["default", ["./test/support/summary-reporter.ts", { file: ".test/summary.json" }]],
    expect: expectations,
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        extends: true,
        test: { name: "fast", include: ["test/**/*.test.ts"], exclude: [...long, ...wide], ...fastLimits },
      },
      {
        extends: true,
        test: { name: "wide", include: [...wide, ...deep], env: { TEST_DEPTH: "wide" }, ...fastLimits },
      },
      {
        extends: true,
        test: { name: "long", include: long, testTimeout: 300_000, hookTimeout: 60_000 },
      },
    ],
  },
});
