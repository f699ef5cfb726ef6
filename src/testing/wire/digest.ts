/**
 * Fingerprints of blocks and prefixes. A block's digest is computed once from its JSON. A prefix is a cheap running mix of digests,
 * so a conversation of a thousand blocks costs a thousand integer steps per request and no re-hashing.
 */
import { hash } from "node:crypto";
import { isObject, type WireBlock } from "./types.ts";

/** Two 32-bit halves: enough for tests, and fast enough to be mixed a thousand times per request. */
export interface Digest {
  a: number;
  b: number;
}

export const emptyDigest: Digest = { a: 0x9e3779b9 | 0, b: 0x85ebca6b | 0 };

export function digestText(text: string): Digest {
  const hex = hash("sha1", text, "hex");
  return { a: Number.parseInt(hex.slice(0, 8), 16) | 0, b: Number.parseInt(hex.slice(8, 16), 16) | 0 };
}

/** Extends a prefix. Order matters; both halves depend on both halves. */
export function extendDigest(prefix: Digest, next: Digest): Digest {
  const a = Math.imul(prefix.a ^ next.a, 0x01000193) + ((prefix.b << 13) | (prefix.b >>> 19));
  const b = Math.imul(prefix.b ^ next.b, 0x5bd1e995) + ((a << 7) | (a >>> 25));
  return { a: a | 0, b: (b ^ (a >>> 15)) | 0 };
}

export function digestKey(digest: Digest): string {
  return (digest.a >>> 0).toString(16).padStart(8, "0") + (digest.b >>> 0).toString(16).padStart(8, "0");
}

export function parseDigestKey(key: string): Digest {
  return { a: Number.parseInt(key.slice(0, 8), 16) | 0, b: Number.parseInt(key.slice(8, 16), 16) | 0 };
}

/**
 * The JSON of a block as far as it matters for identity. `cache_control` is left out because moving a breakpoint does not change
 * the prompt. The order of a block's own fields and fields that are null do not matter either: SDKs write their own order, and
 * `"citations": null`. Inside a field (a tool call's input, a schema) the order is part of the prompt.
 */
export function canonicalBlock(block: WireBlock | Record<string, unknown>): string {
  const fields = canonicalFields(block);
  if (Array.isArray(fields["content"])) {
    fields["content"] = fields["content"].map((inner: unknown) => (isObject(inner) ? canonicalFields(inner) : inner));
  }
  return JSON.stringify(fields);
}

function canonicalFields(block: Record<string, unknown>): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const key of Object.keys(block).sort()) {
    if (key !== "cache_control" && block[key] !== null) fields[key] = block[key];
  }
  return fields;
}
