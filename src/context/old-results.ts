/**
 * Finds results in a conversation that can be produced again: large results without errors, of tools that can simply be called again, and
 * not of commands still running. Visits each message only once while the conversation only grows.
 */
import type {
  AssistantMessage,
  Message,
  ResultsClearedMessage,
  ToolInput,
  ToolResultBlock,
  ToolResultContent,
  UserMessage,
} from "../protocol/index.ts";
import { isAnswer } from "../protocol/answers.ts";
import { runsInBackground } from "../protocol/open-tasks.ts";
import type { Rerun } from "./cleared-marker.ts";
import { messageTokens, toolResultTokens } from "./measure.ts";

export interface OldResult {
  toolUseId: string;
  name: string;
  rerun: Rerun;
  content: ToolResultContent;
  /** The response that made the call. */
  messageId: string;
  message: UserMessage;
  /** Index of `message`. */
  at: number;
  /** Estimated, as all tokens here. */
  tokens: number;
  /** Tokens of everything before that response. */
  before: number;
  /** For this result and all before it: what markers in their place would save, and whether there are images among them. */
  cumulative: { gain: number; hasMedia: boolean };
}

/** The size of the line that replaces a result. */
const markerTokens = 60;

export interface Scan {
  /** Oldest first. */
  results: OldResult[];
  /** The newest response: no response has seen the results of its calls yet. */
  newest: { messageId: string; at: number; before: number } | undefined;
  /** Thinking that is sent. `before`: tokens before the response it begins in. `lastAt`: index of the last one with thinking; -1: none. */
  thinking: { tokens: number; before: number; lastAt: number };
  /** The last record of cleared results, and the end of the message with the newest of them, once the scan has passed it. */
  cleared: { record: ResultsClearedMessage; end: { messageId: string; tokens: number } | undefined } | undefined;
  tokens: number;
  /** What was scanned: this many messages, from `first` to `last`. */
  count: number;
  first: Message | undefined;
  last: Message | undefined;
  /** Index of the last mark that strips the thinking before it; -1 for none. */
  strippedAt: number;
  open: Map<string, { name: string; input: ToolInput; messageId: string; before: number }>;
}

export interface ScanRules {
  /** Smaller results are not listed. */
  leastTokens: number;
  /** Undefined if the call cannot simply be repeated. */
  rerun(toolName: string, input: ToolInput): Rerun | undefined;
}

/** Scans the messages. Takes ownership of `previous`: if `messages` continue what it has seen, it is updated and returned. */
export function scanResults(messages: readonly Message[], rules: ScanRules, previous?: Scan): Scan {
  const isMore = previous !== undefined && continuesScan(previous, messages);
  const scan = isMore ? previous : emptyScan(messages);
  for (let at = scan.count; at < messages.length; at++) addMessage(scan, messages[at]!, at, rules);
  scan.count = messages.length;
  scan.first = messages[0];
  scan.last = messages.at(-1);
  return scan;
}

function continuesScan({ count, first, last }: Scan, messages: readonly Message[]): boolean {
  if (count === 0 || messages.length < count || messages[0] !== first || messages[count - 1] !== last) return false;
  for (let at = count; at < messages.length; at++) {
    const type = messages[at]?.type;
    if (type === "thinking_stripped" || type === "results_cleared") return false;
  }
  return true;
}

function emptyScan(messages: readonly Message[]): Scan {
  const strippedAt = messages.findLastIndex(({ type }) => type === "thinking_stripped");
  const record = messages.findLast((message) => message.type === "results_cleared");
  return {
    results: [],
    newest: undefined,
    thinking: { tokens: 0, before: 0, lastAt: -1 },
    cleared: record === undefined ? undefined : { record, end: undefined },
    tokens: 0,
    count: 0,
    first: undefined,
    last: undefined,
    strippedAt,
    open: new Map(),
  };
}

function addMessage(scan: Scan, message: Message, at: number, rules: ScanRules): void {
  const size = messageTokens(message);
  if (isAnswer(message)) addAssistant(scan, message, at, size.thinking);
  if (message.type === "user") {
    for (const block of message.content) if (block.type === "tool_result") addResult(scan, block, message, at, rules);
  }
  scan.tokens += at < scan.strippedAt ? size.total - size.thinking : size.total;
  if (message.type === "user") noteClearedEnd(scan, message);
}

function addAssistant(scan: Scan, message: AssistantMessage, at: number, thinking: number): void {
  const { messageId } = message;
  if (scan.newest?.messageId !== messageId) scan.newest = { messageId, at, before: scan.tokens };
  const { before } = scan.newest;
  if (thinking > 0 && at > scan.strippedAt) {
    const known = scan.thinking;
    const isFirst = known.lastAt < 0;
    scan.thinking = { tokens: known.tokens + thinking, before: isFirst ? before : known.before, lastAt: at };
  }
  for (const block of message.content)
    if (block.type === "tool_use") scan.open.set(block.id, { name: block.name, input: block.input, messageId, before });
}

function noteClearedEnd({ cleared, newest, tokens }: Scan, message: UserMessage): void {
  const last = cleared?.record.cleared.at(-1)?.toolUseId;
  if (cleared === undefined || last === undefined || newest === undefined) return;
  const isLast = message.content.some((block) => block.type === "tool_result" && block.tool_use_id === last);
  if (isLast) cleared.end = { messageId: newest.messageId, tokens };
}

function addResult(scan: Scan, block: ToolResultBlock, message: UserMessage, at: number, rules: ScanRules): void {
  const call = scan.open.get(block.tool_use_id);
  scan.open.delete(block.tool_use_id);
  if (call === undefined || block.is_error === true || runsInBackground(message.toolUseResult)) return;
  const { content } = block;
  const tokens = toolResultTokens(content);
  const rerun = tokens < rules.leastTokens ? undefined : rules.rerun(call.name, call.input);
  if (rerun === undefined) return;
  const earlier = scan.results.at(-1)?.cumulative ?? { gain: 0, hasMedia: false };
  const cumulative = {
    gain: earlier.gain + Math.max(0, tokens - markerTokens),
    hasMedia: earlier.hasMedia || (typeof content !== "string" && content.some(({ type }) => type !== "text")),
  };
  const { name, messageId, before } = call;
  const { tool_use_id: toolUseId } = block;
  scan.results.push({
    toolUseId,
    name,
    rerun,
    content,
    messageId,
    message,
    at,
    tokens,
    before,
    cumulative,
  });
}
