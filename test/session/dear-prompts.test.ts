// A prompt that the budget does not cover stays for a session with more of it, and keeps no later prompt of this one from its answer.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { ContentBlock } from "../../src/protocol/message.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  expectSame,
  layGround,
  linesOf,
  openSession,
  turn,
  type Opened,
} from "./support.ts";
import type { Step } from "../../src/testing/index.ts";
import { image, jpeg, png } from "../testing/images.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const paste = "lorem ipsum ".repeat(40_000);
const model = "claude-sonnet-5-5";
const small = image(png(1000, 1000)) as ContentBlock;
const photograph = image(jpeg(1000, 1000, 65_000), "image/jpeg") as ContentBlock;

function open(maxBudgetUsd: number, extra: EngineOptions = {}, ground = layGround(), steps: Step[] = []) {
  return openSession({ steps, fallback: "Here." }, { maxBudgetUsd, model, ...extra }, ground);
}

const refused = "budget_exhausted";
const sentLast = ({ model: server }: Opened): string => JSON.stringify(calls(server).at(-1)?.body?.messages);

function toldOf(messages: readonly SDKMessage[]): string {
  return messages.flatMap((each) => (each.type === "system" && "content" in each ? [each.content] : [])).join("\n");
}

test("a prompt the budget does not cover is refused, and the next affordable one is answered without it", async () => {
  const { engine, model: server } = await open(0.2);
  expect((await turn(engine, "One.")).result.subtype).toBe("success");
  for (let time = 0; time < 2; time++)
    expect((await turn(engine, paste)).result.terminal_reason).toBe("budget_exhausted");
  const { result, messages } = await turn(engine, "Two.");
  expect(result.subtype).toBe("success");
  expect(toldOf(messages)).toMatch(
    /was taken out of the conversation: with it, this prompt could cost \$0\.\d+, and only \$0\.20 is left/u,
  );
  const sent = JSON.stringify(calls(server).at(-1)?.body);
  expect([sent.includes("lorem"), sent.includes("One."), sent.includes("Two.")]).toEqual([false, true, true]);
  expect(linesOf(engine).filter(({ type }) => type === "tombstone")).toHaveLength(1);
  expectSame(engine);
  expect((await turn(engine, "Three.")).result.subtype).toBe("success");
});

test("the notice about a removed prompt quotes its first words, also for input nobody typed", async () => {
  const { engine } = await open(0.2);
  const asked = (prompt: string) => turn(engine, prompt, { isMeta: true });
  expect((await asked(`Go on with ${paste}`)).result.terminal_reason).toBe(refused);
  const { messages } = await turn(engine, "Two.");
  expect(toldOf(messages)).toMatch(
    /^Earlier input that the budget did not cover \("Go on with lorem ipsum [^"\n]{1,60}…"\) was taken out/mu,
  );
});

test("the prompt stays if the next is not covered without it either, and in a resume with a larger budget", async () => {
  const ground = layGround();
  const { engine } = await open(0.000_1, {}, ground);
  for (const prompt of [paste, "And now?"])
    expect((await turn(engine, prompt)).result.terminal_reason).toBe("budget_exhausted");
  const resume = engine.getSessionId();
  await engine.dispose();
  const again = await open(5, { resume }, ground);
  expect((await turn(again.engine, "Go on.")).result.subtype).toBe("success");
  expect(JSON.stringify(calls(again.model).at(-1)?.body)).toContain("lorem");
});

test("the prompt stays if another model is asked, which may be cheaper", async () => {
  const { engine, model: server } = await open(0.3);
  expect((await turn(engine, paste)).result.terminal_reason).toBe("budget_exhausted");
  engine.setModel("claude-haiku-4-5");
  expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
  expect(JSON.stringify(calls(server).at(-1)?.body)).toContain("lorem");
});

test("a prompt that was answered after all stays, whatever the budget does not cover later", async () => {
  const { engine, model: server } = await open(0.3);
  expect((await turn(engine, paste)).result.terminal_reason).toBe("budget_exhausted");
  engine.setModel("claude-haiku-4-5");
  expect((await turn(engine, "Go on.")).result.subtype).toBe("success");
  engine.setModel(model);
  for (const prompt of ["And now?", "And now?"])
    expect((await turn(engine, prompt)).result.terminal_reason).toBe("budget_exhausted");
  expect(JSON.stringify(engine.getMessages())).toContain("lorem");
  expect(calls(server)).toHaveLength(1);
});

const adding = (event: HookEvent, text: string) => ({
  hookSpecificOutput: { hookEventName: event, additionalContext: text },
});

