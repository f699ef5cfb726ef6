/** Rewrites the records of a session to other uuids, including all references to them. */
import type { CountedTokens, Message } from "../protocol/index.ts";
import { isString } from "./predicates.ts";
import { isRecord } from "../lib/is-record.ts";
import { toLineFields, lineType } from "./line-format.ts";
import type { FactRecord, MessageRecord, TranscriptRecord } from "./record.ts";

export function remapRecord(
  record: TranscriptRecord,
  at: { seq: number; parentUuid: string | null; sessionId: string },
  mapUuid: (uuid: string) => string,
): TranscriptRecord {
  const base = { ...record, ...at, uuid: mapUuid(record.uuid) };
  if (record.type === "tree_snapshot" || record.type === "file_change")
    return { ...base, data: { ...record.data, messageUuid: mapUuid(record.data.messageUuid) } } as FactRecord;
  if (record.type === "staged_collapses") return { ...base, data: remapSpans(record.data, mapUuid) } as FactRecord;
  if (!("message" in record)) return base as FactRecord;
  const message = remapMessage(record.message, mapUuid);
  if (record.snapshot === undefined) return { ...base, message } as MessageRecord;
  // What was sent in the original session was not sent in the copy.
  const { stagedCollapses: staged, summedUp: _, ...others } = record.snapshot;
  const spans = staged === undefined ? {} : { stagedCollapses: remapSpans(staged, mapUuid) };
  return { ...base, message, snapshot: { ...others, ...spans } } as MessageRecord;
}

function remapSpans(spans: readonly unknown[], mapUuid: (uuid: string) => string): unknown[] {
  return spans.map((span) => {
    if (!isRecord(span) || !isString(span["from"]) || !isString(span["to"])) return span;
    return { ...span, from: mapUuid(span["from"]), to: mapUuid(span["to"]) };
  });
}

export function remapMessage(message: Message, mapUuid: (uuid: string) => string): Message {
  const uuid = mapUuid(message.uuid);
  if (message.type === "tombstone") return { ...message, uuid, targets: message.targets.map(mapUuid) };
  if (message.type === "snip_boundary") {
    const { fromUuid, toUuid } = message;
    return { ...message, uuid, ...remapCount(message, mapUuid), fromUuid: mapUuid(fromUuid), toUuid: mapUuid(toUuid) };
  }
  if (message.type === "results_cleared") return { ...message, uuid, ...remapCount(message, mapUuid) };
  if (message.type === "collapse_commit") {
    const messages = message.messages.map((inner) => ({ ...inner, uuid: mapUuid(inner.uuid) }));
    return { ...message, uuid, ...remapCount(message, mapUuid), targets: message.targets.map(mapUuid), messages };
  }
  if (message.type !== "compact_boundary") return { ...message, uuid };
  const lastSummarizedUuid = message.lastSummarizedUuid === null ? null : mapUuid(message.lastSummarizedUuid);
  return {
    ...message,
    uuid,
    lastSummarizedUuid,
    messages: message.messages.map((inner) => remapMessage(inner, mapUuid)),
  };
}

function remapCount({ counted }: { counted: CountedTokens | null }, mapUuid: (uuid: string) => string) {
  return { counted: counted === null ? null : { ...counted, responseEnd: mapUuid(counted.responseEnd) } };
}

/** The fields of the line, with `v` and `type` first, as the search for boundaries requires. */
export function toLineObject(record: TranscriptRecord): object {
  const { v, type, ...rest } = record;
  if (!("message" in rest)) return { v, type, ...rest };
  const { soFar, ...fields } = rest;
  return { v, ...lineType(fields.message.type, fields.isSidechain), ...fields, ...toLineFields(fields.message, soFar) };
}

/** Derives uuids from the new session id and the old uuid, so no table of all uuids is needed. Laid out as RFC 9562 version 8. */
export function createUuidMapping(newId: string): (uuid: string) => string {
  const crypto = process.getBuiltinModule("node:crypto");
  return (uuid) => {
    const hash = crypto.hash("sha256", `${newId}:${uuid}`, "hex");
    const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 3) | 8).toString(16);
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-${variant}${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  };
}
