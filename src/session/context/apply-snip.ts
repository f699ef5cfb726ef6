/** Snips between two user turns: requested ones, and those that a turn ended too soon for. */
import { errorText } from "../../lib/error-text.ts";
import type { Message, SnipBoundaryMessage } from "../../protocol/message.ts";
import { newNotice } from "../../protocol/new-record.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { manualContextInput, type CompactionParts } from "./compaction.ts";
import { toSDKMessage } from "../events/convert.ts";
import { SnipError, type SnipAnswer, type SnipRequest, type Snips } from "./snips.ts";

export interface HistoryParts extends CompactionParts {
  snips: Snips;
}

/** Records the snip before it takes effect. Throws `SnipError`, and then changes nothing. */
function applySnip(parts: HistoryParts, request: SnipRequest): SnipBoundaryMessage {
  const { context, conversation, snips } = parts;
  snips.assertReady();
  const snipped = context.snip(manualContextInput(parts), request);
  if (!snipped.ok) throw new SnipError(snipped.code, snipped.message);
  for (const record of snipped.records) {
    const written = conversation.append(record);
    if (!written.ok) throw new SnipError("not_recorded", written.failure.message);
  }
  return snipped.boundary;
}

/** A running turn owns the conversation, so the span then waits for a border. Throws `SnipError`. */
export function requestSnip(parts: HistoryParts, request: SnipRequest, isRunning: boolean): SnipAnswer {
  if (!isRunning) return { state: "applied", boundary: applySnip(parts, request) };
  parts.snips.assertReady();
  parts.snips.add(request, parts.conversation.messages);
  return { state: "waiting" };
}

/** Applies the waiting snips, or records a notice that says why not; returns the messages for clients. */
export function applyWaitingSnips(parts: HistoryParts): SDKMessage[] {
  const { ports, sessionId, conversation, snips } = parts;
  const outcomes = snips.take().map((request): Message => {
    try {
      return applySnip(parts, request);
    } catch (error) {
      const why = errorText(error);
      const notice = newNotice(ports, "warning", "snip_refused", `A span of history was not taken out: ${why}`);
      conversation.append(notice);
      return notice;
    }
  });
  const shown = outcomes.map((message) => toSDKMessage(message, { sessionId, uuid: () => ports.ids.uuid() }));
  return shown.filter((message) => message !== null);
}
