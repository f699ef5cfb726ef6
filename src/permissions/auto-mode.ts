/**
 * The mode `auto`: what rules and modes leave open is put to a judge before a person. The judge blocks a call or lets it pass. A person is
 * asked if the judge cannot tell or takes too long, and about everything once it has blocked several calls in a row.
 */
import { errorText } from "../lib/error-text.ts";
import type { PermissionDecision, PermissionRequest } from "../protocol/permission.ts";
import { oneLine } from "../lib/sanitize.ts";
import { blockedText, unanswered } from "./denial-text.ts";
import type { Classified, PermissionOptions } from "./permission-options.ts";
import { judgedOf, type Ask, type Judgement } from "./judging/verdict.ts";

const limitMs = 30_000;
const mostBlocksInARow = 3;
const longestReason = 300;

export class AutoMode {
  readonly #options: Pick<PermissionOptions, "classify" | "onBlocked" | "clock">;
  #blocks = 0;

  constructor(options: Pick<PermissionOptions, "classify" | "onBlocked" | "clock">) {
    this.#options = options;
  }

  /** `askPerson` is called if the judge cannot tell. */
  async judge(
    request: PermissionRequest,
    verdict: Ask & Judgement,
    signal: AbortSignal,
    askPerson: (left: Ask & Judgement) => Promise<PermissionDecision>,
  ): Promise<PermissionDecision> {
    const said = await this.#said(request, verdict, signal);
    if (signal.aborted) return unanswered(request, "the run was cancelled");
    switch (said.verdict) {
      case "allow": {
        this.#blocks = 0;
        const reason = { type: "classifier", text: "the judge of auto mode lets it pass" } as const;
        return { behavior: "allow", reason, ...judgedOf(verdict) };
      }
      case "block":
        return await this.#blocked(request, oneLine(said.reason, longestReason), signal);
      case "unclear": {
        const decision = await askPerson({ ...verdict, why: `${verdict.why}; ${oneLine(said.why, longestReason)}` });
        // A person considers such calls fine, so the judge is asked again next time.
        if (decision.behavior === "allow") this.#blocks = 0;
        return decision;
      }
      default:
        return said satisfies never;
    }
  }

  async #blocked(request: PermissionRequest, text: string, signal: AbortSignal): Promise<PermissionDecision> {
    this.#blocks += 1;
    const mayRetry = (await this.#options.onBlocked?.(request, text, signal)) === true;
    return { behavior: "deny", message: blockedText(request, text, mayRetry), reason: { type: "classifier", text } };
  }

  async #said({ toolName, input, cwd }: PermissionRequest, { why }: Ask, signal: AbortSignal): Promise<Classified> {
    const { classify } = this.#options;
    if (classify === undefined) return { verdict: "unclear", why: "there is no judge here" };
    if (this.#blocks >= mostBlocksInARow)
      return { verdict: "unclear", why: `the judge of auto mode has blocked ${this.#blocks} calls in a row` };
    return await this.#inTime((ended) => classify({ toolName, input, cwd, why }, ended), signal);
  }

  async #inTime(ask: (ended: AbortSignal) => Promise<Classified>, signal: AbortSignal): Promise<Classified> {
    const own = new AbortController();
    const onAbort = (): void => own.abort(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const { promise: ended, resolve } = Promise.withResolvers<Classified>();
    const stop = this.#options.clock.timer(limitMs, () => own.abort("timeout"));
    own.signal.addEventListener("abort", () =>
      resolve({ verdict: "unclear", why: `the judge of auto mode did not answer within ${limitMs / 1_000} s` }),
    );
    if (signal.aborted) onAbort();
    const answer = ask(own.signal).catch((error: unknown): Classified => {
      return {
        verdict: "unclear",
        why: `the judge of auto mode failed (${errorText(error)})`,
      };
    });
    try {
      return await Promise.race([answer, ended]);
    } finally {
      stop();
      signal.removeEventListener("abort", onAbort);
    }
  }
}
