// Summaries the API signs: asked for, sent back byte for byte, paid, and every way they are refused.
import { describe, expect, test } from "vitest";
import { createAnthropicModel } from "../../../src/model/index.ts";
import { failureFromAnswer } from "../../../src/model/failure.ts";
import type { OpaqueBlock } from "../../../src/protocol/message.ts";
import type { ApiMessage } from "../../../src/protocol/model.ts";
import { createScriptedModel, type Script } from "../../../src/testing/index.ts";
import { blocksOf, hear, modelRequest, user } from "../support/wire.ts";

const talk: ApiMessage[] = [
  user("one"),
  { role: "assistant", content: [{ type: "text", text: "two" }] },
  user("three"),
];

function joined(script: Script) {
  const server = createScriptedModel(script);
  const model = createAnthropicModel({
    apiKey: "key",
    version: "1.0.0",
    transport: (exchange) => server.handle(exchange),
  });
  return { server, model };
}

const summaries: Script = { rules: [{ when: { compacts: true }, reply: "They counted." }], fallback: "four" };

async function summary() {
  const { server, model } = joined(summaries);
  const heard = await hear(model, modelRequest({ messages: talk, compaction: {} }));
  return { server, model, ...heard, block: blocksOf(heard.events)[0]!.block as OpaqueBlock };
}

test("a signed summary arrives as one block, with its cost in the usage", async () => {
  const { outcome, block, server } = await summary();
  expect(outcome).toMatchObject({ ok: true, stopReason: "compaction" });
  expect(block).toMatchObject({ type: "opaque", wire: { type: "compaction", content: "They counted." } });
  const { usage } = server.requests[0]!;
  expect(outcome.usage).toMatchObject({ inputTokens: usage!.input_tokens, outputTokens: usage!.output_tokens });
  expect(outcome.usage!.inputTokens).toBeGreaterThan(0);
  expect(server.requests[0]!.headers["anthropic-beta"]).toBe("compact-2026-09-04");
});

test("the summary block is sent back unchanged with its beta header, also for token counts", async () => {
  const { model, server, block } = await summary();
  const messages: ApiMessage[] = [{ role: "assistant", content: [block] }, user("five")];
  const request = modelRequest({ messages, cacheBreakpoints: [0, 1] });
  expect((await hear(model, request)).outcome).toMatchObject({ ok: true });
  expect(await model.countTokens!(request, new AbortController().signal)).toBeGreaterThan(0);
  const [, next, count] = server.requests;
  expect(next!.body!.messages[0]!.content).toEqual([{ ...block.wire, cache_control: { type: "ephemeral" } }]);
  expect([next, count].map((record) => record!.headers["anthropic-beta"])).toEqual(Array(2).fill("compact-2026-09-04"));
  expect(server.violations).toEqual([]);
  await hear(model, modelRequest({ messages: talk }));
  expect(server.requests.at(-1)!.headers["anthropic-beta"]).toBeUndefined();
});

test("token counting asks for a summary only if the conversation ends with the assistant", async () => {
  const { server, model } = joined(summaries);
  const ended = [user("one"), { role: "assistant" as const, content: [{ type: "text" as const, text: "two" }] }];
  const asked = modelRequest({ messages: ended, compaction: { instructions: "numbers" } });
  expect(await model.countTokens!(asked, new AbortController().signal)).toBeGreaterThan(0);
  const open = modelRequest({ messages: [...ended, user("three")], compaction: {} });
  expect(await model.countTokens!(open, new AbortController().signal)).toBeGreaterThan(0);
  expect(server.violations).toEqual([]);
  expect(server.requests[0]!.body).toMatchObject({ compaction: { type: "summarize", instructions: "numbers" } });
  expect(server.requests[1]!.body).not.toHaveProperty("compaction");
});

test("a text answer in place of a summary yields no blocks, but its usage is counted", async () => {
  const { model } = joined({ fallback: { content: "x".repeat(90_000) } });
  const { outcome, events } = await hear(model, modelRequest({ messages: talk, compaction: {} }));
  expect(outcome).toMatchObject({ ok: true, stopReason: "max_tokens" });
  expect(blocksOf(events)).toEqual([]);
  expect(outcome.usage!.outputTokens).toBe(8_000);
});

describe("a refusal of a signed summary", () => {
  const context = {
    endpoint: "https://api.anthropic.com",
    model: "claude-sonnet-5-5",
    loopback: false,
    credentials: ["ANTHROPIC_API_KEY"],
    secrets: [],
    now: () => 0,
  };
  const refused = (status: number, message: string, code?: string) => {
    const details = code === undefined ? {} : { details: { error_code: code } };
    const type = status === 529 ? "overloaded_error" : "invalid_request_error";
    const body = JSON.stringify({ type: "error", error: { type, message, ...details } });
    return failureFromAnswer({ status, headers: {}, body }, context);
  };

  test.each([
    ["remove those messages", "compaction_block_misplaced"],
    ["send exactly one", "compaction_block_ambiguous"],
    ["it was changed", "compaction_content_mismatch"],
    ["it was changed", "compaction_signature_invalid"],
    ["send the results first", "compaction_incomplete_turn"],
    ["an empty body", "compaction_nothing_to_summarize"],
    ["not as they were", "compaction_tool_changes_mismatch"],
    ["too many", "compaction_too_many_tool_references"],
    ["compaction: Extra inputs are not permitted", undefined],
    ["the `compaction` parameter requires anthropic-beta: compact-2026-09-04", undefined],
    ["Unexpected value(s) `compact-2026-09-04` for the `anthropic-beta` header", undefined],
    [
      "messages.0.content.0: Input tag 'compaction' found using 'type' does not match any of the expected tags",
      undefined,
    ],
  ])("leads to recovery summary: %s (%s)", (message, code) => {
    expect(refused(400, message, code)).toMatchObject({ kind: "compaction_refused", recovery: "summary", status: 400 });
  });

  test("is retried if the server is only unavailable", () => {
    expect(refused(529, "Compaction is unavailable", "compaction_unavailable")).toMatchObject({
      kind: "overloaded",
      recovery: "retry",
    });
  });
});
