/**
 * One assistant response with what answers it: its blocks, its results in the order of its calls, then what the user said.
 * The transcript may hold results between the blocks of the response (a tool can finish while the message still streams).
 */
import type {
  AssistantMessage,
  AttachmentMessage,
  ContentBlock,
  Message,
  TextBlock,
  ToolResultBlock,
  ToolUseBlock,
} from "../protocol/message.ts";
import type { ApiMessage } from "../protocol/model.ts";

export interface Rules {
  model: string;
  thinking: boolean;
  /** Index of the last mark before which thinking is not sent; -1 for none. */
  strippedBefore: number;
}

/** What the net had to do; all zero in a run without defects and without crashes. */
export interface Mended {
  missingResults: number;
  strayResults: number;
  endings: number;
  images: number;
}

export const noneMended: Mended = { missingResults: 0, strayResults: 0, endings: 0, images: 0 };

export interface Segment {
  start: number;
  messageId: string | null;
  model: string;
  hasContent: boolean;
  blocks: ContentBlock[];
  results: Map<string, ToolResultBlock>;
  strays: number;
  said: ContentBlock[];
}

export function openSegment(start: number): Segment {
  return { start, messageId: null, model: "", hasContent: false, blocks: [], results: new Map(), strays: 0, said: [] };
}

export function addMessage(segment: Segment, message: Message, at: number): void {
  if (message.type === "assistant") addAssistant(segment, message, at);
  else if (message.type === "user") addUser(segment, message.content);
  else if (message.type === "attachment") addSaid(segment, renderAttachment(message));
}

function addAssistant(segment: Segment, message: AssistantMessage, at: number): void {
  if (message.apiError !== undefined) return;
  if (segment.messageId === null) segment.start = at;
  segment.messageId = message.messageId;
  segment.model = message.model;
  segment.hasContent = true;
  segment.blocks.push(...message.content);
}

function addUser(segment: Segment, content: readonly ContentBlock[]): void {
  segment.hasContent = true;
  for (const block of content) {
    if (block.type === "tool_result") addResult(segment, block);
    else if (isSendable(block)) segment.said.push(block);
  }
}

function addSaid(segment: Segment, block: TextBlock | ContentBlock[] | null): void {
  if (block === null) return;
  segment.hasContent = true;
  if (Array.isArray(block)) segment.said.push(...block.filter(isSendable));
  else segment.said.push(block);
}

/** The first result of a call counts. */
function addResult(segment: Segment, block: ToolResultBlock): void {
  if (segment.results.has(block.tool_use_id)) segment.strays++;
  else segment.results.set(block.tool_use_id, block);
}

export function renderSegment(
  segment: Segment,
  rules: Rules,
  paused: boolean,
): { messages: ApiMessage[]; mended: Mended } {
  const content = assistantContent(segment, rules, paused);
  const calls = content.filter((block): block is ToolUseBlock => block.type === "tool_use");
  const results = calls.map((call) => segment.results.get(call.id) ?? missingResult(call));
  const missing = calls.filter((call) => !segment.results.has(call.id)).length;
  const strays = segment.strays + segment.results.size - (calls.length - missing);
  const messages: ApiMessage[] = [];
  if (content.length > 0) messages.push({ role: "assistant", content });
  if (results.length + segment.said.length > 0)
    messages.push({ role: "user", content: [...results.map(sendableResult), ...segment.said] });
  const mended = missing + strays === 0 ? noneMended : { ...noneMended, missingResults: missing, strayResults: strays };
  return { messages, mended };
}

function assistantContent(segment: Segment, rules: Rules, paused: boolean): ContentBlock[] {
  const keepsThinking = rules.thinking && segment.model === rules.model && segment.start > rules.strippedBefore;
  const answered = serverResults(segment.blocks);
  const kept = segment.blocks.filter((block) => {
    if (block.type === "thinking") return keepsThinking && block.signature !== undefined && block.signature !== "";
    if (block.type === "redacted_thinking") return keepsThinking;
    if (block.type === "opaque" && !paused) return isAnswered(block.wire, answered);
    return isSendable(block);
  });
  if (paused) return kept;
  let end = kept.length;
  while (end > 0 && (kept[end - 1]!.type === "thinking" || kept[end - 1]!.type === "redacted_thinking")) end--;
  return end === kept.length ? kept : kept.slice(0, end);
}

function isServerCall(wire: Record<string, unknown>): boolean {
  return wire["type"] === "server_tool_use" || wire["type"] === "mcp_tool_use";
}

/** Ids of the provider's own calls and of their results within the response. */
function serverResults(blocks: readonly ContentBlock[]): { calls: Set<unknown>; results: Set<unknown> } {
  const calls = new Set<unknown>();
  const results = new Set<unknown>();
  for (const block of blocks) {
    if (block.type !== "opaque") continue;
    if (isServerCall(block.wire)) calls.add(block.wire["id"]);
    else if (block.wire["tool_use_id"] !== undefined) results.add(block.wire["tool_use_id"]);
  }
  return { calls, results };
}

/** A call of the provider's own that a cut stream left without its result would be refused. */
function isAnswered(wire: Record<string, unknown>, answered: { calls: Set<unknown>; results: Set<unknown> }): boolean {
  return !isServerCall(wire) || answered.results.has(wire["id"]);
}

/** The API refuses text without a visible character. */
function isSendable(block: ContentBlock): boolean {
  return block.type !== "text" || block.text.trim() !== "";
}

function missingResult(call: ToolUseBlock): ToolResultBlock {
  return {
    type: "tool_result",
    tool_use_id: call.id,
    content: "No result was recorded for this call: the session was interrupted. It may or may not have had an effect.",
    is_error: true,
  };
}

function sendableResult(result: ToolResultBlock): ToolResultBlock {
  if (typeof result.content === "string") return result;
  const content = result.content.filter(isSendable);
  return content.length === result.content.length ? result : { ...result, content };
}

function reminder(text: string): TextBlock {
  return { type: "text", text: `<system-reminder>\n${text}\n</system-reminder>` };
}

/** What the model is told of an attachment; null where it is for people alone. */
export function renderAttachment(message: AttachmentMessage): TextBlock | ContentBlock[] | null {
  const { attachment } = message;
  switch (attachment.kind) {
    case "queued_command":
      return [...attachment.prompt];
    case "file_changed":
      return reminder(
        `${attachment.path} was changed on disk since it was last read, by the user or by a program. What changed:\n${attachment.snippet}`,
      );
    case "hook_context":
      return reminder(`${attachment.event} hook additional context: ${attachment.text}`);
    case "reminder":
      return reminder(attachment.text);
    case "max_turns_reached":
    case "hook_stopped_continuation":
      return null;
    default:
      return attachment satisfies never;
  }
}
