import { mkdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { knowledgeEvidence } from "../../src/knowledge/evidence.ts";
import { expandBraces, readGlobs } from "../../src/knowledge/globs.ts";
import { loadMemory, type MemoryOptions } from "../../src/knowledge/memory.ts";
import { NestedMemory } from "../../src/knowledge/nested-memory.ts";
import { put as putFile } from "../support/put.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
});

const put = (file: string, text: string): string => putFile(join(root, file), text);

const options = (more: Partial<MemoryOptions> = {}): MemoryOptions => ({
  cwd: join(root, "repo"),
  home: join(root, "home"),
  pawlHome: join(root, "home/.pawl"),
  policyFolders: [join(root, "etc")],
  ...more,
});
const short = (path: string) => path.slice(root.length + 1);
const pathsOf = (memory: { files: { path: string }[] }) => memory.files.map(({ path }) => short(path));
const nested = (told: string[] = []) => new NestedMemory(options(), told);
const read = (memory: NestedMemory, ...paths: string[]) =>
  memory.read(paths.map((path) => [join(root, path), realpathSync(join(root, path))] as const)).memories;

describe("rules", () => {
  test("without paths are loaded with their folder, while the others wait", () => {
    put("repo/CLAUDE.md", "claude");
    put("repo/.claude/rules/deep/style.md", "---\ndescription: x\n---\nstyle");
    put("repo/.claude/rules/api.md", '---\npaths: ["src/api/**/*.ts"]\n---\napi');
    put("repo/.pawl/rules/own.md", "own");
    put("home/.claude/rules/mine.md", "mine");
    const memory = loadMemory(options());
    expect(pathsOf(memory)).toEqual([
      "home/.claude/rules/mine.md",
      "repo/CLAUDE.md",
      "repo/.claude/rules/deep/style.md",
      "repo/.pawl/rules/own.md",
    ]);
    expect(memory.text).not.toContain("description: x");
    expect(memory.scoped.map(({ globs }) => globs)).toEqual([["src/api/**/*.ts"]]);
  });

  test.each([
    ["paths: src/**/*.{ts,tsx}, lib/*.js", ["src/a/b.tsx", "lib/x.js"], ["src/a.css", "lib/a/x.js"]],
    ["paths:\n  - '**/*.py'  # all\n  - \"docs/**\"\nother: 1", ["a.py", "x/y.py", "docs/a/b"], ["other"]],
    [
      "paths:\n  [\n    \"src/**/*.ts\",\n    'lib/{a,b}.js', # two\n  ]\nother: 1",
      ["src/a/b.ts", "lib/b.js"],
      ["c.ts"],
    ],
    ["paths: [\n  'a,b/*',\n  c/*\n]", ["a,b/x", "c/x"], ["b/x"]],
    ["paths: >-\n  src/**\nother: 1", ["src/a"], ["lib/a"]],
    ["paths: |\n  src/**\n  lib/**\n", ["src/a", "lib/a"], ["other"]],
    ["paths: app/[id]/**", ["app/[id]/a.ts", "app/d/a.ts"], ["app/id/a.ts"]],
    ["paths: '*.md'", ["a.md", "x/y/b.md"], ["a.mdx"]],
    [`paths: "**/*.go", "{a,b}/*.ts","c, d/*"`, ["x/a.go", "b/c.ts", "c, d/e"], ["x/a.js", "c/a.ts"]],
    ['paths:\n  - "**/*.go", "**/*.ts"', ["x/a.go", "b/c.ts"], ["x/a.js"]],
  ])("apply to the files that their globs match: %s", (head, wanted, unwanted) => {
    put("repo/.claude/rules/r.md", `---\n${head}\n---\ntext`);
    const { scoped, notices } = loadMemory(options());
    expect(notices).toEqual([]);
    const [rule] = scoped;
    for (const path of wanted) expect(rule?.appliesTo(join(root, "repo", path)), path).toBe(true);
    for (const path of unwanted) expect(rule?.appliesTo(join(root, "repo", path)), path).toBe(false);
    expect(rule?.appliesTo(join(root, "elsewhere/a.md"))).toBe(false);
  });

  // Seen: they waited for ever, since files are told by their real path.
  test("apply to the files that their globs match if the working folder is a link to the project", () => {
    put("repo/.claude/rules/r.md", "---\npaths: src/**\n---\nproject");
    put("home/.claude/rules/r.md", "---\npaths: src/**\n---\nmine");
    put("repo/src/a.ts", "a");
    symlinkSync(join(root, "repo"), join(root, "link"));
    const memory = new NestedMemory(options({ cwd: join(root, "link") }), []);
    expect(read(memory, "link/src/a.ts").map(({ text }) => text.split("\n").at(-1))).toEqual(["mine", "project"]);
  });

  test("have their paths in front matter only, whatever its line ends", () => {
    const text = 'paths: ["src/**"]\n---\nis how it is written';
    put("repo/.claude/rules/a.md", `\ufeff--- \r\ndescription: x\r\n---\t\r\n${text}`);
    put("repo/.claude/rules/b.md", `--- \npaths: lib/**\n--- \n${text}`);
    const { text: told, scoped, notices } = loadMemory(options());
    expect([told.includes(text), told.includes("description"), notices]).toEqual([true, false, []]);
    expect(scoped.map(({ globs }) => globs)).toEqual([["lib/**"]]);
  });

  // Seen: each was left out, and said to be a link to itself.
  test("of a folder above the repository count like its CLAUDE.md", () => {
    put("CLAUDE.md", "above");
    put(".claude/rules/deep/style.md", "style");
    put(".claude/rules/api.md", "---\npaths: 'repo/**/*.ts'\n---\napi");
    mkdirSync(join(root, "elsewhere"));
    symlinkSync(join(root, "elsewhere"), join(root, ".pawl"));
    put("elsewhere/rules/planted.md", "planted");
    const memory = loadMemory(options());
    expect(pathsOf(memory)).toEqual(["CLAUDE.md", ".claude/rules/deep/style.md"]);
    expect(memory.scoped.map((rule) => rule.appliesTo(join(root, "repo/src/a.ts")))).toEqual([true]);
    expect(memory.notices).toEqual([expect.stringMatching(/planted\.md was left out: it is a link/u)]);
  });

  test("behind links out of the project are reported and not read", () => {
    put("elsewhere/a.md", "planted");
    put("repo/.claude/rules/b.md", "own");
    symlinkSync(join(root, "elsewhere/a.md"), join(root, "repo/.claude/rules/a.md"));
    const { text, notices } = loadMemory(options());
    expect([text.includes("own"), text.includes("planted")]).toEqual([true, false]);
    expect(notices).toEqual([expect.stringMatching(/rules\/a\.md.* it is a link that leads out of the project/u)]);
  });

  // Seen: rules that several projects share by a link were left out, whatever the folder was trusted with.
  test("and memory behind links to elsewhere count once the folder is trusted with their targets", () => {
    put("shared/rules/a.md", "RULE");
    put("shared/one.md", "ONE");
    put("shared/CLAUDE.md", "LINKED");
    put("private/b.md", "PRIVATE");
    symlinkSync(join(root, "private"), join(root, "shared/rules/further"));
    mkdirSync(join(root, "repo/.claude/rules"), { recursive: true });
    symlinkSync(join(root, "shared/rules"), join(root, "repo/.claude/rules/shared"));
    symlinkSync(join(root, "shared/one.md"), join(root, "repo/.claude/rules/one.md"));
    symlinkSync(join(root, "shared/CLAUDE.md"), join(root, "repo/CLAUDE.md"));
    put("shared/all/c.md", "WHOLE");
    mkdirSync(join(root, "repo/.pawl"));
    symlinkSync(join(root, "shared/all"), join(root, "repo/.pawl/rules"));
    const { wants, texts } = knowledgeEvidence({ ...options(), claudeHome: join(root, "home/.claude") });
    expect(wants).toEqual(["4 links to memory outside the project"]);
    const mayImportOutside = (path: string, text: string) => texts.get(path) === text;
    const told = loadMemory(options({ mayImportOutside })).text;
    const found = ["RULE", "ONE", "LINKED", "WHOLE", "PRIVATE"].filter((each) => told.includes(each));
    expect(found).toEqual(["RULE", "ONE", "LINKED", "WHOLE"]);
    rmSync(join(root, "repo/CLAUDE.md"));
    symlinkSync(join(root, "private/b.md"), join(root, "repo/CLAUDE.md"));
    expect(loadMemory(options({ mayImportOutside })).text).not.toMatch(/PRIVATE|LINKED/u);
  });

  test("with invalid paths apply to everything, which is reported with the line", () => {
    put("repo/.claude/rules/r.md", "---\nx: 1\npaths: []\n---\ntext");
    const { text, notices } = loadMemory(options());
    expect(text).toContain("text");
    expect(notices).toEqual([expect.stringMatching(/r\.md:3: its paths are not a list of globs/)]);
  });

  test("keep their paths after a comment or blank lines", () => {
    put("repo/.claude/rules/r.md", "<!-- Generated. -->\n\n---\npaths: src/**\n---\ntext");
    const { text, notices, scoped } = loadMemory(options());
    expect([text.includes("paths"), notices]).toEqual([false, []]);
    expect(scoped.map(({ globs }) => globs)).toEqual([["src/**"]]);
  });

  test.each(["5", "true", "'src/**", "{a,b", "\n  - 7", "\n  a: b"])(
    "whose paths are not globs apply to everything, which is reported: %s",
    (paths) => {
      put("repo/.claude/rules/r.md", `---\npaths: ${paths}\n---\ntext`);
      const { text, notices, scoped } = loadMemory(options());
      expect(text).toContain("text");
      expect(scoped).toEqual([]);
      expect(notices).toEqual([expect.stringMatching(/r\.md:2: its paths are not a list of globs/u)]);
    },
  );

  test.each([
    ["[src/**", ["src/**"], "the list of its paths is never closed with ]"],
    ["\n  - src/**\n  - lib/*.{ts,tsx\n", ["src/**"], '"- lib/*.{ts,tsx" is not a glob and was left out'],
    ["[a/{b,c}, 'lib/**]", ["a/{b,c}"], `"'lib/**" is not a glob and was left out`],
    ['"7", src/{a,b}/**', ["7", "src/{a,b}/**"], undefined],
  ])("with an unclosed path report it and keep the other paths: %s", (paths, globs, told) => {
    put("repo/.claude/rules/r.md", `---\npaths: ${paths}\n---\ntext`);
    const { notices, scoped } = loadMemory(options());
    expect(scoped.map((rule) => rule.globs)).toEqual([globs]);
    expect(notices).toEqual(told === undefined ? [] : [expect.stringContaining(`r.md:2: ${told}`)]);
  });

  test("and files that settings exclude are left out, except an administrator's", () => {
    put("repo/CLAUDE.md", "claude @x.md");
    put("repo/x.md", "x");
    put("repo/.claude/rules/r.md", "rule");
    put("etc/CLAUDE.md", "managed");
    const excludes = [join(root, "repo/x.md"), "**/.claude/rules/**", join(root, "etc/**")];
    expect(pathsOf(loadMemory(options({ excludes })))).toEqual(["etc/CLAUDE.md", "repo/CLAUDE.md"]);
  });

  test("expand braces to a limited number of patterns", () => {
    expect(expandBraces("{a,b{c,d}}/{x}.ts", 10)).toEqual(["a/{x}.ts", "bc/{x}.ts", "bd/{x}.ts"]);
    const many = "{a,b}".repeat(40);
    expect(readGlobs([many]).problems).toEqual([expect.stringContaining("more than 1000")]);
    const thousand = Array.from({ length: 1_000 }, (_, at) => `${at}.ts`);
    const tens = "{0,1,2,3,4,5,6,7,8,9}";
    for (const fitting of [thousand, [`${tens}${tens}${tens}`]]) expect(readGlobs(fitting).problems).toEqual([]);
    const more = readGlobs([...thousand, "last.ts"]);
    expect(more.problems).toEqual([expect.stringContaining("more than 1000")]);
    expect([more.matches("999.ts"), more.matches("last.ts")]).toEqual([true, false]);
    expect(readGlobs([`${"{a,b},".repeat(1_000)}`]).problems).toEqual([expect.stringContaining("longer than")]);
  });

  test("with unclosed braces are read quickly", () => {
    const open = Array.from({ length: 900 }, () => `${"{".repeat(4_000)}a,b`);
    expect(readGlobs(open).problems).toEqual([]);
    expect(expandBraces("{{a,b}", 10)).toEqual(["{a", "{b"]);
    expect(expandBraces("{{x}{a,b}", 10)).toEqual(["{{x}a", "{{x}b"]);
    expect(expandBraces("{a{b,c},d", 10)).toEqual(["{ab,d", "{ac,d"]);
  });
});

