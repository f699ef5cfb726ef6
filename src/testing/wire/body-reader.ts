/**
 * Reads request bodies at a cost proportional to what is new in them. An agent sends its whole history every time. Parts with the
 * same bytes as in the request before are shared instead of parsed again, so that everything derived from them can be kept too.
 */
import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { isObject } from "./types.ts";

interface History {
  bytes: Buffer;
  starts: number[];
  ends: number[];
  values: unknown[];
}

const maxConversations = 512;
const maxValues = 256;
/** Parsing a shorter value costs less than looking it up. */
const minSharedLength = 128;

export class BodyReader {
  readonly #histories = new Map<string, History>();
  readonly #values = new Map<string, unknown>();

  /** Throws a `SyntaxError` if the bytes are not JSON. The result shares objects with earlier results. */
  read(body: Uint8Array | string): unknown {
    const bytes = typeof body === "string" ? Buffer.from(body) : Buffer.from(body);
    if (!isUtf8(bytes)) throw new SyntaxError("it is not UTF-8");
    return this.#readObject(bytes) ?? parse(bytes, 0, bytes.length);
  }

  /** Undefined if the body is not a plain object with plain members, which is all this method handles. */
  #readObject(bytes: Buffer): Record<string, unknown> | undefined {
    const result: Record<string, unknown> = {};
    let at = skipSpace(bytes, 0);
    if (bytes[at] !== openBrace) return undefined;
    at = skipSpace(bytes, at + 1);
    while (bytes[at] === quote) {
      const keyEnd = endOfValue(bytes, at);
      const key = parse(bytes, at, keyEnd);
      at = skipSpace(bytes, keyEnd);
      if (bytes[at] !== colon || typeof key !== "string" || key === "__proto__") return undefined;
      at = skipSpace(bytes, at + 1);
      if (key === "messages" && bytes[at] === openBracket) {
        const history = this.#readMessages(bytes, at);
        if (history === undefined) return undefined;
        result[key] = history.values;
        at = history.end;
      } else {
        const end = endOfValue(bytes, at);
        result[key] = this.#share(bytes, at, end);
        at = end;
      }
      at = skipSpace(bytes, at);
      if (bytes[at] === closeBrace) return skipSpace(bytes, at + 1) === bytes.length ? result : undefined;
      if (bytes[at] !== comma) return undefined;
      at = skipSpace(bytes, at + 1);
    }
    return undefined;
  }

  #readMessages(bytes: Buffer, open: number): { values: unknown[]; end: number } | undefined {
    const found: History = { bytes, starts: [], ends: [], values: [] };
    let before: History | undefined;
    let key = "";
    let at = skipSpace(bytes, open + 1);
    if (bytes[at] === closeBracket) return { values: [], end: at + 1 };
    for (;;) {
      const index = found.values.length;
      const end = before === undefined ? 0 : endOfSameElement(before, index, bytes, at);
      if (end > 0) addElement(found, at, end, before?.values[index]);
      else {
        const scanned = endOfValue(bytes, at);
        if (scanned < 0) return undefined;
        if (index === 0) {
          key = hash("sha1", bytes.subarray(at, scanned), "hex");
          before = this.#histories.get(key);
        }
        addElement(
          found,
          at,
          scanned,
          before !== undefined && index === 0 ? before.values[0] : parse(bytes, at, scanned),
        );
      }
      at = skipSpace(bytes, found.ends[index] as number);
      if (bytes[at] === closeBracket) break;
      if (bytes[at] !== comma) return undefined;
      at = skipSpace(bytes, at + 1);
    }
    keepRecent(this.#histories, key, found, maxConversations);
    return { values: found.values, end: at + 1 };
  }

  #share(bytes: Buffer, start: number, end: number): unknown {
    if (end - start < minSharedLength) return parse(bytes, start, end);
    const key = hash("sha1", bytes.subarray(start, end), "hex");
    const known = this.#values.get(key);
    const value = known ?? parse(bytes, start, end);
    if (isObject(value) || Array.isArray(value)) keepRecent(this.#values, key, value, maxValues);
    return value;
  }
}

function addElement(history: History, start: number, end: number, value: unknown): void {
  history.starts.push(start);
  history.ends.push(end);
  history.values.push(value);
}

/** Keeps the most recently used entries. */
function keepRecent<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= limit) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    break;
  }
}

/** The element's end if its bytes are the same as before, else 0. */
function endOfSameElement(before: History, index: number, bytes: Buffer, at: number): number {
  const start = before.starts[index];
  const end = before.ends[index];
  if (start === undefined || end === undefined) return 0;
  const newEnd = at + end - start;
  // A longer number or word may start with the same bytes: an element has only ended if a separator follows.
  const next = bytes[skipSpace(bytes, newEnd)];
  if (newEnd > bytes.length || (next !== comma && next !== closeBracket)) return 0;
  return before.bytes.compare(bytes, at, newEnd, start, end) === 0 ? newEnd : 0;
}

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;
const colon = 0x3a;

function parse(bytes: Buffer, start: number, end: number): unknown {
  const text = bytes.toString("utf8", start, Math.max(start, end));
  return /\\u[dD]/.test(text) ? JSON.parse(text, rejectLoneSurrogates) : JSON.parse(text);
}

/** Half a surrogate pair is not a character: the API does not accept such a body. */
function rejectLoneSurrogates(key: string, value: unknown): unknown {
  if (!key.isWellFormed() || (typeof value === "string" && !value.isWellFormed())) {
    throw new SyntaxError("no low surrogate in string");
  }
  return value;
}

function skipSpace(bytes: Buffer, at: number): number {
  let next = at;
  while (bytes[next] === 0x20 || bytes[next] === 0x0a || bytes[next] === 0x0d || bytes[next] === 0x09) next++;
  return next;
}

/** Finds the end of a value without validating it, which `JSON.parse` does. Below 0 if the value does not end. */
function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === quote) return endOfString(bytes, at);
  if (first !== openBrace && first !== openBracket) return endOfWord(bytes, at);
  let depth = 0;
  for (let next = at; next < bytes.length; next++) {
    const byte = bytes[next];
    if (byte === quote) {
      const end = endOfString(bytes, next);
      if (end < 0) return -1;
      next = end - 1;
    } else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) {
      depth--;
      if (depth === 0) return next + 1;
    }
  }
  return -1;
}

function endOfString(bytes: Buffer, at: number): number {
  let end = bytes.indexOf(quote, at + 1);
  while (end >= 0) {
    let slashes = 0;
    while (bytes[end - 1 - slashes] === backslash) slashes++;
    if (slashes % 2 === 0) return end + 1;
    end = bytes.indexOf(quote, end + 1);
  }
  return -1;
}

function endOfWord(bytes: Buffer, at: number): number {
  let next = at;
  while (next < bytes.length && !/[\s,\]}]/.test(String.fromCharCode(bytes[next] as number))) next++;
  return next;
}
