/** A request's prompt as one row of positions, in the order the API reads it: tools, then system, then messages. */
import { digestKey, digestText, emptyDigest, extend, type Digest } from "./digest.ts";
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

/** The prefix that stands before the first message: what a thinking block is bound to begins here. */
export function headDigest(prompt: Prompt): Digest {
  let digest = emptyDigest;
  for (const tool of prompt.tools) digest = extendWithBlock(digest, "tools", tool.digest);
  for (const block of prompt.system) digest = extendWithBlock(digest, "system", block.digest);
  return digest;
}

export function wholeDigest(prompt: Prompt): Digest {
  let digest = headDigest(prompt);
  for (const message of prompt.messages) {
    for (const block of message.blocks) digest = advance(digest, message.role, block);
  }
  return digest;
}

/** Tells conversations apart: the digest of the first user message's content. */
export function conversationKey(prompt: Prompt): string {
  let digest = emptyDigest;
  const first = prompt.messages.find((message) => message.role === "user");
  for (const block of first?.blocks ?? []) digest = extend(digest, block.digest);
  return digestKey(digest);
}
