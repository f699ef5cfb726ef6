// Writes what a test run came to as one small JSON file, which scripts/test.ts turns into the closing lines.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule, TestResult } from "vitest/node";

export interface RunSummary {
  passed: number;
  /** Failed tests, plus files that could not be loaded, plus errors outside any test. */
  failed: number;
  skipped: { name: string; reason: string }[];
}

export default class SummaryReporter implements Reporter {
  readonly file: string;

  constructor(options: { file: string }) {
    this.file = options.file;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const summary: RunSummary = { passed: 0, failed: unhandledErrors.length, skipped: [] };
    for (const module of modules) this.add(module, summary);
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, JSON.stringify(summary, undefined, 2));
  }

  add(module: TestModule, summary: RunSummary): void {
    const errors = [module, ...module.children.allSuites()].flatMap((part) => part.errors());
    summary.failed += errors.length;
    for (const test of module.children.allTests()) {
      const result = test.result();
      if (result.state === "passed") summary.passed += 1;
      else if (result.state === "failed") summary.failed += 1;
      else
        summary.skipped.push({ name: `${module.relativeModuleId}: ${test.fullName}`, reason: reason(result, errors) });
    }
  }
}

function reason(result: TestResult, errors: readonly unknown[]): string {
  if (errors.length > 0) return "its file failed before it could run";
  return (result.state === "skipped" && result.note) || "marked as skipped in the source";
}
