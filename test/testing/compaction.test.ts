// On-demand compaction as the scripted server speaks it: the page's rules, by requests of this file's own making.
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/testing/index.ts";
import type { WireBlock, WireMessage } from "../../src/testing/wire/types.ts";
import { assistant, betas, text, use, user } from "./cases.ts";
import { errorText, headers, messageOf, post, readTool, request, resultsFor, testModel } from "./support.ts";

const beta = { headers: betas("compact-2026-09-04") };
const talk = [user("one"), assistant("two"), user("three")];
const ask = (messages: unknown[] = talk, more: object = {}) =>
  request({ messages, compaction: { type: "summarize" }, ...more });

async function summarised(messages: unknown[] = talk, reply: Reply = { content: "They counted." }) {
  const { model } = testModel({ rules: [{ when: { compacts: true }, reply }], fallback: "four" });
  const answer = await post(model, ask(messages), beta);
  const { content } = answer.json as { content: WireBlock[] };
  return { model, answer, block: content[0] as WireBlock };
}

const codeOf = (answer: { json: unknown }): unknown =>
  (answer.json as { error: { details?: { error_code?: string } } }).error.details?.error_code;

describe("a request for a summary", () => {
  it("is answered with only the compaction block, and billed in iterations", async () => {
    const { answer } = await summarised();
    expect(answer.json).toMatchObject({
      stop_reason: "compaction",
      content: [{ type: "compaction", content: "They counted.", signature: expect.any(String) }],
      usage: {
        input_tokens: 0,
        output_tokens: 0,
        iterations: [{ type: "compaction", input_tokens: expect.any(Number) }],
      },
    });
    const { usage } = answer.json as { usage: { iterations: { input_tokens: number; output_tokens: number }[] } };
    expect(usage.iterations[0]!.input_tokens).toBeGreaterThan(0);
    expect(usage.iterations[0]!.output_tokens).toBeGreaterThan(0);
  });

  it("streams the block whole, without deltas", async () => {
    const { model } = testModel({ fallback: "They counted." });
    const answer = await post(model, ask(talk, { stream: true }), beta);
    expect(answer.text).not.toContain("compaction_delta");
    expect(messageOf(answer.events).content).toMatchObject([{ type: "compaction", content: "They counted." }]);
    expect(answer.text).toContain('"stop_reason":"compaction"');
  });

  it("may end with the assistant", async () => {
    expect((await summarised([user("one"), assistant("two")])).answer.status).toBe(200);
  });

  it.each<[string, Reply, string]>([
    ["a call", { content: [{ tool: "Read", input: { file_path: "a" } }] }, "tool_use"],
    [
      "a call in the API's form and a text",
      {
        content: [
          { type: "text", text: "First." },
          { type: "tool_use", name: "Read", input: { file_path: "a" } },
        ],
      },
      "tool_use",
    ],
    ["nothing", { content: [] }, "end_turn"],
    ["more than max_tokens", { content: "x".repeat(9_000) }, "max_tokens"],
    ["a refusal", { fault: "refusal" }, "refusal"],
  ])("answered with %s instead has no content", async (_name, reply, stopReason) => {
    const { model } = testModel({ fallback: reply });
    const answer = await post(model, ask(talk, { tools: [readTool] }), beta);
    expect(answer.json).toMatchObject({ content: [], stop_reason: stopReason });
  });

  it.each<[string, object, string]>([
    ["another type", { compaction: { type: "now" } }, "compaction.type: Input should be 'summarize'"],
    ["an unknown field", { compaction: { type: "summarize", model: "m" } }, "compaction.model: Extra inputs"],
    [
      "long instructions",
      { compaction: { type: "summarize", instructions: "x".repeat(16_385) } },
      "compaction.instructions: String should have at most 16384",
    ],
    ["stop sequences", { stop_sequences: ["END"] }, "`stop_sequences` cannot be combined"],
    [
      "a format",
      { output_config: { format: { type: "json_schema", schema: {} } } },
      "`output_config.format` cannot be",
    ],
    [
      "a chosen tool",
      { tools: [readTool], tool_choice: { type: "tool", name: "Read" } },
      "`tool_choice.tool` cannot be combined",
    ],
    ["a forced tool", { tools: [readTool], tool_choice: { type: "any" } }, "`tool_choice.any` cannot be combined"],
    ["a model without compaction", { model: "claude-opus-4-5" }, "not supported on claude-opus-4-5"],
  ])("is refused with %s", async (_name, more, words) => {
    const { model } = testModel({ fallback: "no" });
    const answer = await post(model, ask(talk, more), beta);
    expect(answer.status).toBe(400);
    expect(errorText(answer)).toContain(words);
  });

  it("is refused if it sets the remaining task budget", async () => {
    const { model } = testModel({ fallback: "no" });
    const sent = { headers: betas("compact-2026-09-04", "task-budgets-2026-03-13") };
    const budget = { type: "tokens", total: 50_000 };
    expect((await post(model, ask(talk, { output_config: { task_budget: budget } }), sent)).status).toBe(200);
    const left = ask(talk, { output_config: { task_budget: { ...budget, remaining: 1_000 } } });
    expect(errorText(await post(model, left, sent))).toContain("`remaining` cannot be set with `compaction`");
  });

  it("is refused if the last call has no result", async () => {
    const { model } = testModel({ fallback: "no" });
    const open = ask([user("go"), assistant([use("t1")])], { tools: [readTool] });
    const answer = await post(model, open, beta);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe("compaction_incomplete_turn");
  });

  it("can be answered as temporarily unavailable", async () => {
    const { model } = testModel({ fallback: { fault: "compaction_unavailable" } });
    const answer = await post(model, ask(), beta);
    expect(answer.status).toBe(529);
    expect(codeOf(answer)).toBe("compaction_unavailable");
    expect(answer.headers["x-should-retry"]).toBe("true");
  });
});

