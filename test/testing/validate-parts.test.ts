/** What fields of requests and blocks hold inside. */
import { describe, expect, it } from "vitest";
import { assistant, betas, paired, refuses, result, text, texts, use, user, withTools, type Case } from "./cases.ts";
import { readTool, request } from "./support.ts";

const opus = (changes: object) => request({ model: "claude-opus-5", ...changes });
const mcp = {
  mcp_servers: [{ type: "url", url: "https://a.example", name: "m" }],
  tools: [{ type: "mcp_toolset", mcp_server_name: "m", default_config: { enabled: true } }],
};
const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
const open = { type: "object", properties: { a: { type: "object" } }, additionalProperties: false };
const editing = betas("context-management-2025-06-27");
const edit = (value: object) => request({ context_management: { edits: [value] } });
const document = (extra: object, source: object = { type: "text", media_type: "text/plain", data: "x" }) =>
  request({ messages: [user([{ type: "document", source, ...extra }])] });
const found = (extra: object) =>
  request({ messages: [user([{ type: "search_result", source: "s", title: "t", content: [text("a")], ...extra }])] });
const image = { type: "image", source: { type: "url", url: "https://a.example/b.png" } };
const system = (message: object) => opus({ messages: [user("go"), { role: "system", ...message }] });
const effort = betas("mid-conversation-output-config-2026-07-01");
const changes = betas("mid-conversation-tool-changes-2026-07-01");

describe("the API accepts", () => {
  const echoed = (block: object, more: object = {}) =>
    request({ messages: [user("go"), assistant([block, text("done")]), user("on")], ...more });
  const to = { model: "claude-opus-4-7" };
  const good: [name: string, body: unknown, headers?: Record<string, string>][] = [
    [
      "toolsets, which have no name",
      request({ tools: ["computer", "browser"].map((name) => ({ type: `${name}_toolset_20260801` })) }),
    ],
    [
      "the state of a browser as a result",
      withTools(paired().with(2, user([result("t1", { content: [{ type: "browser_state", tabs: [] }] })]))),
    ],
    ["diagnostics, by now without a beta", request({ diagnostics: { previous_message_id: null } })],
    ["servers by the newest beta", request(mcp), betas("mcp-client-2026-09-15")],
    [
      "a listing of a server's tools, echoed",
      echoed({ type: "mcp_tool_listing", mcp_server_name: "m", tools: [{ name: "x", input_schema: {} }] }, mcp),
      betas("mcp-client-2026-09-15"),
    ],
    [
      "a server's result without content",
      request({
        ...mcp,
        messages: [
          user("go"),
          assistant([
            { type: "mcp_tool_use", id: "m1", name: "x", server_name: "m", input: {} },
            { type: "mcp_tool_result", tool_use_id: "m1", is_error: true },
            text("done"),
          ]),
          user("on"),
        ],
      }),
      betas("mcp-client-2025-11-20"),
    ],
    [
      "a fallback, echoed",
      echoed(
        { type: "fallback", from: to, to, trigger: { type: "refusal", category: null } },
        { fallbacks: "default" },
      ),
      betas("server-side-fallback-2026-06-01"),
    ],
    [
      "other models with fields of their own",
      request({ fallbacks: [{ ...to, max_tokens: 5, new_field: 1 }] }),
      betas("server-side-fallback-2026-07-01"),
    ],
    ["a credit", request({ fallback_credit_token: "t" }), betas("fallback-credit-2026-07-01")],
    [
      "a refused part continued with its credit",
      request({ fallback_credit_token: { token: "t", mode: "strict" }, messages: [user("go"), assistant("so far")] }),
      betas("fallback-credit-2026-07-01"),
    ],
    [
      "a billing policy",
      request({ billing_policy: { type: "billing_policy", bill_to: "user_profile" } }),
      betas("user-profiles-billing-2026-10-01"),
    ],
    ["a message that only changes the effort", system({ output_config: { effort: "low" } }), effort],
    [
      "a system message that is cleared after the turn",
      system({ content: "be brief", clear_at: "next_user_message" }),
      betas("mid-conversation-system-clear-at-2026-08-21"),
    ],
    [
      "a tool added with its definition",
      system({ content: [{ type: "tool_addition", tool: { type: "tool_definition", definition: readTool } }] }),
      changes,
    ],
    ["an output format", request({ output_config: { format: { type: "json_schema", schema } } })],
    ["a container with skills", request({ container: { id: null, skills: [{ type: "anthropic", skill_id: "pdf" }] } })],
    [
      "keeping the thinking of some turns",
      edit({ type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: 2 } }),
      editing,
    ],
    ["keeping all thinking", edit({ type: "clear_thinking_20251015", keep: { type: "all" } }), editing],
    ["a document of blocks", document({}, { type: "content", content: [text("a"), image] })],
  ];

  it.each(good)("%s", (_name, body, sent) => {
    expect(texts(body, sent)).toEqual([]);
  });
});

