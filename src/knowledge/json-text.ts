/** Reads the JSON of a plugin's files; an error names the line. */
import { withoutCommentKeys, isObject, parseJson, type Json } from "../lib/json.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";

/** `repeated`: see `parseJson`. */
export type JsonText =
  | { ok: true; value: Json; repeated: readonly string[] }
  | { ok: false; reason: string; line: number };

export function readJsonText(text: string): JsonText {
  const parsed = parseJson(text);
  if (parsed.ok) return parsed;
  return {
    ok: false,
    reason: `it is not JSON: ${parsed.message}`,
    line: Number(/\bline (\d+)\b/u.exec(parsed.message)?.[1] ?? 1),
  };
}

/** Returns the line of a name's first mention; 1 if there is none. */
export function lineOfName(text: string, name: string): number {
  const at = text.indexOf(JSON.stringify(name));
  return at < 0 ? 1 : text.slice(0, at).split("\n").length;
}

/** Reports repeated keys: of two guards with one name, the first would silently be lost. */
export function repeatedKeyProblems(path: string, { repeated }: { repeated: readonly string[] }): KnowledgeProblem[] {
  return withoutCommentKeys(repeated).map((key) => ({ path, reason: `"${key}" appears twice; the last one counts` }));
}

export function readJsonObject(
  text: string,
): Exclude<JsonText, { ok: true }> | { ok: true; value: Record<string, Json>; repeated: readonly string[] } {
  const read = readJsonText(text);
  if (!read.ok) return read;
  const { value, repeated } = read;
  return isObject(value)
    ? { ok: true, value, repeated }
    : { ok: false, reason: "it should hold one JSON object", line: 1 };
}
