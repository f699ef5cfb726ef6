/** Layer 5: commits every staged collapse. Where no store of collapses is given, there is nothing to drain. */
import type { ContextEvent, Message, ShrinkResult } from "../protocol/index.ts";
import type { Overflow, Pass } from "./layer.ts";
import { wholeTokens } from "./measure.ts";
import { bindsThinking, boundaryOf, endedByUser, hasThinking, strippedMark } from "./rewrite.ts";

export async function* drainCollapses(
  pass: Pass,
  _overflow: Overflow,
  signal: AbortSignal,
): AsyncGenerator<ContextEvent, ShrinkResult> {
  const { world, input, messages } = pass;
  const drained = world.collapse?.canDrain() === true ? await world.collapse.drain(messages, signal) : undefined;
  if (drained === undefined || signal.aborted) return { kind: "no_progress", why: "no collapse was staged" };
  yield { type: "compacting", trigger: "reactive" };
  const { scale } = world.memory;
  const next: Message[] = [
    ...endedByUser(
      world,
      drained.messages.filter((message) => message.type !== "response_end"),
    ),
  ];
  if (bindsThinking(input.model) && hasThinking(next)) next.push(strippedMark(world));
  const beforeTokens = wholeTokens(messages, input.fixedTokens, scale);
  const afterTokens = wholeTokens(next, input.fixedTokens, scale);
  const least = world.policy.minimumDrain;
  if (afterTokens > beforeTokens * (1 - least)) {
    return { kind: "no_progress", why: `the staged collapses would save less than ${least * 100} %` };
  }
  const boundary = boundaryOf(
    world,
    { trigger: "reactive", preTokens: beforeTokens, postTokens: afterTokens, lastSummarizedUuid: null },
    next,
  );
  return {
    kind: "shrunk",
    messages: next,
    records: [boundary],
    beforeTokens,
    afterTokens,
    committed: drained.committed,
  };
}
