// Going back with one turn in mind: what else would go is found out before anything is written.
import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { Attachment, Message, UserMessage } from "../../src/protocol/message.ts";
import { assertOnlyTurnDropped } from "../../src/session/store/dropped-turn.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const uuid = (digit: number): string => `0b0b0b0b-1111-4222-8333-00000000000${digit}`;

/** A session of three turns; answers the uuid of the last record of the first. */
async function recorded(ground: Ground): Promise<{ id: string; path: string; at: string }> {
  const engine = await openOn(ground, scripted({ fallback: "Done." }));
  for (const digit of [1, 2, 3]) await turn(engine, `Prompt ${digit}.`, { uuid: uuid(digit) });
  const uuids = engine.getMessages().map((message) => message.uuid);
  const at = uuids[uuids.indexOf(uuid(2)) - 1] ?? "";
  await engine.dispose();
  return { id: engine.getSessionId(), path: engine.getTranscriptPath() ?? "", at };
}

function goBack(ground: Ground, options: EngineOptions): Promise<QueryEngine> {
  return openOn(ground, scripted({ fallback: "Else." }), options);
}

test("resumeDropsTurn drops the given turn in the session and in a fork of it", async () => {
  const ground = layGround();
  const engine = await openOn(ground, scripted({ fallback: "Done." }));
  for (const digit of [1, 2]) await turn(engine, `Prompt ${digit}.`, { uuid: uuid(digit) });
  const uuids = engine.getMessages().map((message) => message.uuid);
  const resumeSessionAt = uuids[uuids.indexOf(uuid(2)) - 1];
  const resume = engine.getSessionId();
  await engine.dispose();
  for (const forkSession of [true, false]) {
    const again = await goBack(ground, { resume, resumeSessionAt, resumeDropsTurn: uuid(2), forkSession });
    const text = JSON.stringify(again.getMessages());
    expect([text.includes("Prompt 1."), text.includes("Prompt 2.")]).toEqual([true, false]);
    await again.dispose();
  }
});

test.each<[string, number, RegExp]>([
  ["a later prompt would go too", 2, /the user's message \S+3 would go too/u],
  ["the previous turn would go too", 3, /the message \S+2 before that turn would go too/u],
  ["it is not among the dropped messages", 1, /the message \S+1 is not among those that would go/u],
])("resumeDropsTurn is refused if %s, and nothing is written", async (_, digit, why) => {
  const ground = layGround();
  const { id, path, at } = await recorded(ground);
  const before = readFileSync(path, "utf8");
  const given = { resume: id, resumeSessionAt: at, resumeDropsTurn: uuid(digit) };
  await expect(goBack(ground, given)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(new RegExp(`^Resume rejected by --resume-drops-turn: ${why.source}`, "u")) as string,
  });
  expect(readFileSync(path, "utf8")).toBe(before);
});

test("resumeDropsTurn is refused if a message that joined the running turn would go too", async () => {
  const ground = layGround();
  const model = scripted({ steps: ["One.", { content: [{ tool: "Glob", input: { pattern: "*" } }] }, "Two."] });
  const engine = await openOn(ground, model);
  await turn(engine, "Prompt 1.", { uuid: uuid(1) });
  const last = engine.getMessages().at(-1)?.uuid;
  for await (const message of engine.submitMessage("Prompt 2.", { uuid: uuid(2) }))
    if (message.type === "assistant") engine.enqueue("And this.", uuid(4));
  const resume = engine.getSessionId();
  await engine.dispose();
  const given = { resume, resumeSessionAt: last, resumeDropsTurn: uuid(2) };
  await expect(goBack(ground, given)).rejects.toThrow(/the message \S+4, which joined that turn, would go too/u);
});

const record = { timestamp: "" };
const said = (id: string, origin: UserMessage["origin"], isMeta?: true): Message => {
  const content = [{ type: "text" as const, text: id }];
  return { ...record, type: "user", uuid: id, content, origin, ...(isMeta === undefined ? {} : { isMeta }) };
};
const told = (attachment: Attachment): Message => ({ ...record, type: "attachment", uuid: "t", attachment });
const task = { taskId: "1", status: "completed" as const, exitCode: 0, outputFile: "/o", summary: "s" };
const reminder = { kind: "reminder" as const, name: "n", text: "t" };

test.each<[string, Message, RegExp | undefined]>([
  ["news of a task", told({ ...reminder, task }), /news of work/u],
  ["a letter of an agent", told({ ...reminder, mail: { id: "1", kind: "message", from: "a" } }), /news of work/u],
  ["a prompt of a person", said("q", "human"), /the user's message q/u],
  ["a reminder of the session", told(reminder), undefined],
  ["a message that a command added for a person", said("q", "human", true), undefined],
  ["a message of a stop hook", said("q", "stop_hook"), undefined],
])("resumeDropsTurn drops or refuses %s that arrived in the turn itself", (_, message, why) => {
  const whole = [said("p", "human"), said("r", "human"), message];
  const going = () => assertOnlyTurnDropped({ conversation: whole, keptMessages: whole.slice(0, 1), prompt: "r" });
  if (why === undefined) expect(going).not.toThrow();
  else expect(going).toThrow(why);
});

test("resumeDropsTurn requires resumeSessionAt", async () => {
  await expect(goBack(layGround(), { resumeDropsTurn: uuid(1) })).rejects.toThrow(
    /only works together with resumeSessionAt/u,
  );
});
