/** Rewrites the records of a session to other uuids, including all references to them. */
import type { CountedTokens, Message } from "../protocol/index.ts";
import { isText } from "./check.ts";
import { isRecord } from "../lib/is-record.ts";
import { lineForm, lineType } from "./shared-form.ts";
import type { FactRecord, MessageRecord, TranscriptRecord } from "./record.ts";

export function remapped(
  record: TranscriptRecord,
  at: { seq: number; parentUuid: string | null; sessionId: string },
  toNew: (uuid: string) => string,
): TranscriptRecord {
  const base = { ...record, ...at, uuid: toNew(record.uuid) };
  if (record.type === "tree_snapshot" || record.type === "file_change")
    return { ...base, data: { ...record.data, messageUuid: toNew(record.data.messageUuid) } } as FactRecord;
  if (record.type === "staged_collapses") return { ...base, data: remappedSpans(record.data, toNew) } as FactRecord;
  if (!("message" in record)) return base as FactRecord;
  const message = remappedMessage(record.message, toNew);
  if (record.snapshot === undefined) return { ...base, message } as MessageRecord;
  // What was sent in the original session was not sent in the copy.
  const { stagedCollapses: staged, summedUp: _, ...others } = record.snapshot;
  const spans = staged === undefined ? {} : { stagedCollapses: remappedSpans(staged, toNew) };
  return { ...base, message, snapshot: { ...others, ...spans } } as MessageRecord;
}

function remappedSpans(spans: readonly unknown[], toNew: (uuid: string) => string): unknown[] {
  return spans.map((span) => {
    if (!isRecord(span) || !isText(span["from"]) || !isText(span["to"])) return span;
    return { ...span, from: toNew(span["from"]), to: toNew(span["to"]) };
  });
}

export function remappedMessage(message: Message, toNew: (uuid: string) => string): Message {
  const uuid = toNew(message.uuid);
  if (message.type === "tombstone") return { ...message, uuid, targets: message.targets.map(toNew) };
  if (message.type === "snip_boundary") {
    const { fromUuid, toUuid } = message;
    return { ...message, uuid, ...remappedCount(message, toNew), fromUuid: toNew(fromUuid), toUuid: toNew(toUuid) };
  }
  if (message.type === "results_cleared") return { ...message, uuid, ...remappedCount(message, toNew) };
  if (message.type === "collapse_commit") {
    const messages = message.messages.map((inner) => ({ ...inner, uuid: toNew(inner.uuid) }));
    return { ...message, uuid, ...remappedCount(message, toNew), targets: message.targets.map(toNew), messages };
  }
  if (message.type !== "compact_boundary") return { ...message, uuid };
  const lastSummarizedUuid = message.lastSummarizedUuid === null ? null : toNew(message.lastSummarizedUuid);
  return {
    ...message,
    uuid,
    lastSummarizedUuid,
    messages: message.messages.map((inner) => remappedMessage(inner, toNew)),
  };
}

function remappedCount({ counted }: { counted: CountedTokens | null }, toNew: (uuid: string) => string) {
  return { counted: counted === null ? null : { ...counted, responseEnd: toNew(counted.responseEnd) } };
}

/** The fields of the line, with `v` and `type` first, as the search for boundaries requires. */
export function lineOrder(record: TranscriptRecord): object {
  const { v, type, ...rest } = record;
  if (!("message" in rest)) return { v, type, ...rest };
  const { soFar, ...fields } = rest;
  return { v, ...lineType(fields.message.type), ...fields, ...lineForm(fields.message, soFar) };
}

/** Derives uuids from the new session id and the old uuid, so no table of all uuids is needed. Laid out as RFC 9562 version 8. */
export function uuidMapping(newId: string): (uuid: string) => string {
  const crypto = process.getBuiltinModule("node:crypto");
  return (uuid) => {
    const hash = crypto.hash("sha256", `${newId}:${uuid}`, "hex");
    const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  };
}
