/**
 * The mode `auto`: what rules and modes leave open is put to a judge before a person. The judge blocks a call or lets it pass. A person is
 * asked if the judge cannot tell or takes too long, and about everything once it has blocked several calls in a row.
 */
import { errorText } from "../lib/error-text.ts";
import { onAbort } from "../lib/on-abort.ts";
import type { PermissionDecision, PermissionRequest } from "../protocol/permission.ts";
import { oneLine } from "../lib/sanitize.ts";
import { judgeBlockText, denyUnanswered } from "./denial-text.ts";
import type { Classification, PermissionOptions } from "./permission-options.ts";
import { pickJudgedPaths, type Ask, type Judgement } from "./judging/verdict.ts";

const judgeTimeoutMs = 30_000;
const maxConsecutiveBlocks = 3;
const maxReasonLength = 300;

export class AutoMode {
  readonly #options: Pick<PermissionOptions, "classify" | "onBlocked" | "clock">;
  #consecutiveBlocks = 0;

  constructor(options: Pick<PermissionOptions, "classify" | "onBlocked" | "clock">) {
    this.#options = options;
  }

  /** `askPerson` is called if the judge cannot tell. */
  async judge(
    request: PermissionRequest,
    verdict: Ask & Judgement,
    signal: AbortSignal,
    askPerson: (question: Ask & Judgement) => Promise<PermissionDecision>,
  ): Promise<PermissionDecision> {
    const classification = await this.#classify(request, verdict, signal);
    if (signal.aborted) return denyUnanswered(request, "the run was cancelled");
    switch (classification.verdict) {
      case "allow": {
        this.#consecutiveBlocks = 0;
        const reason = { type: "classifier", text: "the judge of auto mode lets it pass" } as const;
        return { behavior: "allow", reason, ...pickJudgedPaths(verdict) };
      }
      case "block":
        return await this.#denyBlocked(request, oneLine(classification.reason, maxReasonLength), signal);
      case "unclear": {
        const decision = await askPerson({
          ...verdict,
          why: `${verdict.why}; ${oneLine(classification.why, maxReasonLength)}`,
        });
        // A person considers such calls fine, so the judge is asked again next time.
        if (decision.behavior === "allow") this.#consecutiveBlocks = 0;
        return decision;
      }
      default:
        return classification satisfies never;
    }
  }

  async #denyBlocked(request: PermissionRequest, text: string, signal: AbortSignal): Promise<PermissionDecision> {
    this.#consecutiveBlocks += 1;
    const mayRetry = (await this.#options.onBlocked?.(request, text, signal)) === true;
    return { behavior: "deny", message: judgeBlockText(request, text, mayRetry), reason: { type: "classifier", text } };
  }

  async #classify(
    { toolName, input, cwd }: PermissionRequest,
    { why }: Ask,
    signal: AbortSignal,
  ): Promise<Classification> {
    const { classify } = this.#options;
    if (classify === undefined) return { verdict: "unclear", why: "there is no judge here" };
    if (this.#consecutiveBlocks >= maxConsecutiveBlocks)
      return {
        verdict: "unclear",
        why: `the judge of auto mode has blocked ${this.#consecutiveBlocks} calls in a row`,
      };
    return await this.#withTimeout((endSignal) => classify({ toolName, input, cwd, why }, endSignal), signal);
  }

  async #withTimeout(
    ask: (endSignal: AbortSignal) => Promise<Classification>,
    signal: AbortSignal,
  ): Promise<Classification> {
    const own = new AbortController();
    const { promise: ended, resolve } = Promise.withResolvers<Classification>();
    const stop = this.#options.clock.timer(judgeTimeoutMs, () => own.abort("timeout"));
    own.signal.addEventListener("abort", () =>
      resolve({ verdict: "unclear", why: `the judge of auto mode did not answer within ${judgeTimeoutMs / 1_000} s` }),
    );
    const stopListening = onAbort(signal, () => own.abort(signal.reason));
    const answer = ask(own.signal).catch((error: unknown): Classification => {
      return {
        verdict: "unclear",
        why: `the judge of auto mode failed (${errorText(error)})`,
      };
    });
    try {
      return await Promise.race([answer, ended]);
    } finally {
      stop();
      stopListening();
    }
  }
}
