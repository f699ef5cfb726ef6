/**
 * One assistant response with what answers it: its blocks, the results in the order of its calls, then what the user said. The transcript
 * may have results between the blocks of the response, because a tool can finish while the message still streams.
 */
import { callIdPattern, toolNamePattern } from "../lib/call-id.ts";
import { isRecord } from "../lib/is-record.ts";
import type {
  AssistantMessage,
  AttachmentMessage,
  ContentBlock,
  Message,
  OpaqueBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../protocol/message.ts";
import type { ApiMessage } from "../protocol/model.ts";
import { isServerCall } from "../protocol/server-call.ts";
import { isThinking, isSendableThinking, type Thinking } from "../protocol/thinking.ts";
import { reminder } from "../protocol/system-reminder.ts";
import { isServerResult, removeUnpairedServerCalls } from "./server-calls.ts";

export interface RenderRules {
  model: string;
  thinking: boolean;
  /** Whether thinking without a signature is sent as well. */
  unsigned: boolean;
  /** Whether signed summaries are sent as their blocks. */
  compaction: boolean;
  /** Index of the last mark that strips the thinking before it; -1 for none. */
  strippedBefore: number;
  /** Block types that are no longer sent. */
  leftOut: ReadonlySet<string>;
}

/** What had to be mended. All zero in a run without defects and without crashes. */
export interface Mended {
  missingResults: number;
  strayResults: number;
  /** Calls whose id was already used, or that the API would not take back. */
  calls: number;
  endings: number;
  images: number;
}

export const noneMended: Mended = { missingResults: 0, strayResults: 0, calls: 0, endings: 0, images: 0 };

export interface Segment {
  /** The messages the segment was made of. */
  sources: Message[];
  messageId: string | null;
  blocks: ContentBlock[];
  results: Map<string, ToolResultBlock>;
  strays: number;
  userContent: ContentBlock[];
}

export function openSegment(): Segment {
  return { sources: [], messageId: null, blocks: [], results: new Map(), strays: 0, userContent: [] };
}

/** Whether any content of a message may be sent. */
export function isSendable(message: Message): boolean {
  if (message.type === "assistant") return message.apiError === undefined;
  return message.type === "user" || message.type === "attachment";
}

export function addMessage(segment: Segment, message: Message, at: number, rules: RenderRules): void {
  if (message.type === "response_end" && message.stopReason === "pause_turn" && message.messageId === segment.messageId)
    trimLastText(segment.blocks);
  if (!isSendable(message)) return;
  segment.sources.push(message);
  if (message.type === "assistant") addAssistant(segment, message, at, rules);
  else if (message.type === "user") addUser(segment, message.content, rules);
  else if (message.type === "attachment")
    segment.userContent.push(...renderAttachment(message).filter((block) => isUserContent(block, rules)));
}

function addAssistant(segment: Segment, message: AssistantMessage, at: number, rules: RenderRules): void {
  const { thinking, model, strippedBefore, leftOut } = rules;
  const keepsThinking = thinking && message.model === model && at > strippedBefore && !leftOut.has("thinking");
  segment.messageId = message.messageId;
  for (const block of message.content)
    if (
      isThinking(block) ? keepsThinking && isSendableThinking(block, rules.unsigned) : isAssistantContent(block, rules)
    )
      segment.blocks.push(block);
}

/**
 * The response sent back last, after a pause, may not end in whitespace. It stays trimmed from then on, because the thinking that followed
 * is bound to the text before it.
 */
function trimLastText(blocks: ContentBlock[]): void {
  const at = blocks.findLastIndex((block) => !isThinking(block));
  const last = blocks[at];
  if (last?.type === "text" && /\s$/u.test(last.text)) blocks[at] = { ...last, text: last.text.trimEnd() };
}

function addUser(segment: Segment, content: readonly ContentBlock[], rules: RenderRules): void {
  for (const block of content) {
    if (block.type === "tool_result") addResult(segment, block);
    else if (isUserContent(block, rules)) segment.userContent.push(block);
  }
}

/** The first result of a call counts; later ones are strays. */
function addResult(segment: Segment, block: ToolResultBlock): void {
  if (segment.results.has(block.tool_use_id)) segment.strays++;
  else segment.results.set(block.tool_use_id, block);
}

/** Whether an assistant message may contain this block. The API refuses text without a visible character. */
function isAssistantContent(block: Exclude<ContentBlock, Thinking>, rules: RenderRules): boolean {
  switch (block.type) {
    case "text":
      return isVisible(block);
    case "tool_use":
      return true;
    case "opaque":
      return !isLeftOut(block, rules);
    case "tool_result":
    case "image":
    case "document":
      return false;
    default:
      return block satisfies never;
  }
}

function isUserContent(block: ContentBlock, rules: RenderRules): boolean {
  if (block.type === "text") return isVisible(block);
  if (block.type === "opaque")
    return !isServerCall(block.wire) && !isServerResult(block.wire) && !isLeftOut(block, rules);
  return block.type === "image" || block.type === "document";
}

function isLeftOut({ wire }: OpaqueBlock, { leftOut }: RenderRules): boolean {
  return typeof wire["type"] === "string" && leftOut.has(wire["type"]);
}

function isVisible(block: ContentBlock): boolean {
  return block.type !== "text" || block.text.trim() !== "";
}

export interface Rendered {
  /** The assistant and user message. The content of either may be empty. */
  messages: ApiMessage[];
  ids: string[];
  mended: Mended;
}

/** Renders a segment as API messages. `takenIds`: ids of all earlier calls. `paused`: the response is unfinished and sent back as is. */
export function renderSegment(segment: Segment, takenIds: ReadonlySet<string>, paused: boolean): Rendered {
  const isPaused = paused && hasOnlyServerCalls(segment);
  const unique = uniqueCalls(segment.blocks, takenIds);
  const content = assistantContent(unique.blocks, takenIds, isPaused);
  const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
  const results = calls.map((call) => resultOf(segment, call, unique.receivedIds.get(call.id) ?? call.id));
  const missing = results.filter((result) => result === null).length;
  const answers = results.map((result, at) => result ?? missingResult(calls[at]!));
  const messages: ApiMessage[] = [
    { role: "assistant", content },
    { role: "user", content: [...answers, ...segment.userContent] },
  ];
  const strays = segment.strays + segment.results.size - (calls.length - missing);
  const mended =
    missing + strays + unique.changed === 0
      ? noneMended
      : { ...noneMended, missingResults: missing, strayResults: strays, calls: unique.changed };
  return { messages, ids: content.flatMap(callIdsIn), mended };
}

/** Whether only the provider's own calls are open: then nothing has to be said before the model continues. */
function hasOnlyServerCalls({ userContent, results, blocks }: Segment): boolean {
  return userContent.length === 0 && results.size === 0 && !blocks.some((block) => block.type === "tool_use");
}

/** Makes call ids unique. A call whose id is taken is renamed, with its result; a call that the API would not take back is left out. */
function uniqueCalls(
  blocks: readonly ContentBlock[],
  takenIds: ReadonlySet<string>,
): { blocks: ContentBlock[]; receivedIds: Map<string, string>; changed: number } {
  const receivedById = new Map<string, string>();
  const seen = new Set<string>();
  const kept: ContentBlock[] = [];
  let changed = 0;
  for (const block of blocks) {
    if (block.type !== "tool_use") {
      kept.push(block);
      continue;
    }
    const isSendableCall =
      isRecord(block.input) && callIdPattern.test(block.id) && toolNamePattern.test(block.name) && !seen.has(block.id);
    seen.add(block.id);
    const id = isSendableCall ? freeId(block.id, takenIds, receivedById) : null;
    if (id !== block.id) changed++;
    if (id === null) continue;
    receivedById.set(id, block.id);
    kept.push(id === block.id ? block : { ...block, id });
  }
  // The copy is kept with the conversation: `slice` frees the spare capacity of the list.
  return { blocks: kept.slice(), receivedIds: receivedById, changed };
}

function freeId(id: string, takenIds: ReadonlySet<string>, usedIds: ReadonlyMap<string, string>): string {
  let free = id;
  for (let copy = 2; takenIds.has(free) || usedIds.has(free); copy++) free = `${id}_${copy}`;
  return free;
}

function assistantContent(blocks: ContentBlock[], takenIds: ReadonlySet<string>, paused: boolean): ContentBlock[] {
  const kept = removeUnpairedServerCalls(blocks, takenIds, paused);
  const end = kept.findLastIndex((block) => !isThinking(block)) + 1;
  return end === kept.length ? kept : kept.slice(0, end);
}

function callIdsIn(block: ContentBlock): string[] {
  if (block.type === "tool_use") return [block.id];
  return block.type === "opaque" && isServerCall(block.wire) ? [String(block.wire["id"])] : [];
}

/** Returns the recorded result in a form the API accepts; null if there is none. */
function resultOf(segment: Segment, call: ToolUseBlock, receivedId: string): ToolResultBlock | null {
  const result = segment.results.get(receivedId);
  if (result === undefined) return null;
  const sendable = sendableResult(result);
  return call.id === receivedId ? sendable : { ...sendable, tool_use_id: call.id };
}

function missingResult(call: ToolUseBlock): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: "No result was recorded for this call: the session was interrupted. It may or may not have had an effect.",
    is_error: true,
  };
}