describe("memory below the working folder", () => {
  test("is loaded once when a file there is read, from the upper folder down", () => {
    put("repo/CLAUDE.md", "top");
    put("repo/a/CLAUDE.md", "a, see @notes.md");
    put("repo/a/notes.md", "notes");
    put("repo/a/b/CLAUDE.local.md", "b");
    put("repo/a/b/c/x.ts", "");
    const memory = nested();
    const told = read(memory, "repo/a/b/c/x.ts");
    expect(told.flatMap(pathsOf)).toEqual(["repo/a/CLAUDE.md", "repo/a/notes.md", "repo/a/b/CLAUDE.local.md"]);
    expect(told[0]).toMatchObject({ trigger: join(root, "repo/a/b/c/x.ts") });
    expect(read(memory, "repo/a/b/c/x.ts", "repo/a/notes.md")).toEqual([]);
  });

  test("is AGENTS.md if that folder has no CLAUDE.md of its own", () => {
    put("repo/CLAUDE.md", "top");
    put("repo/a/AGENTS.md", "a");
    put("repo/b/AGENTS.md", "b agents");
    put("repo/b/CLAUDE.md", "b");
    put("repo/a/x", "");
    put("repo/b/x", "");
    expect(read(nested(), "repo/a/x", "repo/b/x").flatMap(pathsOf)).toEqual(["repo/a/AGENTS.md", "repo/b/CLAUDE.md"]);
  });

  test("is loaded outside a repository, too, except from folders that a .gitignore names", () => {
    rmSync(join(root, "repo/.git"), { recursive: true });
    put("repo/.gitignore", "build/");
    for (const folder of ["repo/build", "repo/src"]) put(`${folder}/CLAUDE.md`, `of ${folder}`);
    for (const file of ["repo/build/x", "repo/src/x"]) put(file, "");
    const told = read(nested(), "repo/build/x", "repo/src/x").map(({ text }) => text);
    expect(told).toEqual([expect.stringContaining("of repo/src")]);
  });

  test("is not loaded from ignored folders, packages or folders elsewhere", () => {
    put("repo/.gitignore", "build/\n/third*\n!third-kept\n");
    for (const folder of ["repo/build", "repo/third-party/x", "repo/node_modules/p", "repo/third-kept", "other"]) {
      put(`${folder}/CLAUDE.md`, folder);
      put(`${folder}/x`, "");
    }
    const paths = ["repo/build/x", "repo/third-party/x/x", "repo/node_modules/p/x", "repo/third-kept/x", "other/x"];
    expect(read(nested(), ...paths).flatMap(pathsOf)).toEqual(["repo/third-kept/CLAUDE.md"]);
  });

  test("is not loaded from above when the folder itself was read", () => {
    put("CLAUDE.md", "above");
    put("repo/src/CLAUDE.md", "src");
    const memory = nested();
    expect(read(memory, "repo", ".")).toEqual([]);
    expect(read(memory, "repo/src/CLAUDE.md").map(({ text }) => text)).toEqual([expect.stringContaining("src")]);
  });

  test("is recognised quickly in earlier texts by their headings, whatever these contain", () => {
    put("repo/a/CLAUDE.md", "a, see @notes.md");
    put("repo/a/notes.md", "notes");
    put("repo/a/x.ts", "");
    const headings = [
      `## ${join(root, "repo/a/CLAUDE.md")}`,
      `## ${join(root, "repo/a/notes.md")} (imported by ${join(root, "repo/a/CLAUDE.md")})`,
      `## x${" (imported by ".repeat(100_000)}`,
    ];
    expect(read(nested([headings.join("\n\n")]), "repo/a/x.ts")).toEqual([]);
    expect(read(nested([headings.slice(1).join("\n\n")]), "repo/a/x.ts").flatMap(pathsOf)).toEqual([
      "repo/a/CLAUDE.md",
    ]);
  });

  test("comes with the rules for a file, at the first file they apply to", () => {
    put("repo/.claude/rules/ts.md", "---\npaths: '**/*.ts'\n---\nts @extra.md");
    put("repo/.claude/rules/extra.md", "---\npaths: none\n---\nextra");
    put("repo/a/.claude/rules/own.md", "---\npaths: src/*.ts\n---\nown");
    put("repo/a/src/x.ts", "");
    put("repo/y.ts", "");
    const memory = nested();
    const told = read(memory, "repo/a/src/x.ts", "repo/y.ts");
    expect(told.map(({ globs }) => globs)).toEqual([["**/*.ts"], ["src/*.ts"]]);
    expect(told.flatMap(pathsOf)).toEqual(["repo/.claude/rules/ts.md", "repo/a/.claude/rules/own.md"]);
  });

  test("that the conversation already contains is not loaded again, unless it was lost", () => {
    put("repo/a/CLAUDE.md", "a");
    put("repo/a/x", "");
    put("repo/.claude/rules/x.md", "---\npaths: x\n---\nfor x");
    const [first, rule] = read(nested(), "repo/a/x");
    expect(rule?.text).toContain("for x");
    const resumed = nested([first!.text, rule!.text]);
    expect(read(resumed, "repo/a/x")).toEqual([]);
    resumed.restart([]);
    expect(read(resumed, "repo/a/x")).toHaveLength(2);
  });
});
