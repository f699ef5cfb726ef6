import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { checkHouse } from "../../scripts/house/check.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const script = join(import.meta.dirname, "../../scripts/check-house.ts");

let root: string;
beforeEach(() => {
  root = temporaryFolder();
});

function write(files: Record<string, string>): void {
  for (const [path, content] of Object.entries({ "src/lib/a.ts": "export const a = 1;", ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path.startsWith("src/") ? `// A file.\n${content}` : content);
  }
}

/** The problems of a tree of `path: content`, as the script prints them. Files below src/ get a comment as first line. */
function check(files: Record<string, string>): string[] {
  write(files);
  return checkHouse(root).problems.map(({ file, line, rule, message }) => `${file}:${line}: ${rule}: ${message}`);
}

const allowed: Record<string, [from: string, code: string]> = {
  "protocol to itself": ["protocol/b.ts", 'import { a } from "./a.ts";'],
  "a neighbour to lib and protocol": ["tools/b.ts", 'import { a } from "../lib/a.ts"; import "../protocol/a.ts";'],
  "a neighbour to the types of settings": ["mcp/b.ts", 'import type { S } from "../settings/a.ts";'],
  "an inline type of settings": ["mcp/b.ts", 'import { type S, type T } from "../settings/a.ts";'],
  "session to any neighbour": ["session/b.ts", 'import "../loop/a.ts"; import "../tools/a.ts";'],
  "cli to a surface": ["cli/b.ts", 'import "../surface/headless/a.ts";'],
  "cli to the terminal, dynamically": ["cli/b.ts", 'export const run = () => import("../surface/line/a.ts");'],
  "cli to the test kit, dynamically": ["cli/b.ts", 'export const mock = () => import("../testing/a.ts");'],
  "a folder of permissions to a folder before it": ["permissions/judging/b.ts", 'import "../shell/a.ts";'],
  "a folder of session that the plan does not name to one that it names": ["session/b/b.ts", 'import "../store/a.ts";'],
  "folders of session that the plan does not name to each other": ["session/b/b.ts", 'import "../desk/a.ts";'],
  "a file of session that the plan names to a folder before it": ["session/joined.ts", 'import "./hooks/a.ts";'],
  "the terminal to itself": ["surface/line/b.ts", 'import "./a.ts";'],
  "index to session": ["index.ts", 'export * from "./session/a.ts";'],
  "lib to Node": ["lib/b.ts", 'import "node:fs";'],
};

const forbidden: Record<string, [from: string, code: string, message: string]> = {
  "lib to protocol": ["lib/b.ts", 'import "../protocol/a.ts";', "lib/ imports protocol/, but may import nothing"],
  "protocol to lib": ["protocol/b.ts", 'import "../lib/a.ts";', "protocol/ imports lib/"],
  "protocol to Node": ["protocol/b.ts", 'import "node:fs";', "protocol/ imports node:fs"],
  "loop to a package": ["loop/b.ts", 'import type { A } from "diff";', "loop/ imports diff"],
  "a folder of permissions to a folder after it": [
    "permissions/shell/b.ts",
    'import type { A } from "../judging/a.ts";',
    "permissions/shell imports permissions/judging",
  ],
  "a folder of permissions to one that the plan does not name": [
    "permissions/judging/b.ts",
    'import type { A } from "../new/a.ts";',
    "permissions/judging imports permissions/new/a.ts",
  ],
  "a folder of session that the plan names to one that it does not name": [
    "session/store/b.ts",
    'import type { A } from "../desk/a.ts";',
    "session/store imports session/desk/a.ts",
  ],
  "a folder of session to a file that stands after it": [
    "session/hooks/b.ts",
    'import type { A } from "../joined.ts";',
    "session/hooks imports session/joined.ts",
  ],
  "a folder of session that the plan does not name to one that stands after all such": [
    "session/b/b.ts",
    'import type { A } from "../turn/a.ts";',
    "session/b imports session/turn/a.ts",
  ],
  "a file of session that the plan names to a folder that it does not name": [
    "session/joined.ts",
    'import type { A } from "./desk/a.ts";',
    "session/joined.ts imports session/desk/a.ts",
  ],
  "neighbour to neighbour": ["tools/b.ts", 'import "../permissions/a.ts";', "are neighbours"],
  "neighbour to neighbour, for types": ["hooks/b.ts", 'import type { A } from "../loop/a.ts";', "are neighbours"],
  "neighbour to neighbour, dynamically": ["hooks/b.ts", 'await import("../loop/a.ts");', "are neighbours"],
  "neighbour to neighbour, re-exported": ["hooks/b.ts", 'export * from "../loop/a.ts";', "are neighbours"],
  "a neighbour to values of settings": [
    "mcp/b.ts",
    'import { s, type S } from "../settings/a.ts";',
    "use `import type`",
  ],
  "a neighbour to session": ["model/b.ts", 'import "../session/a.ts";', "model/ imports session/"],
  "session to a surface": ["session/b.ts", 'import "../surface/stdio/a.ts";', "session/ imports surface/"],
  "a surface to cli": ["surface/stdio/b.ts", 'import "../../cli/a.ts";', "surface/ imports cli/"],
  "index to cli": ["index.ts", 'import "./cli/a.ts";', "index/ imports cli/"],
  "cli to the terminal, statically": ["cli/b.ts", 'import "../surface/line/a.ts";', "load it with import()"],
  "headless to the terminal, statically": ["surface/headless/b.ts", 'import "../line/a.ts";', "load it with import()"],
  "cli to the test kit, statically": ["cli/b.ts", 'import "../testing/a.ts";', "load it with import()"],
  "session to the test kit, dynamically": [
    "session/b.ts",
    'await import("../testing/a.ts");',
    "session/ imports testing/",
  ],
  "the test kit to loop": ["testing/b.ts", 'import "../loop/a.ts";', "testing/ imports loop/"],
  "src to test": ["lib/b.ts", 'import "../../test/a.ts";', "outside src"],
  "src to its own package name": ["cli/b.ts", 'import "pawl/protocol";', "needs a build"],
};

test("the script prints each problem with its place and fails; without problems it succeeds", () => {
  write({});
  const run = () => spawnSync(process.execPath, [script, root], { encoding: "utf8" });
  expect(run()).toMatchObject({ status: 0, stderr: "", stdout: "house: 1 files in src, 0 problems\n" });
  write({ "src/lib/b.ts": 'import "../protocol/a.ts";' });
  expect(run()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^src\/lib\/b\.ts:2: import-direction: lib\//),
  });
});

