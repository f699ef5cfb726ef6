// Commands of the user's own, by the names that their files have.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { ContentBlock } from "../../src/protocol/message.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function sent(prompt: string | ContentBlock[], prepare?: (ground: Ground) => void): Promise<string> {
  const ground = layGround();
  prepare?.(ground);
  for (const name of ["speckit.specify", "über", "提交", "deploy"])
    put(join(ground.pawlHome, `commands/${name}.md`), `TEXT OF ${name} FOR $ARGUMENTS\n`);
  const model = scripted({ steps: [], fallback: "Done." });
  await turn(await openOn(ground, model), prompt);
  return JSON.stringify(calls(model)[0]?.body?.messages ?? "nothing was sent");
}

test.each([
  ["/speckit.specify a page", "TEXT OF speckit.specify FOR a page"],
  ["/über die Seite", "TEXT OF über FOR die Seite"],
  ["/提交 页面", "TEXT OF 提交 FOR 页面"],
  ["／提交　页面", "TEXT OF 提交 FOR 页面"],
  ["／ｄｅｐｌｏｙ it", "TEXT OF deploy FOR it"],
  ["/deploy it", "TEXT OF deploy FOR it"],
])("%s starts the command of that name", async (prompt, text) => {
  expect(await sent(prompt)).toContain(text);
});

test("a picture is sent along with a user's command and with a built-in prompt command", async () => {
  const data = Buffer.from("GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;", "latin1").toString("base64");
  const picture: ContentBlock = { type: "image", source: { type: "base64", media_type: "image/gif", data } };
  const began = await sent([{ type: "text", text: "/deploy [Image #1]" }, picture]);
  expect(began).toContain("TEXT OF deploy FOR [Image #1]");
  expect(began).toContain(data);
  expect(await sent([{ type: "text", text: "/init" }, picture])).toContain("Write the file that tells coding agents");
  expect(
    await sent([
      { type: "text", text: "/deploy" },
      { type: "text", text: "it" },
    ]),
  ).not.toContain("FOR it");
});

test("a user's command is recognized in the last text block, after text that a program puts first", async () => {
  const text = (words: string): ContentBlock => ({ type: "text", text: words });
  const began = await sent([text("This comes from issue 12."), text("/deploy it")]);
  expect(began).toContain("TEXT OF deploy FOR it");
  expect(began).toContain("This comes from issue 12.");
  // Seen: a file that the program named before it was not read.
  const named = [text("See @notes.md"), text("/deploy it")];
  expect(await sent(named, ({ work }) => writeFileSync(join(work, "notes.md"), "IN THE NOTES\n"))).toContain(
    "IN THE NOTES",
  );
  // What is for the session itself comes alone: nothing that is sent with it would reach anybody.
  expect(await sent([text("This comes from issue 12."), text("/cost")])).toContain("/cost");
});

// Seen: the agent did not know what its work was about.
test("an agent that carries out a skill gets the texts that came with it", async () => {
  const ground = layGround();
  put(join(ground.pawlHome, "commands/triage.md"), "---\ncontext: fork\n---\nTRIAGE $ARGUMENTS\n");
  const model = scripted({ fallback: "Done." });
  const text = (words: string): ContentBlock => ({ type: "text", text: words });
  await turn(await openOn(ground, model), [text("This comes from issue 12."), text("/triage it")]);
  const [agent] = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  expect(agent).toContain("This comes from issue 12.\\n\\nTRIAGE it");
});

test("composed and decomposed letters in a command name are equal", async () => {
  const ground = layGround();
  put(join(ground.pawlHome, `commands/${"prüfen".normalize("NFD")}.md`), "TEXT OF IT");
  const model = scripted({ steps: [], fallback: "Done." });
  await turn(await openOn(ground, model), "/prüfen".normalize("NFC"));
  expect(JSON.stringify(calls(model)[0]?.body?.messages ?? "nothing was sent")).toContain("TEXT OF IT");
});

test("a word between full-width slashes is a prompt", async () => {
  expect(await sent("／注意／ 提交する")).toContain("／注意／ 提交する");
});

test("a word with a dot that names no command is a prompt", async () => {
  expect(await sent("/notes.md is missing")).toContain("/notes.md is missing");
});

test("an unknown command is not sent to the model, in any script", async () => {
  for (const prompt of ["/deplyo it", "/übre it"]) expect(await sent(prompt)).toBe('"nothing was sent"');
});

test("a user's command with a built-in name is not listed: the built-in command runs", async () => {
  const ground = layGround();
  for (const name of ["cost", "new", "deploy"]) put(join(ground.pawlHome, `commands/${name}.md`), `TEXT OF ${name}`);
  const model = scripted({ steps: [], fallback: "Done." });
  const engine = await openOn(ground, model);
  const { messages } = await turn(engine, "/help");
  const init = messages.find((message) => message.type === "system" && message.subtype === "init");
  const listed = engine.supportedCommands().map(({ name }) => name);
  expect(listed.filter((name) => ["cost", "new", "deploy"].includes(name))).toEqual(["cost", "deploy"]);
  expect(init).toMatchObject({ slash_commands: listed });
  const text = JSON.stringify(messages.at(-1));
  expect(text).not.toContain("TEXT OF cost");
  expect(text).toContain("TEXT OF deploy");
});
