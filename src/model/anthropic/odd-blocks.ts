/**
 * What servers that speak this API tell of a block otherwise than it does, and what is taken to be meant. LiteLLM is the one that tells pieces
 * of a thought twice. What is told as the API tells it passes unchanged.
 *
 * | They tell                                                              | It is                                                |
 * | ---------------------------------------------------------------------- | ---------------------------------------------------- |
 * | a thought's first piece, or its signature, at its start and as a delta | told once: `untold`, `untoldSignature`               |
 * | words of an answer in a block of thoughts, or the other way round      | a block of its own: `isMisplaced`                    |
 * | words in the block of a call                                           | a text behind the call: `wordsBeside`                |
 * | a whole input: at the start, as a delta, as JSON in a string           | the input: `readInput`, `pieceOfJson`, `givenAsText` |
 * | a call without an id                                                   | given one: `callIdOf`                                |
 * | words that no block was begun for                                      | a block that begins there: `Assembler`               |
 * | no end of a block before the next one in its place                     | the end of the first: `Assembler`                    |
 * | an input under an index that no block has                              | that of the open call without one: `Assembler`       |
 */
import { deepestValue, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { strictCallId } from "../../lib/call-id.ts";

type Fields = Record<string, unknown>;

/** What of a thought's piece was not told at its start. White space alone may well come twice. So may a word of an answer: `2`, `2` is 22. */
export function untold(block: { foretold: string }, piece: unknown): string {
  const isTold = block.foretold.trim() !== "" && piece === block.foretold;
  block.foretold = "";
  return isTold ? "" : stringOf(piece);
}

export function untoldSignature({ wire }: { wire: Fields }, signature: unknown): string {
  return signature === wire["signature"] ? "" : stringOf(signature);
}

/** The block that is open would lose them. A piece without a word has none. */
export function isMisplaced({ wire }: { wire: Fields }, { type, text, thinking }: Fields): boolean {
  if (wire["type"] === "thinking") return type === "text_delta" && stringOf(text) !== "";
  return wire["type"] === "text" && type === "thinking_delta" && stringOf(thinking) !== "";
}

/** Nothing of the call, and not to be lost; empty where there are none. */
export function wordsBeside({ wire, text }: { wire: Fields; text: string }): string {
  return wire["type"] === "tool_use" && text.trim() !== "" ? text : "";
}

/** The JSON of a call's input as its pieces tell it, or where there are none the text at its start. */
export function givenAsText(json: string, started: unknown): string {
  return json.trim() === "" ? stringOf(started) : json;
}

export function pieceOfJson(value: unknown): string {
  return isRecord(value) ? JSON.stringify(value) : stringOf(value);
}

/** The result needs one to refer to. */
export function callIdOf(id: unknown, fallbackId: string): string {
  return typeof id === "string" && id !== "" ? id : strictCallId(`toolu_${fallbackId}`);
}

export interface Input {
  value: Fields;
  /** `empty`: not a byte of it came, so that it is complete or cut. `invalid`: it is not a JSON object, or not one that can be kept. */
  doubt?: "empty" | "invalid";
}

/** `started`: what stood at the block's start, where servers put it that do not stream input. */
export function readInput(json: string, started: unknown): Input {
  const given = isRecord(started) && isKept(started) ? started : {};
  const isGiven = Object.keys(given).length > 0;
  if (json.trim() === "") return isGiven ? { value: given } : { value: {}, doubt: "empty" };
  try {
    const read: unknown = JSON.parse(json);
    const value: unknown = typeof read === "string" ? JSON.parse(read) : read;
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    if (isRecord(value) && isKept(value)) return { value: isEmpty && isGiven ? given : value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { value: {}, doubt: "invalid" };
}

/** What runs is what is recorded and sent back. JSON has no infinity: it writes null for 1e400, which no double holds. */
function isKept(value: Fields): boolean {
  return !isDeeperThan(value, deepestValue) && isFiniteThroughout(value);
}

function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isFiniteThroughout);
}

export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
