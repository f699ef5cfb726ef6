/** How a session's tokens are used: what `/context` shows and `getContextUsage()` returns. Counts are tokens. */
import type { WireUsage } from "./sdk.ts";

export type ContextCategoryId =
  | "system_prompt"
  | "tools"
  | "memory_files"
  | "skills"
  | "summary"
  | "user"
  | "assistant"
  | "tool_calls"
  | "tool_results"
  | "media"
  | "attachments"
  | "free"
  | "buffer";

export interface ContextCategory {
  id: ContextCategoryId;
  name: string;
  tokens: number;
  /** The name of a plain colour, for drawing. */
  color: string;
  /** `buffer`: free, but held in reserve. Used, free and buffer add up to `maxTokens`, unless more than that is used. */
  kind: "used" | "free" | "buffer";
}

export interface ContextShare {
  name: string;
  tokens: number;
}

export interface LayerSaving {
  /** A layer's name, as in the list of context layers. */
  layer: string;
  /** How often the layer has saved something. */
  times: number;
  tokens: number;
}

export interface ContextUsage {
  model: string;
  /** All used tokens: exactly the sum of the used categories. */
  totalTokens: number;
  /** Where `totalTokens` comes from: the API's count for the last response, that count plus an estimate of the rest, or an estimate. */
  basis: "counted" | "counted_and_estimated" | "estimated";
  /** The window that limits this session. */
  maxTokens: number;
  /** The model's window according to the catalogue. */
  rawMaxTokens: number;
  /** `totalTokens` as a percentage of `maxTokens`. */
  percentage: number;
  isAutoCompactEnabled: boolean;
  /** The number of used tokens at which the conversation is compacted automatically. */
  autoCompactThreshold?: number;
  categories: ContextCategory[];
  /** `type`: who the file belongs to. */
  memoryFiles: { path: string; type: "Managed" | "User" | "Project" | "Local"; tokens: number }[];
  /** The tools in `tools` that belong to an MCP server. */
  mcpTools: { name: string; serverName: string; tokens: number; isLoaded: boolean }[];
  /** What each agent type adds to the definition of `Agent`; empty if that tool is not offered. */
  agents: { agentType: string; source: string; tokens: number }[];
  /** Tool definitions, largest first. */
  tools: ContextShare[];
  /** By tool, largest first. */
  toolResults: ContextShare[];
  /** What the context layers have saved in this process. */
  savings: LayerSaving[];
  /** Usage of the last response; null before the first response and after a compaction. */
  apiUsage: WireUsage | null;
}
