import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join, normalize } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { cleanMemory } from "../../src/knowledge/clean-memory.ts";
import { knowledgeEvidence } from "../../src/knowledge/evidence.ts";
import { findImports } from "../../src/knowledge/memory-imports.ts";
import { findMentions } from "../../src/knowledge/mentions.ts";
import { loadMemory, type MemoryOptions } from "../../src/knowledge/memory.ts";
import { isSecretImport } from "../../src/permissions/paths/secret-import.ts";
import { put as putFile } from "../support/put.ts";
import { describeVectors } from "../support/vectors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let root = "";
beforeEach(() => {
  root = temporaryFolder();
  mkdirSync(join(root, "repo/.git"), { recursive: true });
});

const put = (file: string, text: string): string => putFile(join(root, file), text);

const places = () => ({ cwd: join(root, "repo"), home: join(root, "home"), pawlHome: join(root, "home/.pawl") });

function load(more: Partial<MemoryOptions> = {}) {
  const memory = loadMemory({ ...places(), policyFolders: [join(root, "etc")], ...more });
  return { ...memory, paths: memory.files.map(({ path }) => path.slice(root.length + 1)) };
}

describe("imports", () => {
  test("follow the file that imports them, each once, even if they are circular", () => {
    put("repo/CLAUDE.md", "See @docs/a.md and @docs/b.md.");
    put("repo/docs/a.md", "A, then @b.md and @../CLAUDE.md");
    put("repo/docs/b.md", "B, then @./a.md");
    const { paths, text, files } = load();
    expect(paths).toEqual(["repo/CLAUDE.md", "repo/docs/a.md", "repo/docs/b.md"]);
    expect(text).toContain(`## ${root}/repo/docs/b.md (imported by ${root}/repo/docs/a.md)\n\nB, then`);
    expect(files[1]).toMatchObject({ parent: join(root, "repo/CLAUDE.md"), scope: "project" });
  });

  test("are found without blanks between words in Chinese and Japanese", () => {
    put("repo/CLAUDE.md", "详见@docs/规范.md。接口：@docs/api.md，测试（@docs/t.md）\n@docs/表（1）.md 和@docs/ü.md");
    for (const name of ["规范", "api", "t", "表（1）", "ü"]) put(`repo/docs/${name}.md`, `Of ${name}.`);
    expect(load().paths.slice(1)).toEqual(["规范", "api", "t", "表（1）", "ü"].map((name) => `repo/docs/${name}.md`));
  });

  test("are found among full-width punctuation without blanks after a name", () => {
    const text = "规则：@docs/a.md，并遵守 @docs/说明（新）.md。（见 @docs/b.md） 联系张三@example.com @docs/中文；";
    expect(findImports(text)).toEqual(["docs/a.md", "docs/说明（新）.md", "docs/b.md", "docs/中文"]);
  });

  // Seen: of the first nothing was brought along where another import followed, and of the second at no time.
  test.each([
    ["请遵守@docs/a.md（必读）和@docs/b.md", ["docs/a.md", "docs/b.md"]],
    ["请遵守@docs/a.md「必读」。", ["docs/a.md"]],
    ["请遵守@docs/v1.2（新）.md", ["docs/v1.2（新）.md"]],
    ["请遵守@docs/Vue.js（入门）.md和@my.docs（旧）/a.md。", ["docs/Vue.js（入门）.md", "my.docs（旧）/a.md"]],
    ["请遵守@docs/a.md（必读）和b.md", ["docs/a.md"]],
  ])("end before a bracket after a file name: %s", (text, paths) => expect(findImports(text)).toEqual(paths));

  test("end before another script after .md, and match file names with decomposed accents", () => {
    put("elsewhere/re\u0301sume\u0301.md", "Of the summary.");
    put(
      "repo/CLAUDE.md",
      "请遵守@docs/a.md的规定，见 @docs/caf\u00e9.md @../elsewhere/r\u00e9sum\u00e9.md @docs/1.概要.md\n\nimport x from '@/usr'",
    );
    for (const name of ["a", "cafe\u0301", "1.概要"]) put(`repo/docs/${name}.md`, `Of ${name}.`);
    const { wants, texts } = knowledgeEvidence({ ...places(), claudeHome: join(root, "home/.claude") });
    expect(wants).toEqual(["1 import from outside the project"]);
    const { paths } = load({ mayImportOutside: (file, text) => texts.get(file) === text });
    expect(paths.slice(1)).toEqual(
      ["docs/a", "docs/cafe\u0301", "../elsewhere/re\u0301sume\u0301", "docs/1.概要"].map((name) =>
        join("repo", `${name}.md`),
      ),
    );
  });

  test("are followed at most five levels deep", () => {
    put("repo/CLAUDE.md", "@1.md");
    for (let at = 1; at <= 6; at += 1) put(`repo/${at}.md`, `${at} @${at + 1}.md`);
    expect(load().paths.at(-1)).toBe("repo/5.md");
  });

  test("that exist are not reported as missing because of punctuation in or after their name", () => {
    put("repo/CLAUDE.md", "详见 @./docs/a.md。还有 @./docs/表（1）.md ，@./docs/gone.md。");
    for (const name of ["a", "表（1）"]) put(`repo/docs/${name}.md`, `told of ${name}`);
    const { paths, notices } = load({ reportsMissingImports: true });
    expect(paths).toEqual(["repo/CLAUDE.md", "repo/docs/a.md", "repo/docs/表（1）.md"]);
    expect(notices).toEqual([expect.stringMatching(/imports .*\/docs\/gone\.md, which does not exist\.$/)]);
  });

  test("of missing files and of folders are ignored", () => {
    put("repo/CLAUDE.md", "@missing.md @docs @xstate/store @tags/*.md mail me@example.com");
    put("repo/docs/x.md", "x");
    put("repo/example.com", "not meant");
    expect(load()).toMatchObject({ paths: ["repo/CLAUDE.md"], notices: [] });
  });

  test("from outside the project need trust in the file's current text", () => {
    put("home/secret.md", "SECRET");
    put("repo/CLAUDE.md", "@~/secret.md @link.md @/etc/hostname");
    symlinkSync(join(root, "home/secret.md"), join(root, "repo/link.md"));
    const held = load();
    expect(held.text).not.toContain("SECRET");
    expect(held.notices).toHaveLength(3);
    expect(held.notices[0]).toMatch(/secret\.md was not imported into .*CLAUDE\.md: it is outside the project/);
    const { wants, texts } = knowledgeEvidence({ ...places(), claudeHome: join(root, "home/.claude") });
    expect(wants).toEqual(["3 imports from outside the project"]);
    const mayImportOutside = (file: string, text: string) => texts.get(file) === text;
    expect(load({ mayImportOutside }).text).toContain("SECRET");
    put("repo/CLAUDE.md", "@~/secret.md now");
    expect(load({ mayImportOutside }).text).not.toContain("SECRET");
  });

  // Seen: what AGENTS.md imported from outside was held back for ever where CLAUDE.md imported AGENTS.md, and so was what rules import.
  test("from outside the project need trust in rules and imported files, too", () => {
    put("home/own.md", "OWN");
    put("home/outer.md", "OUTER @~/beyond.md");
    put("home/beyond.md", "BEYOND");
    put("repo/CLAUDE.md", "@AGENTS.md");
    put("repo/AGENTS.md", "@~/own.md");
    put("repo/.claude/rules/all.md", "---\npaths:\n---\n<!-- of all -->\n@~/outer.md");
    const { wants, texts } = knowledgeEvidence({ ...places(), claudeHome: join(root, "home/.claude") });
    expect(wants).toEqual(["2 imports from outside the project"]);
    const mayImportOutside = (file: string, said: string) => cleanMemory(texts.get(file) ?? "").text === said;
    const { text } = load({ mayImportOutside });
    expect(text).toContain("OWN");
    expect(text).toContain("OUTER");
    expect(text).not.toContain("BEYOND");
    expect(load().text).not.toMatch(/OWN|OUTER/u);
  });

  test("of the user's own files may lead anywhere, but not through a file of the project", () => {
    put("home/.claude/CLAUDE.md", "@~/notes/mine.md @../../repo/docs/theirs.md");
    put("home/notes/mine.md", "mine");
    put("repo/docs/theirs.md", "theirs @~/notes/private.md");
    put("home/notes/private.md", "PRIVATE");
    const { text } = load();
    expect(text).toContain("mine");
    expect(text).toContain("theirs");
    expect(text).not.toContain("PRIVATE");
  });

  test("are left out if a rule forbids reading the file", () => {
    put("repo/CLAUDE.md", "@secret.txt");
    put("repo/secret.txt", "SECRET");
    const { text, notices } = load({ mayRead: (path) => !path.endsWith("secret.txt") });
    expect(text).not.toContain("SECRET");
    expect(notices).toEqual([expect.stringContaining("a rule forbids reading it")]);
  });

  // Seen: a cloned repository imported the `.env` that its user had put there, and the model got it without a question.
  test("are left out, for a project's files, if the file may hold secrets and only its user has it", () => {
    put("repo/.env", "SECRET");
    put("repo/keys/a.pem", "SECRET-KEY");
    put("repo/CLAUDE.md", "theirs @.env @keys/a.pem @link @docs/a.md");
    put("repo/docs/a.md", "A");
    symlinkSync(".env", join(root, "repo/link"));
    symlinkSync(".env", join(root, "repo/AGENTS.md"));
    const { text, notices } = load({ isHeldBack: isSecretImport });
    expect(text).toContain("theirs");
    expect(text).toContain("repo/docs/a.md (imported by");
    expect(text).not.toContain("SECRET");
    expect(notices.join("\n")).toMatch(/\.env was left out: its name suggests that it holds secrets/u);
    put("home/.pawl/AGENTS.md", "mine @token.pem");
    put("home/.pawl/token.pem", "OWN");
    expect(load({ isHeldBack: isSecretImport }).text).toContain("OWN");
  });

  test("include a file that may hold secrets if git tracks it, since everybody with the repository has it", async () => {
    const cwd = join(root, "repo");
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd, env: { PATH: process.env["PATH"], HOME: join(root, "home") } });
    put("repo/docs/secrets.md", "how we keep them");
    put("repo/CLAUDE.md", "@docs/secrets.md");
    mkdirSync(join(root, "home"), { recursive: true });
    git("init", "-q");
    expect(load({ isHeldBack: isSecretImport }).text).not.toContain("how we keep them");
    git("add", "docs");
    await Promise.resolve();
    expect(load({ isHeldBack: isSecretImport }).text).toContain("how we keep them");
  });

  test("are limited in number", () => {
    put("repo/CLAUDE.md", Array.from({ length: 700 }, (_, at) => `@n/${at}.md`).join("\n"));
    for (let at = 0; at < 700; at += 1) put(`repo/n/${at}.md`, `${at}`);
    const { files, notices } = load();
    expect(files).toHaveLength(501);
    expect(notices).toHaveLength(1);
  });

  // Seen: a memory file that names others in brackets or in bold brought nothing along, without a word.
  test.each([
    "(@docs/a.md)",
    "[rules](@docs/a.md),",
    "[@docs/a.md](docs/a.md)",
    "**@docs/a.md**",
    "_@docs/a.md_,",
    "__@docs/a.md__",
    "_what is in @docs/a.md_,",
    "__what is in @docs/a.md__ and",
    "»@docs/a.md«",
    "[@docs/a.md][rules]",
    "«@docs/a.md».",
    "„@docs/a.md“",
    '"@docs/a.md".',
    "<@docs/a.md>",
    "*(@docs/a.md)*",
    "@docs/a.md, by my_@example.com,",
    "@docs/a.md, by josé_@example.com,",
    "_@docs/a.md_ and看_@docs/a.md_，张三_@example.com",
  ])("are found in brackets, quotes and emphasis: %s", (text) =>
    expect(findImports(`- See ${text} of me@example.com`)).toEqual(["docs/a.md"]),
  );

  test("are not found in code blocks of a list", () => {
    // Seen: the end of such a fence was taken for its beginning, and what follows was never read.
    expect(findImports("- ```sh\n  npm i @types/node\n  ```\n\nSee @b.md")).toEqual(["b.md"]);
    expect(findImports("1. - ~~~\n     @a.md\n\nSee @b.md")).toEqual(["b.md"]);
    const list = ["1. Install:", "", "    ```sh", "    npm i", "", "    @types/node @a.md", "    ```", "", "See @b.md"];
    expect(findImports(list.join("\n"))).toEqual(["b.md"]);
    expect(findImports("- x\n\n\t~~~\n\t@a.md\n\n\t@b.md\n\t~~~\n\n    @c.md")).toEqual(["c.md"]);
  });

  test.each([
    ["Like this:\n\n    @code.md\n    and @code2.md\nSee @a.md", ["a.md"]],
    ["\t@code.md\n\n@a.md", ["a.md"]],
    ["- x\n\nNo item any more.\n\n    @code.md", []],
    ["A paragraph\n    goes on with @a.md", ["a.md"]],
    ["- x\n\n    @a.md\n\n  y\n\n    @b.md", ["a.md", "b.md"]],
    ["Then:\n10. x\n\n    - @a.md\n\n        @b.md", ["a.md", "b.md"]],
  ])("are not found in indented code, but in the indented text of a list: %j", (text, found) => {
    expect(findImports(text)).toEqual(found);
  });

  test("are found quickly in any text", () => {
    const odd = ["`", "``", "@", "@a ", "` @a ``", "```\n"].map((piece) => piece.repeat(60_000));
    for (const text of odd) expect(findImports(text).length).toBeLessThanOrEqual(1);
  });
});