test("removing the session's first prompt keeps SessionStart hooks' context, but not what hooks said about the prompt", async () => {
  let submitted = 0;
  const hooks: EngineOptions["hooks"] = {
    SessionStart: [{ callback: async () => adding("SessionStart", "The house rules.") }],
    UserPromptSubmit: [{ callback: async () => adding("UserPromptSubmit", `About number ${++submitted}.`) }],
  };
  const opened = await open(0.2, { hooks });
  expect((await turn(opened.engine, paste)).result.terminal_reason).toBe(refused);
  expect((await turn(opened.engine, "Two.")).result.subtype).toBe("success");
  const sent = sentLast(opened);
  expect(["The house rules.", "number 1.", "number 2."].map((text) => sent.includes(text))).toEqual([
    true,
    false,
    true,
  ]);
  expectSame(opened.engine);
});

test("a command's expansion is removed together with its prompt", async () => {
  const ground = layGround();
  mkdirSync(join(ground.pawlHome, "skills/big"), { recursive: true });
  writeFileSync(join(ground.pawlHome, "skills/big/SKILL.md"), `---\nname: big\ndescription: Does it\n---\n${paste}\n`);
  const opened = await open(0.2, {}, ground);
  expect((await turn(opened.engine, "/big now")).result.terminal_reason).toBe(refused);
  expect((await turn(opened.engine, "Two.")).result.subtype).toBe("success");
  expect(sentLast(opened)).not.toMatch(/lorem|big now/u);
  expectSame(opened.engine);
});

test("a file that a removed prompt named is shown again when it is named again", async () => {
  const ground = layGround();
  const path = ground.file("named.txt", "dolor sit amet\n");
  const read: Step = { content: [{ type: "tool_use", name: "Read", input: { file_path: path } }] };
  const opened = await open(0.2, {}, ground, [read]);
  expect((await turn(opened.engine, `See @named.txt. ${paste}`)).result.terminal_reason).toBe(refused);
  expect((await turn(opened.engine, "Two.")).result.subtype).toBe("success");
  expect(sentLast(opened)).toContain("dolor sit amet");
});

test("pictures in a removed prompt are counted by their size, not by their bytes", async () => {
  const { engine } = await open(0.3);
  const pictures = Array.from({ length: 60 }, () => small);
  expect((await turn(engine, pictures)).result.terminal_reason).toBe(refused);
  expect((await turn(engine, "Two.")).result.subtype).toBe("success");
});

test("pictures in the next prompt are counted by their size, not by their bytes", async () => {
  const { engine } = await open(0.2);
  expect((await turn(engine, paste)).result.terminal_reason).toBe(refused);
  const next: ContentBlock[] = [...Array.from({ length: 5 }, () => photograph), { type: "text", text: "Two." }];
  expect((await turn(engine, next)).result.subtype).toBe("success");
});

test("a prompt that joined a running turn is removed, and what was answered of that turn stays", async () => {
  const ground = layGround();
  const path = ground.file("one.txt", "dolor sit amet\n");
  const read: Step = { content: [{ type: "tool_use", name: "Read", input: { file_path: path } }] };
  const opened = await open(0.2, {}, ground, [read]);
  const { engine } = opened;
  const uuid = "00000000-0000-4000-8000-000000000001";
  const onMessage = ({ type }: SDKMessage) => void (type === "assistant" && engine.enqueue(paste, uuid));
  expect((await turn(engine, "One.", { onMessage })).result.terminal_reason).toBe(refused);
  const { result, messages } = await turn(engine, "Two.");
  expect(result.subtype).toBe("success");
  expect(messages).toContainEqual(expect.objectContaining({ subtype: "tombstone", retracted_message_uuids: [uuid] }));
  const sent = sentLast(opened);
  expect(["lorem", "One.", "dolor", "Two."].map((text) => sent.includes(text))).toEqual([false, true, true, true]);
  expectSame(engine);
});

test("the prompt stays if the next one is not sent because its turn ended before", async () => {
  let submitted = 0;
  const callback = async () => void (submitted++ === 1 && opened.engine.interrupt());
  const opened = await open(0.2, { hooks: { UserPromptSubmit: [{ callback }] } });
  expect((await turn(opened.engine, paste)).result.terminal_reason).toBe(refused);
  await turn(opened.engine, "Two.");
  expect(JSON.stringify(opened.engine.getMessages())).toContain("lorem");
});

test("the prompt is removed also if a hook has asked a model since", async () => {
  const judge = JSON.stringify({
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "prompt", prompt: "Is it fine?" }] }] },
  });
  const opened = await openSession(
    { rules: [{ when: { lastUserText: "Is it fine?" }, reply: '{"ok": true}' }], fallback: "Here." },
    { maxBudgetUsd: 0.2, model, settings: judge },
  );
  expect((await turn(opened.engine, paste)).result.terminal_reason).toBe(refused);
  const asked = calls(opened.model).length;
  expect((await turn(opened.engine, "Two.")).result.subtype).toBe("success");
  expect(calls(opened.model)).toHaveLength(asked + 2);
  expect(sentLast(opened)).not.toContain("lorem");
});
