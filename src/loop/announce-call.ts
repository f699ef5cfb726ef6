/** Announces a call that the model begins to write, so that its tool can prepare while the input is still streaming. */
import { isRecord } from "../lib/is-record.ts";
import { fireAndForget } from "../lib/fire-and-forget.ts";
import type { RawStreamEvent } from "../protocol/stream-event.ts";
import type { ToolsPort } from "./ports.ts";

export function announceCall(event: RawStreamEvent, tools: ToolsPort): void {
  if (event.type !== "content_block_start" || !isRecord(event["content_block"])) return;
  const { type, name } = event["content_block"];
  if (type !== "tool_use" || typeof name !== "string") return;
  // If announcing fails, the call itself will show what is wrong.
  fireAndForget(() => tools.find(name)?.onAnnounced?.());
}
