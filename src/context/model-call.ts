/**
 * One model call for a summary: admitted by the budget, and settled however it ends. Everything in the response except text and a signed
 * summary is ignored.
 */
import { rejectOnAbort } from "../lib/reject-on-abort.ts";
import type {
  Admission,
  AdmissionRequest,
  BudgetPort,
  Message,
  ModelFailure,
  ModelOutcome,
  ModelRequest,
} from "../protocol/index.ts";
import { settlementOf } from "../protocol/settlement.ts";
import type { World } from "./layer.ts";
import { boundedMediaBytes, mediaTokenBound } from "./media-tokens.ts";

type BudgetedModel = Pick<World, "model" | "budget">;

export interface SummaryAnswer {
  text: string;
  /** The number of blocks of any kind. */
  blocks: number;
  /** The API's own signed summary, byte for byte. */
  compaction?: Record<string, unknown>;
  outcome: ModelOutcome;
}

/** Asks the budget to admit a call. `messages`: what `request` was made of. `spare`: only if the money is needed for nothing else. */
export async function admitCall(
  { model, budget }: BudgetedModel,
  request: ModelRequest,
  messages: readonly Message[],
  estimatedInputTokens: number,
  signal: AbortSignal,
  spare?: true,
): Promise<Admission> {
  const admissionRequest: AdmissionRequest = {
    model: request.model,
    requestBytes: model.measure(request).bytes,
    estimatedInputTokens,
    maxTokens: request.maxTokens,
    ...(request.speed === undefined ? {} : { speed: request.speed }),
    mediaTokens: (isCounted) =>
      mediaTokenBound(messages, { window: model.info(request.model).contextWindow, isCounted }),
    mediaBytes: () => boundedMediaBytes(request.messages, model.info(request.model)),
    countTokens: async () => model.countTokens?.(request, signal),
    ...(spare === undefined ? { patient: true } : { spare }),
  };
  for (;;) {
    const admission = await budget.admit(admissionRequest);
    if (signal.aborted) return releaseAdmission(budget, admission);
    if (admission.admitted || admission.freed === undefined) return admission;
    await rejectOnAbort(admission.freed, signal).catch(() => undefined);
  }
}

/** A longer wait is not worth it. */
const longestPauseMs = 30_000;

/** Returns how long to wait before retrying, ms; undefined if it should not be retried. `retries`: the number of earlier retries. */
export function retryWaitMs(failure: ModelFailure, retries: number, mostRetries: number): number | undefined {
  if (failure.recovery !== "retry" || retries >= mostRetries) return undefined;
  const waitMs = failure.retryAfterMs ?? 1_000 * 4 ** retries;
  return waitMs > longestPauseMs ? undefined : waitMs;
}

/** Gives the reservation back, because the call is not made. */
function releaseAdmission(budget: BudgetPort, admission: Admission): Admission {
  if (!admission.admitted) return admission;
  budget.settle(admission.ticket, { notBilled: true });
  return { admitted: false, message: "It was interrupted before it was asked." };
}

export async function callModel(
  world: BudgetedModel,
  request: ModelRequest,
  ticket: string,
  signal: AbortSignal,
): Promise<SummaryAnswer> {
  let isSettled = false;
  try {
    const texts: string[] = [];
    let blocks = 0;
    let compaction: Record<string, unknown> | undefined;
    const stream = world.model.stream(request, signal);
    let step = await stream.next();
    for (; step.done !== true; step = await stream.next()) {
      if (step.value.type === "start") world.budget.begun?.(ticket, step.value.usage);
      if (step.value.type !== "block") continue;
      const { block } = step.value;
      blocks++;
      if (block.type === "text") texts.push(block.text);
      else if (block.type === "opaque" && block.wire["type"] === "compaction") compaction = block.wire;
    }
    const outcome = step.value;
    isSettled = true;
    world.budget.settle(ticket, settlementOf(outcome));
    return { text: texts.join("\n"), blocks, outcome, ...(compaction === undefined ? {} : { compaction }) };
  } finally {
    if (!isSettled) world.budget.settle(ticket, { unknown: true });
  }
}
