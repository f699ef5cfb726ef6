/** Handles thinking that its model binds to everything before it, including the system prompt and the tool definitions. */
import type { QueryEvent } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import { messagesAfterStripping, hasSignedThinking } from "../protocol/thinking.ts";
import type { ModelPort, SystemBlock } from "../protocol/model.ts";
import type { ToolDefinition } from "../protocol/tool.ts";
import type { Steps } from "../lib/steps.ts";
import { textDigest } from "../lib/text-digest.ts";
import { recordAndYield, type Run } from "./run.ts";

/** Strips thinking that was done after another system prompt, or with other tools: the API would refuse it, and with it the request. */
export function* stripMismatchedThinking(
  run: Run,
  messages: readonly Message[],
): Steps<QueryEvent, readonly Message[]> {
  const { prefix } = run.memory;
  const before = prefix.digest;
  const { system } = run.config;
  const tools = run.ports.tools.definitions();
  const isSame = prefix.system === system && prefix.tools === tools;
  const digest = before !== null && isSame ? before : prefixDigest(system, tools);
  Object.assign(prefix, { system, tools, digest });
  if (!hasMismatchedThinking(messages, digest, run.ports.model, before)) return messages;
  return [...messages, ...(yield* recordAndYield(run, [{ type: "thinking_stripped", reason: "rewritten" }]))];
}

/** The digest of the last prefix. Sessions of one process usually share it, and the prefix is long. */
let lastPrefix = { prefix: "", digest: "" };

export function prefixDigest(system: readonly SystemBlock[], tools: readonly ToolDefinition[]): string {
  const prefix = JSON.stringify([system.map(({ text }) => text), tools]);
  if (lastPrefix.prefix !== prefix) lastPrefix = { prefix, digest: textDigest(prefix) };
  return lastPrefix.digest;
}

/**
 * Whether a request with this prefix would be refused because of thinking done after another one. `lastDigest`: the digest of the last
 * request, used if the transcript has none because an earlier version wrote it.
 */
export function hasMismatchedThinking(
  messages: readonly Message[],
  digest: string,
  models: Pick<ModelPort, "info">,
  lastDigest: string | null = null,
): boolean {
  // The history may have been rewound to a point with other tools, or come from another process.
  const last = messages.findLast(({ type }) => type === "response_end");
  const before = (last?.type === "response_end" ? last.prefixDigest : undefined) ?? lastDigest;
  return before !== null && before !== digest && hasBoundThinking(messages, models);
}

/** Thinking of a model other than the current one counts too: it is not sent now, but would be refused once that model is chosen again. */
function hasBoundThinking(messages: readonly Message[], models: Pick<ModelPort, "info">): boolean {
  return messagesAfterStripping(messages).some((message) => {
    if (message.type !== "assistant" || !hasSignedThinking([message])) return false;
    const { known, thinkingBoundToPrefix } = models.info(message.model);
    return known && thinkingBoundToPrefix;
  });
}