describe("the API refuses", () => {
  const format = (value: unknown) => request({ output_config: { format: value } });
  const closed = "For 'object' type, 'additionalProperties' must be explicitly set to false";
  const servers = (entry: object) => request({ ...mcp, mcp_servers: [entry] });
  const client = betas("mcp-client-2025-11-20");
  const fallback = betas("server-side-fallback-2026-07-01");
  refuses([
    ["a format in words", format("json"), "output_config.format: Input should be a valid dictionary"],
    ["a format of another kind", format({ type: "text" }), "output_config.format: Input tag 'text' found using 'type'"],
    ["no schema", format({ type: "json_schema" }), "output_config.format.json_schema.schema: Field required"],
    [
      "another API's name of a schema",
      format({ type: "json_schema", name: "x", schema }),
      "output_config.format.json_schema.name: Extra inputs are not permitted",
    ],
    ["an open schema", format({ type: "json_schema", schema: open }), `output_config.format.schema: ${closed}`],
    [
      "an open schema in the older field",
      request({ output_format: { type: "json_schema", schema: open } }),
      `output_format.schema: ${closed}`,
      betas("structured-outputs-2025-11-13"),
    ],
    [
      "an open schema of a strict tool",
      request({ tools: [{ name: "x", strict: true, input_schema: open }] }),
      `tools.0.custom: ${closed}`,
    ],
    [
      "examples that are no inputs",
      request({ tools: [{ ...readTool, input_examples: ["a"] }] }),
      "tools.0.custom.input_examples.0: Input should be a valid dictionary",
    ],
    ["a container by number", request({ container: 5 }), "container: Input should be a valid dictionary"],
    [
      "a skill without an id",
      request({ container: { skills: [{ type: "custom" }] } }),
      "container.skills.0.skill_id: Field required",
    ],
    [
      "a server that is no URL",
      servers({ type: "stdio", name: "m", url: "x" }),
      "mcp_servers.0.type: Input should be 'url'",
      client,
    ],
    [
      "a server with headers",
      servers({ type: "url", url: "https://a.example", name: "m", headers: {} }),
      "mcp_servers.0.headers: Extra inputs are not permitted",
      client,
    ],
    [
      "a toolset of no server",
      request({ ...mcp, tools: [{ type: "mcp_toolset" }] }),
      "tools.0.mcp_toolset.mcp_server_name: Field required",
      client,
    ],
    [
      "fallbacks by another word",
      request({ fallbacks: "auto" }),
      "fallbacks: Input should be 'default' or a valid list",
      fallback,
    ],
    ["a fallback without a model", request({ fallbacks: [{}] }), "fallbacks.0.model: Field required", fallback],
    ["a credit without its beta", request({ fallback_credit_token: "t" }), "fallback_credit_token: Extra inputs"],
    [
      "diagnostics of another field",
      request({ diagnostics: { id: "x" } }),
      "diagnostics.id: Extra inputs are not permitted",
    ],
    [
      "context management of another field",
      request({ context_management: { edit: [] } }),
      "context_management.edit: Extra inputs",
      editing,
    ],
    [
      "a trigger of another kind",
      edit({ type: "clear_tool_uses_20250919", trigger: { type: "messages", value: 1 } }),
      "context_management.edits.0.clear_tool_uses_20250919.trigger: Input tag 'messages' found using 'type'",
      editing,
    ],
    [
      "a number kept that is none",
      edit({ type: "clear_tool_uses_20250919", keep: { type: "tool_uses" } }),
      "context_management.edits.0.clear_tool_uses_20250919.keep.tool_uses.value: Field required",
      editing,
    ],
    [
      "thinking kept by another word",
      edit({ type: "clear_thinking_20251015", keep: "none" }),
      "clear_thinking_20251015.keep: Input should be 'all'",
      editing,
    ],
    [
      "a lasting that needs a beta",
      system({ content: "x", clear_at: "next_user_message" }),
      "messages.1.clear_at: Extra inputs are not permitted",
    ],
    [
      "a lasting of another kind",
      system({ content: "x", clear_at: "soon" }),
      "messages.1.clear_at: Input should be 'next_user_message' or 'never'",
      betas("mid-conversation-system-clear-at-2026-08-21"),
    ],
    [
      "effort of a message without the beta",
      system({ content: "x", output_config: { effort: "low" } }),
      "messages.1.output_config: Extra inputs",
    ],
    [
      "a system message of nothing",
      system({ output_config: {} }),
      "messages.1: all messages must have non-empty content",
      effort,
    ],
    [
      "an addition of no tool",
      system({ content: [{ type: "tool_addition" }] }),
      "messages.1.content.0.tool_addition.tool: Field required",
      changes,
    ],
    [
      "a removal by definition",
      system({ content: [{ type: "tool_removal", tool: { type: "tool_definition", definition: readTool } }] }),
      "messages.1.content.0.tool_removal.tool: Input tag 'tool_definition' found using 'type'",
      changes,
    ],
    [
      "another way to fit an image",
      request({ messages: [user([{ ...image, transformations: { oversized_image: "shrink" } }])] }),
      "image.transformations.oversized_image: Input should be 'downsize' or 'error'",
    ],
    [
      "citations by another field",
      document({ citations: { on: true } }),
      "document.citations.on: Extra inputs are not permitted",
    ],
    [
      "a document of calls",
      document({}, { type: "content", content: [use("t1")] }),
      "document.source.content.content.0: Input tag 'tool_use'",
    ],
    [
      "a search result of images",
      found({ content: [image] }),
      "search_result.content.0: Input tag 'image' found using 'type'",
    ],
    [
      "a search result of images in a tool's result",
      withTools(
        paired().with(
          2,
          user([result("t1", { content: [{ type: "search_result", source: "s", title: "t", content: [image] }] })]),
        ),
      ),
      "tool_result.content.0.search_result.content.0: Input tag 'image' found using 'type'",
    ],
  ] satisfies Case[]);

  it("fields that only generation uses when tokens are counted", () => {
    const body = { model: "claude-opus-4-7", messages: [user("go")], inference_geo: "us" };
    expect(texts(body, undefined, { operation: "count_tokens" })).toEqual([
      "inference_geo: Extra inputs are not permitted",
    ]);
  });
});
