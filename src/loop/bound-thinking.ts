/** Thinking that its model binds to what stands before it: the tools on offer are a part of that. */
import type { QueryEvent } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import { behindStripped, hasSignedThinking } from "../protocol/thinking.ts";
import type { ModelPort } from "../protocol/model.ts";
import type { ToolDefinition } from "../protocol/tool.ts";
import type { Steps } from "../lib/steps.ts";
import { textDigest } from "../lib/text-digest.ts";
import { append, mint, type Run } from "./run.ts";

/** Leaves out what was thought with other tools on offer: the API would refuse it, and with it the request. */
export function* boundToTools(run: Run, messages: readonly Message[]): Steps<QueryEvent, readonly Message[]> {
  const before = run.offered.digest;
  const tools = run.ports.tools.definitions();
  if (before === null || run.offered.tools !== tools) run.offered.digest = digestOf(tools);
  run.offered.tools = tools;
  if (!isBoundToOthers(messages, run.offered.digest!, run.ports.model, before)) return messages;
  const mark = mint(run, { type: "thinking_stripped", reason: "rewritten" });
  if (!(yield* append(run, mark))) return messages;
  yield mark;
  return [...messages, mark];
}

export function digestOf(tools: readonly ToolDefinition[]): string {
  return textDigest(JSON.stringify(tools));
}

/**
 * Whether a request with these tools would be refused for what was thought with others. `otherwise`: the digest of the last request's,
 * where the transcript does not tell, as that of an earlier version.
 */
export function isBoundToOthers(
  messages: readonly Message[],
  digest: string,
  models: Pick<ModelPort, "info">,
  otherwise: string | null = null,
): boolean {
  // The history may have been taken back to where others were on offer, or be another process's.
  const last = messages.findLast(({ type }) => type === "response_end");
  const before = (last?.type === "response_end" ? last.toolsDigest : undefined) ?? otherwise;
  return before !== null && before !== digest && hasBound(messages, models);
}

/** That of another model than today's is not sent now, and would be refused once that model is chosen again. */
function hasBound(messages: readonly Message[], models: Pick<ModelPort, "info">): boolean {
  return behindStripped(messages).some((message) => {
    if (message.type !== "assistant" || !hasSignedThinking([message])) return false;
    const { known, thinkingBoundToPrefix } = models.info(message.model);
    return known && thinkingBoundToPrefix;
  });
}
