// An editor and a pager of the person's own, without a terminal: what is said where there is none. test/e2e/outside.test.ts has the rest.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { afterMs } from "../../../src/lib/after-ms.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { runWithTerminal } from "../../../src/surface/line/lent-program.ts";
import { echo, start, type Talk } from "./talk.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** Loaded, and over. */
async function until(shown: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2_000 && !shown(); tries += 1) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function says({ text }: Talk, words: RegExp): Promise<void> {
  await until(() => words.test(text()));
  expect(text()).toMatch(words);
}

test("Ctrl+G without an editor says how to set one and keeps the text", async () => {
  const talk = start(echo, { env: { NO_COLOR: "1", VISUAL: " ", EDITOR: "" } });
  await talk.press("half\x07");
  await says(talk, /No editor is set in VISUAL or EDITOR\.[^]*\n> half$/u);
  await talk.type("!\r");
  expect(talk.engine.prompts).toEqual([{ prompt: "half!" }]);
});

test("a missing editor is named and changes nothing, and Ctrl+X alone does nothing", async () => {
  const talk = start(echo, { env: { NO_COLOR: "1", EDITOR: "no-such-editor -x" } });
  await talk.press("\x18half\x18\x05");
  await says(talk, /The editor no-such-editor could not be started: there is no such\sprogram\.[^]*\n> half$/u);
  await talk.type("!\r");
  expect(talk.engine.prompts).toEqual([{ prompt: "half!" }]);
});

test("Ctrl+G closes a search or a list before it opens an editor", async () => {
  const talk = start(echo, { env: { NO_COLOR: "1" } });
  await talk.press("half\x12x\x07");
  await talk.pause();
  expect(talk.text()).not.toContain("No editor");
  await talk.type("\r");
  expect(talk.engine.prompts).toEqual([{ prompt: "half" }]);
});

const said = (text: string): Message => ({
  type: "assistant",
  uuid: "a",
  timestamp: "",
  messageId: "m",
  model: "x",
  content: [{ type: "text", text }],
});

test.each([
  ["no pager is wanted", { PAGER: "" }, ""],
  [
    "the pager does not exist",
    { PAGER: "no-such-pager" },
    "The pager no-such-pager could not be started: there is no such program.",
  ],
  ["the terminal cannot go back in a text", { TERM: "dumb", PAGER: "no-such-pager" }, ""],
])("Ctrl+O writes the conversation above the prompt if %s", async (_case, env, why) => {
  const getMessages = () => [said("All that was said.")];
  const talk = start(echo, { env: { NO_COLOR: "1", ...env }, overrides: { getMessages } });
  await talk.press("half\x0f");
  await says(talk, /All that was said\.\n> half$/u);
  expect(talk.text()).toContain(why);
  expect(talk.text().match(/no-such-pager/gu)?.length ?? 0).toBe(why === "" ? 0 : 1);
});

test("Ctrl+O says that the conversation is empty", async () => {
  const talk = start(echo, { env: { NO_COLOR: "1" } });
  await talk.press("\x0f");
  await says(talk, /\(the conversation is empty\)\n> $/u);
});

test("a program that only the repository contains is never run", async () => {
  const folder = temporaryFolder();
  const [repo, bin] = [join(folder, "repo"), join(folder, "bin")];
  for (const place of [repo, bin]) mkdirSync(place);
  const program = (file: string, text: string): void => {
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
  };
  program(join(repo, "less"), "touch ran");
  program(join(repo, "part"), "touch ran");
  program(join(bin, "part"), "touch right");
  program(join(bin, "own"), "part");
  const place = {
    cwd: repo,
    signal: new AbortController().signal,
    after: afterMs,
    setRight: () => undefined,
    env: { PATH: `.:${repo}:${bin}:/usr/bin:/bin`, HOME: folder },
  };
  const few = { ...place, env: { ...place.env, PATH: `.:${repo}:${bin}` } };
  expect(await runWithTerminal({ words: ["less"], input: "" }, few)).toEqual({
    isBegun: false,
    why: "there is no such program",
  });
  expect(await runWithTerminal({ words: ["own"] }, place)).toEqual({ isBegun: true });
  expect(["ran", "right"].map((name) => existsSync(join(repo, name)))).toEqual([false, true]);
});

test("an editor that saves no UTF-8 text changes nothing", async () => {
  const edit = String.raw`sh -c "printf 'gr\\374n' > \"$1\"" -`;
  const talk = start(echo, { env: { NO_COLOR: "1", EDITOR: edit, PATH: "/usr/bin:/bin" } });
  await talk.press("half\x07");
  await says(talk, /The file saved by sh is not UTF-8 text\. The prompt is unchanged\.\n> half$/u);
});
