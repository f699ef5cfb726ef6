// Blocks of kinds that a server does not take back, although it (or another before it) sent them: the session goes on without.
import { expect, test } from "vitest";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { expectSound } from "./support/after.ts";
import { fold } from "./support/checks.ts";
import { noticeNames, ofType, runWith } from "./support/harness.ts";
import { fail, reply, say, textBlock, thinkingBlock, toolUse } from "./support/script.ts";

const opaque = (wire: Record<string, unknown>) => ({ type: "opaque", wire }) as const;
// No server that checks its requests as the API does takes these.
const novelty = opaque({ type: "novelty", what: "new" });
const rarity = opaque({ type: "rarity" });
const search = opaque({ type: "server_tool_use", id: "s1", name: "web_search", input: { q: "x" } });
const found = opaque({ type: "web_search_tool_result", tool_use_id: "s1", content: [] });

const refusal = (detail: string) => fail("invalid_request", { recovery: "block", detail });
const tag = (type: string): string =>
  `messages.1.content.0: Input tag '${type}' found using 'type' does not match any of the expected tags: 'text', 'rarity'`;

test("a refused block kind is left out from then on, with a notice", async () => {
  const ran = await runWith({
    model: [reply([novelty, rarity, toolUse("Read")]), refusal(tag("novelty")), reply([toolUse("Read")]), say("Done.")],
  });
  expect(ran.terminal).toEqual({ reason: "completed" });
  const sent = ran.model.requests.map(({ messages }) => JSON.stringify(messages));
  expect(sent.map((text) => text.includes("novelty"))).toEqual([false, true, false, false]);
  expect(sent.map((text) => text.includes("rarity"))).toEqual([false, true, true, true]);
  expect(noticeNames(ran.events)).toEqual(["blocks_left_out"]);
  expect(ofType(ran.events, "api_retry")).toEqual([]);
  const [notice] = ofType(ran.events, "notice");
  expect(notice?.text).toContain("novelty");
  // The recorded conversation reads the same.
  const options = { model: ran.model.requests[0]!.model, thinking: true, maxImages: 100 };
  expect(JSON.stringify(createNormalizer()(fold(ran.transcript.records), options).messages)).not.toContain("novelty");
});

test("each refused kind is left out in turn; if the server names none, all unknown kinds are", async () => {
  const named = await runWith({
    model: [reply([novelty, rarity, toolUse("Read")]), refusal(tag("novelty")), refusal(tag("rarity")), say("Done.")],
  });
  expect(named.terminal).toEqual({ reason: "completed" });
  expect(noticeNames(named.events)).toEqual(["blocks_left_out", "blocks_left_out"]);
  const unnamed = await runWith({
    model: [
      reply([novelty, rarity, toolUse("Read")]),
      refusal("messages.1.content.0.type: unknown type"),
      say("Done."),
    ],
  });
  expect(JSON.stringify(unnamed.model.requests[2]?.messages)).not.toMatch(/novelty|rarity/);
});

test("thinking that the server does not know is left out from then on, and another model still gets its own", async () => {
  const unknown = fail("thinking_rejected", { thinkingUnknown: true });
  const think = (thought: string) => reply([thinkingBlock(thought), toolUse("Read")]);
  const ran = await runWith({ model: [think("one"), unknown, think("two"), think("three"), say("Done.")] });
  expect(ran.terminal).toEqual({ reason: "completed" });
  const sent = ran.model.requests.map(({ messages }) => /sig:\w+/.exec(JSON.stringify(messages))?.[0]);
  expect(sent).toEqual([undefined, "sig:one", undefined, undefined, undefined]);
  expect(noticeNames(ran.events)).toEqual(["blocks_left_out"]);
  const { model } = ran.model.requests[0]!;
  const folded = fold(ran.transcript.records);
  const others = folded.map((message) => (message.type === "assistant" ? { ...message, model: "model-b" } : message));
  for (const [messages, id] of [
    [folded, model],
    [others, "model-b"],
  ] as const) {
    const options = { model: id, thinking: true, maxImages: 100 };
    const text = JSON.stringify(createNormalizer()(messages, options).messages);
    expect(text.match(/sig:\w+/g)).toEqual(id === model ? null : ["sig:two", "sig:three"]);
  }
  expectSound(ran);
});

test.each(["server_tool_use", "web_search_tool_result"])(
  "a provider's call is left out together with its result: %s",
  async (kind) => {
    const ran = await runWith({
      model: [reply([search, found, textBlock("x"), toolUse("Read")]), refusal(tag(kind)), say("Done.")],
    });
    const assistant = ran.model.requests[2]?.messages[1]?.content.map(({ type }) => type);
    expect(assistant).toEqual(["text", "tool_use"]);
    expectSound(ran);
  },
);

test("the refusal becomes a failure if nothing is left to leave out", async () => {
  const ran = await runWith({ model: [reply([toolUse("Read")]), refusal(tag("novelty"))] });
  expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "invalid_request" } });
  const again = await runWith({ model: () => refusal(tag("novelty")) });
  expect(again.model.requests).toHaveLength(1);
  expectSound(ran);
});
