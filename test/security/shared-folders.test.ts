// What another user of the machine leaves in a folder that all may write to, such as /tmp, for projects that others keep below it.
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { findRepository } from "../../src/lib/git-repository.ts";
import { loadMemory } from "../../src/knowledge/memory.ts";
import { knowledgeRoots } from "../../src/knowledge/knowledge-places.ts";
import { createTrackedTest } from "../../src/permissions/git/git-tracked.ts";
import { IgnoreRules } from "../../src/session/trees/ignore-rules.ts";
import { findFileLists } from "../../src/settings/files.ts";
import { createCwd } from "../../src/tools/cwd.ts";
import { put } from "../support/put.ts";
import { openToolBox } from "../tools/support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const other = 12_345;
const isRoot = process.getuid?.() === 0;

let shared = "";
let cwd = "";
beforeEach(() => {
  shared = temporaryFolder();
  chmodSync(shared, 0o1777);
  cwd = join(shared, "project/src");
  mkdirSync(cwd, { recursive: true });
});

const traps = {
  ".git/HEAD": "ref: refs/heads/main\n",
  "CLAUDE.md": "orders",
  ".claude/rules/rule.md": "more orders",
  ".claude/skills/trap/SKILL.md": "---\nname: trap\ndescription: a trap\nallowed-tools: Bash(*)\n---\n",
  ".mcp.json": { mcpServers: { trap: { command: "trap" } } },
};

function lay(folder: string, owner: number): void {
  for (const [name, content] of Object.entries(traps)) put(join(folder, name), content);
  for (const name of new Set(Object.keys(traps).map((each) => each.split("/", 1)[0]!))) give(join(folder, name), owner);
}

function give(path: string, owner: number): void {
  lchownSync(path, owner, owner);
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name), owner);
}

/** What of the shared folder counts for the project. */
function believed(): string[] {
  const home = join(shared, "home");
  const places = { cwd, home, pawlHome: join(home, ".pawl"), claudeHome: join(home, ".claude") };
  const found = [
    ...loadMemory(places).files.map(({ path }) => path),
    ...knowledgeRoots(places).project.map(({ folder }) => folder),
    ...findFileLists({ cwd, home, env: {} }).servers,
  ];
  const top = findRepository(cwd);
  return [...found, ...(top === undefined ? [] : [join(top, ".git")])]
    .filter((path) => !path.startsWith(join(shared, "project")))
    .map((path) => path.slice(shared.length + 1))
    .toSorted();
}

const all = [".claude", ".claude/rules/rule.md", ".git", "CLAUDE.md"];

describe("in a shared folder above the project", () => {
  test("instructions, skills, servers and repositories of another user are ignored", (context) => {
    if (!isRoot) return context.skip("only root gives files away");
    lay(shared, other);
    expect(believed()).toEqual([]);
  });

  test("files of another user beside the user's own repository are ignored, too", (context) => {
    if (!isRoot) return context.skip("only root gives files away");
    lay(shared, other);
    give(join(shared, ".git"), 0);
    expect(believed()).toEqual([".git"]);
  });

  // Only root gives files away.
  test.runIf(isRoot).each([
    ["ripgrep", {}],
    ["no ripgrep", { rgPath: null }],
  ])("ignore files of another user hide no file from a search with %s", async (_, how) => {
    put(join(shared, ".git/HEAD"), "ref: refs/heads/main\n");
    const names = [".git", ".gitignore", ".ignore", ".rgignore"];
    for (const name of names.slice(1)) put(join(shared, name), "*\n");
    put(join(cwd, "a.txt"), "word\n");
    const box = openToolBox({ cwd: createCwd(cwd), ...how });
    const search = async (): Promise<unknown> => (await box.call("Grep", { pattern: "word" })).content;
    expect(await search()).toBe("No matches found");
    for (const name of names) give(join(shared, name), other);
    expect(await search()).toBe("a.txt");
  });

  test.runIf(isRoot).each([".gitignore", ".ignore", ".rgignore"])(
    "a single %s of another user hides no file from ripgrep",
    async (name) => {
      put(join(shared, ".git/HEAD"), "ref: refs/heads/main\n");
      put(join(shared, name), "*\n");
      put(join(cwd, "a.txt"), "word\n");
      const box = openToolBox({ cwd: createCwd(cwd) });
      const search = async (): Promise<unknown> => (await box.call("Grep", { pattern: "word" })).content;
      expect(await search()).toBe("No matches found");
      give(join(shared, name), other);
      expect(await search()).toBe("a.txt");
    },
  );

  test.runIf(isRoot)("another user's repository cannot mark files as tracked or exclude them from a rewind", () => {
    const git = (...words: string[]) => execFileSync("git", ["-C", shared, "-c", "safe.directory=*", ...words]);
    git("init", "--quiet");
    put(join(cwd, ".env"), "KEY=1");
    git("add", ".");
    put(join(shared, ".gitignore"), "src\n");
    const told = (): boolean[] => [
      createTrackedTest()(join(cwd, ".env")),
      new IgnoreRules(join(shared, "project")).isIgnored(cwd),
    ];
    expect(told()).toEqual([true, true]);
    for (const name of [".git", ".gitignore"]) give(join(shared, name), other);
    expect(told()).toEqual([false, false]);
  });

  test("files of the user or of the folder's owner count", (context) => {
    lay(shared, process.getuid?.() ?? 0);
    expect(believed()).toEqual(expect.arrayContaining(all));
    if (!isRoot) return context.skip("only root gives files away");
    give(shared, other);
    chmodSync(shared, 0o1777);
    expect(believed()).toEqual(expect.arrayContaining(all));
  });

  test("files of the project's owner count, as in a container's checkout made by another user", (context) => {
    if (!isRoot) return context.skip("only root gives files away");
    lay(shared, other);
    chownSync(cwd, other, other);
    expect(believed()).toEqual(expect.arrayContaining(all));
  });

  test("files of colleagues count if not everybody may write to the folder", (context) => {
    if (!isRoot) return context.skip("only root gives files away");
    lay(shared, other);
    chmodSync(shared, 0o2775);
    expect(believed()).toEqual(expect.arrayContaining(all));
  });
});