/** An error result may contain only text, and must contain some. */
function sendableResult(result: ToolResultBlock): ToolResultBlock {
  const isError = result.is_error === true;
  if (typeof result.content === "string")
    return isError && result.content === "" ? { ...result, content: silentFailure } : result;
  const content = result.content.filter(isVisible);
  if (isError && content.length === 0) return { ...result, content: silentFailure };
  if (!isError) return content.length === result.content.length ? result : { ...result, content };
  return {
    ...result,
    content: content.map((block) =>
      block.type === "text"
        ? block
        : { type: "text", text: `[The error came with content of type ${block.type}, which cannot be shown.]` },
    ),
  };
}

const silentFailure = "The call failed and said nothing.";

function reminderBlocks(text: string): ContentBlock[] {
  return [{ type: "text", text: reminder(text) }];
}

function callLabel({ call }: { call?: string }): string {
  return call === undefined ? "" : ` (${call})`;
}

/** Returns what the model sees of an attachment; nothing if the attachment is only for people. */
function renderAttachment({ attachment }: AttachmentMessage): readonly ContentBlock[] {
  switch (attachment.kind) {
    case "queued_command":
      return attachment.prompt;
    case "file_changed":
      return reminderBlocks(
        `${attachment.path} was changed on disk since it was last read, by the user or by a program.\n${attachment.snippet}`,
      );
    case "hook_context":
      return reminderBlocks(`${attachment.event} hook additional context${callLabel(attachment)}: ${attachment.text}`);
    case "reminder":
      return reminderBlocks(attachment.text);
    case "max_turns_reached":
    case "hook_stopped_continuation":
      return [];
    default:
      return attachment satisfies never;
  }
}