describe("import direction", () => {
  test.each(Object.entries(allowed))("%s is allowed", (_, [from, code]) => {
    expect(check({ [`src/${from}`]: code })).toEqual([]);
  });

  test.each(Object.entries(forbidden))("%s is refused", (_, [from, code, message]) => {
    const problems = check({ [`src/${from}`]: code });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`src/${from}:2: import-direction: `);
    expect(problems[0]).toContain(message);
  });

  test("the line is that of the specifier, also below wide characters", () => {
    const problems = check({ "src/lib/b.ts": '// 🪝 ü\n\nimport {\n  a,\n} from "../protocol/a.ts";' });
    expect(problems[0]).toContain("src/lib/b.ts:6: ");
  });
});

describe("rooms", () => {
  test("an empty folder is refused, at any depth", () => {
    mkdirSync(join(root, "src/hooks"), { recursive: true });
    mkdirSync(join(root, "src/lib/deep/er"), { recursive: true });
    const problems = check({});
    expect(problems.map((line) => line.split(": ").slice(0, 2))).toEqual(
      expect.arrayContaining([
        ["src/hooks:1", "empty-room"],
        ["src/lib/deep:1", "empty-room"],
        ["src/lib/deep/er:1", "empty-room"],
      ]),
    );
  });

  test("a room that is not planned is refused", () => {
    expect(check({ "src/utils/a.ts": "" })).toEqual([expect.stringContaining("src/utils:1: unknown-room: ")]);
  });

  test("a room without a comment on its purpose is refused", () => {
    mkdirSync(join(root, "src/model"), { recursive: true });
    writeFileSync(join(root, "src/model/a.ts"), "export const a = 1; // late");
    expect(check({})).toEqual([expect.stringContaining("src/model:1: room-purpose: ")]);
  });
});

describe("no exceptions", () => {
  test.each([
    ["src/lib/b.ts", `// ${"oxlint"}-disable-next-line no-console`],
    ["src/lib/b.ts", `/* ${"eslint"}-disable */`],
    ["test/b.test.ts", `export const a = 1;\n// @ts-${"expect-error"} it is fine`],
    ["scripts/b.ts", `// @ts-${"ignore"}`],
  ])("a comment in %s that disables a check is refused: %s", (file, code) => {
    const problems = check({ [file]: code });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${file}:[12]: no-exceptions: `))]);
  });

  test("the same words outside the start of a comment are allowed", () => {
    expect(check({ "src/lib/b.ts": `export const words = "${"oxlint"}-disable";` })).toEqual([]);
  });

  test("a size limit for a single file is refused", () => {
    const settings = { overrides: [{ files: ["src/lib/a.ts"], rules: { "max-lines": ["error", 400] } }] };
    expect(check({ ".oxlintrc.json": JSON.stringify(settings, undefined, 2) })).toEqual([
      expect.stringMatching(/^\.oxlintrc\.json:5: no-exceptions: sets a size of its own for src\/lib\/a\.ts/),
    ]);
  });

  test("excluding a file from the linter is refused", () => {
    expect(check({ ".oxlintrc.json": JSON.stringify({ ignorePatterns: ["src/lib/a.ts"] }) })).toEqual([
      expect.stringContaining("ignores src/lib/a.ts"),
    ]);
  });
});

test("files that import each other are reported once per circle, for values, types and dynamic imports", () => {
  const found = check({
    "src/lib/a.ts": 'import type { B } from "./b.ts";',
    "src/lib/b.ts": 'export const c = () => import("./c.ts");',
    "src/lib/c.ts": 'import { a } from "./a.ts";',
    "src/lib/d.ts": 'import { a } from "./a.ts"; import { e } from "./e.ts";',
    "src/lib/e.ts": 'export * from "./c.ts";',
    "src/tools/f.ts": 'import { g } from "./g.ts";',
    "src/tools/g.ts": 'import { f } from "./f.ts";',
  });
  expect(found.filter((problem) => problem.includes("no-circle"))).toEqual([
    "src/lib/a.ts:1: no-circle: imports and is imported by src/lib/b.ts, src/lib/c.ts: put what both need into a file of its own",
    "src/tools/f.ts:1: no-circle: imports and is imported by src/tools/g.ts: put what both need into a file of its own",
  ]);
});
