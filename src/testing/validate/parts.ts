/** The inner fields of requests and blocks, from the public reference and the types of the official SDKs. */
import type { Kind, Shape } from "./shape.ts";

function shapeOf(required: Shape["required"], optional: Shape["optional"] = {}): Shape {
  return { required, optional };
}

function objectOf(required: Shape["required"], optional: Shape["optional"]): Kind {
  return { fields: shapeOf(required, optional) };
}

const levels = ["low", "medium", "high", "xhigh", "max"] as const;
const amount = shapeOf({ value: "integer" });

/** Fields of blocks. */
export const citationsConfig = objectOf({}, { enabled: "boolean" });
export const imageTransformations = objectOf({}, { oversized_image: { oneOf: ["downsize", "error"] } });
const toolChange = {
  tool_reference: shapeOf({ name: "string" }),
  mcp_tool_reference: shapeOf({ name: "string", server_name: "string" }),
  mcp_toolset_reference: shapeOf({ server_name: "string" }),
};
export const addedTool: Kind = { tagged: { ...toolChange, tool_definition: shapeOf({ definition: "object" }) } };
export const removedTool: Kind = { tagged: toolChange };
export const listedTools: Kind = {
  listOf: objectOf({ name: "string", input_schema: "object" }, { description: "string" }),
};

/** A `system` message inside the conversation. */
export const clearAt: Kind = { oneOf: ["next_user_message", "never"] };
export const messageOutputConfig = objectOf({}, { effort: { oneOf: levels } });

/** Fields of the request. */
export const outputFormat: Kind = { tagged: { json_schema: shapeOf({ schema: "object" }) } };
export const container: Kind = {
  textOr: objectOf(
    {},
    {
      id: "string",
      skills: {
        listOf: objectOf({ type: { oneOf: ["anthropic", "custom"] }, skill_id: "string" }, { version: "string" }),
      },
    },
  ),
};
export const diagnostics = objectOf({}, { previous_message_id: "string" });
export const mcpServers: Kind = {
  listOf: objectOf(
    { type: { oneOf: ["url"] }, name: "string", url: "string" },
    {
      authorization_token: "string",
      tool_configuration: objectOf({}, { enabled: "boolean", allowed_tools: { listOf: "string" } }),
    },
  ),
};
export const mcpToolset = shapeOf(
  { type: "string", mcp_server_name: "string" },
  { cache_control: "object", configs: "object", default_config: "object", tools: "array" },
);
/** A fallback model's entry may override any field of the request. */
export const fallbackModels: Kind = { listOf: { fields: { ...shapeOf({ model: "string" }), isOpen: true } } };
export const fallbackCredit: Kind = {
  textOr: objectOf({ token: "string" }, { mode: { oneOf: ["strict", "best_effort"] } }),
};
export const billingPolicy = objectOf(
  { type: { oneOf: ["billing_policy"] } },
  { bill_to: { oneOf: ["self", "user_profile"] } },
);

/** Parts of `context_management`. */
export const inputTokens: Kind = { tagged: { input_tokens: amount } };
export const inputTokensOrToolUses: Kind = { tagged: { input_tokens: amount, tool_uses: amount } };
export const toolUses: Kind = { tagged: { tool_uses: amount } };
export const thinkingTurns: Kind = { textOr: { tagged: { thinking_turns: amount, all: shapeOf({}) } } };
