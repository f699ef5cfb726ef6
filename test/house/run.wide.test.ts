import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { checks, runSteps } from "../../scripts/run/steps.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const root = join(import.meta.dirname, "../..");

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

function put(path: string, content: string, mode = 0o644): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content, { mode });
}

describe(".ci/run", () => {
  /** Runs a copy of the script with an `npm` of our own, which does `install` for `npm ci`, and others for `npm test` and `npm run test:wide`. */
  function ciRun(install: string, tests: string, wide: string, env: Record<string, string> = {}) {
    put(
      "bin/npm",
      `#!/bin/sh\ncase "$*" in ci) ${install} ;; test) ${tests} ;; "run test:wide") ${wide} ;; esac\n`,
      0o755,
    );
    mkdirSync(join(folder, "pawl/.ci"), { recursive: true });
    cpSync(join(root, ".ci/run"), join(folder, "pawl/.ci/run"));
    const { status, stdout } = spawnSync("bash", [join(folder, "pawl/.ci/run")], {
      encoding: "utf8",
      env: { PATH: `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`, ...env },
    });
    return { status, lines: stdout.trimEnd().split("\n") };
  }
  const total = (text: string): string => `mkdir -p .test; echo "${text}" > .test/totals`;
  const totalWide = (text: string): string => `mkdir -p .test; echo "${text}" > .test/totals-wide`;
  const wide = totalWide("3 passed, 0 failed");

  test("ends with the totals of both runs", () => {
    expect(ciRun("echo installed", `${total("12 passed, 0 failed")}; echo "nothing was skipped"`, wide)).toEqual({
      status: 0,
      lines: ["installed", "nothing was skipped", "15 passed, 0 failed"],
    });
  });

  test("fails if a test failed, in either run", () => {
    const early = ciRun(":", `${total("11 passed, 1 failed")}; exit 1`, wide);
    expect({ ...early, lines: early.lines.at(-1) }).toEqual({ status: 1, lines: "14 passed, 1 failed" });
    const late = ciRun(":", total("12 passed, 0 failed"), `${totalWide("2 passed, 1 failed")}; exit 1`);
    expect({ ...late, lines: late.lines.at(-1) }).toEqual({ status: 1, lines: "14 passed, 1 failed" });
  });

  test("lists before the totals what failed in each run", () => {
    const early = total("11 passed, 1 failed\nfailed: a.test.ts: one  two");
    const late = totalWide("2 passed, 1 failed\nfailed: tests was ended by SIGKILL");
    expect(ciRun(":", `${early}; echo more; exit 1`, `${late}; exit 1`)).toEqual({
      status: 1,
      lines: ["more", "failed: a.test.ts: one  two", "failed: tests was ended by SIGKILL", "13 passed, 2 failed"],
    });
  });

  test("counts a failure if a run broke off, and says how it ended", () => {
    const good = total("5 passed, 0 failed");
    expect(ciRun(":", "exit 3", wide)).toEqual({
      status: 3,
      lines: ["failed: npm test ended with code 3 and left no totals", "3 passed, 1 failed"],
    });
    expect(ciRun(":", `${good}; exit 1`, wide)).toEqual({
      status: 1,
      lines: ["failed: npm test ended with code 1", "8 passed, 1 failed"],
    });
    expect(ciRun(":", good, "kill -9 $$")).toEqual({
      status: 137,
      lines: ["failed: npm run test:wide ended with code 137 and left no totals", "5 passed, 1 failed"],
    });
    expect(ciRun(":", good, ":")).toEqual({
      status: 1,
      lines: ["failed: npm run test:wide ended with code 0 and left no totals", "5 passed, 1 failed"],
    });
  });

  test("counts an installation that fails as one failure, also after an earlier good run", () => {
    put("pawl/.test/totals", "12 passed, 0 failed\n");
    expect(ciRun("exit 7", total("12 passed, 0 failed"), wide)).toEqual({
      status: 1,
      lines: ["failed: npm ci ended with code 7, twice", "0 passed, 1 failed"],
    });
  });

  test("finds the vectors next to the repository, unless PAWL_VECTORS is set", () => {
    const tell = `${total("1 passed, 0 failed")}; echo "$PAWL_VECTORS $CI"`;
    expect(ciRun(":", tell, wide).lines[0]).toBe(" true");
    mkdirSync(join(folder, "shared/vectors"), { recursive: true });
    expect(ciRun(":", tell, wide).lines[0]).toBe(`${join(folder, "shared/vectors")} true`);
    expect(ciRun(":", tell, wide, { PAWL_VECTORS: "/other" }).lines[0]).toBe("/other true");
  });
});

