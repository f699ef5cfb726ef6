import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { knowledgeEvidence } from "../../src/knowledge/evidence.ts";
import { hasShellLines, splitShellPieces } from "../../src/knowledge/shell-pieces.ts";

const line = String.raw`(?<=^|\s)!\x60([^\x60\n]+)\x60`;
const fence = String.raw`^[ \t]*\x60{3}![^\x60\n]*\n([^]*?)^[ \t]*\x60{3}[ \t]*$`;
const end = String.raw`^(?: {0,3}|(?!\3(?<! {12}) ) *)\4(?:\x60*|~*)[ \t]*$|(?![^])`;
const block = String.raw`^( *)(?!\x60{3}!)(\x60{3,}(?=[^\x60\n]*\n)|~{3,}(?!~))[^\n]*\n[^]*?(?:${end})`;

/** What is meant, at the cost of a look at all the text for each fence. */
function slowly(body: string): string[] {
  const all = new RegExp(`${line}|${fence}|${block}`, "gmu");
  return Array.from(body.matchAll(all), ([, inline, fenced]) => (inline ?? fenced)?.trim()).filter(
    (command) => command !== undefined,
  );
}

const commandsIn = (body: string): string[] =>
  splitShellPieces(body).flatMap(({ command }) => (command === undefined ? [] : [command]));

