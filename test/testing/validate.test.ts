import { describe, expect, it } from "vitest";
import { createValidationState, validateRequest } from "../../src/testing/index.ts";
import {
  assistant,
  betas,
  cached,
  paired,
  refuses,
  result,
  text,
  texts,
  use,
  user,
  withTools,
  type Case,
} from "./cases.ts";
import { gif, image, jpeg, pdf, png, webp } from "./images.ts";
import { headers, readTool, request } from "./support.ts";

describe("the API accepts", () => {
  const good: [string, unknown, Record<string, string>?][] = [
    ["the smallest", request()],
    [
      "system as blocks, metadata, stop sequences",
      request({ system: [text("s", cached)], metadata: { user_id: "u" }, stop_sequences: ["END"] }),
    ],
    ["a tool round trip with text after the results", withTools(paired(text("and now?")))],
    [
      "two calls answered together",
      withTools([user("go"), assistant([text("x"), use("a"), use("b")]), user([result("b"), result("a")])]),
    ],
    [
      "an image and a document in a tool result",
      withTools([
        user("go"),
        assistant([use("t1")]),
        user([result("t1", { content: [text("i"), image(png(10, 10)), pdf(2)] })]),
      ]),
    ],
    [
      "an empty tool result",
      withTools([user("go"), assistant([use("t1")]), user([{ type: "tool_result", tool_use_id: "t1" }])]),
    ],
    [
      "four breakpoints, long ones first",
      request({
        system: [text("a", { cache_control: { type: "ephemeral", ttl: "1h" } })],
        messages: [user([text("a", cached), text("b", cached), text("c", cached)])],
      }),
    ],
    ["automatic caching", request({ cache_control: { type: "ephemeral" } })],
    [
      "adaptive thinking with effort",
      request({ thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: "xhigh" } }),
    ],
    [
      "manual thinking on an older model",
      request({ model: "claude-sonnet-4-5", max_tokens: 4000, thinking: { type: "enabled", budget_tokens: 2000 } }),
    ],
    [
      "interleaved thinking with a budget over max_tokens",
      request({ model: "claude-sonnet-4-5", thinking: { type: "enabled", budget_tokens: 2000 } }),
      betas("interleaved-thinking-2025-05-14"),
    ],
    ["prefill on an older model", request({ model: "claude-sonnet-4-5", messages: [user("go"), assistant("{")] })],
    [
      "a system message at the end on a model that knows it",
      request({ model: "claude-opus-5", messages: [user("go"), { role: "system", content: "be quick" }] }),
    ],
    ["a dated model id", request({ model: "claude-sonnet-4-5-20250929" })],
    [
      "context management with its beta",
      request({ context_management: { edits: [] } }),
      betas("context-management-2025-06-27"),
    ],
    ["a bearer token instead of a key", request(), { authorization: "Bearer t", "anthropic-version": "2023-06-01" }],
    ["beta headers in another case", request(), { "X-Api-Key": "k", "Anthropic-Version": "2023-06-01" }],
    ["a pre-warming call", request({ max_tokens: 0 })],
    ["a pre-warming call without a format", request({ max_tokens: 0, output_config: { format: null } })],
    [
      "a breakpoint of five minutes",
      request({ system: [text("s", { cache_control: { type: "ephemeral", ttl: "5m" } })] }),
    ],
    ["an empty prefill", request({ model: "claude-sonnet-4-5", messages: [user("go"), assistant("")] })],
    [
      "no thinking at the highest effort where effort does not matter",
      request({ model: "claude-opus-4-8", thinking: { type: "disabled" }, output_config: { effort: "max" } }),
    ],
    [
      "thinking between tools at high effort",
      request({ model: "claude-sonnet-5-5", thinking: { type: "between_tools" }, output_config: { effort: "high" } }),
    ],
    [
      "adaptive thinking with a forced tool",
      withTools([user("go")], { thinking: { type: "adaptive" }, tool_choice: { type: "any" } }),
    ],
    ["sampling parameters with their default values", request({ temperature: 1, top_p: 1 })],
    [
      "a temperature of 1 with thinking",
      request({
        model: "claude-sonnet-4-5",
        max_tokens: 4000,
        temperature: 1,
        thinking: { type: "enabled", budget_tokens: 2000 },
      }),
    ],
    ["the usual speed", request({ model: "claude-opus-5", speed: "standard" }), betas("fast-mode-2026-02-01")],
    [
      "the rest of a task budget",
      request({
        model: "claude-opus-5",
        output_config: { task_budget: { type: "tokens", total: 20_000, remaining: 9 } },
      }),
      betas("task-budgets-2026-03-13"),
    ],
    [
      "three fallbacks",
      request({ fallbacks: Array.from({ length: 3 }, () => ({ model: "claude-opus-4-6" })) }),
      betas("server-side-fallback-2026-07-01"),
    ],
    [
      "the smallest trigger of a compaction",
      request({
        context_management: { edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: 50_000 } }] },
      }),
      betas("compact-2026-01-12"),
    ],
    [
      "a deferred tool next to another tool",
      request({ tools: [readTool, { ...readTool, name: "Later", defer_loading: true }] }),
    ],
    [
      "a system message after a server tool's result",
      request({
        model: "claude-opus-5",
        messages: [
          user("go"),
          assistant([
            { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
          ]),
          { role: "system", content: "be quick" },
        ],
      }),
    ],
    [
      "a tool change with its beta",
      request({
        model: "claude-opus-5",
        messages: [
          user("go"),
          { role: "system", content: [{ type: "tool_removal", tool: { type: "tool_reference", name: "x" } }] },
        ],
      }),
      betas("mid-conversation-tool-changes-2026-07-01"),
    ],
    [
      "a server tool call with its result",
      request({
        messages: [
          user("go"),
          assistant([
            { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
            { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
            text("found"),
          ]),
          user("ok"),
        ],
      }),
    ],
    [
      "a paused server tool sent back",
      request({
        tools: [{ type: "web_search_20250305", name: "web_search" }],
        messages: [user("go"), assistant([{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }])],
      }),
    ],
    [
      "images of all four formats",
      request({
        messages: [
          user([
            image(png(9, 9)),
            image(gif(9, 9), "image/gif"),
            image(jpeg(9, 9, 9000), "image/jpeg"),
            image(webp("VP8 ", 9, 9), "image/webp"),
            image(webp("VP8L", 9, 9), "image/webp"),
            image(webp("VP8X", 9, 9), "image/webp"),
          ]),
        ],
      }),
    ],
    ["an image of 8000 pixels", request({ messages: [user([image(png(8000, 10))])] })],
    ["many of 2000", request({ messages: [user(Array.from({ length: 21 }, () => image(png(2000, 10))))] })],
    ["600 pages", request({ messages: [user([pdf(600)])] })],
    ["twenty large images", request({ messages: [user(Array.from({ length: 20 }, () => image(png(7000, 7000))))] })],
  ];

  it.each(good)("%s", (_name, body, sent) => {
    expect(texts(body, sent)).toEqual([]);
  });
});

