/** The conversation as a pure fold of its message records. */
import {
  withCollapsed,
  type Message,
  type ResultsClearedMessage,
  type SnipReplay,
  type UserMessage,
} from "../protocol/index.ts";

/**
 * `messages` after one more record. A tombstone takes its targets away and is not kept; a boundary puts its own messages
 * in the place of all before it; cleared results give way to their markers, a collapsed span to its summary; a snip takes its
 * span away where `snipReplay` does that, and is not kept where not; everything else is added at the end.
 */
export function fold(messages: readonly Message[], message: Message, snipReplay?: SnipReplay): Message[] {
  const next = [...messages];
  foldInto(next, message, snipReplay);
  return next;
}

/** `fold` that changes `messages`: for folding a whole file without a copy a record. */
export function foldInto(messages: Message[], message: Message, snipReplay?: SnipReplay): void {
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

/** From the end, where the targets are. */
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

/** Without what clients were given of the result, which holds the same again. Takes each marker it uses. */
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
