// A turn that goes on without what it began with: a model that thinks within a budget is not asked for any, which the API refuses.
import { expect, test } from "vitest";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { leftOutNoticeName } from "../../src/protocol/left-out-kinds.ts";
import type { ContentBlock, Message } from "../../src/protocol/message.ts";
import type { ModelInfo } from "../../src/protocol/model.ts";
import { isTurnThinkingMissing } from "../../src/protocol/turn-thinking.ts";
import { modelInfo } from "../context/support.ts";
import { thinkingBlock, toolUse } from "./support/script.ts";

const made = (uuid: string) => ({ uuid, timestamp: "2026-01-01T00:00:00.000Z" });

function user(text: string, more: object = {}): Message {
  return { type: "user", ...made(text), content: [{ type: "text", text }], ...more };
}

let count = 0;

/** An answer with a call, and its result. */
function step(model: string, ...before: ContentBlock[]): Message[] {
  const messageId = `m${++count}`;
  const id = `toolu_${count}`;
  const call = toolUse("Read", {}, id);
  const result = { type: "tool_result" as const, tool_use_id: id, content: "read" };
  return [
    ...[...before, call].map((block, at): Message => ({
      type: "assistant",
      ...made(`${messageId}${at}`),
      messageId,
      model,
      content: [block],
    })),
    { type: "user", ...made(`r${messageId}`), content: [result] },
  ];
}

const thought = thinkingBlock("hm");
const text: ContentBlock = { type: "text", text: "I search." };
const unsigned = thinkingBlock("hm", null);
const summary = user("What was done.", { isMeta: true, isCompactSummary: true, origin: "compaction" });
const mark: Message = { type: "thinking_stripped", ...made("mark"), reason: "rewritten" };
const takesNone: Message = {
  type: "notice",
  ...made("takes-none"),
  level: "warning",
  name: leftOutNoticeName,
  text: "",
  data: { types: ["thinking"], model: "model-b" },
};
const prompt = user("Go.");
const [a, b] = ["model-a", "model-b"];
const answered: Message = {
  type: "assistant",
  ...made("answer"),
  messageId: "mz",
  model: b,
  content: [{ type: "text", text: "Done." }],
};

const unknown = { known: false, unsignedThinking: true };
test.each<[string, boolean, Message[], Partial<ModelInfo>?]>([
  ["a prompt beside the results of another model", true, [...step(a, thought), prompt]],
  ["a prompt beside results whose calls had no thinking", true, [...step(b), prompt]],
  [
    "a prompt beside results whose calls a later mark strips of their thinking",
    true,
    [...step(b, thought), prompt, mark],
  ],
  ["a prompt beside results, of a server that takes no thinking back", false, [...step(b, thought), prompt, takesNone]],
  [
    "a prompt beside results, of a server that takes none of another model",
    true,
    [...step(a, thought), prompt, { ...takesNone, data: { types: ["thinking"], model: a } }],
  ],
  ["a prompt beside results whose first calls had their thinking", false, [...step(b, thought), ...step(b), prompt]],
  ["calls after a prompt beside the results of another model", true, [...step(a, thought), prompt, ...step(b)]],
  ["a prompt beside results whose calls had no thinking, by an unknown model", false, [...step(b), prompt], unknown],
  ["its own thinking before only the first calls", false, [prompt, ...step(b, thought), ...step(b)]],
  ["its own thinking behind text that came first, as after a pause", true, [prompt, ...step(b, text, thought)]],
  ["its own thinking before all calls", false, [prompt, ...step(b, thought), ...step(b, thought)]],
  ["a first answer of its own without thinking", false, [prompt, ...step(b), ...step(b)]],
  ["another model's thinking", true, [prompt, ...step(a, thought)]],
  ["another model's thinking before only the first calls", true, [prompt, ...step(a, thought), ...step(a)]],
  ["another model that did not think", true, [prompt, ...step(a)]],
  ["another model in the previous turn", false, [prompt, ...step(a, thought), answered, user("And?")]],
  [
    "another model before a stop hook continued",
    false,
    [prompt, ...step(a, thought), answered, user("On.", { isMeta: true })],
  ],
  ["a summary in the middle of the turn", true, [prompt, summary, ...step(b), ...step(b)]],
  ["a summary that includes the turn's prompt", true, [summary, ...step(b), ...step(b)]],
  ["a summary before an answer with thinking", false, [summary, ...step(b, thought), ...step(b)]],
  [
    "a summary and the end of the turn",
    false,
    [summary, ...step(b), answered, user("On.", { isMeta: true }), ...step(b)],
  ],
  ["thinking that a later mark strips", true, [prompt, ...step(b, thought), ...step(b), mark]],
  ["unsigned thinking of an unknown model", false, [prompt, ...step(b, unsigned)], unknown],
  [
    "unsigned thinking that its server rejects",
    false,
    [prompt, ...step(b, unsigned), { ...mark, reason: "rejected" }, ...step(b)],
    unknown,
  ],
  ["a summary by an unknown model", false, [summary, ...step(b), ...step(b)], unknown],
  ["signed thinking of an unknown model that a later mark strips", true, [prompt, ...step(b, thought), mark], unknown],
])("whether a turn lacks its thinking after %s: %s", (_what, isLacking, messages, more = {}) => {
  const info = { ...modelInfo, id: b, known: true, unsignedThinking: false, ...more };
  const { unsignedThinking, maxImages } = info;
  const sent = createNormalizer()(messages, { model: b, thinking: true, unsignedThinking, maxImages });
  expect(isTurnThinkingMissing(messages, sent.messages, info)).toBe(isLacking);
});
