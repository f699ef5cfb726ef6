import { describe, expect, it } from "vitest";
import { assistant, betas, cached, refuses, result, text, texts, use, user, withTools } from "./cases.ts";
import { document, image, pdf, png } from "./images.ts";
import { headers, readTool, request } from "./support.ts";

describe("limits and parameters by model", () => {
  const thinking = (model: string, value: object, more: object = {}) =>
    request({ model, max_tokens: 4000, thinking: value, ...more });
  const manual = { type: "enabled", budget_tokens: 2000 };
  refuses([
    [
      "manual thinking on Opus 4.7",
      thinking("claude-opus-4-7", manual),
      '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort"',
    ],
    ["manual thinking on Fable 5.2", thinking("claude-fable-5-2", manual), '"thinking.type.enabled" is not supported'],
    [
      "adaptive thinking on Sonnet 4.5",
      thinking("claude-sonnet-4-5", { type: "adaptive" }),
      "adaptive thinking is not supported on this model",
    ],
    [
      "no thinking on Opus 5.5",
      thinking("claude-opus-5-5", { type: "disabled" }),
      '"thinking.type.disabled" is not supported',
    ],
    [
      "no thinking on Sonnet 5.5",
      thinking("claude-sonnet-5-5", { type: "disabled" }),
      '"thinking.type.disabled" is not supported',
    ],
    [
      "no thinking on Opus 5 at high effort",
      thinking("claude-opus-5", { type: "disabled" }, { output_config: { effort: "max" } }),
      '"thinking.type.disabled" is not supported for this model at effort "max"',
    ],
    [
      "thinking between tools elsewhere",
      thinking("claude-opus-5-5", { type: "between_tools" }),
      '"thinking.type.between_tools" is not supported',
    ],
    [
      "thinking between tools at xhigh",
      thinking("claude-sonnet-5-5", { type: "between_tools" }, { output_config: { effort: "xhigh" } }),
      'not supported at effort "xhigh"',
    ],
    ["an unknown form of thinking", thinking("claude-opus-4-7", { type: "deep" }), "thinking: Input tag 'deep'"],
    [
      "too small a budget",
      thinking("claude-sonnet-4-5", { type: "enabled", budget_tokens: 1000 }),
      "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ],
    [
      "a budget as large as max_tokens",
      thinking("claude-sonnet-4-5", { type: "enabled", budget_tokens: 4000 }),
      "`max_tokens` must be greater than `thinking.budget_tokens`",
    ],
    ["no budget", thinking("claude-sonnet-4-5", { type: "enabled" }), "thinking.enabled.budget_tokens: Field required"],
    [
      "a budget on adaptive",
      thinking("claude-opus-4-7", { type: "adaptive", budget_tokens: 2000 }),
      "thinking.adaptive.budget_tokens: Extra inputs are not permitted",
    ],
    [
      "block binding without its beta",
      thinking("claude-opus-5-5", { type: "adaptive", block_binding: {} }),
      "thinking.adaptive.block_binding: Extra inputs are not permitted",
    ],
    [
      "more output than the model has",
      request({ max_tokens: 200_000 }),
      "max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens for claude-opus-4-7",
    ],
    [
      "more output than an older model has",
      request({ model: "claude-haiku-4-5", max_tokens: 64_001 }),
      "max_tokens: 64001 > 64000",
    ],
    [
      "pre-warming with a stream",
      request({ max_tokens: 0, stream: true }),
      "max_tokens: 0 may not be combined with `stream`",
    ],
    ["a negative limit", request({ max_tokens: -1 }), "max_tokens: Input should be greater than or equal to 0"],
    ["a temperature on a newer model", request({ temperature: 0.2 }), "`temperature` is deprecated for this model."],
    ["top_p on a newer model", request({ top_p: 0.5 }), "`top_p` is deprecated for this model."],
    ["top_k on a newer model", request({ top_k: 5 }), "`top_k` is deprecated for this model."],
    [
      "too high a temperature",
      request({ model: "claude-sonnet-4-5", temperature: 1.5 }),
      "temperature: Input should be less than or equal to 1",
    ],
    [
      "a temperature with thinking",
      request({ model: "claude-sonnet-4-5", max_tokens: 3000, temperature: 0.5, thinking: manual }),
      "`temperature` may only be set to 1 when thinking is enabled",
    ],
    [
      "top_k with thinking",
      request({ model: "claude-sonnet-4-5", max_tokens: 3000, top_k: 5, thinking: manual }),
      "`top_k` must be unset when thinking is enabled",
    ],
    [
      "top_p with thinking",
      request({ model: "claude-sonnet-4-5", max_tokens: 3000, top_p: 0.5, thinking: manual }),
      "`top_p` must be greater than or equal to 0.95",
    ],
    [
      "an unknown effort",
      request({ output_config: { effort: "extreme" } }),
      "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'",
    ],
    [
      "xhigh on 4.6",
      request({ model: "claude-opus-4-6", output_config: { effort: "xhigh" } }),
      "This model does not support effort level 'xhigh'",
    ],
    [
      "effort on Haiku 4.5",
      request({ model: "claude-haiku-4-5", output_config: { effort: "low" } }),
      "This model does not support the effort parameter.",
    ],
    [
      "a task budget on Sonnet 5",
      request({ model: "claude-sonnet-5", output_config: { task_budget: { type: "tokens", total: 30_000 } } }),
      "This model does not support task budgets.",
      betas("task-budgets-2026-03-13"),
    ],
    [
      "an unknown display",
      thinking("claude-opus-4-7", { type: "adaptive", display: "loud" }),
      "thinking.adaptive.display: Input should be 'summarized', 'omitted' or 'updates'",
    ],
    [
      "a task budget with a field too many",
      request({ model: "claude-opus-5", output_config: { task_budget: { type: "tokens", total: 30_000, used: 1 } } }),
      "output_config.task_budget.used: Extra inputs are not permitted",
      betas("task-budgets-2026-03-13"),
    ],
    [
      "a negative temperature",
      request({ model: "claude-sonnet-4-5", temperature: -1 }),
      "temperature: Input should be greater than or equal to 0",
    ],
  ]);

  it("do not apply to a compatible endpoint", () => {
    const body = request({
      model: "mistral",
      temperature: 0.2,
      thinking: manual,
      messages: [user("x"), assistant("{")],
      max_tokens: 999_999,
    });
    expect(texts(body, { "x-api-key": "k" }, { endpoint: "compatible" })).toEqual([]);
    expect(
      texts(withTools([user("x"), assistant([use("t1")]), user("y")]), headers, { endpoint: "compatible" }),
    ).not.toEqual([]);
  });
});

describe("cache breakpoints", () => {
  const marked = (count: number) =>
    request({ messages: [user(Array.from({ length: count }, (_, index) => text(`t${index}`, cached)))] });
  const long = { cache_control: { type: "ephemeral", ttl: "1h" } };
  refuses([
    ["five of them", marked(5), "A maximum of 4 blocks with cache_control may be provided. Found 5."],
    [
      "four and the automatic one",
      { ...marked(4), cache_control: { type: "ephemeral" } },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "a long one after a short one",
      request({ system: [text("s", cached)], messages: [user([text("x", long)])] }),
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: tools, system, messages.",
    ],
    [
      "a long automatic one after a short one",
      {
        ...request({ system: [text("s", cached)], messages: [user([text("x")])] }),
        cache_control: { type: "ephemeral", ttl: "1h" },
      },
      "cache_control.ttl: a ttl='1h' cache_control block must not come after",
    ],
    [
      "five of them, in a tool's result and around it",
      withTools(
        [
          user([text("a", cached)]),
          assistant([use("t1")]),
          user([result("t1", { content: [text("b", cached), text("c", cached)], ...cached })]),
        ],
        { system: [text("s", cached)] },
      ),
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "a short tool before a long system",
      request({ tools: [{ ...readTool, ...cached }], system: [text("s", long)] }),
      "system.0.cache_control.ttl: a ttl='1h'",
    ],
    [
      "an automatic one that disagrees",
      { ...request({ messages: [user([text("x", long)])] }), cache_control: { type: "ephemeral" } },
      "Top-level cache_control has ttl='5m' but the target block already has cache_control with ttl='1h'",
    ],
    [
      "on an empty text",
      request({ messages: [user([text("", cached)])] }),
      "messages.0.content.0.text: cache_control cannot be set for empty text blocks",
    ],
    [
      "on an empty system text",
      request({ system: [text("", cached)] }),
      "cache_control cannot be set for empty text blocks",
    ],
    [
      "on thinking",
      request({
        messages: [
          user("x"),
          assistant([{ type: "thinking", thinking: "t", signature: "s", ...cached }, text("y")]),
          user("z"),
        ],
      }),
      "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    ],
    [
      "of another kind",
      request({ messages: [user([text("x", { cache_control: { type: "forever" } })])] }),
      "cache_control.type: Input should be 'ephemeral'",
    ],
    [
      "with another lifetime",
      request({ messages: [user([text("x", { cache_control: { type: "ephemeral", ttl: "2h" } })])] }),
      "Input should be '5m' or '1h'",
    ],
    [
      "a lifetime that does not exist, on the system prompt",
      request({ system: [text("x", { cache_control: { type: "ephemeral", ttl: "2h" } })] }),
      "system.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ],
    [
      "a lifetime that does not exist, on a tool",
      request({ tools: [{ ...readTool, cache_control: { type: "ephemeral", ttl: "2h" } }] }),
      "tools.0.custom.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ],
    [
      "a kind of cache that does not exist, on the system prompt",
      request({ system: [text("x", { cache_control: { type: "persistent" } })] }),
      "system.0.cache_control.type: Input should be 'ephemeral'",
    ],
    [
      "with a field too many",
      request({ messages: [user([text("x", { cache_control: { type: "ephemeral", id: 1 } })])] }),
      "cache_control.ephemeral.id: Extra inputs are not permitted",
    ],
  ]);
});

describe("images and documents", () => {
  const shown = (...blocks: unknown[]) => request({ messages: [user(blocks)] });
  const many = (count: number, width: number) => Array.from({ length: count }, () => image(png(width, 100)));
  refuses([
    [
      "over 8000 pixels",
      shown(image(png(8001, 10))),
      "messages.0.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ],
    [
      "over 2000 pixels among more than 20",
      shown(...many(20, 100), image(png(10, 2001))),
      "messages.0.content.20.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    ],
    [
      "counted inside tool results",
      withTools([
        user(many(20, 100)),
        assistant([use("t1")]),
        user([result("t1", { content: [image(png(2001, 10))] })]),
      ]),
      "messages.2.content.0.tool_result.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests",
    ],
    ["over 10 MB", shown(image(png(10, 10) + "A".repeat(10 * 1024 * 1024))), "image exceeds 10 MB maximum"],
    ["101 on a 200K model", { ...shown(...many(101, 10)), model: "claude-haiku-4-5" }, "too many images: 101 > 100"],
    ["601 on a 1M model", shown(...many(601, 10)), "too many images: 601 > 600"],
    ["without any data", shown(image("")), "messages.0.content.0.image.source.base64: image cannot be empty"],
    [
      "with the address it had in a page",
      shown(image(`data:image/png;base64,${png(10, 10)}`)),
      "messages.0.content.0.image.source.base64: invalid base64 data",
    ],
    [
      "inside a document made of blocks",
      shown({ type: "document", source: { type: "content", content: [image(png(8001, 10))] } }),
      "messages.0.content.0.document.source.content.0.image.source.base64.data: At least one of the image dimensions",
    ],
    [
      "a document in base64 that is no PDF by its type",
      shown({ type: "document", source: { ...pdf(1).source, media_type: "text/plain" } }),
      "messages.0.content.0.document.source.base64.media_type: Input should be 'application/pdf'",
    ],
    [
      "a document of text with a PDF's type",
      shown({ type: "document", source: { type: "text", media_type: "application/pdf", data: "x" } }),
      "messages.0.content.0.document.source.text.media_type: Input should be 'text/plain'",
    ],
    [
      "not an image at all",
      shown(image(Buffer.from("hello, this is text").toString("base64"))),
      "Could not process image",
    ],
    [
      "another format than it says",
      shown(image(png(10, 10), "image/jpeg")),
      "Image does not match the provided media type image/jpeg",
    ],
    [
      "too many pages",
      { ...shown(pdf(101)), model: "claude-haiku-4-5" },
      "A maximum of 100 PDF pages may be provided.",
    ],
    [
      "a document that is locked",
      shown(document("%PDF-1.7 trailer << /Encrypt 5 0 R >>")),
      "messages.0.content.0.document.source.base64.data: The PDF specified is password protected.",
    ],
    ["a document that is none", shown(document("hello")), "The PDF specified was not valid."],
    ["too many pages over all documents", shown(pdf(400), pdf(201)), "A maximum of 600 PDF pages may be provided."],
    [
      "a document over 32 MB",
      shown({
        type: "document",
        source: { type: "base64", media_type: "application/pdf", data: "A".repeat(45 * 1024 * 1024) },
      }),
      "messages.0.content.0.document.source.base64: PDF exceeds 32 MB maximum",
    ],
  ]);
});
