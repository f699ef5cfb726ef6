/** Where the tokens of a session are: what `/context` shows and `getContextUsage()` returns. Counts are tokens. */
import type { WireUsage } from "./sdk.ts";

export type ContextCategoryId =
  | "system_prompt"
  | "tools"
  | "memory_files"
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
  /** A plain colour's name, for who draws it. */
  color: string;
  /** `buffer`: free, but kept back. Used, free and buffer together are `maxTokens`, unless more than that is used. */
  kind: "used" | "free" | "buffer";
}

export interface ContextShare {
  name: string;
  tokens: number;
}

export interface LayerSaving {
  /** A layer's name, as in the list of the defences. */
  layer: string;
  /** How often it has saved something. */
  times: number;
  tokens: number;
}

export interface ContextUsage {
  model: string;
  /** All that is used: exactly the sum of the used categories. */
  totalTokens: number;
  /** Where `totalTokens` is from: the API's own count of the last response, that and an estimate of what came after it, or an estimate. */
  basis: "counted" | "counted_and_estimated" | "estimated";
  /** The window this session is held to. */
  maxTokens: number;
  /** The model's window by the catalogue. */
  rawMaxTokens: number;
  /** `totalTokens` of `maxTokens`. */
  percentage: number;
  isAutoCompactEnabled: boolean;
  /** Used tokens at which the conversation is compacted by itself. */
  autoCompactThreshold?: number;
  categories: ContextCategory[];
  /** `type`: whose words they are. */
  memoryFiles: { path: string; type: "Managed" | "User" | "Project" | "Local"; tokens: number }[];
  /** Those of `tools` that are a server's. */
  mcpTools: { name: string; serverName: string; tokens: number; isLoaded: boolean }[];
  /** What the types of agents add to the definition of `Agent`; nothing where that is not offered. */
  agents: { agentType: string; source: string; tokens: number }[];
  /** Definitions, largest first. */
  tools: ContextShare[];
  /** By tool, largest first. */
  toolResults: ContextShare[];
  /** What the defences have saved in this process. */
  savings: LayerSaving[];
  /** Usage of the last response; null before the first, and after a compaction. */
  apiUsage: WireUsage | null;
}
