// `npm test`: checks and fast tests; `npm run test:wide`: the wide tests; both build first where the build is stale. Ends with what was skipped
// and why; the totals are left in .test/ for .ci/run.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunSummary } from "../test/support/summary-reporter.ts";
import { isBuildFresh } from "./run/fresh-build.ts";
import { checks, runSteps, type Step } from "./run/steps.ts";

const folder = join(import.meta.dirname, "..", ".test");
const summaryFile = join(folder, "summary.json");
const isWide = process.argv[2] === "wide";

/** A run that left no summary did not get to its end: that is one failure. */
function readSummary(): RunSummary {
  if (!existsSync(summaryFile)) return { passed: 0, failed: 1, skipped: [] };
  return JSON.parse(readFileSync(summaryFile, "utf8")) as RunSummary;
}

/** One line a reason, most tests first. */
function skippedLines(skipped: RunSummary["skipped"]): string[] {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason);
  return [...byReason]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(
      ([reason, tests]) =>
        `skipped ${tests.length}: ${reason} (${tests[0]?.name ?? ""}${tests.length > 1 ? ", …" : ""})`,
    );
}

const build: Step = { name: "build", command: ["node", "scripts/build.ts"] };

/** A project of vitest.config.ts. */
function testsOf(project: string): Step {
  return { name: "tests", command: ["vitest", "run", `--project=${project}`, "--passWithNoTests=false"], live: true };
}

if (isWide) rmSync(summaryFile, { force: true });
else rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const built = isBuildFresh() ? [] : await runSteps([build]);
// The tests wait a quarter of their time, most of all those they begin with; the checks, one by one, have what that leaves of the processors.
const [checked, tested] = await Promise.all([
  runSteps(isWide ? [] : checks),
  runSteps([testsOf(isWide ? "wide" : "fast")]),
]);
const outcomes = [...built, ...checked, ...tested];
const { passed, failed, skipped } = readSummary();
const steps = outcomes.filter(({ name }) => name !== "tests");
const failedSteps = steps.filter((step) => !step.passed).map(({ name }) => name);
// Vitest can fail without a failed test, for example when it finds none.
const silent = failed === 0 && outcomes.some((step) => step.name === "tests" && !step.passed) ? 1 : 0;
const totals = {
  passed: passed + steps.length - failedSteps.length,
  failed: failed + failedSteps.length + silent,
};
writeFileSync(join(folder, isWide ? "totals-wide" : "totals"), `${totals.passed} passed, ${totals.failed} failed\n`);
if (failedSteps.length > 0) console.log(`failed checks: ${failedSteps.join(", ")}`);
for (const line of skipped.length > 0 ? skippedLines(skipped) : ["nothing was skipped"]) console.log(line);
process.exitCode = totals.failed === 0 ? 0 : 1;
