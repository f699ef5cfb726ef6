/** Cuts a response where the request's `max_tokens` or the model's window ends it, and says why. */
import type { OutgoingBlock } from "./compose.ts";

export interface Limited {
  blocks: OutgoingBlock[];
  /** Set where something was cut. */
  stopReason?: "max_tokens" | "model_context_window_exceeded";
}

/**
 * @param maxTokens the request's own limit.
 * @param windowTokens what the window has left for output.
 */
export function applyLimits(
  blocks: OutgoingBlock[],
  maxTokens: number,
  windowTokens: number,
  bytesPerToken: number,
): Limited {
  const limit = Math.max(0, Math.min(maxTokens, windowTokens));
  let left = Math.floor(limit * bytesPerToken);
  const kept: OutgoingBlock[] = [];
  for (const block of blocks) {
    if (block.billedBytes <= left) {
      kept.push(block);
      left -= block.billedBytes;
      continue;
    }
    if (left > 0) kept.push(cutBlock(block, left));
    return { blocks: kept, stopReason: maxTokens <= windowTokens ? "max_tokens" : "model_context_window_exceeded" };
  }
  return { blocks: kept };
}

/** Keeps as many bytes as are given, never half a character. A cut thinking block has no signature. */
export function cutBlock(block: OutgoingBlock, bytes: number): OutgoingBlock {
  const payload = firstBytes(block.payload, bytes);
  const { signature: _unsigned, ...rest } = block;
  return { ...rest, payload, billedBytes: bytes, isCut: true };
}

function firstBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = Math.min(bytes, encoded.length);
  while (end > 0 && end < encoded.length && ((encoded[end] as number) & 0xc0) === 0x80) end--;
  return encoded.subarray(0, end).toString();
}
