import { describe, expect, it } from "vitest";
import { assistant, paired, refuses, result, text, texts, use, user, withTools, type Case } from "./cases.ts";
import { image, png } from "./images.ts";
import { headers, readTool, request } from "./support.ts";

describe("roles and empty content", () => {
  refuses([
    [
      "the assistant first",
      request({ messages: [assistant("hi"), user("x")] }),
      'messages: first message must use the "user" role',
    ],
    [
      "two users in a row",
      request({ messages: [user("a"), user("b")] }),
      'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
    ],
    [
      "an unknown role",
      request({ messages: [{ role: "tool", content: "x" }] }),
      "messages.0.role: Input should be 'user' or 'assistant'",
    ],
    [
      "no content",
      request({ messages: [user([])] }),
      "messages.0: all messages must have non-empty content except for the optional final assistant message",
    ],
    ["an empty string", request({ messages: [user("")] }), "messages.0: all messages must have non-empty content"],
    [
      "an empty text block",
      request({ messages: [user([text("")])] }),
      "messages: text content blocks must be non-empty",
    ],
    [
      "only spaces",
      request({ messages: [user([text(" \n")])] }),
      "messages: text content blocks must contain non-whitespace text",
    ],
    [
      "only spaces that are no block",
      request({ messages: [user(" ")] }),
      "messages: text content blocks must contain non-whitespace text",
    ],
    [
      "an empty text in a tool result",
      withTools([user("go"), assistant([use("t1")]), user([result("t1", { content: [text("")] })])]),
      "text content blocks must be non-empty",
    ],
    [
      "prefill on a newer model",
      request({ messages: [user("go"), assistant("{")] }),
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
    [
      "prefill that ends in a space",
      request({ model: "claude-sonnet-4-5", messages: [user("go"), assistant("x ")] }),
      "messages: final assistant content cannot end with trailing whitespace",
    ],
    [
      "a paused answer sent back with a space at its end",
      request({
        messages: [
          user("go"),
          assistant([{ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }, text("I search. ")]),
        ],
      }),
      "messages: final assistant content cannot end with trailing whitespace",
    ],
    [
      "a system message on a model without it",
      request({ messages: [user("go"), { role: "system", content: "x" }] }),
      "messages.1: role 'system' is not supported on this model",
    ],
    [
      "a system message first",
      request({ model: "claude-opus-5", messages: [{ role: "system", content: "x" }, user("go")] }),
      'messages: first message must use the "user" role',
    ],
    [
      "a system message before a user's",
      request({ model: "claude-opus-5", messages: [user("go"), { role: "system", content: "x" }, user("y")] }),
      "messages.1: a `system` message must be followed by",
    ],
    [
      "a system message after the assistant's",
      request({ model: "claude-opus-5", messages: [user("go"), assistant("a"), { role: "system", content: "x" }] }),
      "messages.2: a `system` message must follow",
    ],
    ...["tool_addition", "tool_removal"].map((type): Case => [
      `a ${type} without its beta`,
      request({
        model: "claude-opus-5",
        messages: [user("go"), { role: "system", content: [{ type, tool: { type: "tool_reference", name: "Read" } }] }],
      }),
      "messages.1: `tool_addition` and `tool_removal` blocks are not permitted",
    ]),
  ]);

  it("consecutive messages of one role are merged if alternation is not required", () => {
    const messages = [
      user("go"),
      assistant([use("t1")]),
      assistant([use("t2")]),
      user([result("t1")]),
      user([result("t2")]),
    ];
    expect(texts(withTools(messages), headers, { strictAlternation: false })).toEqual([]);
  });
});

describe("content blocks", () => {
  const inUser = (block: unknown) => request({ messages: [user([block])] });
  refuses([
    [
      "an internal field on a block",
      inUser(text("x", { isMeta: true })),
      "messages.0.content.0.text.isMeta: Extra inputs are not permitted",
    ],
    [
      "an internal field on a message",
      request({ messages: [{ ...user("x"), uuid: "1" }] }),
      "messages.0.uuid: Extra inputs are not permitted",
    ],
    [
      "an internal field on a tool result",
      withTools([user("go"), assistant([use("t1")]), user([result("t1", { duration: 3 })])]),
      "messages.2.content.0.tool_result.duration: Extra inputs are not permitted",
    ],
    [
      "an unknown block",
      inUser({ type: "progress", value: 3 }),
      "messages.0.content.0: Input tag 'progress' found using 'type' does not match any of the expected tags",
    ],
    ["a block without a type", inUser({ text: "x" }), "messages.0.content.0.type: Field required"],
    ["a block that is no object", inUser("x"), "messages.0.content.0: Input should be a valid dictionary"],
    [
      "a call by the user",
      inUser(use("t1")),
      "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
    ],
    [
      "an image by the assistant",
      request({ messages: [user("x"), assistant([image(png(1, 1))]), user("y")] }),
      "`image` blocks can only be in `user` messages",
    ],
    [
      "a call without an id",
      withTools([user("x"), assistant([{ type: "tool_use", name: "Read", input: {} }]), user("y")]),
      "messages.1.content.0.tool_use.id: Field required",
    ],
    [
      "a call whose input is a string",
      withTools([user("x"), assistant([{ ...use("t1"), input: "{}" }]), user([result("t1")])]),
      "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ],
    [
      "a call with a strange id",
      withTools([user("x"), assistant([use("a b")]), user([result("a b")])]),
      "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "a call with a strange name",
      withTools([user("x"), assistant([use("t1", "a.b")]), user([result("t1")])]),
      "tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ],
    [
      "an error result that says nothing",
      withTools([user("x"), assistant([use("t1")]), user([result("t1", { is_error: true, content: "" })])]),
      "messages.2.content.0.tool_result: content cannot be empty if `is_error` is true",
    ],
    [
      "an error result with an image",
      withTools([
        user("x"),
        assistant([use("t1")]),
        user([result("t1", { is_error: true, content: [image(png(1, 1))] })]),
      ]),
      'all content must be type "text" if `is_error` is true',
    ],
    [
      "an image source of no kind",
      inUser({ type: "image", source: { type: "path", path: "/a" } }),
      "messages.0.content.0.image.source: Input tag 'path' found",
    ],
    [
      "an image without its data",
      inUser({ type: "image", source: { type: "base64", media_type: "image/png" } }),
      "messages.0.content.0.image.source.base64.data: Field required",
    ],
    [
      "an internal field inside a tool result",
      withTools([user("x"), assistant([use("t1")]), user([result("t1", { content: [text("x", { at: 1 })] })])]),
      "messages.2.content.0.tool_result.content.0.text.at: Extra inputs are not permitted",
    ],
    [
      "an image of another type",
      inUser(image(png(1, 1), "image/bmp")),
      "image.source.base64.media_type: Input should be 'image/jpeg'",
    ],
    [
      "a system block that is no text",
      request({ system: [image(png(1, 1))] }),
      "system.0.type: Input should be 'text'",
    ],
    ["an empty system block", request({ system: [text("")] }), "system: text content blocks must be non-empty"],
    [
      "an internal field on a system block",
      request({ system: [text("x", { layer: 1 })] }),
      "system.0.layer: Extra inputs are not permitted",
    ],
    [
      "a tool result's content that is no object",
      withTools([user("x"), assistant([use("t1")]), user([result("t1", { content: ["x"] })])]),
      "messages.2.content.0.tool_result.content.0: Input should be a valid dictionary",
    ],
    [
      "a tool result with a call inside",
      withTools([user("x"), assistant([use("t1")]), user([result("t1", { content: [use("t2")] })])]),
      "messages.2.content.0.tool_result.content.0: Input tag 'tool_use' found",
    ],
    ["a system block without text", request({ system: [{ type: "text" }] }), "system.0.text: Field required"],
    ["a system block that is no object", request({ system: ["x"] }), "system.0: Input should be a valid dictionary"],
  ]);
});

describe("tool calls and results", () => {
  const missing =
    "`tool_use` ids were found without `tool_result` blocks immediately after: t1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.";
  refuses([
    ["a call without a result", withTools([user("x"), assistant([use("t1")]), user("y")]), `messages.1: ${missing}`],
    [
      "a result that comes a message later",
      withTools([user("x"), assistant([use("t1")]), user("y"), assistant("z"), user([result("t1")])]),
      missing,
    ],
    [
      "text ahead of the result",
      withTools([user("x"), assistant([use("t1")]), user([text("y"), result("t1")])]),
      missing,
    ],
    [
      "a result without a call",
      request({ messages: [user([result("t9")])] }),
      "messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: t9. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
    ],
    [
      "two results for one call",
      withTools(paired(result("t1"))),
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: t1",
    ],
    [
      "one id twice in a message",
      withTools([user("x"), assistant([use("t1"), use("t1")]), user([result("t1")])]),
      "messages.1.content.1: `tool_use` ids must be unique",
    ],
    [
      "one id twice in a conversation",
      withTools([...paired(), assistant([use("t1")]), user([result("t1")])]),
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "a server tool's id twice",
      request({
        messages: [
          user("x"),
          ...["y", "z"].flatMap((more) => [
            assistant([
              { type: "server_tool_use", id: "s1", name: "web_search", input: {} },
              { type: "web_search_tool_result", tool_use_id: "s1", content: [] },
            ]),
            user(more),
          ]),
        ],
      }),
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "a system message between the two",
      request({
        model: "claude-opus-5",
        tools: [readTool],
        messages: [user("x"), assistant([use("t1")]), { role: "system", content: "s" }, user([result("t1")])],
      }),
      "messages.2: a `system` message must follow",
    ],
    [
      "a server tool without its result",
      request({
        messages: [
          user("x"),
          assistant([{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }, text("y")]),
          user("z"),
        ],
      }),
      "`web_search` tool use with id `s1` was found without a corresponding `web_search_tool_result` block",
    ],
    [
      "a paused server tool that is no longer offered",
      request({
        messages: [user("x"), assistant([{ type: "server_tool_use", id: "s1", name: "web_search", input: {} }])],
      }),
      "but no web_search tool was provided",
    ],
    [
      "a server result without its call",
      request({
        messages: [user("x"), assistant([{ type: "advisor_tool_result", tool_use_id: "s1", content: "x" }]), user("z")],
      }),
      "unexpected `tool_use_id` found in `advisor_tool_result` blocks: s1",
    ],
  ]);
});

describe("a server tool still open beside a client's call", () => {
  const search = { type: "server_tool_use", id: "s1", name: "web_search", input: {} };
  const both = assistant([search, use("t1")]);
  const offered = { tools: [readTool, { type: "web_search_20250305", name: "web_search" }] };
  const texted = (...messages: unknown[]) => texts(request({ ...offered, messages }));

  it("is answered by results alone in the last message", () => {
    expect(texted(user("x"), both, user([result("t1")]))).toEqual([]);
  });

  it("may not be answered by results with text, nor left open later", () => {
    const expected =
      "messages.1.content.0: `web_search` tool use with id `s1` was found without a corresponding `web_search_tool_result` block";
    expect(texted(user("x"), both, user([result("t1"), text("y")]))).toEqual([expected]);
    expect(texted(user("x"), both, user([result("t1")]), assistant("z"), user("w"))).toEqual([expected]);
  });
});

const names = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, { type: "string" }]));
const strictTool = (name: string, properties: object) => ({
  name,
  strict: true,
  input_schema: { type: "object", properties, required: [], additionalProperties: false },
});

