// What a side question continues from: the conversation without an answer that is still arriving.
import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/message.ts";
import { settledMessages } from "../../src/session/forks/cache-safe.ts";
import { Conversation } from "../../src/session/store/conversation.ts";
import { foldMessageInto } from "../../src/transcript/fold.ts";
import { assistant, boundary, responseEnd, result, use, user } from "../transcript/support.ts";

const prompt = user("u", "Read it.");
const call = assistant("a", "m", [use("c")]);

test("leaves out an answer that is still arriving or whose call is running", () => {
  expect(settledMessages([prompt, call])).toEqual([prompt]);
  expect(settledMessages([prompt, call, result("r", "c")])).toEqual([prompt]);
  expect(settledMessages([prompt, call, responseEnd("e", "m")])).toEqual([prompt]);
});

test("keeps a finished answer, even if its end was never recorded and somebody has spoken since", () => {
  const whole = [prompt, call, result("r", "c"), responseEnd("e", "m")];
  expect(settledMessages(whole)).toEqual(whole);
  const went: Message = {
    type: "transition",
    uuid: "t",
    timestamp: "",
    transition: { reason: "next_turn" },
    turnCount: 2,
  };
  const compacted = [prompt, call, result("r", "c"), went];
  expect(settledMessages(compacted)).toEqual(compacted);
  const failed: Message = { ...assistant("x", "error_1", []), apiError: { kind: "overloaded" } } as Message;
  const refused = [prompt, call, result("r", "c"), failed];
  expect(settledMessages(refused)).toEqual(refused);
  const cut = [prompt, call, result("r", "c"), user("v", "Go on.")];
  expect(settledMessages(cut)).toEqual(cut);
});

test("keeps what a compaction kept of an answer", () => {
  const kept = [prompt, call, result("r", "c")];
  const settled = ({ messages, lastCompleteUuid }: Conversation) => settledMessages(messages, lastCompleteUuid);
  const compacted = new Conversation(null, foldMessageInto, [prompt]);
  compacted.append(boundary("b", kept));
  // As a session that goes on finds it.
  for (const conversation of [compacted, new Conversation(null, foldMessageInto, kept)]) {
    expect(settled(conversation)).toEqual(kept);
    conversation.append(assistant("x", "n", [use("d")]));
    expect(settled(conversation)).toEqual(kept);
  }
});
