/** Thinking that its model binds to what stands before it: the tools on offer are a part of that. */
import type { QueryEvent } from "../protocol/event.ts";
import type { Message } from "../protocol/message.ts";
import { behindStripped, hasSignedThinking } from "../protocol/thinking.ts";
import type { ToolDefinition } from "../protocol/tool.ts";
import type { Steps } from "../lib/steps.ts";
import { append, mint, type Run } from "./run.ts";

/** Leaves out what was thought with other tools on offer: the API would refuse it, and with it the request. */
export function* boundToTools(run: Run, messages: readonly Message[]): Steps<QueryEvent, readonly Message[]> {
  const tools = run.ports.tools.definitions();
  const before = run.offered.tools;
  run.offered.tools = tools;
  if (before === null || isSame(before, tools) || !hasBound(run, messages)) return messages;
  const mark = mint(run, { type: "thinking_stripped", reason: "rewritten" });
  if (!(yield* append(run, mark))) return messages;
  yield mark;
  return [...messages, mark];
}

function isSame(before: readonly ToolDefinition[], tools: readonly ToolDefinition[]): boolean {
  if (before === tools) return true;
  return before.length === tools.length && JSON.stringify(before) === JSON.stringify(tools);
}

/** That of another model than today's is not sent now, and would be refused once that model is chosen again. */
function hasBound({ ports }: Run, messages: readonly Message[]): boolean {
  return behindStripped(messages).some((message) => {
    if (message.type !== "assistant" || !hasSignedThinking([message])) return false;
    const { known, thinkingBoundToPrefix } = ports.model.info(message.model);
    return known && thinkingBoundToPrefix;
  });
}
