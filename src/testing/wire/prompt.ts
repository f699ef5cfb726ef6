/** A request's prompt as one row of positions, in the order the API reads it: tools, then system, then messages. */
import { digestKey, digestText, emptyDigest, extend, type Digest } from "./digest.ts";
import { circumstances } from "../signature.ts";
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

/** Consecutive messages of one role are one message to the API, so the role is mixed into each block instead. */
function roleDigest(role: string): Digest {
  let digest = roleDigests.get(role);
  if (digest === undefined) {
    digest = digestText(`role:${role}`);
    roleDigests.set(role, digest);
  }
  return digest;
}

function extendWithBlock(prefix: Digest, role: string, block: Digest): Digest {
  return extend(extend(prefix, roleDigest(role)), block);
}

/**
 * The prefix after one more block. A summary that the API wrote stands for everything it replaced, so thinking that
 * was made behind the replaced messages is still behind the same prefix.
 */
export function advance(prefix: Digest, role: string, facts: BlockFacts): Digest {
  if (facts.type === "compaction" && facts.seal !== undefined && facts.sealedPrefix !== undefined)
    return facts.sealedPrefix;
  return extendWithBlock(prefix, role, facts.digest);
}

const elsewhereDigest = digestText("elsewhere");

/**
 * `advance` over a block of this prompt. Behind a summary it is another prefix where tools or system are others than when it was
 * made, and where what follows has the role of the last message it stands for: to the API they are then one message.
 */
export function advanceOver(prefix: Digest, prompt: Prompt, at: number, index: number): Digest {
  const own = prompt.messages[at] as MessageFacts;
  const facts = own.blocks[index] as BlockFacts;
  const next = advance(prefix, own.role, facts);
  if (facts.type !== "compaction" || facts.seal === undefined) return next;
  const follower = index + 1 < own.blocks.length ? own : prompt.messages[at + 1];
  if (follower === undefined) return next;
  const other = follower.role === "assistant" ? "user" : "assistant";
  const isInPlace = facts.seal.response === circumstances(other, digestKey(headDigest(prompt)));
  return isInPlace ? next : extend(next, elsewhereDigest);
}

/** The prefix that stands before the first message: what a thinking block is bound to begins here. */
export function headDigest(prompt: Prompt): Digest {
  let digest = emptyDigest;
  for (const tool of prompt.tools) digest = extendWithBlock(digest, "tools", tool.digest);
  for (const block of prompt.system) digest = extendWithBlock(digest, "system", block.digest);
  return digest;
}

export function wholeDigest(prompt: Prompt): Digest {
  let digest = headDigest(prompt);
  prompt.messages.forEach((message, at) => {
    message.blocks.forEach((_, index) => (digest = advanceOver(digest, prompt, at, index)));
  });
  return digest;
}

/** Tells conversations apart: the digest of the first user message's content. */
export function conversationKey(prompt: Prompt): string {
  let digest = emptyDigest;
  const first = prompt.messages.find((message) => message.role === "user");
  for (const block of first?.blocks ?? []) digest = extend(digest, block.digest);
  return digestKey(digest);
}
