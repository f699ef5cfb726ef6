/** The endpoint's own token count of a request. */
import { errorText } from "../../lib/error-text.ts";
import { saysNoModel } from "../bad-request.ts";
import { plainText, readErrorBody } from "../error-body.ts";
import type { Adapter } from "./adapter.ts";
import { AnswerBody } from "./answer-body.ts";
import { Cut } from "./cut.ts";
import { isRecord } from "../../lib/is-record.ts";

const limitMs = 10_000;
const maxAnswerBytes = 1024 * 1024;

export interface TokenCount {
  /** HTTP status; 0 if there was no answer. */
  status: number;
  /** Undefined if the endpoint returned no count: the caller goes on with its estimate. */
  tokens?: number;
  /** Why there is no count, for a debug file. */
  problem?: string;
  /** What the endpoint need not be asked again: any count, or a count for this model. */
  cannot?: "count" | "model";
}

/** Statuses of servers that have no `count_tokens`. */
const noSuchPath = new Set([404, 405, 501]);

/** Must not throw. Ends with the signal, or after ten silent seconds. */
export async function countTokens(
  adapter: Adapter,
  body: () => readonly Uint8Array[],
  betas: readonly string[],
  signal: AbortSignal,
): Promise<TokenCount> {
  const cut = new Cut(signal, adapter.timers, limitMs);
  let status = 0;
  try {
    cut.check();
    cut.expectByte(limitMs);
    const response = await cut.wait(adapter.send("/v1/messages/count_tokens", body(), betas, cut.connection));
    status = response.status;
    const text = await new AnswerBody(response.body, cut, limitMs).text(maxAnswerBytes);
    if (noSuchPath.has(status)) return { status, problem: plainText(text), cannot: whatIsMissing(status, text) };
    const answer: unknown = JSON.parse(text);
    const tokens = isRecord(answer) ? answer["input_tokens"] : undefined;
    if (status === 200 && typeof tokens === "number" && tokens >= 0) return { status, tokens };
    return { status, problem: "the answer holds no count" };
  } catch (error) {
    return { status, problem: errorText(error), ...(noSuchPath.has(status) ? { cannot: "count" } : {}) };
  } finally {
    cut.close();
  }
}

function whatIsMissing(status: number, text: string): "count" | "model" {
  return status === 404 && saysNoModel(readErrorBody(text)) ? "model" : "count";
}
