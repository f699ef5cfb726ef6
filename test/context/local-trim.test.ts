import fc from "fast-check";
import { expect, test } from "vitest";
import type { FitResult, Message } from "../../src/protocol/index.ts";
import { createDigest } from "../../src/context/local-trim.ts";
import { textTokens, wholeTokens } from "../../src/context/measure.ts";
import { planCompaction } from "../../src/context/plan.ts";
import {
  assistant,
  conversation,
  drive,
  fixture,
  inputOf,
  modelInfo,
  readLoop,
  requestProblems,
  user,
} from "./support.ts";

const never = new AbortController().signal;

test("the digest has a line for each prompt, text and call with its outcome", () => {
  const messages: Message[] = [
    ...readLoop(1, 50, "Find\n the bug"),
    assistant("b", "n", [{ type: "tool_use", id: "d", name: "Bash", input: { command: "npm test" } }]),
    user("e", [{ type: "tool_result", tool_use_id: "d", content: "exit 1\nno such test", is_error: true }]),
  ];
  expect(createDigest(messages, 1_000)).toEqual({
    earlier: undefined,
    lines: [
      "- user: Find the bug",
      "- assistant: I read file 0.",
      '- Read {"file_path":"/src/0.ts"} → ok, 50 characters',
      '- Bash {"command":"npm test"} → error: exit 1 no such test',
    ],
  });
});

test("the digest keeps the newest lines if there is no room for all, and an earlier summary keeps its share", () => {
  const messages = [
    user("s", "the summary ".repeat(500), { isCompactSummary: true, isMeta: true }),
    ...readLoop(200, 50),
  ];
  const { lines, earlier } = createDigest(messages, 1_000);
  expect(lines[0]).toMatch(/^\(\d+ earlier lines left out\)$/);
  expect(lines.at(-1)).toContain("/src/199.ts");
  expect(earlier).toMatch(/^the summary .* … .*summary $/s);
  expect(textTokens(lines.join("\n")) + textTokens(earlier ?? "")).toBeLessThan(1_050);
});

// Seen: a Chinese one took nearly all the room, an English one little more than half of its share.
test.each(["the summary ", "这是摘要。", "summary 摘要 😀 "])(
  "an earlier summary keeps its share in any script: %s",
  (words) => {
    const messages = [user("s", words.repeat(5_000), { isCompactSummary: true, isMeta: true }), ...readLoop(200, 50)];
    const { lines, earlier = "" } = createDigest(messages, 1_000);
    expect(textTokens(earlier)).toBeLessThanOrEqual(500);
    expect(textTokens(earlier)).toBeGreaterThan(440);
    expect(textTokens(lines.join("\n"))).toBeGreaterThan(400);
  },
);

test("the digest is empty if there is no room", () => {
  expect(createDigest(readLoop(10, 50), 0)).toEqual({ lines: [], earlier: undefined });
});

test("the trim of any conversation fits its target unless the head and the last turn alone do not", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, fc.integer({ min: 3_000, max: 60_000 }), async (messages, window) => {
      const { context, requests } = fixture({ policy: { minimumShrink: 0, toolResultBudget: false } });
      const model = { ...modelInfo, contextWindow: window };
      const input = inputOf(messages, { model, fixedTokens: 200, tracking: { consecutiveFailures: 3 } });
      const { value } = await drive(context.compactReactively({ ...input, media: false }, never));
      expect(requests).toEqual([]);
      const { effective } = context.windowOf(model, input.maxTokens);
      const bare = planCompaction(messages, 0);
      if (bare === undefined) {
        expect(value.kind).toBe("no_progress");
        return;
      }
      // The reference to the first prompt, and the words that say what happened.
      const least = wholeTokens([...bare.head, ...bare.tail], 200) + 150;
      const whole = wholeTokens(messages, 200);
      if (value.kind === "shrunk") {
        const scale = value.beforeTokens / whole;
        const target = Math.min(effective, value.beforeTokens) / 2;
        expect(value.afterTokens).toBeLessThanOrEqual(Math.max(target, least * scale) + 2);
        expect(requestProblems(value.messages, { boundThinkingFrom: 0 })).toEqual([]);
      } else expect(least).toBeGreaterThan(whole * 0.9);
    }),
    { numRuns: 300 },
  );
});

test("a session of whole turns gets below any window without a summary", async () => {
  for (const window of [8_000, 20_000, 50_000, 100_000]) {
    const { context } = fixture({ says: Array.from({ length: 50 }, () => ({ fail: {} })) });
    const model = { ...modelInfo, contextWindow: window };
    const { value }: { value: FitResult } = await drive(
      context.fit(inputOf(readLoop(500, 2_000), { model, fixedTokens: 1_000 }), never),
    );
    expect(value).toMatchObject({ kind: "ready", applied: [{ layer: "auto_compact" }] });
    expect(value.estimatedTokens).toBeLessThan(window / 2);
  }
});
