/** A compaction that the user requests between two turns. */
import type { QueryEvent } from "../../protocol/event.ts";
import type { Message } from "../../protocol/message.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SessionContext } from "../../context/index.ts";
import { withNews, type News } from "../../lib/news-steps.ts";
import { toAsyncGenerator, stepsFromGenerator } from "../../lib/steps.ts";
import { hasMismatchedThinking, prefixDigest } from "../../loop/bound-thinking.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { defaultLimits, type LoopConfig, type LoopLimits, type LoopPorts } from "../../loop/ports.ts";
import { estimateFixedTokens } from "../../loop/run.ts";
import type { Conversation } from "../store/conversation.ts";
import { strippedThinkingMark } from "../../protocol/new-record.ts";
import { toSDKMessage } from "../events/convert.ts";
import { toShownMessages } from "../events/shown-messages.ts";
import { waitForServersOnResume, type ServersOnResumeParts } from "../mcp/servers-on-resume.ts";

/** Estimated tokens before and after, or why nothing was done, as a clause for people. */
export type CompactAnswer =
  | { compacted: true; preTokens: number; postTokens: number }
  | { compacted: false; why: string };

export interface CompactionParts extends ServersOnResumeParts {
  sessionId: string;
  context: SessionContext;
  conversation: Conversation;
  ports: Pick<LoopPorts, "model" | "tools" | "ids" | "clock">;
  config: () => LoopConfig;
  limits: Partial<LoopLimits>;
  model: string;
}

/** Yields `status: compacting`, notices, `compact_boundary`, any `news` that arrives meanwhile, and last a status with `compact_result`. */
export function compactByHand(
  parts: CompactionParts,
  instructions: string | undefined,
  cancel: Cancel,
  news?: News<SDKMessage>,
): AsyncGenerator<SDKMessage, CompactAnswer> {
  const run = compactWithStatus(parts, instructions, cancel);
  return news === undefined
    ? run
    : toAsyncGenerator(withNews(stepsFromGenerator(run), news, () => cancel.cancel("consumer")));
}

async function* compactWithStatus(
  parts: CompactionParts,
  instructions: string | undefined,
  cancel: Cancel,
): AsyncGenerator<SDKMessage, CompactAnswer> {
  const answer = yield* runCompaction(parts, instructions, cancel);
  const base = { uuid: parts.ports.ids.uuid(), session_id: parts.sessionId };
  const result = answer.compacted
    ? ({ compact_result: "success" } as const)
    : ({ compact_result: "failed", compact_error: answer.why } as const);
  yield { ...base, type: "system", subtype: "status", status: null, ...result };
  return answer;
}

async function* runCompaction(
  parts: CompactionParts,
  instructions: string | undefined,
  cancel: Cancel,
): AsyncGenerator<SDKMessage, CompactAnswer> {
  const { context, conversation, ports, sessionId } = parts;
  const trimmed = instructions?.trim();
  if (conversation.unjudged.size > 0)
    return { compacted: false, why: "hooks have to judge the last prompt first, which happens with the next one" };
  await waitForServersOnResume(parts, cancel.signal);
  const unbound = strippedMarkMessage(parts);
  if (unbound !== undefined) {
    const written = conversation.append(unbound);
    if (!written.ok) return { compacted: false, why: written.failure.message };
  }
  const options = trimmed === undefined || trimmed === "" ? {} : { instructions: trimmed };
  const run = context.compactManually(manualContextInput(parts), options, cancel.signal);
  const toMessage = (event: QueryEvent) => toSDKMessage(event, { sessionId, uuid: () => ports.ids.uuid() });
  const outcome = yield* toShownMessages(run, toMessage);
  if (outcome.kind === "no_progress") return { compacted: false, why: outcome.why };
  for (const record of outcome.records) {
    const written = conversation.append(record);
    if (!written.ok) return { compacted: false, why: written.failure.message };
    const shown = toMessage(record);
    if (shown !== null) yield shown;
  }
  return { compacted: true, preTokens: outcome.beforeTokens, postTokens: outcome.afterTokens };
}

/** Thinking from before a resume, under another system prompt or other tools, is left out of the summary request as well. */
function strippedMarkMessage({ conversation, ports, config }: CompactionParts): Message | undefined {
  const prefix = prefixDigest(config().system, ports.tools.definitions());
  return hasMismatchedThinking(conversation.messages, prefix, ports.model) ? strippedThinkingMark(ports) : undefined;
}

/** The conversation as the next user turn would start with it. */
export function manualContextInput({ conversation, ports, config, limits, model }: CompactionParts) {
  const { maxOutputTokens, system } = config();
  const info = ports.model.info(model);
  const wanted = maxOutputTokens ?? limits.outputTokensDefault ?? defaultLimits.outputTokensDefault;
  return {
    messages: [...conversation.messages],
    model: info,
    maxTokens: Math.min(wanted, info.maxOutputTokens),
    fixedTokens: estimateFixedTokens(system, ports.tools.definitions()),
    tracking: { consecutiveFailures: 0 },
    turnCount: 0,
    key: `manual.${ports.ids.uuid()}`,
  };
}
