import { describe, expect, it } from "vitest";
import type { Part, Script, ScriptedModelOptions } from "../../src/testing/index.ts";
import type { WireBlock, WireMessage } from "../../src/testing/wire/types.ts";
import { Conversation, errorText, headers, post, readTool, request, resultsFor, testModel } from "./support.ts";

const look: Part[] = [{ thinking: "I should look" }, "Looking.", { tool: "Read", input: { file_path: "a" } }];
const lookTwice: Part[] = [{ thinking: "first" }, { thinking: "second" }, { tool: "Read", input: { file_path: "a" } }];

/** A conversation with one answered call, ready for its second request. */
async function begin(
  model: string,
  content: Part[] = look,
  options: ScriptedModelOptions = {},
  more: Record<string, unknown> = {},
  script: Script = {},
) {
  const scripted = testModel({ steps: [{ content }], fallback: "done", ...script }, options);
  const conversation = new Conversation(scripted.model, { model, thinking: { type: "adaptive" }, ...more });
  const first = await conversation.say("go");
  expect(first.status, first.text).toBe(200);
  conversation.messages.push(resultsFor(first.message));
  return { conversation, scripted, blocks: conversation.messages[1]?.content as WireBlock[] };
}

const modified =
  "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";
const bound =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';

describe("returned thinking", () => {
  it("is accepted unmodified, by models that bind it and by others", async () => {
    for (const model of ["claude-opus-5-5", "claude-sonnet-5", "claude-opus-4-7", "claude-haiku-5-5"]) {
      const { conversation } = await begin(model, lookTwice);
      expect((await conversation.resend()).status, model).toBe(200);
    }
  });

  it("is refused if its text was changed", async () => {
    const { conversation, blocks } = await begin(
      "claude-sonnet-5",
      look,
      {},
      { thinking: { type: "adaptive", display: "summarized" } },
    );
    (blocks[0] as WireBlock)["thinking"] = "I should not look";
    expect(errorText(await conversation.resend())).toBe(modified);
  });

  it("is refused with another signature or none", async () => {
    const { conversation, blocks } = await begin("claude-sonnet-5");
    const block = blocks[0] as WireBlock;
    const signature = String(block["signature"]);
    block["signature"] = `${signature.slice(0, 20)}x${signature.slice(21)}`;
    expect(errorText(await conversation.resend())).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
    block["signature"] = "";
    expect(errorText(await conversation.resend())).toBe(
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    );
    delete block["signature"];
    expect(errorText(await conversation.resend())).toBe("messages.1.content.0.thinking.signature: Field required");
  });

  it("is refused out of order, or with a block missing", async () => {
    const swapped = await begin("claude-sonnet-5", lookTwice);
    swapped.blocks.splice(0, 2, swapped.blocks[1] as WireBlock, swapped.blocks[0] as WireBlock);
    expect(errorText(await swapped.conversation.resend())).toBe(modified);
    const first = await begin("claude-sonnet-5", lookTwice);
    first.blocks.splice(0, 1);
    expect(errorText(await first.conversation.resend())).toBe(modified);
    const last = await begin("claude-sonnet-5", lookTwice);
    last.blocks.splice(1, 1);
    expect(errorText(await last.conversation.resend())).toBe(modified.replace("content.0", "content.1"));
  });

  it("may be left out altogether", async () => {
    for (const model of ["claude-sonnet-5", "claude-opus-5-5"]) {
      const { conversation, blocks } = await begin(model, lookTwice);
      blocks.splice(0, 2);
      expect((await conversation.resend()).status).toBe(200);
    }
  });

  it("is required before the first calls of a turn, if the request has a budget for it", async () => {
    const budget = { max_tokens: 4_000, thinking: { type: "enabled", budget_tokens: 2_000 } };
    const steps = [{ content: look }, { content: [{ tool: "Read", input: { file_path: "b" } }] }];
    const { conversation, blocks } = await begin("claude-haiku-4-5", look, {}, budget, { steps });
    const second = await conversation.resend();
    expect(second.status, second.text).toBe(200);
    conversation.messages.push(resultsFor(second.message));
    // Later answers of the turn need no thinking of their own.
    expect((await conversation.resend()).status).toBe(200);
    conversation.messages.splice(5);
    const expected = "Expected `thinking` or `redacted_thinking`, but found `text`.";
    const [thinking] = blocks.splice(0, 1);
    expect(errorText(await conversation.resend())).toContain(`messages.1.content.0.type: ${expected}`);
    blocks.splice(1, 0, thinking as WireBlock);
    expect(errorText(await conversation.resend())).toContain(`messages.1.content.0.type: ${expected}`);
    conversation.base["thinking"] = { type: "disabled" };
    expect((await conversation.resend()).status).toBe(200);
  });

  it("may not be the last block of a message", async () => {
    const { conversation, blocks } = await begin("claude-sonnet-5", [{ thinking: "t" }, "text"]);
    blocks.splice(1);
    conversation.messages[2] = { role: "user", content: "more" };
    expect(errorText(await conversation.resend())).toBe(
      "messages.1: The final block in an assistant message cannot be `thinking`.",
    );
  });

  it("is accepted and ignored if the request turns thinking off", async () => {
    const { conversation } = await begin("claude-sonnet-5");
    conversation.base["thinking"] = { type: "disabled" };
    expect((await conversation.resend()).status).toBe(200);
  });

  it("is accepted in redacted blocks", async () => {
    const { conversation, blocks } = await begin("claude-opus-5-5", [{ redactedThinking: "hidden" }, ...look]);
    expect((await conversation.resend()).status).toBe(200);
    conversation.messages.splice(3);
    (blocks[0] as WireBlock)["data"] = "AAAA";
    expect(errorText(await conversation.resend())).toBe(
      "messages.1.content.0: Invalid `signature` in `redacted_thinking` block",
    );
  });

  it("is recognised by a server that was restarted", async () => {
    const { conversation } = await begin("claude-opus-5-5");
    const { model } = testModel({ fallback: "done" }, { seed: 2 });
    const again = new Conversation(model, conversation.base);
    again.messages.push(...conversation.messages);
    expect((await again.resend()).status).toBe(200);
  });
});