describeVectors<{ vectors: { id: string; text: string; expect_imports: string[]; expect_not_imports: string[] }[] }>(
  "memory_imports",
  ({ vectors }) => {
    test.each(vectors)("$id", ({ id, text, expect_imports: wanted, expect_not_imports: unwanted }) => {
      const folder = id === "fdshg693" || id === "arspenn" ? "repo/.claude" : "repo";
      put(`${folder}/CLAUDE.md`, text);
      const place = (path: string) => (path.startsWith("~") ? `home${path.slice(1)}` : normalize(`${folder}/${path}`));
      for (const path of wanted) put(place(path), `import ${path}`);
      // An npm scope outside of code may be taken for a path that does not exist.
      if (id !== "xstate") for (const path of unwanted) put(place(path), `NOT MEANT`);
      const { text: told, paths } = load({ mayImportOutside: () => true });
      for (const path of wanted) expect(paths).toContain(place(path));
      expect(told).not.toContain("NOT MEANT");
    });
  },
);

test("reads a path followed by very many full stops quickly", () => {
  const dots = ".".repeat(1_000_000);
  expect(findImports(`@a.md${dots} and @b.md`)).toEqual(["a.md", "b.md"]);
  expect(findImports(`@c${dots}d`)).toEqual([`c${dots}d`]);
  expect(findMentions(`@c${dots}d`)).toEqual([{ path: `c${dots}d` }]);
});
