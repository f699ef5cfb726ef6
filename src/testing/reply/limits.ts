/** Cuts a response at the request's stop sequences, its `max_tokens` or the end of the model's window, and returns the reason. */
import { stringOrEmpty } from "../wire/types.ts";
import type { OutgoingBlock } from "./compose.ts";

export interface LimitedBlocks {
  blocks: OutgoingBlock[];
  /** Set if something was cut. */
  stopReason?: "max_tokens" | "model_context_window_exceeded";
}

/**
 * @param maxTokens the request's own limit.
 * @param windowTokens the space that the window has left for output.
 */
export function applyLimits(
  blocks: OutgoingBlock[],
  maxTokens: number,
  windowTokens: number,
  bytesPerToken: number,
): LimitedBlocks {
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

export interface StoppedBlocks {
  blocks: OutgoingBlock[];
  /** The sequence that ended the response. It is not part of the response. */
  sequence?: string;
}

/** The first of these sequences in a text ends the response just before it. */
export function applyStopSequences(blocks: OutgoingBlock[], stopSequences: unknown): StoppedBlocks {
  const sequences = Array.isArray(stopSequences)
    ? stopSequences.map(stringOrEmpty).filter((sequence) => sequence !== "")
    : [];
  for (const [index, block] of blocks.entries()) {
    if (block.delta !== "text_delta") continue;
    const found = sequences
      .map((sequence) => ({ sequence, at: block.payload.indexOf(sequence) }))
      .filter(({ at }) => at >= 0)
      .toSorted((one, other) => one.at - other.at)[0];
    if (found === undefined) continue;
    const payload = block.payload.slice(0, found.at);
    const last = payload === "" ? [] : [{ ...block, payload, billedBytes: Buffer.byteLength(payload) }];
    return { blocks: [...blocks.slice(0, index), ...last], sequence: found.sequence };
  }
  return { blocks };
}

/** Keeps at most `bytes` bytes, never half a character. A cut thinking block has no signature. */
export function cutBlock(block: OutgoingBlock, bytes: number): OutgoingBlock {
  const payload = firstBytes(block.payload, bytes);
  const { signature: _unsigned, ...rest } = block;
  return { ...rest, payload, billedBytes: bytes, isCut: true };
}

/** At most `bytes` bytes, never half a character. */
export function firstBytes(text: string, bytes: number): string {
  const encoded = Buffer.from(text);
  let end = Math.min(bytes, encoded.length);
  while (end > 0 && end < encoded.length && ((encoded[end] as number) & 0xc0) === 0x80) end--;
  return encoded.subarray(0, end).toString();
}
