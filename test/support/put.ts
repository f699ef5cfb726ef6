import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file and the folders above it, and returns its path. Content that is neither text nor bytes is written as JSON. */
export function put(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  const isPlain = typeof content === "string" || content instanceof Uint8Array;
  writeFileSync(path, isPlain ? content : JSON.stringify(content));
  return path;
}
