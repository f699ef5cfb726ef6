/**
 * Replaces spans by their staged summaries, one by one, oldest first. The oldest are needed least, and once the prompt cache is broken
 * there, later commits in the same step break nothing more. Pure except for ids and time.
 */
import {
  withCollapsed,
  type AssistantMessage,
  type CollapseCommitMessage,
  type Message,
  type TextBlock,
} from "../protocol/index.ts";
import { answerBlocks, lastAnswer } from "../protocol/answers.ts";
import { openTaskIds } from "../protocol/open-tasks.ts";
import { isLastingReminder } from "../protocol/reminders.ts";
import { messagesAfterStripping } from "../protocol/thinking.ts";
import type { SpanPlace } from "./collapse-staged.ts";
import { spanText } from "./collapse-text.ts";
import type { Pass, World } from "./layer.ts";
import { newRecordFields, strippedThinkingMark } from "../protocol/new-record.ts";
import { lastCountedResponse, wholeTokens } from "./measure.ts";
import { hasBoundThinking, metaMessage } from "./rewrite.ts";
import { isMark } from "./snip-span.ts";
import { isPrompt } from "./trajectories.ts";

export interface CommitResult {
  messages: Message[];
  /** A mark that strips thinking comes first: if the process dies between two records, the conversation is still one the API accepts. */
  records: Message[];
  tokens: number;
  count: number;
}

/** Commits `places` until the request has at most `target` tokens, or all were tried. Skips spans that started work which still runs. */
export function commitUntil(pass: Pass, places: readonly SpanPlace[], target: number): CommitResult {
  const { world, input } = pass;
  const wholeOf = (messages: readonly Message[]) => wholeTokens(messages, input.fixedTokens, world.memory.scale);
  const responseEnd = lastCountedResponse(pass.messages)?.end.uuid;
  // Thinking that is bound to its prefix is no longer valid after a committed span.
  const isBound = hasBoundThinking(messagesAfterStripping(pass.messages), input.model);
  let { tokens } = pass;
  let whole = wholeOf(pass.messages);
  let messages: Message[] = isBound ? [...pass.messages, strippedThinkingMark(world)] : [...pass.messages];
  const commits: CollapseCommitMessage[] = [];
  const open = openTaskIds(messages).join();
  for (const place of places) {
    if (tokens <= target) break;
    const commit = createCommit(pass, place);
    const next = withCollapsed(messages, commit);
    // Work started there continues in the background: a session that forgot it would never learn that it ended.
    if (openTaskIds(next).join() !== open) continue;
    messages = next;
    const saved = Math.max(0, whole - wholeOf(messages));
    whole -= saved;
    const left = Math.max(0, tokens - saved);
    const counted = responseEnd === undefined ? null : { responseEnd, tokens: saved };
    commits.push({ ...commit, preTokens: tokens, postTokens: left, counted });
    tokens = left;
  }
  const records = isBound && commits.length > 0 ? [strippedThinkingMark(world), ...commits] : commits;
  return { messages: records.reduce(applyRecord, [...pass.messages]), records, tokens, count: commits.length };
}

function applyRecord(messages: Message[], record: Message): Message[] {
  return record.type === "collapse_commit" ? withCollapsed(messages, record) : [...messages, record];
}

function createCommit({ world, messages }: Pass, { staged, start, end }: SpanPlace): CollapseCommitMessage {
  const span = messages.slice(start, end);
  const answer = isPrompt(messages[end]) ? finalAnswer(world, span) : undefined;
  const summary = metaMessage(world, spanText(staged.summary));
  return {
    type: "collapse_commit",
    ...newRecordFields(world),
    // Reminders that still apply stay where they are.
    targets: span.filter((message) => !isMark(message) && !isLastingReminder(message)).map(({ uuid }) => uuid),
    messages: answer === undefined ? [summary] : [summary, answer],
    preTokens: 0,
    postTokens: 0,
    counted: null,
  };
}

/** Returns the text of the response that ended the turn, which the user has read; undefined if that response called tools. */
function finalAnswer(world: World, span: readonly Message[]): AssistantMessage | undefined {
  const last = lastAnswer(span);
  if (last === undefined) return undefined;
  const blocks = answerBlocks(span, last.messageId);
  const texts = blocks.filter((block): block is TextBlock => block.type === "text" && block.text.trim() !== "");
  if (texts.length === 0 || blocks.some(({ type }) => type === "tool_use")) return undefined;
  return { ...last, ...newRecordFields(world), content: texts };
}
