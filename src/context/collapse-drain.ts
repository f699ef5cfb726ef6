/** Layer 5: after a refusal, replaces every span that has a staged summary. Summaries that are still being made are not waited for. */
import type { Message, ShrinkResult } from "../protocol/index.ts";
import { commitUntil } from "./collapse-commit.ts";
import type { OverflowLayer, World } from "./layer.ts";
import { wholeTokens } from "./measure.ts";

export const drainCollapses: OverflowLayer = async function* (pass, _overflow, signal) {
  const { world, input, messages } = pass;
  const places = world.collapse?.places(messages) ?? [];
  if (places.length === 0 || signal.aborted) return { kind: "no_progress", why: "no collapse was staged" };
  yield { type: "compacting", trigger: "reactive" };
  const made = commitUntil(pass, places, 0);
  const wholeOf = (some: typeof messages) => wholeTokens(some, input.fixedTokens, world.memory.scale);
  const [beforeTokens, afterTokens] = [wholeOf(messages), wholeOf(made.messages)];
  const least = world.policy.minimumDrain;
  if (afterTokens > beforeTokens * (1 - least))
    return { kind: "no_progress", why: `the staged collapses would save less than ${least * 100} %` };
  world.history?.forgetShown();
  const { messages: next, records, count: committed } = made;
  return { kind: "shrunk", messages: next, records, beforeTokens, afterTokens, committed } satisfies ShrinkResult;
};

/** Whether this conversation has staged spans that may be committed. */
export function canDrain(
  { policy, collapse }: Pick<World, "policy" | "collapse">,
  messages: readonly Message[],
): boolean {
  return policy.contextCollapse && policy.collapseDrain && (collapse?.places(messages).length ?? 0) > 0;
}
