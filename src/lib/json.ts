/** Strict JSON for files people write: errors name the line, and what JSON leaves open (repeated keys, `__proto__`, 1e400) is settled. */
import { errorText } from "./error-text.ts";

export type Json = null | boolean | number | string | Json[] | JsonObject;
/** Has no prototype, so that no key is special. */
export type JsonObject = { [key: string]: Json };

export type ParsedJson =
  | {
      ok: true;
      value: Json;
      /** Keys that occur twice in one object, as paths: `permissions.deny`. The last one counts. */ repeated: string[];
    }
  | { ok: false; /** One sentence without the name of the file. */ message: string };

const maxDepth = 64;

export function parseJson(text: string): ParsedJson {
  const body = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    const value = safeCopy(JSON.parse(body), 0);
    return { ok: true, value, repeated: repeatedKeys(body) };
  } catch (error) {
    if (error instanceof TooDeep) return { ok: false, message: `it is nested more than ${maxDepth} levels deep` };
    return { ok: false, message: explainSyntaxError(body, errorText(error)) };
  }
}

/** Removes keys that are comments: people write several `"//"` notes in one object. */
export function withoutCommentKeys(repeated: readonly string[]): string[] {
  return repeated.filter((path) => !/(?:^|\.)\/\/$/u.test(path));
}

class TooDeep extends Error {}

export function newObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function safeCopy(value: unknown, depth: number): Json {
  if (depth > maxDepth) throw new TooDeep();
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map((item) => safeCopy(item, depth + 1));
  if (typeof value !== "object" || value === null) return value as Json;
  const copy = newObject();
  for (const [key, item] of Object.entries(value)) {
    if (key !== "__proto__") copy[key.toWellFormed()] = safeCopy(item, depth + 1);
  }
  return copy;
}

/** Describes where the text stops being JSON. */
function explainSyntaxError(text: string, message: string): string {
  if (text.trim() === "") return "it is empty; an empty settings file is {}";
  const at = errorOffset(text);
  const line = text.slice(0, at).split("\n").length;
  const rest = text.slice(at);
  if (rest === "") return `it ends in line ${line} before it is complete`;
  if (rest.startsWith("/*")) return `line ${line} begins a comment that has no end`;
  const shown = Array.from(rest.split("\n")[0] ?? "")
    .slice(0, 20)
    .join("");
  return `line ${line} is not valid JSON from ${JSON.stringify(shown)} on${message.includes("stack") ? " (nested too deep)" : ""}`;
}

const createTokenPattern = (): RegExp =>
  /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\x7f|[\x80-\x9f])*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\]:,]/uy;

/** Offset at which a text stops being JSON; its length if only the end is missing. */
function errorOffset(text: string): number {
  const token = createTokenPattern();
  const open: string[] = [];
  let expected = "value";
  let at = 0;
  for (;;) {
    while (/^[ \t\r\n]$/u.test(text.charAt(at))) at += 1;
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    if (found === undefined) return at;
    const next = expectedAfter(found, expected, open);
    if (next === null) return at;
    expected = next;
    at += found.length;
  }
}

/** What may follow `token`; null if `token` may not occur here. Updates `open`. */
function expectedAfter(token: string, expected: string, open: string[]): string | null {
  const isEnd = token === "}" || token === "]";
  if (isEnd) {
    const opener = token === "}" ? "{" : "[";
    const mayEnd = expected === "more" || expected === "first value" || expected === "first key";
    return mayEnd && open.pop() === opener ? "more" : null;
  }
  if (token === "{" || token === "[") {
    if (!expected.endsWith("value")) return null;
    open.push(token);
    return token === "{" ? "first key" : "first value";
  }
  if (token === ":") return expected === "colon" ? "value" : null;
  if (token === ",") return expected === "more" && open.length > 0 ? (open.at(-1) === "{" ? "key" : "value") : null;
  if (expected.endsWith("key")) return token.startsWith('"') ? "colon" : null;
  return expected.endsWith("value") ? "more" : null;
}

/** A copy with the entries that are wanted. */
export function filterEntries(object: Readonly<JsonObject>, isKept: (key: string, value: Json) => boolean): JsonObject {
  const kept = newObject();
  for (const [key, value] of Object.entries(object)) if (isKept(key, value)) kept[key] = value;
  return kept;
}

/** Merges objects; for anything else the higher value wins. */
export function mergeObjects(lower: JsonObject, higher: JsonObject): JsonObject {
  const merged = Object.assign(newObject(), lower);
  for (const [key, value] of Object.entries(higher)) {
    const below = merged[key];
    merged[key] = isObject(below) && isObject(value) ? mergeObjects(below, value) : value;
  }
  return merged;
}

/** Line of a key, from 1; undefined if there is no such key. `path` as in `permissions.deny[1]`; for an item, the line of its list. */
export function lineOfKey(lines: ReadonlyMap<string, number>, path: string): number | undefined {
  return lines.get(path.replace(/\[\d+\]$/u, ""));
}

/** The line of every key by its path, found in one pass, since a file can give reason to ask for thousands of them. */
export function linesOfKeys(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  let [line, from] = [1, 0];
  walkKeys(text, (key, at) => {
    for (let end = text.indexOf("\n", from); end >= 0 && end < at; end = text.indexOf("\n", from)) {
      line += 1;
      from = end + 1;
    }
    lines.set(key, line);
  });
  return lines;
}

interface Level {
  path: string;
  /** Null for an array. */
  keys: Set<string> | null;
  key: string;
}

function repeatedKeys(text: string): string[] {
  const repeated = new Set<string>();
  walkKeys(text, (path, _at, isRepeated) => {
    if (isRepeated) repeated.add(path);
  });
  return [...repeated];
}

/** Requires valid JSON, so that only strings and brackets need to be looked at. */
function walkKeys(text: string, onKey: (path: string, at: number, isRepeated: boolean) => void): void {
  const levels: Level[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gu;
  let pending = { text: "", at: 0 };
  for (const { 0: found, index: at } of text.matchAll(token)) {
    const level = levels.at(-1);
    if (found === "{" || found === "[") {
      const path = level === undefined ? "" : level.key;
      levels.push({ path, keys: found === "{" ? new Set() : null, key: path });
    } else if (found === "}" || found === "]") levels.pop();
    else if (found === ":" && level?.keys) {
      const name = String(JSON.parse(pending.text));
      level.key = level.path === "" ? name : `${level.path}.${name}`;
      onKey(level.key, pending.at, level.keys.has(name));
      level.keys.add(name);
    } else if (found !== ",") pending = { text: found, at };
  }
}
