// A session of a program that has gone: cut off in a turn, and taken up again by itself.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Client, drive, says } from "./client.ts";

/** The transcript, as it was before the answer came. */
function cutOff(home: string, id: string): void {
  const path = findTranscript(home, id);
  const lines = readFileSync(path, "utf8").split("\n");
  const answer = lines.findIndex((line) => line.includes('"type":"assistant"'));
  expect(answer).toBeGreaterThan(0);
  writeFileSync(path, `${lines.slice(0, answer).join("\n")}\n`);
}

function findTranscript(home: string, id: string): string {
  const folder = join(home, ".pawl", "projects");
  const [project = ""] = readdirSync(folder);
  return join(folder, project, `${id}.jsonl`);
}

test("a resumed session continues an interrupted turn without a client's prompt, with the user's words", () =>
  drive([says("one"), says("two"), says("three")], {}, async (client) => {
    client.sendPrompt("go");
    const { session_id: id } = await client.result();
    await client.close();
    cutOff(client.place.home, String(id));
    const env = { CLAUDE_CODE_RESUME_INTERRUPTED_TURN: "1", CLAUDE_CODE_RESUME_PROMPT: "Go on, please." };
    const again = new Client(client.place, client.server, { args: ["--resume", String(id)], env });
    await again.request("initialize");
    expect(await again.result()).toMatchObject({ result: "two" });
    expect(JSON.stringify(client.server.requests.at(-1)?.body)).toContain("Go on, please.");
    await again.close();
    const third = new Client(client.place, client.server, { args: ["--resume", String(id)], env });
    await third.request("initialize");
    expect(await third.close()).toMatchObject({ code: 0 });
    expect(third.results()).toEqual([]);
  }));

test("an idle session exits by itself although its client keeps the pipe open", () =>
  drive([says("one")], { env: { CLAUDE_CODE_EXIT_AFTER_STOP_DELAY: "1" } }, async (client) => {
    client.sendPrompt("go");
    await client.result();
    expect(await client.ended).toMatchObject({ code: 0 });
  }));

test("an idle session exits by itself after a message without a turn", () =>
  drive([says("one")], { env: { CLAUDE_CODE_EXIT_AFTER_STOP_DELAY: "1" } }, async (client) => {
    client.sendPrompt("go");
    client.sendPrompt("by the way", { shouldQuery: false });
    expect(await client.ended).toMatchObject({ code: 0 });
  }));
