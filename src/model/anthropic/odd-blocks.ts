/**
 * How compatible servers deviate from this API in reporting blocks, and how each deviation is read. LiteLLM is the server that
 * sends parts of a thinking block twice. Whatever follows the API passes unchanged.
 *
 * | Servers send                                                           | Read as                                              |
 * | ---------------------------------------------------------------------- | ---------------------------------------------------- |
 * | thinking text, or its signature, both at the start and as a delta      | sent once: `newThinkingText`, `newSignature`         |
 * | answer text in a thinking block, or thinking in a text block           | a block of its own: `isMisplaced`                    |
 * | text in a tool call's block                                            | a text block after the call: `textInCallBlock`        |
 * | a whole input: at the start, as a delta, as JSON in a string           | the input: `readInput`, `inputJsonPiece`, `inputJson` |
 * | a tool call without an id                                              | given an id: `callIdOf`                              |
 * | text for which no block was announced                                  | a block that begins there: `Assembler`               |
 * | a block's start before the end of the block at the same index          | the end of the earlier block: `Assembler`            |
 * | an input under an index that no block has                              | the input of the open call without one: `Assembler`  |
 */
import { maxValueDepth, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { strictCallId } from "../../lib/call-id.ts";
import { stringOrEmpty } from "../../lib/string-or-empty.ts";

type Fields = Record<string, unknown>;

/** The part of a thinking delta that did not come at the start. White space may well come twice; so may answer text (`2`, `2` is 22). */
export function newThinkingText(block: { initialThinking: string }, piece: unknown): string {
  const isRepeated = block.initialThinking.trim() !== "" && piece === block.initialThinking;
  block.initialThinking = "";
  return isRepeated ? "" : stringOrEmpty(piece);
}

export function newSignature({ wire }: { wire: Fields }, signature: unknown): string {
  return signature === wire["signature"] ? "" : stringOrEmpty(signature);
}

/** The open block cannot hold this text, so it would be lost. A delta with empty text is never misplaced. */
export function isMisplaced({ wire }: { wire: Fields }, { type, text, thinking }: Fields): boolean {
  if (wire["type"] === "thinking") return type === "text_delta" && stringOrEmpty(text) !== "";
  return wire["type"] === "text" && type === "thinking_delta" && stringOrEmpty(thinking) !== "";
}

/** Text that came in a tool call's block: it is no part of the call, but must not be lost. Empty if there is none. */
export function textInCallBlock({ wire, text }: { wire: Fields; text: string }): string {
  return wire["type"] === "tool_use" && text.trim() !== "" ? text : "";
}

/** The JSON of a tool call's input: the deltas' text, or if there is none, the text at the block's start. */
export function inputJson(json: string, startInput: unknown): string {
  return json.trim() === "" ? stringOrEmpty(startInput) : json;
}

export function inputJsonPiece(value: unknown): string {
  return isRecord(value) ? JSON.stringify(value) : stringOrEmpty(value);
}

/** Makes up an id if the server sent none, because the tool result has to refer to one. */
export function callIdOf(id: unknown, fallbackId: string): string {
  return typeof id === "string" && id !== "" ? id : strictCallId(`toolu_${fallbackId}`);
}

export interface ParsedInput {
  value: Fields;
  /** `empty`: no byte of input came, so it is either complete or cut. `invalid`: it is no JSON object, or one that cannot be recorded. */
  doubt?: "empty" | "invalid";
}

/** @param startInput the input at the block's start, where servers that do not stream input put it. */
export function readInput(json: string, startInput: unknown): ParsedInput {
  const initial = isRecord(startInput) && isRecordable(startInput) ? startInput : {};
  const isGiven = Object.keys(initial).length > 0;
  if (json.trim() === "") return isGiven ? { value: initial } : { value: {}, doubt: "empty" };
  try {
    const read: unknown = JSON.parse(json);
    const value: unknown = typeof read === "string" ? JSON.parse(read) : read;
    const isEmpty = isRecord(value) && Object.keys(value).length === 0;
    if (isRecord(value) && isRecordable(value)) return { value: isEmpty && isGiven ? initial : value };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { value: {}, doubt: "invalid" };
}

/** What runs must equal what is recorded and sent back. JSON has no infinity: 1e400, too large for a double, would be written as null. */
function isRecordable(value: Fields): boolean {
  return !isDeeperThan(value, maxValueDepth) && isFiniteThroughout(value);
}

function isFiniteThroughout(value: unknown): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  return typeof value !== "object" || value === null || Object.values(value).every(isFiniteThroughout);
}