describe("thinking bound to its prefix", () => {
  type Rewrite = [what: string, change: (conversation: Conversation) => void];
  const rewrites: Rewrite[] = [
    ["the first user message", ({ messages }) => (messages[0] = { role: "user", content: "stop" })],
    ["the system prompt", (conversation) => (conversation.base["system"] = "new rules")],
    [
      "a tool's description",
      (conversation) => (conversation.base["tools"] = [{ ...readTool, description: "Changed" }]),
    ],
    ["the tools' order", (conversation) => (conversation.base["tools"] = [{ ...readTool, name: "Aaa" }, readTool])],
  ];

  it.each(rewrites)("is refused after a change of %s", async (_what, change) => {
    const { conversation } = await begin("claude-opus-5-5");
    change(conversation);
    expect(errorText(await conversation.resend())).toBe(`messages.1.content.0: ${bound}`);
  });

  it.each(rewrites)(
    "is still accepted after a change of %s by a model that does not bind it",
    async (_what, change) => {
      const { conversation } = await begin("claude-sonnet-5");
      change(conversation);
      expect((await conversation.resend()).status).toBe(200);
    },
  );

  it("is invalidated by a change only if the change comes before it", async () => {
    const { conversation } = await begin(
      "claude-opus-5-5",
      look,
      {},
      {},
      { steps: [{ content: look }, { content: look }] },
    );
    const second = await conversation.resend();
    conversation.messages.push(resultsFor(second.message));
    (conversation.messages[2] as WireMessage).content = [
      { ...((conversation.messages[2] as WireMessage).content as WireBlock[])[0], content: "cleared" } as WireBlock,
    ];
    expect(errorText(await conversation.resend())).toBe(`messages.3.content.0: ${bound}`);
  });

  it("stays valid if a cache breakpoint moves or a message is written as blocks", async () => {
    const { conversation } = await begin("claude-opus-5-5");
    conversation.messages[0] = {
      role: "user",
      content: [{ type: "text", text: "go", cache_control: { type: "ephemeral" } }],
    };
    expect((await conversation.resend()).status).toBe(200);
  });

  it("stays valid if a block's fields are reordered or absent ones are null", async () => {
    const content: Part[] = [
      { thinking: "one" },
      "Looking.",
      { thinking: "two" },
      { tool: "Read", input: { a: 1, b: 2 } },
    ];
    const { conversation, blocks } = await begin("claude-opus-5-5", content);
    const message = conversation.messages[1] as WireMessage;
    message.content = blocks.map((block) => ({
      ...(block.type === "text" ? { citations: null } : {}),
      ...(Object.fromEntries(Object.entries(block).toReversed()) as WireBlock),
    }));
    expect((await conversation.resend()).status).toBe(200);
    const call = message.content.at(-1) as WireBlock;
    expect(call["input"]).toEqual({ a: 1, b: 2 });
  });

  it("stays valid in a paused turn whose fields are reordered", async () => {
    const { model } = testModel({ steps: [{ content: ["Searching."], stopReason: "pause_turn" }, "Found."] });
    const messages: WireMessage[] = [{ role: "user", content: "go" }];
    expect((await post(model, request({ messages }))).status).toBe(200);
    messages.push({ role: "assistant", content: [{ citations: null, text: "Searching.", type: "text" }] });
    expect((await post(model, request({ messages }))).status).toBe(200);
  });

  it("is enforced on older accounts only on request, except for the 5.2 models", async () => {
    const change = (conversation: Conversation) => (conversation.base["system"] = "new rules");
    const old = await begin("claude-opus-5-5", look, { enforceBinding: false });
    change(old.conversation);
    const answer = await old.conversation.resend();
    expect(answer.status).toBe(200);
    expect(answer.events[0]?.data).toMatchObject({
      message: { input_transformations: [{ type: "thinking_mismatch_allowed", reason: "prefix_binding_mismatch" }] },
    });
    const newest = await begin("claude-fable-5-2", look, { enforceBinding: false });
    change(newest.conversation);
    expect((await newest.conversation.resend()).status).toBe(400);
  });

  it("is dropped and reported if the request asks for that", async () => {
    const { conversation, scripted } = await begin("claude-opus-5-5");
    conversation.base["system"] = "new rules";
    const answer = await post(
      scripted.model,
      request({
        ...conversation.base,
        messages: conversation.messages,
        thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
      }),
      { headers: { ...headers, "anthropic-beta": "thinking-binding-controls-2026-08-01" } },
    );
    expect(answer.events[0]?.data).toMatchObject({
      message: {
        input_transformations: [
          { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
        ],
      },
    });
  });

  it("is dropped without an error if the other model may not read it", async () => {
    const { conversation } = await begin("claude-fable-5-2");
    conversation.base["model"] = "claude-opus-5-5";
    const answer = await conversation.resend();
    expect(answer.events[0]?.data).toMatchObject({
      message: { input_transformations: [{ type: "thinking_dropped", reason: "model_binding_mismatch" }] },
    });
    const readable = await begin("claude-opus-5-5");
    readable.conversation.base["model"] = "claude-fable-5-1";
    expect((await readable.conversation.resend()).text).not.toContain("input_transformations");
  });

  it("stays valid after a summary by the API, but not after one by the client", async () => {
    const { conversation, scripted } = await begin(
      "claude-opus-5-5",
      look,
      {},
      {},
      {
        steps: [{ content: look }, { content: [{ compaction: "They looked at a." }] }, { content: look }, "done"],
      },
    );
    const beta = { headers: { ...headers, "anthropic-beta": "compact-2026-09-04" } };
    const ask = {
      ...conversation.base,
      messages: conversation.messages,
      stream: false,
      compaction: { type: "summarize" },
    };
    const summary = await post(scripted.model, request(ask), beta);
    expect(summary.json).toMatchObject({ stop_reason: "compaction" });
    const block = (summary.json as { content: WireBlock[] }).content[0] as WireBlock;
    const full = new Conversation(scripted.model, conversation.base);
    full.messages.push(...conversation.messages);
    const next = await full.resend();
    const kept = [next.message, resultsFor(next.message)];
    const compacted = new Conversation(scripted.model, conversation.base);
    compacted.messages.push({ role: "user", content: [block] }, ...kept);
    const taken = await post(
      scripted.model,
      request({ ...conversation.base, messages: compacted.messages, stream: true }),
      beta,
    );
    expect(taken.status, taken.text).toBe(200);
    const own = new Conversation(scripted.model, conversation.base);
    own.messages.push({ role: "user", content: "They looked at a." }, ...kept);
    expect(errorText(await own.resend())).toBe(`messages.1.content.0: ${bound}`);
  });
});
