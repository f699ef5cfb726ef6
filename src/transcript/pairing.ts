/**
 * Pairs calls and results after damage: results without a call are removed, and calls inside the conversation whose result was lost get one
 * that says so. Calls at its end are left to `repairOrphans`, since their repair is recorded.
 */
import type { AssistantMessage, Message, ToolResultBlock, ToolUseBlock, UserMessage } from "../protocol/index.ts";

export interface PairingResult {
  messages: Message[];
  notes: string[];
}

const lostText =
  "The result of this call was lost: its record in the session's transcript could not be read. The call may have run; check the current state before calling it again.";

/** Returns `messages` itself as `messages` if nothing was wrong. */
export function pairResults(messages: Message[]): PairingResult {
  const notes: string[] = [];
  const clean = withoutUnpairedBlocks(messages, notes);
  return { messages: withLostResults(clean, notes), notes };
}

/** Calls without a result that can still be answered by appending a record: no later response follows theirs. */
export function openToolUses(messages: readonly Message[]): { use: ToolUseBlock; message: AssistantMessage }[] {
  const answered = new Set<string>();
  const open: { use: ToolUseBlock; message: AssistantMessage }[] = [];
  let response: string | undefined;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index];
    if (message?.type === "user") for (const block of toolResultsIn(message)) answered.add(block.tool_use_id);
    if (message?.type !== "assistant" || message.apiError !== undefined) continue;
    response ??= message.messageId;
    if (message.messageId !== response) break;
    for (const use of toolUsesIn(message).toReversed()) if (!answered.has(use.id)) open.push({ use, message });
  }
  return open.reverse();
}

function toolUsesIn(message: AssistantMessage): ToolUseBlock[] {
  return message.content.filter((block) => block.type === "tool_use");
}

export function toolResultsIn(message: UserMessage): ToolResultBlock[] {
  return message.content.filter((block) => block.type === "tool_result");
}

function withoutUnpairedBlocks(messages: Message[], notes: string[]): Message[] {
  const uses = new Set<string>();
  const results = new Set<string>();
  let changed = false;
  const kept = messages.map((message): Message | undefined => {
    if (message.type !== "user" && message.type !== "assistant") return message;
    const content = message.content.filter((block) => {
      if (block.type === "tool_use")
        return addIfNew(uses, block.id) || addNote(notes, `call ${block.id} a second time`);
      if (block.type !== "tool_result") return true;
      if (!uses.has(block.tool_use_id)) return addNote(notes, `result without its call ${block.tool_use_id}`);
      return addIfNew(results, block.tool_use_id) || addNote(notes, `result of ${block.tool_use_id} a second time`);
    });
    if (content.length === message.content.length) return message;
    changed = true;
    return content.length === 0 ? undefined : { ...message, content };
  });
  return changed ? kept.filter((message) => message !== undefined) : messages;
}

function withLostResults(messages: Message[], notes: string[]): Message[] {
  const answered = new Set(
    messages
      .flatMap((message) => (message.type === "user" ? toolResultsIn(message) : []))
      .map((block) => block.tool_use_id),
  );
  const atEnd = new Set(openToolUses(messages).map(({ use }) => use.id));
  const isLost = (use: ToolUseBlock) => !answered.has(use.id) && !atEnd.has(use.id);
  if (!messages.some((message) => message.type === "assistant" && toolUsesIn(message).some(isLost))) return messages;
  return messages.flatMap((message): Message[] => {
    const lost = message.type === "assistant" ? toolUsesIn(message).filter(isLost) : [];
    for (const use of lost) notes.push(`call ${use.id} without its result`);
    return lost.length === 0 ? [message] : [message, lostResults(message, lost)];
  });
}

/** Built again on each reading, so its uuid derives from the message's. */
function lostResults(message: Message, uses: ToolUseBlock[]): UserMessage {
  const content = uses.map((use): ToolResultBlock => ({
    type: "tool_result",
    tool_use_id: use.id,
    content: lostText,
    is_error: true,
  }));
  return { type: "user", uuid: `${message.uuid}-lost`, timestamp: message.timestamp, content };
}

function addIfNew(seenIds: Set<string>, id: string): boolean {
  if (seenIds.has(id)) return false;
  seenIds.add(id);
  return true;
}

function addNote(notes: string[], text: string): false {
  notes.push(text);
  return false;
}
