/** The inner fields of requests and blocks, from the public reference and the types of the official SDKs. */
import type { Kind, Shape } from "./shape.ts";

function fields(required: Shape["required"], optional: Shape["optional"] = {}): Shape {
  return { required, optional };
}

function object(required: Shape["required"], optional: Shape["optional"] = {}): Kind {
  return { fields: fields(required, optional) };
}

const levels = ["low", "medium", "high", "xhigh", "max"] as const;
const amount = fields({ value: "integer" });

/** Fields of blocks. */
export const citationsConfig = object({}, { enabled: "boolean" });
export const imageTransformations = object({}, { oversized_image: { oneOf: ["downsize", "error"] } });
const toolChange = {
  tool_reference: fields({ name: "string" }),
  mcp_tool_reference: fields({ name: "string", server_name: "string" }),
  mcp_toolset_reference: fields({ server_name: "string" }),
};
export const addedTool: Kind = { tagged: { ...toolChange, tool_definition: fields({ definition: "object" }) } };
export const removedTool: Kind = { tagged: toolChange };
export const listedTools: Kind = {
  listOf: object({ name: "string", input_schema: "object" }, { description: "string" }),
};

/** A `system` message inside the conversation. */
export const clearAt: Kind = { oneOf: ["next_user_message", "never"] };
export const messageOutputConfig = object({}, { effort: { oneOf: levels } });

/** Fields of the request. */
export const outputFormat: Kind = { tagged: { json_schema: fields({ schema: "object" }) } };
export const container: Kind = {
  textOr: object(
    {},
    {
      id: "string",
      skills: {
        listOf: object({ type: { oneOf: ["anthropic", "custom"] }, skill_id: "string" }, { version: "string" }),
      },
    },
  ),
};
export const diagnostics = object({}, { previous_message_id: "string" });
export const mcpServers: Kind = {
  listOf: object(
    { type: { oneOf: ["url"] }, name: "string", url: "string" },
    {
      authorization_token: "string",
      tool_configuration: object({}, { enabled: "boolean", allowed_tools: { listOf: "string" } }),
    },
  ),
};
export const mcpToolset = fields(
  { type: "string", mcp_server_name: "string" },
  { cache_control: "object", configs: "object", default_config: "object", tools: "array" },
);
/** A fallback model's entry may override any field of the request. */
export const fallbackModels: Kind = { listOf: { fields: { ...fields({ model: "string" }), isOpen: true } } };
export const fallbackCredit: Kind = {
  textOr: object({ token: "string" }, { mode: { oneOf: ["strict", "best_effort"] } }),
};
export const billingPolicy = object(
  { type: { oneOf: ["billing_policy"] } },
  { bill_to: { oneOf: ["self", "user_profile"] } },
);

/** Parts of `context_management`. */
export const inputTokens: Kind = { tagged: { input_tokens: amount } };
export const inputTokensOrToolUses: Kind = { tagged: { input_tokens: amount, tool_uses: amount } };
export const toolUses: Kind = { tagged: { tool_uses: amount } };
export const thinkingTurns: Kind = { textOr: { tagged: { thinking_turns: amount, all: fields({}) } } };
