// Writes the summary of a test run as a small JSON file, which scripts/test.ts turns into the closing lines.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Reporter, TestModule, TestResult } from "vitest/node";

export interface RunSummary {
  passed: number;
  /** A line for each failed test, each file that could not be loaded, and each error outside any test. */
  failures: string[];
  skipped: { name: string; reason: string }[];
}

export default class SummaryReporter implements Reporter {
  readonly file: string;

  constructor(options: { file: string }) {
    this.file = options.file;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const summary: RunSummary = { passed: 0, failures: unhandledErrors.map((error) => errorText(error)), skipped: [] };
    for (const module of modules) this.add(module, summary);
    mkdirSync(dirname(this.file), { recursive: true });
    writeFileSync(this.file, JSON.stringify(summary, undefined, 2));
  }

  add(module: TestModule, summary: RunSummary): void {
    const file = module.relativeModuleId;
    const errors = [module, ...module.children.allSuites()].flatMap((part) => part.errors());
    for (const error of errors) summary.failures.push(`${file}: ${errorText(error)}`);
    for (const test of module.children.allTests()) {
      const result = test.result();
      const name = `${file}: ${test.fullName}`;
      if (result.state === "passed") summary.passed += 1;
      else if (result.state === "failed") summary.failures.push(name);
      else summary.skipped.push({ name, reason: skipReason(result, errors) });
    }
  }
}

/** The first lines of the error's message and of its causes. When a worker ends, the cause names the signal and the file. */
function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null) return String(error);
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  const line = String(message).split("\n", 1)[0] ?? "";
  return cause === undefined || cause === null ? line : `${line} ${errorText(cause)}`;
}

function skipReason(result: TestResult, errors: readonly unknown[]): string {
  if (errors.length > 0) return "its file failed before it could run";
  // Vitest reports the results of a file's tests only when the whole file is done.
  if (result.state === "pending") return "the worker that ran its file ended";
  return (result.state === "skipped" && result.note) || "marked as skipped in the source";
}
