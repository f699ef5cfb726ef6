/**
 * The names by which the model and rules know tools: `mcp__server__tool`. A server's part has no two underscores in a row and none
 * at its ends. The first `__` after `mcp__` therefore always ends it, and a rule for one server never matches another.
 */
import { plainKey } from "../lib/plain-key.ts";
import { trimEndCharacters } from "../lib/trim-end.ts";
import { hexDigest } from "./hex-digest.ts";

const maxLength = 64;

export function serverKey(name: string): string {
  return plainKey(name) || `server_${hexDigest(name, 8)}`;
}

/** A key for each name. The first name with a key keeps it plain; a later name with the same key gets its hash appended. */
export function serverKeys(names: readonly string[]): Map<string, string> {
  const keys = new Map<string, string>();
  const usedKeys = new Set<string>();
  for (const name of names) {
    const plain = serverKey(name);
    // Rules that deny ignore case.
    const key = usedKeys.has(plain.toLowerCase())
      ? `${trimEndCharacters(plain.slice(0, 31), "_")}_${hexDigest(name, 8)}`
      : plain;
    usedKeys.add(key.toLowerCase());
    keys.set(name, key);
  }
  return keys;
}

export interface NamedTools<T> {
  /** By full name. */
  byName: Map<string, T>;
  /** One sentence each: a changed name, or a tool whose name clashes with another. */
  remarks: string[];
}

/** Names tools in the order of their own names, so that the same tools get the same names in whatever order they are listed. */
export function nameTools<T extends { name: string }>(key: string, tools: readonly T[]): NamedTools<T> {
  const byName = new Map<string, T>();
  const remarks: string[] = [];
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  for (const [at, tool] of sorted.entries()) {
    const shown = JSON.stringify(tool.name.slice(0, 80));
    if (sorted[at - 1]?.name === tool.name) {
      remarks.push(`it lists the tool ${shown} twice; the first one counts`);
      continue;
    }
    const plain = `mcp__${key}__${tool.name.replace(/[^A-Za-z0-9_-]/gu, "_")}`;
    const isFree = plain.length <= maxLength && !byName.has(plain);
    const name = isFree ? plain : `${plain.slice(0, maxLength - 9)}_${hexDigest(tool.name, 8)}`;
    if (!isFree)
      remarks.push(
        `its tool ${shown} is called ${name}, since ${plain.length > maxLength ? "its name is too long" : "another has that name"}`,
      );
    if (byName.has(name)) remarks.push(`its tool ${shown} was left out: it cannot be told from another`);
    else byName.set(name, tool);
  }
  return { byName, remarks };
}
