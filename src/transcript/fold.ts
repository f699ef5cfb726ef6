/** Builds the conversation as a pure fold over its message records. */
import {
  withCollapsed,
  type Message,
  type ResultsClearedMessage,
  type SnipReplay,
  type UserMessage,
} from "../protocol/index.ts";

/**
 * Returns `messages` after one more record. A tombstone removes its targets and is not kept; a boundary replaces everything before it with
 * its own messages; cleared results are replaced by their markers, a collapsed span by its summary; a snip removes its span if `snipReplay`
 * does so, and is not kept otherwise; everything else is appended.
 */
export function foldMessage(messages: readonly Message[], message: Message, snipReplay?: SnipReplay): Message[] {
  const next = [...messages];
  foldMessageInto(next, message, snipReplay);
  return next;
}

/** Like `foldMessage`, but changes `messages`: folds a whole file without a copy per record. */
export function foldMessageInto(messages: Message[], message: Message, snipReplay?: SnipReplay): void {
  switch (message.type) {
    case "tombstone":
      return removeTargets(messages, new Set(message.targets));
    case "compact_boundary":
      return replaceAll(messages, message.messages);
    case "snip_boundary": {
      const left = snipReplay?.(message, messages);
      if (left !== undefined) replaceAll(messages, [...left, message]);
      return;
    }
    case "collapse_commit":
      return replaceAll(messages, withCollapsed(messages, message));
    case "results_cleared":
      clearResults(messages, message);
      break;
    default:
  }
  messages.push(message);
}

/** `next` must not be `messages` itself. */
function replaceAll(messages: Message[], next: readonly Message[]): void {
  messages.length = 0;
  for (const message of next) messages.push(message);
}

/** Searches from the end, where the targets usually are. */
function removeTargets(messages: Message[], targets: Set<string>): void {
  for (let index = messages.length - 1; index >= 0 && targets.size > 0; index--) {
    if (targets.delete(messages[index]!.uuid)) messages.splice(index, 1);
  }
}

function clearResults(messages: Message[], { cleared }: ResultsClearedMessage): void {
  const markers = new Map(cleared.map(({ toolUseId, marker }) => [toolUseId, marker]));
  for (let index = messages.length - 1; index >= 0 && markers.size > 0; index--) {
    const message = messages[index];
    if (message?.type === "user") messages[index] = withMarkers(message, markers);
  }
}

/** Replaces results by their markers and drops `toolUseResult`, which repeats the result for clients. Removes each marker it uses. */
function withMarkers(message: UserMessage, markers: Map<string, string>): UserMessage {
  let changed = false;
  const content = message.content.map((block) => {
    const marker = block.type === "tool_result" ? markers.get(block.tool_use_id) : undefined;
    if (block.type !== "tool_result" || marker === undefined) return block;
    changed = true;
    markers.delete(block.tool_use_id);
    return { ...block, content: marker };
  });
  if (!changed) return message;
  const next: UserMessage = { ...message, content };
  delete next.toolUseResult;
  return next;
}
