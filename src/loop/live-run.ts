/** A run with the tool calls of its current response. */
import type { Run } from "./run.ts";
import type { ToolBatch } from "./tool-batch.ts";

export interface LiveRun extends Run {
  /** Null until the response has a call. */
  batch: ToolBatch | null;
}