describe("request headers", () => {
  refuses([
    ["no key", request(), "x-api-key header is required", { "anthropic-version": "2023-06-01" }],
    ["no version", request(), "anthropic-version: header is required", { "x-api-key": "k" }],
    [
      "a wrong version",
      request(),
      '"2020-01-01" is not a valid version',
      { ...headers, "anthropic-version": "2020-01-01" },
    ],
    ["a malformed beta", request(), "Unexpected value(s) `nope` for the `anthropic-beta` header", betas("nope")],
  ]);

  it("without a key are a 401, not a 400", () => {
    expect(validateRequest(request(), { "anthropic-version": "2023-06-01" })[0]).toMatchObject({
      status: 401,
      type: "authentication_error",
    });
    expect(texts(request(), { "anthropic-version": "2023-06-01" }, { requireKey: false })).toEqual([]);
  });
});

describe("fields of the body", () => {
  const without = (key: string) => Object.fromEntries(Object.entries(request()).filter(([name]) => name !== key));
  refuses([
    ["not an object", [1], "Input should be a valid dictionary"],
    ["no model", without("model"), "model: Field required"],
    ["a model that is a number", request({ model: 3 }), "model: Input should be a valid string"],
    ["messages that are no list", request({ messages: {} }), "messages: Input should be a valid list"],
    ["a system prompt that is a number", request({ system: 3 }), "system: Input should be a valid string or list"],
    ["no max_tokens", without("max_tokens"), "max_tokens: Field required"],
    ["no messages", without("messages"), "messages: Field required"],
    ["an empty conversation", request({ messages: [] }), "messages: at least one message is required"],
    ["an unknown field", request({ sessionId: "x" }), "sessionId: Extra inputs are not permitted"],
    ["a thread without its beta", request({ thread: { type: "create" } }), "thread: Extra inputs are not permitted"],
    [
      "a thread gone on with from nowhere",
      request({ thread: { type: "continue" } }),
      "thread.continue.previous_message_id: Field required",
      betas("message-threads-2026-08-12"),
    ],
    ["a string for a number", request({ max_tokens: "1000" }), "max_tokens: Input should be a valid integer"],
    ["a fraction of a token", request({ max_tokens: 1.5 }), "max_tokens: Input should be a valid integer"],
    ["a stream that is no boolean", request({ stream: "yes" }), "stream: Input should be a valid boolean"],
    [
      "an unknown metadata field",
      request({ metadata: { session: "x" } }),
      "metadata.session: Extra inputs are not permitted",
    ],
    [
      "a beta field without its header",
      request({ context_management: { edits: [] } }),
      "context_management: Extra inputs are not permitted",
    ],
    [
      "compaction without its header",
      request({ compaction: { type: "summarize" } }),
      "compaction: the `compaction` parameter requires anthropic-beta: compact-2026-09-04",
    ],
    ["fallbacks without their header", request({ fallbacks: "default" }), "fallbacks: Extra inputs are not permitted"],
    [
      "a task budget without its header",
      request({ model: "claude-opus-5", output_config: { task_budget: { type: "tokens", total: 20_000 } } }),
      "output_config.task_budget: Extra inputs are not permitted",
    ],
    [
      "too small a task budget",
      request({ model: "claude-opus-5", output_config: { task_budget: { type: "tokens", total: 5 } } }),
      "Input should be greater than or equal to 20000",
      betas("task-budgets-2026-03-13"),
    ],
    [
      "speed without its header",
      request({ model: "claude-opus-5", speed: "fast" }),
      "speed: Extra inputs are not permitted",
    ],
    [
      "speed on a model without it",
      request({ speed: "fast" }),
      'speed: "fast" is not supported',
      betas("fast-mode-2026-02-01"),
    ],
    [
      "an unknown speed",
      request({ speed: "slow" }),
      "speed: Input should be 'standard' or 'fast'",
      betas("fast-mode-2026-02-01"),
    ],
    [
      "a stop sequence that is a number",
      request({ stop_sequences: [3] }),
      "stop_sequences.0: Input should be a valid string",
    ],
    [
      "a blank stop sequence",
      request({ stop_sequences: [" "] }),
      "stop_sequences: each stop sequence must contain non-whitespace",
    ],
    ["no tools as null", request({ tools: null }), "tools: Input should be a valid list"],
    ["no system prompt as null", request({ system: null }), "system: Input should be a valid list"],
    [
      "another API's tool",
      request({ tools: [{ type: "function", function: { name: "Read" } }] }),
      "tools.0: Input tag 'function' found using 'type' does not match any of the expected tags: ",
    ],
    [
      "a server tool without a name",
      request({ tools: [{ type: "web_search_20250305" }] }),
      "tools.0.web_search_20250305.name: Field required",
    ],
    [
      "a negative top_k",
      request({ model: "claude-opus-4-6", top_k: -1 }),
      "top_k: Input should be greater than or equal to 0",
    ],
    [
      "temperature beside top_p",
      request({ model: "claude-sonnet-4-6", temperature: 0.2, top_p: 0.4 }),
      "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ],
    [
      "a cache that is warmed for a format",
      request({ max_tokens: 0, output_config: { format: { type: "json_schema", schema: {} } } }),
      "max_tokens: 0 may not be combined with",
    ],
    ...[{ type: "any" }, { type: "tool", name: "Read" }].map((choice): Case => [
      `a cache that is warmed for a call of ${choice.name ?? choice.type}`,
      withTools([user("go")], { max_tokens: 0, tool_choice: choice }),
      "max_tokens: 0 may not be combined with",
    ]),
    ["a message that is a string", request({ messages: ["hello"] }), "messages.0: Input should be a valid dictionary"],
    [
      "an unknown service tier",
      request({ service_tier: "gold" }),
      "service_tier: Input should be 'auto' or 'standard_only'",
    ],
  ]);

  it("an unknown model is a 404", () => {
    expect(validateRequest(request({ model: "claude-none" }), headers)[0]).toEqual({
      status: 404,
      type: "not_found_error",
      message: "model: claude-none",
    });
  });

  it("must not have max_tokens when tokens are counted", () => {
    expect(texts(request(), headers, { operation: "count_tokens" })).toEqual([
      "max_tokens: Extra inputs are not permitted",
    ]);
  });
});

describe("context management", () => {
  const both = betas("context-management-2025-06-27", "compact-2026-01-12");
  const edit = (...edits: object[]) => request({ context_management: { edits } });
  refuses([
    ["an unknown edit", edit({ type: "forget" }), "context_management.edits.0: Input tag 'forget'", both],
    [
      "an edit under another beta",
      edit({ type: "compact_20260112" }),
      "`compact_20260112` requires the beta header",
      betas("context-management-2025-06-27"),
    ],
    [
      "a field too many",
      edit({ type: "clear_tool_uses_20250919", when: 3 }),
      "when: Extra inputs are not permitted",
      both,
    ],
    [
      "thinking cleared second",
      edit({ type: "clear_tool_uses_20250919" }, { type: "clear_thinking_20251015" }),
      "must be the first edit",
      both,
    ],
    [
      "too low a trigger",
      edit({ type: "compact_20260112", trigger: { type: "input_tokens", value: 1000 } }),
      "Input should be greater than or equal to 50000",
      both,
    ],
    [
      "an unknown compaction",
      request({ compaction: { type: "now" } }),
      "compaction.type: Input should be 'summarize'",
      betas("compact-2026-09-04"),
    ],
    [
      "four fallbacks",
      request({ fallbacks: Array.from({ length: 4 }, () => ({ model: "claude-opus-4-7" })) }),
      "fallbacks: List should have at most 3 items",
      betas("server-side-fallback-2026-07-01"),
    ],
  ]);

  it("accepts both kinds of edit together", () => {
    expect(
      texts(
        edit(
          { type: "clear_thinking_20251015", keep: "all" },
          { type: "clear_tool_uses_20250919" },
          { type: "compact_20260112" },
        ),
        both,
      ),
    ).toEqual([]);
  });
});

describe("the validator", () => {
  it("treats a signature with a number in place of a digest as invalid", () => {
    const signature = Buffer.from(JSON.stringify(["ScriptedModelSignature", "m", 1, "c", "r", 0])).toString("base64");
    const said = assistant([{ type: "thinking", thinking: "x", signature }, text("y")]);
    expect(texts(request({ messages: [user("a"), said, user("b")] }))).toEqual([
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ]);
  });

  it("never throws, whatever it is given", () => {
    for (const body of [
      null,
      3,
      "x",
      [],
      {},
      { messages: 3 },
      { messages: [null] },
      { messages: [{ content: [null] }] },
      { model: 3, messages: [{ role: "user", content: [{}] }], tools: [null], system: [3] },
    ]) {
      expect(texts(body).length).toBeGreaterThan(0);
    }
  });

  it("gives the same result with and without a state, and is fast with one", () => {
    const messages: unknown[] = [user("go")];
    for (let index = 0; index < 400; index++) {
      messages.push(
        assistant([text("x"), use(`t${index}`)]),
        user([result(`t${index}`, { content: "line\n".repeat(50) })]),
      );
    }
    const state = createValidationState();
    const body = withTools(messages);
    expect(validateRequest(body, headers, state)).toEqual([]);
    const bad = withTools([...messages, assistant([use("t3")]), user([result("t3")])]);
    expect(validateRequest(bad, headers, state)).toEqual(validateRequest(bad, headers));
    expect(validateRequest(bad, headers, state)).toHaveLength(1);
  });
});
