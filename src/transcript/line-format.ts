/**
 * The form of a message in its line. Other programs' hooks and status lines read transcripts and look for the conventional names:
 * `message.role`, `message.id`, `message.usage`, and beside the message `isMeta`, `toolUseResult` and the like. They are added on writing
 * and removed again on reading.
 */
import type { ContentBlock, Message } from "../protocol/index.ts";
import type { Usage } from "../protocol/usage.ts";
import { toWireUsage } from "../protocol/wire-usage.ts";
import { isAmount, isString, type UnknownRecord } from "./predicates.ts";
import { isRecord } from "../lib/is-record.ts";
import { oneLine } from "../lib/sanitize.ts";

/**
 * Other readers follow the parent chain only through types they know, so kinds that only pawl has are written as `system` lines. In the
 * transcript of an agent, an SDK for TypeScript knows only prompts, answers and `attachment` lines.
 */
const systemTypes = new Set<unknown>([
  "response_end",
  "transition",
  "notice",
  "results_cleared",
  "snip_boundary",
  "collapse_commit",
  "thinking_stripped",
  "tombstone",
] satisfies Message["type"][]);

export function lineType(type: Message["type"], isOfAgent = false): { type: string; subtype?: string } {
  return systemTypes.has(type) ? { type: isOfAgent ? "attachment" : "system", subtype: type } : { type };
}

/** Whether other programs show messages of this type. */
export function isShown(type: Message["type"]): boolean {
  return !systemTypes.has(type);
}

/** The type of a line's message or fact. Lines of older versions state it directly. */
export function recordType({ type, subtype }: UnknownRecord): unknown {
  return (type === "system" || type === "attachment") && systemTypes.has(subtype) ? subtype : type;
}

export interface ClientMark {
  title?: string;
  tag?: string | null;
}

export const maxClientMarkCharacters = 500;
/** A longer line of a client sets nothing, so that a search from the end of a file need not read it all. */
export const maxClientMarkBytes = 16 * 1024;

/**
 * The session functions of other SDKs append lines of their own for a title and a tag; in a client's own store they come back among the
 * others. The texts are made one line that a list can show. An empty title sets none, an empty tag takes the tag off.
 */
export function clientMark({ v, type, customTitle, tag }: UnknownRecord): ClientMark | undefined {
  if (v !== undefined) return undefined;
  if (type === "custom-title" && isString(customTitle)) {
    const title = oneLine(customTitle, maxClientMarkCharacters);
    return title === "" ? {} : { title };
  }
  if (type !== "tag" || !isString(tag)) return undefined;
  const line = oneLine(tag, maxClientMarkCharacters);
  return { tag: line === "" ? null : line };
}

/** The names with which a client's line for a title or a tag may begin: the order of its fields is the client's. */
const clientMarkFields = ["type", "customTitle", "tag", "sessionId", "uuid", "timestamp"];

/** The first bytes of lines that may be a client's mark. None of the session's own lines begins like that. */
export const clientMarkStarts: readonly string[] = clientMarkFields.map((field) => `{"${field}":`);

/** The fields of a line that belong to its message: `message` and the fields beside it. */
export type LineFields = { message: object } & UnknownRecord;

/** Viewers with strict schemas take a line without these fields for no prompt or answer at all. */
const expectedBeside = { userType: "external" };
const expectedInAnswer = { stop_reason: null, stop_sequence: null };

/** `soFar`: the usage that the server reported when it began to answer. */
export function toLineFields(message: Message, soFar?: Usage): LineFields {
  switch (message.type) {
    case "user": {
      const { isMeta, isCompactSummary, toolUseResult, content } = message;
      const words = isMeta === true ? content : (singleText(content) ?? content);
      const own = { ...message, toolUseResult: undefined, content: words, role: "user" };
      return { ...expectedBeside, message: own, isMeta, isCompactSummary, toolUseResult };
    }
    case "assistant": {
      const { messageId, requestId, apiError } = message;
      const usage = soFar === undefined ? undefined : toWireUsage(soFar);
      const own = { ...expectedInAnswer, ...message, type: "message", role: "assistant", id: messageId, usage };
      const isApiErrorMessage = apiError === undefined ? undefined : true;
      return { ...expectedBeside, message: own, requestId, isApiErrorMessage };
    }
    case "response_end": {
      const { messageId, requestId, usage } = message;
      return { message: { ...message, id: messageId, usage: { ...usage, ...toWireUsage(usage) } }, requestId };
    }
    default:
      return { message };
  }
}