describe("a summary that is sent back", () => {
  const next = (block: WireBlock, ...more: unknown[]) => request({ messages: [assistant([block]), ...more] });

  it("is accepted as the first message, alone or before the reply that followed", async () => {
    const { model, block } = await summarised();
    for (const messages of [
      [assistant([block]), user("five")],
      [user([block, text("five")])],
      [assistant([block]), assistant("four"), user("five")],
      [assistant([block, text("four")]), user("five")],
    ])
      expect((await post(model, request({ messages }), beta)).status, JSON.stringify(messages)).toBe(200);
  });

  it("can be summarised again with what followed", async () => {
    const { model, block } = await summarised();
    expect((await post(model, ask([assistant([block]), user("five")]), beta)).json).toMatchObject({
      stop_reason: "compaction",
    });
    expect(codeOf(await post(model, ask([assistant([block])]), beta))).toBe("compaction_nothing_to_summarize");
  });

  it("requires the beta header and a model that supports it", async () => {
    const { model, block } = await summarised();
    const words = "Input tag 'compaction' found using 'type' does not match any of the expected tags";
    expect(errorText(await post(model, next(block, user("five"))))).toContain(words);
    const older = { ...next(block, user("five")), model: "claude-opus-4-5" };
    expect(errorText(await post(model, older, beta))).toContain(words);
    expect((await post(model, { ...older, model: "claude-sonnet-5" }, beta)).status).toBe(200);
  });

  it.each<[string, (block: WireBlock) => unknown[], string]>([
    [
      "after the messages that it replaces",
      (block) => [...talk, assistant([block]), user("five")],
      "compaction_block_misplaced",
    ],
    ["twice", (block) => [assistant([block, block]), user("five")], "compaction_block_ambiguous"],
    ["changed", (block) => [assistant([{ ...block, content: "x" }]), user("five")], "compaction_content_mismatch"],
    ["unsigned", (block) => [assistant([{ ...block, signature: "x" }]), user("five")], "compaction_signature_invalid"],
  ])("%s is refused with its error code", async (_name, messages, code) => {
    const { model, block } = await summarised();
    const answer = await post(model, request({ messages: messages(block) }), beta);
    expect(answer.status).toBe(400);
    expect(codeOf(answer)).toBe(code);
  });

  it("is refused with a field that it was not sent with", async () => {
    const { model, block } = await summarised();
    const answer = await post(model, next({ ...block, citations: null } as WireBlock, user("five")), beta);
    expect(errorText(answer)).toContain("compaction.citations: Extra inputs are not permitted");
  });
});

describe("thinking after a summary", () => {
  async function afterLooking() {
    const { model } = testModel({
      rules: [{ when: { compacts: true }, reply: "They looked." }],
      fallback: { content: [{ thinking: "hm" }, { tool: "Read", input: { file_path: "a" } }] },
    });
    const base = { model: "claude-opus-5-5", tools: [readTool], stream: true };
    const messages: WireMessage[] = [{ role: "user", content: "go" }];
    for (let turn = 0; turn < 3; turn++) {
      const { message } = await sent(messages);
      messages.push(message, resultsFor(message));
    }
    async function sent(all: unknown[], compacts = false) {
      const more = compacts ? { compaction: { type: "summarize" } } : {};
      const answer = await post(model, request({ ...base, messages: all, ...more }), beta);
      return { answer, message: messageOf(answer.events) };
    }
    return { messages, sent };
  }

  it("stays valid if the kept turns follow in another role, but not in the same one", async () => {
    const { messages, sent } = await afterLooking();
    const kept = messages.slice(3);
    const { message } = await sent(messages.slice(0, 3), true);
    expect((await sent([message, ...kept])).answer.status).toBe(200);
    const early = await sent(messages.slice(0, 4).concat({ role: "user", content: "more" }), true);
    expect(early.answer.status).toBe(400);
    const same = await sent(messages.slice(0, 3), true);
    const between = [same.message, { role: "user", content: "by the way" }, ...kept];
    expect(errorText((await sent(between)).answer)).toContain("bound to a different conversation");
  });

  it("is refused after a change of the system prompt", async () => {
    const { messages, sent } = await afterLooking();
    const { message } = await sent(messages.slice(0, 3), true);
    expect(message.content).toHaveLength(1);
    const { model } = testModel({ fallback: "no" });
    const body = request({
      model: "claude-opus-5-5",
      tools: [readTool],
      system: "new",
      messages: [message, ...messages.slice(3)],
    });
    expect(errorText(await post(model, body, { headers: { ...headers, ...beta.headers } }))).toContain(
      "different conversation",
    );
  });
});
