/** What a host is told of a session when it asks: the answers of the control methods, in the wire's own case. */
import type { Effort } from "./model.ts";

/** A model as clients list them. */
export interface SDKModelInfo {
  /** What `setModel` takes: an alias or an id. */
  value: string;
  /** The id that is sent. */
  resolvedModel: string;
  displayName: string;
  description: string;
  supportsEffort?: boolean;
  supportedEffortLevels?: Effort[];
  supportsAdaptiveThinking?: boolean;
  supportsFastMode?: boolean;
}

export interface SDKAgentInfo {
  name: string;
  description: string;
  model?: string;
}

export interface SDKAccountInfo {
  /** Where the credentials are from; absent where there are none. */
  apiKeySource?: "ANTHROPIC_API_KEY" | "ANTHROPIC_AUTH_TOKEN" | "apiKeyHelper";
  apiProvider: "firstParty";
}

export interface SDKMcpServerStatus {
  name: string;
  status: "connected" | "failed" | "needs-auth" | "pending" | "disabled";
  error?: string;
  serverInfo?: { name: string; version: string };
  tools?: { name: string; description?: string }[];
}

/** What an interrupt found. */
export interface SDKInterruptReceipt {
  /** Messages that wait for turns of their own, by uuid. */
  still_queued: string[];
  /** Messages that were dropped because the interrupt asked for it. */
  cancelled?: string[];
}
