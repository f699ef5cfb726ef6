/** A request's prompt as one row of positions in the order the API reads it: tools, system, messages. */
import { digestKey, digestText, emptyDigest, extendDigest, type Digest } from "./digest.ts";
import { summaryContext } from "../signature.ts";
import { blockFacts, messageFacts, type BlockFacts, type FactsMemo, type MessageFacts } from "./facts.ts";
import { blocksOf, type WireBlock, type WireRequest } from "./types.ts";

export interface Prompt {
  tools: BlockFacts[];
  system: BlockFacts[];
  messages: MessageFacts[];
}

export function promptOf(body: WireRequest, memo?: FactsMemo): Prompt {
  return {
    tools: (body.tools ?? []).map((tool) => blockFacts(tool as unknown as WireBlock, memo)),
    system: blocksOf(body.system).map((block) => blockFacts(block, memo)),
    messages: body.messages.map((message) => messageFacts(message, memo)),
  };
}

const roleDigests = new Map<string, Digest>();

/** To the API, consecutive messages of one role are one message, so the role is mixed into each block instead. */
function roleDigest(role: string): Digest {
  let digest = roleDigests.get(role);
  if (digest === undefined) {
    digest = digestText(`role:${role}`);
    roleDigests.set(role, digest);
  }
  return digest;
}

function extendWithBlock(prefix: Digest, role: string, block: Digest): Digest {
  return extendDigest(extendDigest(prefix, roleDigest(role)), block);
}

/**
 * The prefix after one more block. A summary written by the API stands for everything it replaced, so thinking made after the
 * replaced messages still follows the same prefix.
 */
export function advancePrefix(prefix: Digest, role: string, facts: BlockFacts): Digest {
  if (facts.type === "compaction" && facts.seal !== undefined && facts.sealedPrefix !== undefined)
    return facts.sealedPrefix;
  return extendWithBlock(prefix, role, facts.digest);
}

const misplacedDigest = digestText("elsewhere");

/**
 * `advancePrefix` over a block of this prompt. After a summary the prefix differs if tools or system have changed since it was made, or
 * if the message after it has the role of the last message that it stands for: the API would merge the two.
 */
export function advancePrefixAt(prefix: Digest, prompt: Prompt, at: number, index: number): Digest {
  const own = prompt.messages[at] as MessageFacts;
  const facts = own.blocks[index] as BlockFacts;
  const next = advancePrefix(prefix, own.role, facts);
  if (facts.type !== "compaction" || facts.seal === undefined) return next;
  const follower = index + 1 < own.blocks.length ? own : prompt.messages[at + 1];
  if (follower === undefined) return next;
  const other = follower.role === "assistant" ? "user" : "assistant";
  const isInPlace = facts.seal.response === summaryContext(other, digestKey(headDigest(prompt)));
  return isInPlace ? next : extendDigest(next, misplacedDigest);
}

/** The prefix before the first message. What a thinking block is bound to begins here. */
export function headDigest(prompt: Prompt): Digest {
  let digest = emptyDigest;
  for (const tool of prompt.tools) digest = extendWithBlock(digest, "tools", tool.digest);
  for (const block of prompt.system) digest = extendWithBlock(digest, "system", block.digest);
  return digest;
}

export function promptDigest(prompt: Prompt): Digest {
  let digest = headDigest(prompt);
  prompt.messages.forEach((message, at) => {
    message.blocks.forEach((_, index) => (digest = advancePrefixAt(digest, prompt, at, index)));
  });
  return digest;
}

/** Distinguishes conversations by the digest of the first user message's content. */
export function conversationKey(prompt: Prompt): string {
  let digest = emptyDigest;
  const first = prompt.messages.find((message) => message.role === "user");
  for (const block of first?.blocks ?? []) digest = extendDigest(digest, block.digest);
  return digestKey(digest);
}
