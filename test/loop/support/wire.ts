// A ModelRequest as the body an adapter would send, held to the validator of the scripted server: a second judge, which
// shares no line with the loop.
import type { ContentBlock } from "../../../src/protocol/message.ts";
import type { ModelRequest } from "../../../src/protocol/model.ts";
import { createValidationState, validateRequest } from "../../../src/testing/validate/index.ts";

const headers = { "x-api-key": "test", "anthropic-version": "2023-06-01", "content-type": "application/json" };

type Body = Pick<ModelRequest, "messages" | "cacheBreakpoints"> & Partial<ModelRequest>;

function wireBlock(block: ContentBlock): Record<string, unknown> {
  return block.type === "opaque" ? { ...block.wire } : { ...block };
}

function wireBody(request: Body): Record<string, unknown> {
  const messages = request.messages.map(({ role, content }) => ({ role, content: content.map(wireBlock) }));
  for (const at of request.cacheBreakpoints) {
    const blocks = messages[at]?.content ?? [];
    const last = blocks.findLast((block) => block["type"] !== "thinking" && block["type"] !== "redacted_thinking");
    if (last !== undefined) last["cache_control"] = { type: "ephemeral" };
  }
  const system = (request.system ?? []).map(({ text, cacheBreakpoint }) => ({
    type: "text",
    text,
    ...(cacheBreakpoint === true ? { cache_control: { type: "ephemeral" } } : {}),
  }));
  const own = (request.tools ?? []).map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: inputSchema,
  }));
  return {
    model: request.model ?? "model-a",
    max_tokens: request.maxTokens ?? 8_000,
    stream: true,
    ...(system.length === 0 ? {} : { system }),
    // The provider's own tool, whose calls and results some scripts hold.
    tools: [...own, { type: "web_search_20250305", name: "web_search" }],
    messages,
  };
}

/** What the validator would refuse; empty for a good request. `paused`: it goes on with an unfinished response. */
export function wireFaults(request: Body): string[] {
  const state = createValidationState();
  return validateRequest(wireBody(request), headers, state, { endpoint: "compatible" }).map(({ message }) => message);
}
