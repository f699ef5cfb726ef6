// A world in which every reply, hook, layer and budget demands another round whenever it can.
import fc from "fast-check";
import { continueCap, defaultLimits, type LoopLimits } from "../../../src/loop/ports.ts";
import type { ContextInput, ShrinkResult } from "../../../src/protocol/context.ts";
import { transitions, type HarnessOptions, type Ran } from "../../loop/support/harness.ts";
import {
  cut,
  fail,
  reply,
  say,
  textBlock,
  thinkingBlock,
  toolUse,
  usageOf,
  type Reply,
} from "../../loop/support/script.ts";

const moves = {
  "calls a tool": () => reply([toolUse("Read")]),
  "calls three": () => reply([toolUse("Read"), toolUse("Fail"), toolUse("Write")]),
  "calls what is not there": () => reply([toolUse("Nope")]),
  truncates: () => say("more", { stopReason: "max_tokens", usage: usageOf(600) }),
  "truncates a call": () => reply([textBlock("I will")], { stopReason: "max_tokens", partialToolUse: true }),
  "truncates a thought": () => reply([thinkingBlock("hm", null)], { stopReason: "max_tokens" }),
  pauses: () => say("wait", { stopReason: "pause_turn" }),
  "fills the window": () => say("full", { stopReason: "model_context_window_exceeded" }),
  "is too long": () => fail("prompt_too_long"),
  "has too large a picture": () => fail("media"),
  stops: () => say("done", { usage: usageOf(10) }),
  "stops after much": () => say("done", { usage: usageOf(700) }),
  "says nothing": () => reply([]),
  "is overloaded": () => fail("overloaded"),
  "breaks down": () => fail("server_error"),
  "breaks off in text": () => cut([textBlock("ha")]),
  "breaks off after a call": () => cut([toolUse("Read")]),
  "is not there": () => fail("model_not_found"),
  "rejects its thoughts": () => fail("thinking_rejected"),
} satisfies Record<string, () => Reply>;

export type Move = keyof typeof moves;

export const everyMove = Object.keys(moves) as Move[];

export interface Adversary {
  /** The model makes these moves in turn, again and again. */
  moves: Move[];
  hooksBlock: boolean;
  layersShrink: boolean;
  tokenBudget: number | null;
  maxTurns: number;
  stopHookBlocks: number;
  fallbacks: number;
  maxRetries: number;
}

function shrunk(input: ContextInput): ShrinkResult {
  return { kind: "shrunk", messages: input.messages, records: [], beforeTokens: 2, afterTokens: 1, committed: 1 };
}

export function adversaryOptions(adversary: Adversary): HarnessOptions {
  return {
    model: (_request, at) => moves[adversary.moves[at % adversary.moves.length]!](),
    hooks: adversary.hooksBlock
      ? { Stop: () => ({ blocking: ["go on"] }), PostToolUse: () => ({ blocking: ["again"] }) }
      : {},
    context: adversary.layersShrink ? { drain: shrunk, compact: shrunk, canDrain: () => true } : {},
    maxRetries: adversary.maxRetries,
    limits: limitsOf(adversary),
    config: { fallbackModels: Array.from({ length: adversary.fallbacks }, (_, at) => `fallback-${at}`) },
  };
}

function limitsOf({ maxTurns, stopHookBlocks, tokenBudget }: Adversary): Partial<LoopLimits> {
  return { maxTurns, stopHookBlocks, ...(tokenBudget === null ? {} : { tokenBudget }) };
}

/** Computes from the limits how often the loop may continue, and how many model calls it may make. */
function boundsOf(adversary: Adversary): { continues: number; requests: number } {
  const limits = { ...defaultLimits, ...limitsOf(adversary) };
  // A nudge after which the model writes 500 tokens or more resets the count of recoveries.
  const fresh = adversary.maxTurns + (adversary.tokenBudget ?? 0) / 500;
  const continues = Math.ceil(fresh * (continueCap(limits) + 1));
  // A pause and a switch of model reset the count of attempts; thinking is repaired once.
  const callsARound = (limits.pausedTurns + adversary.fallbacks + 1) * (adversary.maxRetries + 1) + 1;
  return { continues, requests: (continues + 1) * callsARound };
}

/** Describes every bound that the run exceeded. */
export function excesses(adversary: Adversary, ran: Ran): string[] {
  const bounds = boundsOf(adversary);
  const made = transitions(ran.events);
  const turns = made.filter((transition) => transition.reason === "next_turn").length;
  const faults: string[] = [];
  if (ran.terminal === null) faults.push("no terminal");
  if (turns > adversary.maxTurns - 1) faults.push(`${turns} turns after the first`);
  if (made.length > bounds.continues) faults.push(`${made.length} continues, ${bounds.continues} allowed`);
  if (ran.model.requested > bounds.requests) faults.push(`${ran.model.requested} calls, ${bounds.requests} allowed`);
  const compactions = made.filter((transition) => transition.reason === "reactive_compact_retry").length;
  if (compactions > turns + 1) faults.push(`${compactions} reactive compactions in ${turns + 1} turns`);
  let inARow = 0;
  for (const { reason } of made) {
    inARow = reason === "next_turn" ? 0 : inARow + 1;
    if (adversary.tokenBudget === null && inARow > continueCap({ ...defaultLimits, ...limitsOf(adversary) }))
      faults.push(`${inARow} recoveries without a turn`);
  }
  return faults;
}

/** Random mixtures of moves, under limits of every size. */
export const adversaries: fc.Arbitrary<Adversary> = fc.record({
  moves: fc.array(fc.constantFrom(...everyMove), { minLength: 1, maxLength: 7, size: "+1" }),
  hooksBlock: fc.boolean(),
  layersShrink: fc.boolean(),
  tokenBudget: fc.constantFrom(null, 3_000),
  maxTurns: fc.constantFrom(1, 2, 4),
  stopHookBlocks: fc.constantFrom(0, 1, 8, 20),
  fallbacks: fc.nat(2),
  maxRetries: fc.nat(2),
});
