/** What a host may ask of a session beside its turns: what there is, and what may be changed while it lasts. */
import type { ContextUsage } from "../protocol/context-usage.ts";
import type { SDKAccountInfo, SDKMcpServerStatus, SDKModelInfo } from "../protocol/sdk-control.ts";

export interface SessionDesk {
  models(): SDKModelInfo[];
  account(): SDKAccountInfo;
  /** Where the tokens of the conversation are, as the next request would send it. */
  contextUsage(): ContextUsage;
  mcpServers(): SDKMcpServerStatus[];
}