describe("the shell lines of a text", () => {
  test("are the same as those that the defining expressions find", () => {
    const parts = [
      "```!\n",
      "```\n",
      "````\n",
      "~~~\n",
      "~~~~!\n",
      "```js\n",
      " !`a`",
      "!`b`\n",
      "  ",
      "\n",
      "x",
      "    ",
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14, size: "max" }), (chosen) => {
        const body = chosen.join("");
        expect(commandsIn(body)).toEqual(slowly(body));
        expect(hasShellLines(body)).toBe(commandsIn(body).length > 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test("are found after a block that is run", () => {
    expect(commandsIn("```!\ngit status\n```\nand !`git diff`\n```!\ngit log\n```\n")).toEqual([
      "git status",
      "git diff",
      "git log",
    ]);
  });

  // Seen: a block inside the example ended it, and what followed that block was run.
  test("are not found in an example that contains blocks itself", () => {
    const example = "```sh\necho\n```\n!`git diff`\n";
    expect(commandsIn(`\`\`\`\`md\n${example}\`\`\`\`\n!\`git status\``)).toEqual(["git status"]);
    expect(commandsIn(`~~~~\n~~~\n!\`git diff\`\n~~~\n~~~~~\n${example}`)).toEqual(["git diff"]);
  });

  // Seen: most of them were run.
  test.each([
    ["in a list, deeper than any text", "1. So:\n\n    ```sh\n    !`a`\n    ```\n\n!`b`"],
    ["behind the mark of a list", "1) ```md\n   !`a`\n   ```\n- - ~~~\n    !`a`\n    ~~~\n!`b`"],
    ["that is indented deeper than its list", "1. ```sh\n    !`a`\n    ```\n!`b`"],
    ["in a quote", "> ```\n> !`a`\n> ```\n!`b`"],
    ["of a quote", "```md\n> ```\n> !`a`\n> ```\n!`a`\n```\n!`b`"],
    ["of deeper fences", "  ```\n    ```\n!`a`\n```\n!`b`"],
    ["of fences of both kinds", "```\n```~~~\n!`a`\n```\n!`b`"],
    ["of a block whose lines would run", "- ````md\n  ```!\n  a\n  ```\n  ````\n!`b`"],
    ["never closed", "!`b`\n```sh\n!`a`\n"],
    ["behind code in a text", "```x``` is code\n```\n!`a`\n```\n!`b`"],
    ["in two backticks", "Write `` !`a` `` for it. ``x`` !`b`"],
    ["after code that looks like a block", "```!x``` is code\n```\n!`a`\n```\n!`b`"],
  ])("are not found in an example %s", (_, body) => {
    expect(commandsIn(body)).toEqual(["b"]);
  });

  // Seen: a published skill shows the project's state so, and the model was given the command in place of its output.
  test.each([
    ["of JSON", "```json\n!`b`\n```\n"],
    ["of text", "So:\n\n  ```text \n  !`b`\n  ```\nand ```x``` more"],
  ])("are found where they are all of a block %s", (_, body) => {
    expect(commandsIn(body)).toEqual(["b"]);
  });

  test.each([
    ["a line beside it", "```json\n!`a`\n{}\n```\n"],
    ["two lines", "```json\n!`a`\n!`a`\n```\n"],
    ["no language", "```\n!`a`\n```\n"],
    ["the language of skills", "```markdown\n!`a`\n```\n"],
    ["more in its first line", "```json title\n!`a`\n```\n"],
    ["the mark of a quote", "> ```json\n> !`a`\n> ```\n"],
    ["a longer fence", "````json\n!`a`\n````\n"],
    ["no end", "```json\n!`a`\n"],
    ["a longer block around it", "````md\n```json\n!`a`\n```\n````\n"],
  ])("are not found in a block with %s", (_, body) => {
    expect(commandsIn(body)).toEqual([]);
  });

  // Seen: what a comment hides from every reader was run.
  test.each([
    ["of one line", "<!-- !`a` -->\n!`b`"],
    ["of several lines", "<!--\n!`a`\n -->\n!`b`"],
    ["in a line of text", "Text <!-- !`a` --> goes on: !`b`"],
    ["in a quote", "> <!-- !`a`\n> -->\n!`b`"],
    ["with a block that is run", "<!--\n```!\na\n```\n-->\n!`b`"],
    ["with an open fence", "<!--\n```sh\n-->\n!`b`"],
    ["with a fence behind which it ends", "!`b`\n<!--\n```sh\n-->\n```\n!`a`"],
    ["one of several", "<!-- x --><!-- !`a` -->\n<!--> !`b`\n"],
    ["that never ends", "!`b`\n<!--\n!`a`\n"],
    ["with text right behind it", "<!-- x -->!`a`\n!`b`"],
  ])("are not found in a comment %s", (_, body) => {
    expect(commandsIn(body)).toEqual(["b"]);
    expect(
      splitShellPieces(body)
        .map(({ text, command }) => text + (command === undefined ? "" : "!`b`"))
        .join(""),
    ).toBe(body);
  });

  test.each([
    ["in code", "Write `<!--` first.\n!`b`\nThen `-->`."],
    ["in code of two backticks", "Write ``<!-- ` `` first. !`b` -->"],
    ["in an example", "```html\n<!--\n```\n!`b`\n-->"],
    ["in a line, never ended", "An arrow <!-- is not one. !`b`"],
  ])("are found although the mark of a comment is %s", (_, body) => {
    expect(commandsIn(body)).toEqual(["b"]);
  });

  test("may contain the marks of a comment themselves", () => {
    expect(commandsIn("!`grep '<!--' a` and !`grep -- '-->' b`\n```!\necho '<!--'\n```\n!`b`")).toEqual([
      "grep '<!--' a",
      "grep -- '-->' b",
      "echo '<!--'",
      "b",
    ]);
  });

  test("are found quickly in a text full of marks of comments", () => {
    for (const part of ["<!-- ", "x <!--\n", "<!-- -->\n", "` <!-- ``", "<!-- x --> !`a`\n"]) {
      const found = commandsIn(part.repeat(30_000));
      expect(found.length).toBe(part.includes("`a`") ? 30_000 : 0);
    }
  });

  test("are found quickly in a text full of fences", () => {
    const longer = Array.from({ length: 900 }, (_, length) => `${"`".repeat(length + 3)}a\n`).join("");
    const long = "`".repeat(900_000);
    for (const text of [longer + "~~~~\n".repeat(90_000) + "```\n".repeat(90_000), `${long}a\n`, long, `${long}\n~`])
      expect(commandsIn(text)).toEqual([]);
    for (const body of ["```!\n", "```js\n", "~~~ x\n", "```!x\n~~~y\n", "```!\n```\n", "\n"]) {
      const text = body.repeat(100_000);
      expect(hasShellLines(text)).toBe(body.endsWith("!\n```\n"));
      expect(commandsIn(text).length).toBe(body.endsWith("!\n```\n") ? 100_000 : 0);
    }
  });

  test("are found quickly when the folder's trust is checked", () => {
    const root = mkdtempSync(join(tmpdir(), "pawl-evidence-"));
    try {
      mkdirSync(join(root, "work/.claude/commands"), { recursive: true });
      const put = (name: string, text: string): void =>
        writeFileSync(join(root, "work/.claude/commands", `${name}.md`), text);
      put("blank", "\n".repeat(1_000_000));
      put("open", `---\nhooks: 1\n${"\n".repeat(900_000)}`);
      put("hooks", "\ufeff---\r\nhooks:\r\n  Stop: run.sh\r\n---\r\nfence\r\n");
      const home = join(root, "home");
      const homes = { home, pawlHome: join(home, ".pawl"), claudeHome: join(home, ".claude") };
      const { wants, commands } = knowledgeEvidence({ cwd: join(root, "work"), ...homes });
      expect(wants).toEqual(["rights in 2 commands"]);
      expect(commands.map(({ text }) => text).join("\n")).toContain("  Stop: run.sh");
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
