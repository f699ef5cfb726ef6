import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

const inLoop = (expression: string): string => `export const value = (): unknown => ${expression};\n`;
const lines = (count: number): string => "export {};\n".repeat(count);
const longFunction = (count: number): string => `export function long(): void {\n${"  void 0;\n".repeat(count - 2)}}\n`;

/** Each file breaks the one rule it is listed with, or none. */
const files: Record<string, [code: string, ...rules: string[]]> = {
  "src/lib/ok.ts": ["export const now = (): number => Date.now();\n", ""],
  "src/lib/long.ts": [lines(301), "max-lines"],
  "src/lib/full.ts": [lines(300), ""],
  "src/lib/long-function.ts": [longFunction(61), "max-lines-per-function"],
  "src/lib/full-function.ts": [longFunction(60), ""],
  "scripts/long-function.ts": [longFunction(61), "max-lines-per-function"],
  "bench/long.ts": [lines(301), "max-lines"],
  "test/long-function.ts": [longFunction(300), ""],
  "test/long.ts": [lines(501), "max-lines"],
  "src/lib/any.ts": ["export const value: any = 1;\n", "no-explicit-any"],
  "src/lib/floating.ts": ["export const run = (): void => {\n  Promise.resolve(1);\n};\n", "no-floating-promises"],
  "src/lib/void.ts": ["export const run = (): void => {\n  void Promise.resolve(1);\n};\n", "no-floating-promises"],
  "src/lib/swallow.ts": ["export const run = (): void => {\n  try {\n    run();\n  } catch {}\n};\n", "no-empty"],
  "src/lib/todo.ts": [`// ${"TO"}DO: later\nexport {};\n`, "no-warning-comments"],
  "src/lib/console.ts": ["export const run = (): void => console.log(1);\n", "no-console"],
  "src/cli/console.ts": ["export const run = (): void => console.log(1);\n", ""],
  "src/lib/cycle-a.ts": ['import { b } from "./cycle-b.ts";\nexport const a = (): unknown => b;\n', "no-cycle"],
  "src/lib/cycle-b.ts": ['export { c as b } from "./cycle-c.ts";\n', "no-cycle"],
  "src/lib/cycle-c.ts": ['import { a } from "./cycle-a.ts";\nexport const c = (): unknown => a;\n', "no-cycle"],
  "src/loop/date.ts": [inLoop("new Date()"), "no-restricted-globals"],
  "src/loop/random.ts": [inLoop("Math.random()"), "no-restricted-properties"],
  "src/loop/crypto.ts": [inLoop("crypto.randomUUID()"), "no-restricted-globals"],
  "src/loop/process.ts": [inLoop("process.env"), "no-restricted-globals"],
  "src/loop/timer.ts": [inLoop("setTimeout(value, 1)"), "no-restricted-globals"],
  "src/loop/fetch.ts": [inLoop('fetch("x")'), "no-restricted-globals"],
  "src/loop/global.ts": [inLoop("globalThis"), "no-restricted-globals"],
  "src/loop/elapsed.ts": ['export { elapsedMs } from "../lib/elapsed-ms.ts";\n', "no-restricted-imports"],
  "src/loop/fs.ts": ['export { readFileSync } from "node:fs";\n', "no-restricted-imports"],
};

let folder: string;
let found: Map<string, Set<string>>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-lint-"));
  for (const name of [".oxlintrc.json", "tsconfig.json", "package.json"]) cpSync(join(root, name), join(folder, name));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const [path, [code]] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), code);
  }
  const tool = join(root, "node_modules/.bin/oxlint");
  const { stdout } = spawnSync(tool, ["--format=json", "src", "test", "scripts", "bench"], {
    cwd: folder,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  found = new Map(
    [...Map.groupBy(diagnostics, ({ filename }) => filename)].map(([filename, list]) => [
      filename,
      new Set(list.map(({ code }) => code.replace(/^.*\((.*)\)$/, "$1"))),
    ]),
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(Object.entries(files))("%s", (path, [, ...rules]) => {
  expect([...(found.get(path) ?? [])]).toEqual(rules.filter(Boolean));
});
