// One fact of each kind, as a stage would report it, and short names for the verdicts of `decide`.
import { decide, type Verdict } from "../../../src/loop/decide.ts";
import type { Fact, FactOf } from "../../../src/loop/fact.ts";
import { defaultLimits, type LoopLimits } from "../../../src/loop/ports.ts";
import { createState, type State } from "../../../src/loop/state.ts";
import type { ModelFailure } from "../../../src/protocol/model.ts";
import type { Failure } from "../../../src/protocol/stop.ts";
import { userMessage } from "./harness.ts";

export const prompt = userMessage("Do it.", "prompt");
export const more = userMessage("More.", "more");
const failure: Failure = { kind: "server_error", message: "It broke.", status: 500, requestId: "req_1" };

export function stateWith(change: Partial<State> = {}): State {
  return { ...createState({ messages: [prompt], model: "model-a" }), ...change };
}

export function limitsWith(change: Partial<LoopLimits> = {}): LoopLimits {
  return { ...defaultLimits, ...change };
}

const cutOff: ModelFailure = { ...failure, recovery: "retry" };
const used = { model: "model-b", fallbacksUsed: 1, outputTokens: 30 };
const overflow = { failure: { kind: "prompt_too_long", message: "Too long." } as Failure, media: false };

export const facts: { [Kind in Fact["kind"]]: FactOf<Kind> } = {
  opened: { kind: "opened" },
  prepared: {
    kind: "prepared",
    messages: [prompt, more],
    request: {
      model: "model-a",
      system: [],
      tools: [],
      messages: [],
      cacheBreakpoints: [],
      maxTokens: 1,
      thinking: { type: "auto" },
      querySource: "main",
      sessionId: "s",
      key: "t1.model",
    },
    estimatedTokens: 5,
    tracking: { lastCompactedTurn: 3, consecutiveFailures: 1 },
  },
  window_full: {
    kind: "window_full",
    estimatedTokens: 9,
    limitTokens: 8,
  },
  admission_refused: { kind: "admission_refused", messages: [prompt, more] },
  answered: { kind: "answered", messages: [prompt, more], calls: 0, empty: false, stopReason: "end_turn", ...used },
  truncated: {
    kind: "truncated",
    messages: [prompt, more],
    targets: ["more"],
    maxTokens: 8_000,
    modelMaxTokens: 64_000,
    cap: "default",
    failure: { kind: "max_output_tokens", message: "Too much." },
    ...used,
  },
  overflowed: { kind: "overflowed", messages: [prompt, more], ...overflow, ...used },
  stream_cut: {
    kind: "stream_cut",
    messages: [prompt, more],
    calls: 1,
    isTakenOver: false,
    failure: cutOff,
    overloads: 0,
    ...used,
  },
  failed: { kind: "failed", messages: [prompt, more], failure },
  aborted: { kind: "aborted", messages: [prompt, more], where: "streaming", cause: "user" },
  drained: { kind: "drained", messages: [more], committed: 2, tracking: { consecutiveFailures: 0 }, ...overflow },
  compacted: {
    kind: "compacted",
    messages: [more],
    tracking: { lastCompactedTurn: 1, consecutiveFailures: 0 },
    ...overflow,
  },
  unrecovered: { kind: "unrecovered", messages: [prompt], ...overflow },
  batch_settled: {
    kind: "batch_settled",
    messages: [prompt, more],
    hookStopped: null,
    endsTurn: false,
    summaryKey: null,
  },
  turn_end: { kind: "turn_end", messages: [prompt, more], blocking: [], prevented: null, warnings: [], empty: false },
};

export function verdictOf<Kind extends Fact["kind"]>(
  kind: Kind,
  change: Partial<FactOf<Kind>> = {},
  state: Partial<State> = {},
  limits: Partial<LoopLimits> = {},
): Verdict {
  return decide(stateWith(state), { ...facts[kind], ...change } as Fact, limitsWith(limits));
}

export function says(verdict: Verdict): string {
  if (verdict.go === "on") return "on";
  return verdict.go === "again" ? `again ${verdict.transition.reason}` : `stop ${verdict.terminal.reason}`;
}

export function emitted(verdict: Verdict): string[] {
  return verdict.emit.map((draft) => {
    if (draft.type === "attachment") return draft.attachment.kind;
    if (draft.type === "notice") return draft.name;
    if (draft.type === "transition") return `transition:${draft.transition.reason}`;
    if (draft.type === "user") return `user:${draft.origin}`;
    if (draft.type === "assistant") return `error:${draft.apiError?.kind}`;
    return `tombstone:${draft.targets.join(",")}`;
  });
}
