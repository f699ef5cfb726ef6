import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { checks, runSteps } from "../../scripts/run/steps.ts";

const root = join(import.meta.dirname, "../..");

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-run-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

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

  test("fails when a test failed, in either run", () => {
    const early = ciRun(":", `${total("11 passed, 1 failed")}; exit 1`, wide);
    expect({ ...early, lines: early.lines.at(-1) }).toEqual({ status: 1, lines: "14 passed, 1 failed" });
    const late = ciRun(":", total("12 passed, 0 failed"), `${totalWide("2 passed, 1 failed")}; exit 1`);
    expect({ ...late, lines: late.lines.at(-1) }).toEqual({ status: 1, lines: "14 passed, 1 failed" });
  });

  test("counts a failure when a run broke off", () => {
    expect(ciRun(":", "exit 3", wide)).toEqual({ status: 3, lines: ["3 passed, 1 failed"] });
    expect(ciRun(":", `${total("5 passed, 0 failed")}; exit 1`, wide).lines).toEqual(["8 passed, 1 failed"]);
    expect(ciRun(":", total("5 passed, 0 failed"), "exit 4")).toEqual({ status: 4, lines: ["5 passed, 1 failed"] });
    expect(ciRun(":", total("5 passed, 0 failed"), ":")).toEqual({ status: 1, lines: ["5 passed, 1 failed"] });
  });

  test("an installation that fails is one failure, also after an earlier good run", () => {
    put("pawl/.test/totals", "12 passed, 0 failed\n");
    expect(ciRun("exit 1", total("12 passed, 0 failed"), wide)).toEqual({ status: 1, lines: ["0 passed, 1 failed"] });
  });

  test("finds the case collections next to the repository, unless told of others", () => {
    const tell = `${total("1 passed, 0 failed")}; echo "$PAWL_VECTORS $CI"`;
    expect(ciRun(":", tell, wide).lines[0]).toBe(" true");
    mkdirSync(join(folder, "shared/vectors"), { recursive: true });
    expect(ciRun(":", tell, wide).lines[0]).toBe(`${join(folder, "shared/vectors")} true`);
    expect(ciRun(":", tell, wide, { PAWL_VECTORS: "/other" }).lines[0]).toBe("/other true");
  });
});

test("the summary counts tests, files that do not load, and gives the reason of each skip", () => {
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  put(
    "a.test.ts",
    `import { describe, expect, test } from "vitest";
    test("passes", () => {});
    test("fails", () => expect(1).toBe(2));
    test("needs more", (context) => context.skip("no such thing here"));
    describe("group", () => { test.skip("left out", () => {}); });`,
  );
  put("b.test.ts", 'import "./absent.ts";');
  const reporter = join(root, "test/support/summary-reporter.ts");
  put(
    "vitest.config.ts",
    `export default { test: { reporters: [[${JSON.stringify(reporter)}, { file: "out/summary.json" }]] } };`,
  );
  const { status } = spawnSync(join(root, "node_modules/.bin/vitest"), ["run", "--root", folder], { cwd: folder });
  expect(status).toBe(1);
  expect(existsSync(join(folder, "out/summary.json"))).toBe(true);
  expect(JSON.parse(readFileSync(join(folder, "out/summary.json"), "utf8"))).toEqual({
    passed: 1,
    failed: 2,
    skipped: [
      { name: "a.test.ts: needs more", reason: "no such thing here" },
      { name: "a.test.ts: group > left out", reason: "marked as skipped in the source" },
    ],
  });
});

test("tests run with an empty home and without the keys of the person who runs them", () => {
  expect(readdirSync(homedir()).filter((name) => !name.startsWith("."))).toEqual([]);
  expect(homedir()).toContain("pawl-test-home-");
  expect(Object.keys(process.env).filter((name) => /^(ANTHROPIC|CLAUDE)_|^(https?|all|no)_proxy$/i.test(name))).toEqual(
    [],
  );
});

test("steps side by side: each is run, told, and has its outcome in its own place, whichever ends first", async () => {
  const told: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void told.push(line));
  const fifo = join(folder, "fifo");
  spawnSync("mkfifo", [fifo]);
  // The first waits for the second, which comes to its turn in another lane only.
  const outcomes = await runSteps(
    [
      { name: "first", command: ["cat", fifo] },
      { name: "second", command: ["sh", "-c", `echo > ${fifo}`] },
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

test("the checks are those that CONTRIBUTING.md names", () => {
  const text = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
  expect(checks.map(({ name }) => name)).toEqual(["typecheck", "lint", "format", "house", "knip", "publint", "api"]);
  for (const { name } of checks) expect(text).toContain(`\`${name}\``);
});

test("AGENTS.md stays within 120 lines", () => {
  expect(readFileSync(join(root, "AGENTS.md"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
});