describe("tools", () => {
  const tools = (...list: object[]) => request({ tools: list });
  const choose = (choice: object, model = "claude-opus-4-7", more: object = {}) =>
    request({ model, tools: [readTool], tool_choice: choice, ...more });
  it("accepts schemas of the draft, and older forms that it still reads", () => {
    const body = tools({
      name: "x",
      input_schema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        properties: {
          a: { type: ["integer", "null"], exclusiveMinimum: 0, multipleOf: 0.5, default: [1], "x-own": true },
          b: { type: "array", prefixItems: [{ const: 1 }, true], items: false, uniqueItems: true },
          c: { $ref: "#/definitions/c", description: "either" },
        },
        definitions: { c: { anyOf: [{ enum: ["c", null] }, { not: {} }] } },
        dependencies: { a: ["b"], b: { minProperties: 1 } },
        required: [],
        additionalProperties: false,
      },
    });
    expect(texts(body)).toEqual([]);
  });

  it.each(["^C:\\\\bin$", "^f\\(?=x$", "\\\\1"])(
    "accepts a strict tool's pattern that only looks unsupported: %s",
    (pattern) => {
      expect(texts(request({ tools: [strictTool("a", { path: { type: "string", pattern } })] }))).toEqual([]);
    },
  );
  it("accepts as many strict tools as can be compiled, and does not count the others", () => {
    const strict = Array.from({ length: 19 }, (_, index) => strictTool(`t${index}`, {}));
    const other = { ...strictTool("b", names(30)), strict: false };
    expect(texts(tools(...strict, strictTool("a", names(5)), other))).toEqual([]);
  });

  refuses([
    [
      "a name with a dot",
      tools({ ...readTool, name: "fs.read" }),
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,64}$'",
    ],
    [
      "a name of 65 letters",
      tools({ ...readTool, name: "x".repeat(65) }),
      "tools.0.custom.name: String should match pattern",
    ],
    ["two of one name", tools(readTool, readTool), "tools: Tool names must be unique."],
    ["no schema", tools({ name: "x" }), "tools.0.custom.input_schema: Field required"],
    [
      "a schema without a type",
      tools({ name: "x", input_schema: {} }),
      "tools.0.custom.input_schema.type: Field required",
    ],
    [
      "a schema that is no object's",
      tools({ name: "x", input_schema: { type: "string" } }),
      "tools.0.custom.input_schema.type: Input should be 'object'",
    ],
    [
      "a union at the top of a schema",
      tools({ name: "x", input_schema: { type: "object", anyOf: [] } }),
      "input_schema does not support oneOf, allOf, or anyOf at the top level",
    ],
    ...(
      [
        ["a bound as drafts before the sixth have it", { type: "number", minimum: 0, exclusiveMinimum: true }],
        ["a property that says by itself that it is required", { type: "string", required: true }],
        ["a list of items for places", { type: "array", items: [{ type: "string" }] }],
        ["a type there is not", { type: "any" }],
        ["a schema that is none", { allOf: ["string"] }],
        ["an empty choice", { anyOf: [] }],
        ["a list of values that is none", { enum: "a" }],
        ["a list of no types", { type: [] }],
        ["a type twice", { type: ["string", "string"] }],
        ["one of no schemas", { anyOf: [] }],
        ["multiples of nothing", { multipleOf: 0 }],
        ["a length that is no whole number", { minLength: 1.5 }],
        ["an id with a fragment", { $id: "a#b" }],
        ["an id that is a number", { $id: 1 }],
        ["an anchor that is no name", { $anchor: "1a" }],
        ["an anchor that is a number", { $anchor: 1 }],
        ["such a thing among its definitions", { $ref: "#/$defs/a", $defs: { a: { minLength: -1 } } }],
      ] as const
    ).map(([name, inner]): [string, ReturnType<typeof request>, string] => [
      name,
      tools({ name: "x", input_schema: { type: "object", properties: { a: inner } } }),
      "tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    ]),
    [
      "a property's name that is none",
      tools({ name: "x", input_schema: { type: "object", properties: { a: {}, "a b": {} } } }),
      "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
    ],
    [
      "an internal field",
      tools({ ...readTool, isConcurrencySafe: true }),
      "tools.0.custom.isConcurrencySafe: Extra inputs are not permitted",
    ],
    ["all deferred", tools({ ...readTool, defer_loading: true }), "All tools have defer_loading: true"],
    [
      "21 strict ones",
      request({ tools: Array.from({ length: 21 }, (_, index) => strictTool(`t${index}`, {})) }),
      "Too many strict tools (21)",
    ],
    [
      "more than 24 optional parameters of strict ones",
      request({ tools: ["a", "b"].map((name) => strictTool(name, names(13))) }),
      "Schema is too complex for compilation.",
    ],
    [
      "a pattern of a strict one that cannot be compiled",
      request({ tools: [strictTool("a", { list: { type: "array", items: { type: "string", pattern: "^(?!x)" } } })] }),
      "Unsupported regex feature in pattern field",
    ],
    [
      "such a pattern in one of several schemas",
      request({ tools: [strictTool("a", { one: { anyOf: [{ type: "null" }, { pattern: "\\bx" }] } })] }),
      "Unsupported regex feature in pattern field",
    ],
    [
      "a choice without tools",
      request({ tool_choice: { type: "auto" } }),
      "tool_choice: may only be specified while providing `tools`",
    ],
    ["a choice of none of them", choose({ type: "tool", name: "Other" }), "Tool 'Other' not found in provided tools"],
    ["an unknown choice", choose({ type: "maybe" }), "tool_choice: Input tag 'maybe'"],
    [
      "a forced choice on a model without it",
      choose({ type: "any" }, "claude-opus-5-5"),
      'tool_choice: "any" is not supported for this model',
    ],
    [
      "a tool chosen on such a model",
      choose({ type: "tool", name: "Read" }, "claude-opus-5-5"),
      'tool_choice: "tool" is not supported for this model',
    ],
    [
      "a forced choice with manual thinking",
      choose({ type: "any" }, "claude-sonnet-4-5", {
        max_tokens: 3000,
        thinking: { type: "enabled", budget_tokens: 1024 },
      }),
      "Thinking may not be enabled when tool_choice forces tool use.",
    ],
    [
      "a choice with a field too many",
      choose({ type: "auto", why: "x" }),
      "tool_choice.auto.why: Extra inputs are not permitted",
    ],
  ]);
});
