// Thinking that nobody signed, of a model by a name that is known: what answers may be another one, whose server wants it back.
import { expect, test } from "vitest";
import type { ModelRequest } from "../../src/protocol/model.ts";
import { noticeNames, runWith } from "./support/harness.ts";
import { fail, reply, say, thinkingBlock, toolUse } from "./support/script.ts";

const missed = () => fail("thinking_rejected", { thinkingMissed: true });
const unsigned = (thought: string) => thinkingBlock(thought, null);
const thoughtsIn = (requests: readonly ModelRequest[]) =>
  requests.map(({ messages, thinking }) => {
    const blocks = messages.flatMap(({ content }) => content);
    return `${thinking.type}: ${blocks.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join()}`;
  });

test("unsigned thinking is sent back once the server misses it, and from then on", async () => {
  const ran = await runWith({
    model: [
      reply([unsigned("one"), toolUse("Read")]),
      missed(),
      reply([unsigned("two"), toolUse("Read")]),
      say("Done."),
    ],
  });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(thoughtsIn(ran.model.requests)).toEqual(["adaptive: ", "adaptive: ", "adaptive: one", "adaptive: one,two"]);
  expect(noticeNames(ran.events)).toEqual(["thinking_repaired"]);
});

test("thinking is disabled when the server still misses thinking after getting its own back", async () => {
  const ran = await runWith({
    model: [reply([unsigned("one"), toolUse("Read")]), missed(), reply([toolUse("Read")]), missed(), say("Done.")],
  });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(thoughtsIn(ran.model.requests).slice(-2)).toEqual(["adaptive: one", "disabled: one"]);
});

test("one request tries both repairs of missed thinking, one after the other", async () => {
  const ran = await runWith({
    model: [reply([unsigned("one"), toolUse("Read")]), missed(), missed(), say("Done.")],
  });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(thoughtsIn(ran.model.requests)).toEqual(["adaptive: ", "adaptive: ", "adaptive: one", "disabled: one"]);
  const stubborn = await runWith({ model: [reply([unsigned("one"), toolUse("Read")]), missed(), missed(), missed()] });
  expect(stubborn.terminal).toMatchObject({ reason: "model_error" });
  expect(stubborn.model.requests).toHaveLength(4);
});

test("unsigned thinking is not sent back to a server that signs or that refused thinking", async () => {
  const ofTurn = fail("thinking_rejected", { thinkingMissed: true, isOfTurn: true });
  const signing = await runWith({ model: [reply([unsigned("cut"), toolUse("Read")]), ofTurn, say("Done.")] });
  expect(thoughtsIn(signing.model.requests).at(-1)).toBe("disabled: ");
  const refusing = await runWith({
    model: [reply([unsigned("one"), toolUse("Read")]), fail("thinking_rejected"), missed(), say("Done.")],
  });
  expect(thoughtsIn(refusing.model.requests).at(-1)).toBe("disabled: ");
});

// Seen: the same request was made three times, and people were told that it was another.
test("unsigned thinking is also sent back with thinking disabled; without any, the failure ends the run", async () => {
  for (const infos of [undefined, { "model-a": { unsignedThinking: true } }]) {
    const ran = await runWith({
      config: { thinking: { type: "disabled" } },
      infos,
      model: [reply([unsigned("one"), toolUse("Read")]), missed(), say("Done.")],
    });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(thoughtsIn(ran.model.requests)).toEqual(["disabled: ", "disabled: ", "disabled: one"]);
  }
  const ran = await runWith({
    config: { thinking: { type: "disabled" } },
    model: [reply([toolUse("Read")]), missed(), say("Done.")],
  });
  expect(ran.terminal).toMatchObject({ reason: "model_error" });
  expect(ran.model.requests).toHaveLength(2);
  expect(noticeNames(ran.events)).toEqual([]);
});