describe("the summary of a run", () => {
  /** What one of the files that were put leaves. */
  function summaryOf(): unknown {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    const reporter = join(root, "test/support/summary-reporter.ts");
    const reporters = `[[${JSON.stringify(reporter)}, { file: "out/summary.json" }]]`;
    put("vitest.config.ts", `export default { test: { pool: "forks", reporters: ${reporters} } };`);
    const vitest = join(root, "node_modules/.bin/vitest");
    const { status } = spawnSync(vitest, ["run", "--root", folder], { cwd: folder });
    expect(status).toBe(1);
    return JSON.parse(readFileSync(join(folder, "out/summary.json"), "utf8"));
  }

  test("counts tests, names failures and files that do not load, and gives the reason of each skip", () => {
    put(
      "a.test.ts",
      `import { describe, expect, test } from "vitest";
      test("passes", () => {});
      test("fails", () => expect(1).toBe(2));
      test("needs more", (context) => context.skip("no such thing here"));
      describe("group", () => { test.skip("left out", () => {}); });`,
    );
    put("b.test.ts", 'import "./absent.ts";');
    expect(summaryOf()).toEqual({
      passed: 1,
      failures: ["a.test.ts: fails", expect.stringMatching(/^b\.test\.ts: .*absent\.ts/u)],
      skipped: [
        { name: "a.test.ts: needs more", reason: "no such thing here" },
        { name: "a.test.ts: group > left out", reason: "marked as skipped in the source" },
      ],
    });
  });

  test("names the file whose worker was ended, and the signal", () => {
    put(
      "a.test.ts",
      `import { test } from "vitest";
      test("dies", () => { process.kill(process.pid, "SIGKILL"); return new Promise(() => {}); });
      test("would be next", () => {});`,
    );
    expect(summaryOf()).toEqual({
      passed: 0,
      failures: [expect.stringMatching(/ with signal SIGKILL .*\ba\.test\.ts$/u)],
      skipped: ["dies", "would be next"].map((name) => ({
        name: `a.test.ts: ${name}`,
        reason: "the worker that ran its file ended",
      })),
    });
  });
});

test("tests run with an empty home and without the user's keys", () => {
  expect(readdirSync(homedir()).filter((name) => !name.startsWith("."))).toEqual([]);
  expect(homedir()).toContain("pawl-test-home-");
  expect(Object.keys(process.env).filter((name) => /^(ANTHROPIC|CLAUDE)_|^(https?|all|no)_proxy$/i.test(name))).toEqual(
    [],
  );
});

test("parallel steps each run, and have their outcomes in order", async () => {
  const told: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void told.push(line));
  const fifo = join(folder, "fifo");
  spawnSync("mkfifo", [fifo]);
  // The first waits for the second, which comes to its turn in another lane only.
  const outcomes = await runSteps(
    [
      { name: "first", command: ["cat", fifo] },
      { name: "second", command: ["sh", "-c", 'echo > "$0"', fifo] },
      { name: "third", command: ["true"] },
    ],
    2,
  );
  expect(outcomes).toEqual(["first", "second", "third"].map((name) => ({ name, passed: true })));
  expect(told.map((line) => line.replace(/ \(.*/u, "")).toSorted()).toEqual([
    "ok     first",
    "ok     second",
    "ok     third",
  ]);
});

test("a failed step reports its exit code, its signal, or why it did not start", async () => {
  const told: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void told.push(line));
  const outcomes = await runSteps([
    { name: "code", command: ["sh", "-c", "exit 3"] },
    { name: "signal", command: ["sh", "-c", "kill -9 $$"] },
    { name: "absent", command: [join(folder, "no-such-program")] },
  ]);
  const ends = ["ended with code 3", "was ended by SIGKILL", expect.stringMatching(/^did not start: .*ENOENT/u)];
  expect(outcomes).toEqual(
    ["code", "signal", "absent"].map((name, at) => ({ name, passed: false, ended: ends[at] as unknown })),
  );
  expect(told.slice(0, 2).map((line) => line.replace(/ \(.*\)/u, ""))).toEqual([
    "FAILED code: ended with code 3",
    "FAILED signal: was ended by SIGKILL",
  ]);
});

test("CONTRIBUTING.md names each of the checks", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  expect(checks.map(({ name }) => name)).toEqual(["typecheck", "lint", "format", "house", "knip", "publint", "api"]);
  for (const { name } of checks) expect(text).toContain(`\`${name}\``);
});

test("AGENTS.md has at most 120 lines", () => {
  expect(readFileSync(join(root, "AGENTS.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});