/** In the line, a prompt of one text block is a plain string. Programs that look at nothing else take each string for a person's words. */
function singleText(content: readonly ContentBlock[]): string | undefined {
  const [block, ...more] = content;
  if (block?.type !== "text" || more.length > 0 || block.citations !== undefined) return undefined;
  return block.text;
}

const sharedFields = new Set([
  "subtype",
  "userType",
  "isMeta",
  "isCompactSummary",
  "toolUseResult",
  "requestId",
  "isApiErrorMessage",
]);

/** The fields of a line without those that are only for other programs. */
export function recordFields(line: UnknownRecord): UnknownRecord {
  return omitKeys(line, (key) => sharedFields.has(key));
}

/** The message of a line as it was recorded, unchecked. Lines of older versions already have this form. */
export function recordedMessage(line: UnknownRecord, message: UnknownRecord): UnknownRecord {
  switch (writtenType(line, message)) {
    case "user": {
      const { role: _, ...own } = message;
      if (isString(own["content"])) own["content"] = [{ type: "text", text: own["content"] }];
      if (line["toolUseResult"] !== undefined) own["toolUseResult"] = line["toolUseResult"];
      return own;
    }
    case "assistant": {
      const { role: _, id: __, usage: ___, stop_reason: ____, stop_sequence: _____, ...own } = message;
      return { ...own, type: "assistant" };
    }
    case "response_end": {
      const { id: _, ...own } = message;
      const { usage } = own;
      // Names with an underscore come from the wire format.
      return isRecord(usage) ? { ...own, usage: omitKeys(usage, (key) => key.includes("_")) } : own;
    }
    default:
      return message;
  }
}

/** An answer's line has the type of the API's message; only the line itself says that it is an answer. */
function writtenType({ type: lineType }: UnknownRecord, { type }: UnknownRecord): unknown {
  return lineType === "assistant" && type === "message" ? lineType : type;
}

/** The usage that `toLineFields` was given for the beginning of an answer. */
export function initialUsage(line: UnknownRecord, message: UnknownRecord): Usage | undefined {
  const { usage } = message;
  if (writtenType(line, message) !== "assistant" || !isRecord(usage)) return undefined;
  const [inputTokens, outputTokens] = [usage["input_tokens"], usage["output_tokens"]];
  const [cacheCreationInputTokens, cacheReadInputTokens] = [
    usage["cache_creation_input_tokens"],
    usage["cache_read_input_tokens"],
  ];
  if (!isAmount(inputTokens) || !isAmount(outputTokens)) return undefined;
  if (!isAmount(cacheCreationInputTokens) || !isAmount(cacheReadInputTokens)) return undefined;
  const initial: Usage = { inputTokens, outputTokens, cacheCreationInputTokens, cacheReadInputTokens };
  const { cache_creation: written, service_tier: serviceTier, inference_geo: geo } = usage;
  if (isRecord(written)) {
    const [short, long] = [written["ephemeral_5m_input_tokens"], written["ephemeral_1h_input_tokens"]];
    if (isAmount(short) && isAmount(long))
      Object.assign(initial, { cacheCreation5mInputTokens: short, cacheCreation1hInputTokens: long });
  }
  if (isString(serviceTier)) initial.serviceTier = serviceTier;
  if (geo === "us") initial.inferenceGeo = geo;
  return initial;
}

function omitKeys(thing: UnknownRecord, isLeftOut: (key: string) => boolean): UnknownRecord {
  return Object.fromEntries(Object.entries(thing).filter(([key]) => !isLeftOut(key)));
}
