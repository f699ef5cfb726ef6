/** Blocks and events in wire shape, for readers that narrow them by `type`. Readers must ignore types they do not know. */
import { copyJson } from "./copy-json.ts";
import type { ContentBlock } from "./message.ts";

/** A wire-shaped content block; opaque blocks are unwrapped. */
export type WireBlock = { [key: string]: unknown } & (
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature?: string }
  | { type: "tool_use" | "server_tool_use" | "mcp_tool_use"; id: string; name: string; input: unknown }
  | { type: "tool_result" | "mcp_tool_result"; tool_use_id: string; content?: unknown; is_error?: boolean }
  | { type: `${string}_tool_result`; tool_use_id: string; content?: unknown }
  | { type: "image" | "document" | "redacted_thinking" | "search_result" | "container_upload" | "compaction" }
);

type WireDelta =
  | { type: "text_delta"; text: string }
  | { type: "input_json_delta"; partial_json: string }
  | { type: "thinking_delta"; thinking: string }
  | { type: "signature_delta"; signature: string }
  | { type: "citations_delta"; citation: unknown };

/** What the model is saying, as the provider streams it. */
export type SDKStreamEvent = { [key: string]: unknown } & (
  | { type: "message_start"; message: { id: string; model: string; usage: Record<string, unknown> } }
  | { type: "content_block_start"; index: number; content_block: WireBlock }
  | { type: "content_block_delta"; index: number; delta: WireDelta }
  | { type: "content_block_stop"; index: number }
  | { type: "message_delta"; delta: { stop_reason?: string | null }; usage?: Record<string, unknown> }
  | { type: "message_stop" | "ping" | "error" }
);

/** Returns copies, so that a client's changes to a message do not reach the conversation. */
export function toWireBlocks(content: readonly ContentBlock[]): WireBlock[] {
  return content.map((block) => copyJson(block.type === "opaque" ? block.wire : block) as WireBlock);
}
