// `npm test` runs the checks and the fast tests; `npm run test:wide` the wide tests. Both build first if the build is stale. Prints
// what was skipped and why, and what failed. Writes the totals and the failures to .test/ for .ci/run.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunSummary } from "../test/support/summary-reporter.ts";
import { isBuildFresh } from "./run/fresh-build.ts";
import { checks, runSteps, type Step } from "./run/steps.ts";

const folder = join(import.meta.dirname, "..", ".test");
const summaryFile = join(folder, "summary.json");
const isWide = process.argv[2] === "wide";

/** Returns undefined if the run did not finish. */
function readSummary(): RunSummary | undefined {
  return existsSync(summaryFile) ? (JSON.parse(readFileSync(summaryFile, "utf8")) as RunSummary) : undefined;
}

/** Returns one line per reason, the one with the most tests first. */
function skippedLines(skipped: RunSummary["skipped"]): string[] {
  const byReason = Map.groupBy(skipped, ({ reason }) => reason);
  return [...byReason]
    .toSorted(([, left], [, right]) => right.length - left.length)
    .map(
      ([reason, tests]) =>
        `skipped ${tests.length}: ${reason} (${tests[0]?.name ?? ""}${tests.length > 1 ? ", …" : ""})`,
    );
}

const maxShownFailures = 30;

function failedLines(failures: string[]): string[] {
  const shown = failures.slice(0, maxShownFailures).map((failure) => `failed: ${failure.replaceAll(/\s+/gu, " ")}`);
  return failures.length > maxShownFailures
    ? [...shown, `failed: and ${failures.length - maxShownFailures} more`]
    : shown;
}

const build: Step = { name: "build", command: ["node", "scripts/build.ts"] };

/** Returns the step that runs a project of vitest.config.ts. */
function testStep(project: string): Step {
  return { name: "tests", command: ["vitest", "run", `--project=${project}`, "--passWithNoTests=false"], live: true };
}

if (isWide) rmSync(summaryFile, { force: true });
else rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const built = isBuildFresh() ? [] : await runSteps([build]);
// Run the checks one by one during the tests, which often wait, most of all the first ones.
const [checked, tested] = await Promise.all([
  runSteps(isWide ? [] : checks),
  runSteps([testStep(isWide ? "wide" : "fast")]),
]);
const outcomes = [...built, ...checked, ...tested];
const summary = readSummary();
const failedTests = summary?.failures ?? [];
// Vitest can fail without a failed test, for example if it finds no tests or is killed.
const failedSteps = outcomes.filter(({ name, passed }) => !passed && (name !== "tests" || failedTests.length === 0));
const failures = [...failedSteps.map(({ name, ended }) => `${name} ${ended}`), ...failedTests];
if (summary === undefined && failures.length === 0) failures.push("tests left no summary");
const passed = (summary?.passed ?? 0) + outcomes.filter((step) => step.passed && step.name !== "tests").length;
const skipped = summary?.skipped ?? [];
for (const line of skipped.length > 0 ? skippedLines(skipped) : ["nothing was skipped"]) console.log(line);
const lines = failedLines(failures);
for (const line of lines) console.log(line);
const totals = `${passed} passed, ${failures.length} failed`;
writeFileSync(join(folder, isWide ? "totals-wide" : "totals"), [totals, ...lines, ""].join("\n"));
process.exitCode = failures.length === 0 ? 0 : 1;
