/** Counts tokens: the provider's own count as far as it goes, plus an estimate of what came after. What was counted is never estimated. */
import {
  totalInputTokens,
  type AttachmentMessage,
  type ContentBlock,
  type CountedTokens,
  type Message,
  type ResponseEndMessage,
  type Usage,
} from "../protocol/index.ts";
import { isThinking } from "../protocol/thinking.ts";
import { documentTokens, imageTokens } from "./media-tokens.ts";

const bytesPerTextToken = 3.5;
const bytesPerJsonToken = 2.5;
const overheadTokens = 4;
/** Estimates are raised by this factor: compacting too early costs a summary, too late a refused request. */
export const safetyFactor = 1.1;

/** Returns the tokens a request with these messages is expected to have. `scale` corrects estimates by what was seen before. */
export function requestTokens(messages: readonly Message[], fixedTokens: number, scale: number): number {
  return measureRequest(messages, fixedTokens, scale).tokens;
}

export interface Measurement {
  tokens: number;
  /** The usage of the last response, which `tokens` is based on; undefined if everything is estimated. */
  usage: Usage | undefined;
  /** How much of `tokens` is estimated. */
  estimated: number;
}

/** Like `requestTokens`, and also tells where the figure comes from. */
export function measureRequest(messages: readonly Message[], fixedTokens: number, scale: number): Measurement {
  const counted = lastCountedResponse(messages);
  if (counted === undefined) {
    const tokens = wholeTokens(messages, fixedTokens, scale);
    return { tokens, usage: undefined, estimated: tokens };
  }
  const { usage } = counted.end;
  const since = Math.ceil(counted.since * safetyFactor * scale);
  const left = Math.max(0, totalInputTokens(usage) + counted.output - counted.removedTokens);
  return { tokens: left + since, usage, estimated: since + counted.removedTokens };
}

/** Estimates everything, for conversations that no response has counted yet and for comparing two conversations. */
export function wholeTokens(messages: readonly Message[], fixedTokens: number, scale = 1): number {
  return Math.ceil((fixedTokens + spanTokens(messages) * safetyFactor) * scale);
}

/** Estimates some messages, without the safety factor. Thinking before a mark that strips it is not sent, so it does not count. */
export function spanTokens(messages: readonly Message[]): number {
  let sum = 0;
  let stripped = false;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.type === "thinking_stripped") stripped = true;
    const size = messageTokens(message);
    sum += stripped ? size.total - size.thinking : size.total;
  }
  return sum;
}

interface Size {
  total: number;
  thinking: number;
}
const zeroSize: Size = { total: 0, thinking: 0 };
/** Caches the sizes of long messages only: remembering a short one costs more than counting it again. */
const sizes = new WeakMap<Message, Size>();
const shortTokens = 2_000;

export function messageTokens(message: Message): Size {
  if (message.type !== "user" && message.type !== "assistant" && message.type !== "attachment") return zeroSize;
  if (message.type === "assistant" && message.apiError !== undefined) return zeroSize;
  let size = sizes.get(message);
  if (size === undefined) {
    size =
      message.type === "attachment" ? { total: attachmentTokens(message), thinking: 0 } : contentSize(message.content);
    if (size.total > shortTokens) sizes.set(message, size);
  }
  return size;
}

export interface CountedResponse {
  end: ResponseEndMessage;
  /** Index of the response's first block: its input is everything before it. */
  start: number;
  /** The output tokens still in the conversation: an answer that was taken back does not count. */
  output: number;
  /** An estimate of what the response's count does not include. */
  since: number;
  /** Tokens that the count includes and that were taken out since. */
  removedTokens: number;
}

/**
 * Returns the last response with known usage, what its count lacks, and what it includes that is gone. Does not look beyond the start of
 * that response: results recorded between its blocks came after its input was counted.
 */
export function lastCountedResponse(messages: readonly Message[]): CountedResponse | undefined {
  let since = 0;
  const removedCounts: CountedTokens[] = [];
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.type === "response_end" && totalInputTokens(message.usage) > 0) {
      const { within, start } = resultsWithin(messages, index, message.messageId);
      const removedTokens = removedCounts.reduce(
        (sum, { responseEnd, tokens }) => sum + (responseEnd === message.uuid ? tokens : 0),
        0,
      );
      const output = start < index ? message.usage.outputTokens : 0;
      return { end: message, start, output, since: since + within, removedTokens };
    }
    if (isRewrite(message) && message.counted !== null) removedCounts.push(message.counted);
    since += messageTokens(message).total;
  }
  return undefined;
}

type Rewrite = Extract<Message, { counted: CountedTokens | null }>;

function isRewrite(message: Message): message is Rewrite {
  const { type } = message;
  return type === "results_cleared" || type === "snip_boundary" || type === "collapse_commit";
}

function resultsWithin(
  messages: readonly Message[],
  end: number,
  messageId: string,
): { within: number; start: number } {
  let within = 0;
  let pending = 0;
  let start = end;
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined) continue;
    if (message.type === "response_end" || message.type === "compact_boundary") break;
    if (message.type !== "assistant") {
      pending += messageTokens(message).total;
      continue;
    }
    if (message.messageId !== messageId) break;
    within += pending;
    pending = 0;
    start = index;
  }
  return { within, start };
}

function contentSize(content: readonly ContentBlock[]): Size {
  let total = overheadTokens;
  let thinking = 0;
  for (const block of content) {
    const tokens = blockTokens(block);
    total += tokens;
    if (isThinking(block)) thinking += tokens;
  }
  return { total, thinking };
}

export function blockTokens(block: ContentBlock): number {
  switch (block.type) {
    case "text":
      return overheadTokens + textTokens(block.text);
    case "thinking":
      return overheadTokens + textTokens(block.thinking) + textTokens(block.signature ?? "");
    case "redacted_thinking":
      return overheadTokens + textTokens(block.data);
    case "tool_use":
      return overheadTokens * 4 + textTokens(block.name) + jsonTokens(block.input);
    case "tool_result":
      return overheadTokens * 4 + toolResultTokens(block.content);
    case "image":
      return imageTokens(block);
    case "document":
      return documentTokens(block, textTokens);
    case "opaque":
      return jsonTokens(block.wire);
    default:
      return block satisfies never;
  }
}

export function toolResultTokens(content: string | readonly ContentBlock[]): number {
  if (typeof content === "string") return textTokens(content);
  return content.reduce((sum, block) => sum + blockTokens(block), 0);
}

export function textTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / (jsonStart.test(text) ? bytesPerJsonToken : bytesPerTextToken));
}

/** JSON has shorter tokens than prose. Prose may begin with a bracket too: one of our notes, a date, a log level. */
const jsonStart = /^(?:\{\s*["}]|\[\s*["{[\]]|\[\s*-?\d+(?:\.\d+)?\s*[,\]])/;

function jsonTokens(value: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(value) ?? "") / bytesPerJsonToken);
}

/** Includes the words that an attachment is wrapped in. */
function attachmentTokens({ attachment }: AttachmentMessage): number {
  const wrapping = 40;
  switch (attachment.kind) {
    case "queued_command":
      return wrapping + contentSize(attachment.prompt).total;
    case "file_changed":
      return wrapping + textTokens(attachment.path) + textTokens(attachment.snippet);
    case "hook_context":
    case "reminder":
      return wrapping + textTokens(attachment.text);
    case "max_turns_reached":
    case "hook_stopped_continuation":
      return 0;
    default:
      return attachment satisfies never;
  }
}
