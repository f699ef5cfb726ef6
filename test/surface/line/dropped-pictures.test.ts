// Pictures dropped onto the terminal, which types their paths as a shell would want them.
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mentionDroppedPictures } from "../../../src/surface/line/dropped-pictures.ts";
import { Editor } from "../../../src/surface/line/editor.ts";
import { settled } from "../support/sink.ts";
import { success } from "../support/messages.ts";
import { shown, tabbing } from "./tabbing.ts";
import { bash, start } from "./talk.ts";

let folder: string;
let plain: string;
let spaced: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pawl-dropped-"));
  [plain, spaced] = [join(folder, "a.png"), join(folder, "it's 1.JPG")];
  for (const path of [plain, spaced, join(folder, "notes.txt"), join(folder, 'a"b.png')]) writeFileSync(path, "x");
  mkdirSync(join(folder, "b.png"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function dropped(pasted: string, before = "", after = ""): Promise<string> {
  const editor = new Editor();
  editor.set(before + after, before.length);
  editor.insert(pasted);
  await mentionDroppedPictures(editor, { text: pasted, from: before.length });
  return `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
}

test("a dropped picture's path becomes a mention, however the terminal quotes it", async () => {
  const quoted = `@"${spaced}" |`;
  for (const [pasted, mention] of [
    [plain, `@${plain} |`],
    [`'${plain}' `, `@${plain} |`],
    [`"${plain}"`, `@${plain} |`],
    [pathToFileURL(plain).href, `@${plain} |`],
    [spaced, quoted],
    [spaced.replaceAll(/['\s]/gu, String.raw`\$&`), quoted],
    [`'${spaced.replaceAll("'", String.raw`'\''`)}'`, quoted],
    [`${pathToFileURL(spaced).href}\n`, quoted],
    [`'${plain}' "${spaced}"`, `@${plain} ${quoted}`],
  ] as const)
    expect(await dropped(pasted), pasted).toBe(mention);
  expect(await dropped(plain, "what is in", "?")).toBe(`what is in @${plain} |?`);
});

test("other pasted text stays as it is", async () => {
  for (const text of [
    "a.png",
    "/no/such/file.png",
    join(folder, "b.png"),
    join(folder, "notes.txt"),
    join(folder, 'a"b.png'),
    `${plain} is broken`,
    `rm ${plain}`,
    `${plain} /no/such/file.png`,
    "file://elsewhere/a.png",
    `'${plain}`,
    "see https://example.org/a.png",
  ])
    expect(await dropped(text), text).toBe(`${text}|`);
});

test("text that was edited meanwhile stays as it is", async () => {
  const editor = new Editor();
  editor.insert(plain);
  const looked = mentionDroppedPictures(editor, { text: plain, from: 0 });
  editor.set(`${plain}!`, 0);
  expect(await looked).toBe(false);
  expect(editor.text).toBe(`${plain}!`);
});

const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

test("a path pasted at the prompt becomes a mention, and undo restores the path", async () => {
  const talk = tabbing();
  await talk.type(`see ${paste(`${plain} `)}`);
  while (!talk.raw().includes("@")) await settled();
  expect(shown(talk)).toBe(`> see @${plain}`);
  await talk.type("\x1f");
  expect(shown(talk)).toBe(`> see ${plain}`);
});

test("a path pasted into a ! command stays as it is", async () => {
  const talk = tabbing();
  await talk.type(`!ls -l ${paste(plain)}`);
  expect(await dropped(plain)).toContain("@");
  await settled(8);
  expect(shown(talk)).toBe(`> !ls -l ${plain}`);
});

test("a path pasted into a refusal's reason stays as it is", async () => {
  const answers: unknown[] = [];
  const talk = start(async function* () {
    answers.push(await talk.talk.ask(bash, new AbortController().signal));
    yield success("x");
  });
  await talk.type("go\r");
  await settled(4);
  await talk.pause();
  await talk.type(`no ${paste(plain)}`);
  expect(await dropped(plain)).toContain("@");
  await settled(8);
  await talk.type("\r");
  expect(answers).toMatchObject([{ behavior: "deny" }]);
  expect(JSON.stringify(answers)).toContain(plain);
  expect(JSON.stringify(answers)).not.toContain("@");
});
