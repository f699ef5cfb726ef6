/** Shrinks a conversation to fit the request for its summary: cuts long results in the middle, then leaves out the oldest turns. */
import { blockText } from "../protocol/block-text.ts";
import type { ContentBlock, Message, ModelInfo, ToolResultBlock, UserMessage } from "../protocol/index.ts";
import { middleCut } from "../lib/text-cut.ts";
import { droppedText } from "./instructions.ts";
import type { World } from "./layer.ts";
import { spanTokens, toolResultTokens } from "./measure.ts";
import { bindsThinking, metaMessage } from "./rewrite.ts";
import { strippedThinkingMark } from "../protocol/new-record.ts";
import { cutPoints } from "./trajectories.ts";

interface Fitting {
  world: World;
  model: ModelInfo;
  /** Tokens. */
  window: number;
}

/** Returns the conversation with at least `tokens` fewer; undefined if nothing more can be removed. */
export function shrinkToFit(
  fitting: Fitting,
  messages: readonly Message[],
  tokens: number,
): readonly Message[] | undefined {
  const { world, model, window } = fitting;
  const { scale } = world.memory;
  const { lean, saved } = withShortResults(messages, tokens / scale, Math.max(400, window / 100));
  const rest = saved * scale >= tokens ? lean : withoutOldestTurns(world, lean, tokens - saved * scale);
  if (rest === undefined && saved === 0) return undefined;
  return stripBoundThinking(world, rest ?? lean, model);
}

/** Cuts long results, oldest first, until that many tokens are saved. All turns still show what was done, and in which order. */
function withShortResults(messages: readonly Message[], tokens: number, longest: number) {
  let saved = 0;
  const shortened = (block: ContentBlock): ContentBlock => {
    if (saved >= tokens || block.type !== "tool_result") return block;
    const { text, others } = splitResult(block);
    const before = toolResultTokens(text);
    if (before <= longest) return block;
    const cut = middleCut(text, Math.floor((text.length * longest) / before), "\n[…]\n");
    saved += Math.max(0, before - toolResultTokens(cut));
    return { ...block, content: others.length === 0 ? cut : [{ type: "text", text: cut }, ...others] };
  };
  const lean = messages.map((message): Message => {
    if (message.type !== "user") return message;
    const content = message.content.map(shortened);
    return content.some((block, at) => block !== message.content[at]) ? withContent(message, content) : message;
  });
  return { lean, saved };
}

function withContent(message: UserMessage, content: ContentBlock[]): UserMessage {
  const next = { ...message, content };
  // The structured output for clients contains the same text.
  delete next.toolUseResult;
  return next;
}

/** Splits a result into its whole text and everything else, such as pictures and documents. */
function splitResult({ content }: ToolResultBlock) {
  const others = typeof content === "string" ? [] : content.filter(({ type }) => type !== "text");
  return { text: blockText(content, "\n"), others };
}

/** Counts the messages at the start that matter more than the turns after them: memory files, what earlier compactions left. */
function keptLength(messages: readonly Message[]): number {
  const length = messages.findIndex(
    (message) => message.type !== "user" || (message.origin !== "context" && message.origin !== "compaction"),
  );
  return length < 0 ? messages.length : length;
}

/** Leaves out the oldest whole turns, at least `tokens` of them; undefined if no turn would be left. */
function withoutOldestTurns(
  world: World,
  messages: readonly Message[],
  tokens: number,
): readonly Message[] | undefined {
  const headEnd = keptLength(messages);
  const points = cutPoints(messages).filter((point) => point > headEnd);
  let dropped = 0;
  let start = headEnd;
  const cut =
    points.find((point) => {
      dropped += spanTokens(messages.slice(start, point)) * world.memory.scale;
      start = point;
      return dropped >= tokens;
    }) ?? points.at(-1);
  if (cut === undefined) return undefined;
  return [...messages.slice(0, headEnd), metaMessage(world, droppedText), ...messages.slice(cut)];
}

function stripBoundThinking(world: World, messages: readonly Message[], model: ModelInfo): readonly Message[] {
  return bindsThinking(messages, model) ? [...messages, strippedThinkingMark(world)] : messages;
}
