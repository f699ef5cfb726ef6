/** Checks returned thinking: unmodified, in order, after the prefix it was made for, and never last in a message. */
import { canonicalModel, type ModelTraits } from "../models.ts";
import type { Seal } from "../signature.ts";
import type { Digest } from "../wire/digest.ts";
import type { BlockFacts } from "../wire/facts.ts";
import { asText, isObject, type WireBlock, type WireRequest } from "../wire/types.ts";
import { advancePrefixAt, headDigest, type Prompt } from "../wire/prompt.ts";
import type { CheckContext } from "./report.ts";

/** What the API did with a block instead of refusing the request. Reported as `input_transformations`. */
export interface Transformation {
  type: "thinking_dropped" | "thinking_mismatch_allowed";
  path: string;
  reason: "model_binding_mismatch" | "prefix_binding_mismatch";
}

const cannotBeModified =
  "`thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.";

export function checkThinkingBlocks(body: WireRequest, prompt: Prompt, context: CheckContext): Transformation[] {
  const transformations: Transformation[] = [];
  const latest = prompt.messages.findLastIndex((message) => message.role === "assistant");
  let prefix = headDigest(prompt);
  prompt.messages.forEach((message, messageIndex) => {
    const last = message.blocks.at(-1);
    if (message.role === "assistant" && last !== undefined && isThinking(last.block)) {
      context.report.add(`messages.${messageIndex}`, "The final block in an assistant message cannot be `thinking`.");
    }
    message.blocks.forEach((facts, blockIndex) => {
      if (message.role === "assistant" && isThinking(facts.block)) {
        const path = `messages.${messageIndex}.content.${blockIndex}`;
        const place = { path, prefix, isLatest: messageIndex === latest };
        const done = checkThinkingBlock(facts, place, body, context);
        if (done !== undefined) transformations.push(done);
      }
      prefix = advancePrefixAt(prefix, prompt, messageIndex, blockIndex);
    });
  });
  if (latest >= 0) checkLatestMessage(prompt, latest, context);
  if (body.thinking?.type === "enabled") checkTurnOpening(prompt, context);
  return transformations;
}

export function isThinking(block: WireBlock): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

interface BlockPlace {
  path: string;
  prefix: Digest;
  isLatest: boolean;
}

function checkThinkingBlock(
  facts: BlockFacts,
  place: BlockPlace,
  body: WireRequest,
  context: CheckContext,
): Transformation | undefined {
  const { report, traits } = context;
  const { seal, isAltered, type } = facts;
  if (seal === undefined) {
    const wasModified = isAltered && place.isLatest;
    report.add(place.path, wasModified ? cannotBeModified : `Invalid \`signature\` in \`${type}\` block`);
    return undefined;
  }
  if (!traits.preservedThinking || isSameDigest(facts.sealedPrefix, place.prefix)) {
    return mayReadThinking(body.model, seal.model, traits)
      ? undefined
      : { type: "thinking_dropped", path: place.path, reason: "model_binding_mismatch" };
  }
  return handlePrefixMismatch(place, body, seal, context);
}

function handlePrefixMismatch(
  place: BlockPlace,
  body: WireRequest,
  seal: Seal,
  context: CheckContext,
): Transformation | undefined {
  const { report, traits, options } = context;
  const reason = "prefix_binding_mismatch";
  if (!mayReadThinking(body.model, seal.model, traits)) {
    return { type: "thinking_dropped", path: place.path, reason: "model_binding_mismatch" };
  }
  const binding = body.thinking?.["block_binding"];
  const behaviour = isObject(binding) ? binding["prefix_mismatch_behavior"] : undefined;
  if (behaviour === "drop_block") return { type: "thinking_dropped", path: place.path, reason };
  const isEnforced = /^claude-(fable|mythos)-5-2$/.test(canonicalModel(body.model)) || behaviour !== undefined;
  if (!isEnforced && options.enforceBinding === false) {
    return { type: "thinking_mismatch_allowed", path: place.path, reason };
  }
  report.add(
    place.path,
    'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
  );
  return undefined;
}

function isSameDigest(one: Digest | undefined, other: Digest): boolean {
  return one !== undefined && one.a === other.a && one.b === other.b;
}

function mayReadThinking(model: string, author: string, traits: ModelTraits): boolean {
  const reader = canonicalModel(model);
  const writer = canonicalModel(author);
  return reader === writer || !traits.preservedThinking || traits.readsThinkingOf.includes(writer);
}

/**
 * In the latest assistant message a response's thinking blocks must be in order and without gaps, or all be missing. All missing is
 * legal: a client strips them when it changes models or repairs a refusal. A missing last block is only noticed if a tool call that
 * followed it is still there.
 */
function checkLatestMessage(prompt: Prompt, latest: number, { report, state }: CheckContext): void {
  const counts = new Map<string, number>();
  const blocks = prompt.messages[latest]?.blocks ?? [];
  const isBroken = ({ block, seal }: BlockFacts) => {
    if (block.type === "tool_use") {
      const made = state?.thinkingBefore.get(asText(block["id"]));
      const present = made === undefined ? undefined : counts.get(made.response);
      return made !== undefined && present !== undefined && present < made.count;
    }
    if (seal === undefined || !isThinking(block)) return false;
    const expected = counts.get(seal.response) ?? 0;
    counts.set(seal.response, expected + 1);
    return seal.index !== expected;
  };
  const broken = blocks.findIndex(isBroken);
  if (broken >= 0) report.add(`messages.${latest}.content.${broken}`, cannotBeModified);
}

/**
 * With a thinking budget, the answer that began the calls and results at the end of the conversation must begin with thinking. Only
 * required of calls that are known to have followed thinking: a scripted reply need not think where the model would.
 */
function checkTurnOpening({ messages }: Prompt, { report, state }: CheckContext): void {
  let end = messages.length - 1;
  while (messages[end]?.blocks.some(({ type }) => type === "tool_result") === true) end -= 2;
  const at = end + 1;
  const blocks = at < messages.length ? (messages[at]?.blocks ?? []) : [];
  const followsThinking = ({ type, block }: BlockFacts): boolean =>
    type === "tool_use" && (state?.thinkingBefore.get(asText(block["id"]))?.count ?? 0) > 0;
  const [first] = blocks;
  if (first === undefined || isThinking(first.block) || !blocks.some(followsThinking)) return;
  report.add(
    `messages.${at}.content.0.type`,
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
