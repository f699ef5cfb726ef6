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

test("is given back once the server misses it, and from then on: each turn that called a tool ended there", async () => {
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

test("is not made up: what the server misses besides has it asked without thinking", async () => {
  const ran = await runWith({
    model: [reply([unsigned("one"), toolUse("Read")]), missed(), reply([toolUse("Read")]), missed(), say("Done.")],
  });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(thoughtsIn(ran.model.requests).slice(-2)).toEqual(["adaptive: one", "disabled: one"]);
});

test("is not all that the server misses of one request: the next thing is tried for the same one", async () => {
  const ran = await runWith({
    model: [reply([unsigned("one"), toolUse("Read")]), missed(), missed(), say("Done.")],
  });
  expect(ran.terminal).toEqual({ reason: "completed" });
  expect(thoughtsIn(ran.model.requests)).toEqual(["adaptive: ", "adaptive: ", "adaptive: one", "disabled: one"]);
  const stubborn = await runWith({ model: [reply([unsigned("one"), toolUse("Read")]), missed(), missed(), missed()] });
  expect(stubborn.terminal).toMatchObject({ reason: "model_error" });
  expect(stubborn.model.requests).toHaveLength(4);
});

test("stays where it is for a server that signs, and where it was refused", async () => {
  const ofTurn = fail("thinking_rejected", { thinkingMissed: true, isOfTurn: true });
  const signing = await runWith({ model: [reply([unsigned("cut"), toolUse("Read")]), ofTurn, say("Done.")] });
  expect(thoughtsIn(signing.model.requests).at(-1)).toBe("disabled: ");
  const refusing = await runWith({
    model: [reply([unsigned("one"), toolUse("Read")]), fail("thinking_rejected"), missed(), say("Done.")],
  });
  expect(thoughtsIn(refusing.model.requests).at(-1)).toBe("disabled: ");
});

// Seen: the same request was made three times, and people were told that it was another.
test("is given back to a server that thinks although it is asked not to; what cannot be changed is not asked for again", async () => {
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
