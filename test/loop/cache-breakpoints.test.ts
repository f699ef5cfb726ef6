import { expect, test } from "vitest";
import { findCacheBreakpoints } from "../../src/loop/cache-breakpoints.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import type { Message, ResultsClearedMessage } from "../../src/protocol/message.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { userMessage } from "./support/harness.ts";

const timestamp = "2026-11-20T12:00:00.000Z";

/** A call, its response's end, its result. */
function step(at: number): Message[] {
  const [messageId, model] = [`m${at}`, "m"];
  const usage = { inputTokens: 9, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
  const call = { type: "tool_use" as const, id: `c${at}`, name: "Read", input: {} };
  return [
    { type: "assistant", uuid: `a${at}`, timestamp, messageId, model, content: [call] },
    { type: "response_end", uuid: `e${at}`, timestamp, messageId, model, stopReason: "tool_use", usage, costUsd: 0 },
    {
      type: "user",
      uuid: `r${at}`,
      timestamp,
      content: [{ type: "tool_result", tool_use_id: `c${at}`, content: `text ${at}` }],
    },
  ];
}

/** Six turns of one call each: the prompt is message 0 of a request, the result of call n is message 2n + 2. */
const turns: Message[] = [userMessage("Go", "p"), ...[0, 1, 2, 3, 4, 5].flatMap(step)];

function cleared(uuid: string, ids: readonly number[]): ResultsClearedMessage {
  return {
    type: "results_cleared",
    uuid,
    timestamp,
    why: "money",
    cleared: ids.map((at) => ({ toolUseId: `c${at}`, marker: "[left out]" })),
    savedTokens: 0,
    counted: null,
    expectedRequests: 1,
    netUsd: null,
  };
}

function marks(messages: readonly Message[]): number[] {
  const options = { model: "m", thinking: true, maxImages: 100 };
  const { messages: output, cacheBreakpoints } = createNormalizer()(messages, options);
  expect(findCacheBreakpoints(output, messages)).toEqual(cacheBreakpoints);
  return cacheBreakpoints;
}

test("after results were cleared, breakpoints mark the end of the unchanged part, now and after the next clearing", () => {
  expect(marks(turns)).toEqual([10, 12]);
  const once = foldMessage(turns, cleared("k", [1, 2]));
  expect(marks(once)).toEqual([2, 6, 12]);
  expect(marks(foldMessage(turns, cleared("k", [0, 1, 2])))).toEqual([0, 6, 12]);
});

test("the request after that marks the last two user messages again", () => {
  const once = [...foldMessage(turns, cleared("k", [0, 1, 2])), ...step(6)];
  expect(marks(once)).toEqual([12, 14]);
});

test("at the next clearing, the unchanged part ends with the newest result cleared before", () => {
  const later = [...foldMessage(turns, cleared("k", [0, 1])), ...step(6), ...step(7)];
  expect(marks(foldMessage(later, cleared("l", [3, 4])))).toEqual([4, 10, 16]);
});

test("a clearing record whose results are gone leaves only the breakpoint at the tail", () => {
  expect(marks(foldMessage(turns, cleared("k", [77])))).toEqual([12]);
});
