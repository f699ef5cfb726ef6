// A scenario is plain data: what the model says, what hooks and people answer, what the layers can do. fast-check makes
// them and shrinks them; `optionsOf` turns one into fakes.
import fc from "fast-check";
import type { CompactBoundaryMessage, ContentBlock } from "../../../src/protocol/message.ts";
import type { ContextInput, ShrinkResult } from "../../../src/protocol/context.ts";
import type { HookAnswer } from "../../../src/protocol/hook.ts";
import type { PermissionDecision } from "../../../src/protocol/permission.ts";
import type { FailureKind } from "../../../src/protocol/stop.ts";
import { userMessage, type HarnessOptions } from "../../loop/support/harness.ts";
import { admitAll, allow, deny } from "../../loop/support/ports.ts";
import {
  block,
  cut,
  fail,
  reply,
  say,
  textBlock,
  thinkingBlock,
  usageOf,
  type Reply,
  type Step,
} from "../../loop/support/script.ts";
import { never } from "../../loop/support/virtual-clock.ts";

const toolNames = [
  "Read",
  "Write",
  "Slow",
  "SlowWrite",
  "Fail",
  "Throw",
  "FailShell",
  "Block",
  "Progress",
  "Hang",
  "Big",
  "Nope",
  "Strict",
  "Check",
] as const;

type Part =
  | { part: "text" }
  | { part: "thinking"; isSigned: boolean }
  | { part: "call"; tool: (typeof toolNames)[number]; isInvalid: boolean; sameId: boolean }
  | { part: "pause"; ms: number }
  | { part: "server" };

const ends = ["end_turn", "max_tokens", "pause_turn", "refusal", "model_context_window_exceeded"] as const;
const failures: readonly FailureKind[] = [
  "server_error",
  "overloaded",
  "rate_limit",
  "truncated_stream",
  "prompt_too_long",
  "media",
  "thinking_rejected",
  "model_not_found",
  "authentication_failed",
];

export type ReplySpec =
  | { kind: "answer"; parts: Part[]; end: (typeof ends)[number]; isPartial: boolean; tokens: number }
  | { kind: "fails"; failure: FailureKind }
  | { kind: "cut"; parts: Part[]; failure: FailureKind };

const hookAnswers = ["pass", "block", "prevent", "context", "throw", "hang"] as const;
type HookChoice = (typeof hookAnswers)[number];
const callHookAnswers = [...hookAnswers, "deny", "defer", "ask", "allow", "update"] as const;
type CallHookChoice = (typeof callHookAnswers)[number];
const permissionAnswers = ["allow", "deny", "interrupt", "update", "late"] as const;
const shrinks = ["progress", "stuck", "none"] as const;

export interface Scenario {
  /** `times`: the model says the same thing so often. */
  replies: (ReplySpec & { times: number })[];
  stop: HookChoice[];
  /** After its list the stop hook blocks for ever. */
  blocksForEver: boolean;
  before: CallHookChoice[];
  after: HookChoice[];
  permission: (typeof permissionAnswers)[number][];
  drain: (typeof shrinks)[number];
  compact: (typeof shrinks)[number];
  fit: "ready" | "full" | "compacts";
  queued: number;
  isAsync: boolean;
  answersAtOnce: boolean;
  maxTurns: number;
  tokenBudget: number | null;
  hasFallback: boolean;
  hasSummary: boolean;
  /** The admission that is refused, if any. */
  refusedAt: number | null;
}

const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Part>({ part: "text" }) },
  { weight: 1, arbitrary: fc.boolean().map((isSigned): Part => ({ part: "thinking", isSigned })) },
  {
    weight: 5,
    arbitrary: fc.record({
      part: fc.constant("call" as const),
      tool: fc.constantFrom(...toolNames),
      isInvalid: fc.nat(11).map((luck) => luck === 11),
      sameId: fc.nat(7).map((luck) => luck === 7),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(10, 400).map((ms): Part => ({ part: "pause", ms })) },
  { weight: 1, arbitrary: fc.constant<Part>({ part: "server" }) },
);

const parts = fc.array(part, { maxLength: 5, size: "+1" });

const replySpec: fc.Arbitrary<ReplySpec> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      parts,
      end: fc.oneof({ weight: 5, arbitrary: fc.constant("end_turn" as const) }, fc.constantFrom(...ends)),
      isPartial: fc.nat(9).map((luck) => luck === 9),
      tokens: fc.constantFrom(20, 700),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("fails" as const), failure: fc.constantFrom(...failures) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("cut" as const), parts, failure: fc.constantFrom(...failures) }),
  },
);

function mostly<T>(usual: T, choices: readonly T[]): fc.Arbitrary<T[]> {
  const one = fc.oneof({ weight: 4, arbitrary: fc.constant(usual) }, fc.constantFrom(...choices));
  return fc.array(one, { maxLength: 5, size: "+1" });
}

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
  replies: fc.array(
    fc.tuple(replySpec, fc.constantFrom(1, 1, 1, 1, 2, 5)).map(([spec, times]) => ({ ...spec, times })),
    { minLength: 1, maxLength: 5, size: "+1" },
  ),
  stop: mostly<HookChoice>("pass", hookAnswers),
  blocksForEver: fc.nat(9).map((luck) => luck === 9),
  before: mostly<CallHookChoice>("pass", callHookAnswers),
  after: mostly<HookChoice>("pass", hookAnswers),
  permission: mostly<Scenario["permission"][number]>("allow", permissionAnswers),
  drain: fc.constantFrom(...shrinks),
  compact: fc.constantFrom(...shrinks),
  fit: fc.constantFrom("ready", "ready", "ready", "compacts", "full"),
  queued: fc.nat(2),
  isAsync: fc.boolean(),
  answersAtOnce: fc.boolean(),
  maxTurns: fc.constantFrom(1, 3, 20),
  tokenBudget: fc.constantFrom(null, null, 2_000),
  hasFallback: fc.boolean(),
  hasSummary: fc.boolean(),
  refusedAt: fc.constantFrom(null, null, null, 1, 2),
});

function contentOf(spec: Part, id: string): ContentBlock | Step {
  switch (spec.part) {
    case "text":
      return textBlock(`text ${id}`);
    case "thinking":
      return spec.isSigned ? thinkingBlock(`thought ${id}`) : thinkingBlock(`thought ${id}`, null);
    case "server":
      return { type: "opaque", wire: { type: "fallback", from: { model: "a" }, to: { model: id } } };
    case "pause":
      return { do: "sleep", ms: spec.ms };
    case "call": {
      const use = {
        type: "tool_use" as const,
        id: spec.sameId ? "same" : id,
        name: spec.tool,
        input: { ms: 120, path: id },
      };
      return spec.isInvalid ? block(use, '{"half') : use;
    }
    default:
      return spec satisfies never;
  }
}

function replyOf(spec: ReplySpec, at: number): Reply {
  if (spec.kind === "fails")
    return fail(spec.failure, spec.failure === "prompt_too_long" ? { tokens: { actual: 9, maximum: 8 } } : {});
  const content = spec.parts.map((part, index) => contentOf(part, `r${at}p${index}`));
  if (spec.kind === "cut") return cut(content, spec.failure);
  const made = reply(content);
  if (!made.outcome.ok) return made;
  const hasCall = made.outcome.stopReason === "tool_use";
  const stopReason = spec.end === "end_turn" ? made.outcome.stopReason : spec.end;
  const isPartial = spec.isPartial && (spec.end === "max_tokens" || hasCall);
  return {
    ...made,
    partialText: "half a w",
    outcome: {
      ...made.outcome,
      stopReason,
      usage: usageOf(spec.tokens),
      ...(isPartial ? { partialToolUse: true } : {}),
    },
  };
}

function hookAnswer(choice: CallHookChoice | undefined): Partial<HookAnswer> | Promise<Partial<HookAnswer>> {
  switch (choice) {
    case undefined:
    case "pass":
      return {};
    case "block":
      return { blocking: ["blocked"] };
    case "prevent":
      return { preventContinuation: "prevented" };
    case "context":
      return { additionalContext: ["context"] };
    case "throw":
      return Promise.reject(new Error("the hook threw"));
    case "hang":
      return never();
    case "deny":
      return { permission: { behavior: "deny", reason: "denied" } };
    case "defer":
    case "ask":
    case "allow":
      return { permission: { behavior: choice } };
    case "update":
      return { updatedInput: { path: "updated" } };
    default:
      return choice satisfies never;
  }
}

function shrinkOf(choice: Scenario["drain"], input: ContextInput, name: string): ShrinkResult {
  if (choice === "none") return { kind: "no_progress", why: "nothing there" };
  const summary = userMessage(`${name} ${input.key}`, `summary-${name}-${input.key}`, { isCompactSummary: true });
  const boundary: CompactBoundaryMessage = {
    type: "compact_boundary",
    uuid: `boundary-${name}-${input.key}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    trigger: "reactive",
    preTokens: 100,
    postTokens: 10,
    lastSummarizedUuid: null,
    messages: [summary],
  };
  const afterTokens = choice === "progress" ? 10 : 100;
  return { kind: "shrunk", messages: [summary], records: [boundary], beforeTokens: 100, afterTokens, committed: 1 };
}

function permissionOf(
  choice: Scenario["permission"][number] | undefined,
): PermissionDecision | Promise<PermissionDecision> {
  if (choice === "deny") return deny();
  if (choice === "interrupt") return deny("stop", true);
  if (choice === "update") return { ...allow, updatedInput: { path: "permitted" } } as PermissionDecision;
  if (choice === "late") return new Promise((resolve) => setImmediate(() => resolve(allow)));
  return allow;
}

function contextOf(scenario: Scenario): HarnessOptions["context"] {
  return {
    drain: (input) => shrinkOf(scenario.drain, input, "drained"),
    compact: (input) => shrinkOf(scenario.compact, input, "compacted"),
    canDrain: () => scenario.drain !== "none",
    fit: (input, call) => {
      if (scenario.fit === "full" && call > 0)
        return { kind: "full", estimatedTokens: 9, limitTokens: 8, tracking: input.tracking };
      const usual = {
        kind: "ready" as const,
        estimatedTokens: 5,
        maxTokens: input.maxTokens,
        tracking: input.tracking,
        applied: [],
      };
      if (scenario.fit !== "compacts" || call !== 1) return { ...usual, messages: input.messages, records: [] };
      const made = shrinkOf("progress", input, "fitted");
      return made.kind === "shrunk"
        ? { ...usual, messages: made.messages, records: made.records }
        : { ...usual, messages: [], records: [] };
    },
  };
}

/** Fakes for a scenario. Each call makes new ones: their counters start at zero. */
export function optionsOf(scenario: Scenario): HarnessOptions {
  let permissions = 0;
  const replies = scenario.replies.flatMap((spec) => Array<ReplySpec>(spec.times).fill(spec));
  const options: HarnessOptions = {
    model: (_request, at) => {
      const spec = replies[at];
      return spec === undefined ? say("The end.", { usage: usageOf(10) }) : replyOf(spec, at);
    },
    tools: { Big: { maxResultSizeChars: 5, body: async () => ({ content: "much too much" }) } },
    hooks: {
      Stop: (_input, _signal, at) => hookAnswer(scenario.stop[at] ?? (scenario.blocksForEver ? "block" : "pass")),
      PreToolUse: (_input, _signal, at) => hookAnswer(scenario.before[at]),
      PostToolUse: (_input, _signal, at) => hookAnswer(scenario.after[at]),
      StopFailure: () => ({}),
    },
    permission: () => permissionOf(scenario.permission[permissions++]),
    context: contextOf(scenario),
    admit: (request, at) =>
      at === scenario.refusedAt ? { admitted: false, message: "No more money." } : admitAll(request, at),
    maxRetries: 2,
    limits: {
      maxTurns: scenario.maxTurns,
      toolMs: 2_000,
      ...(scenario.tokenBudget === null ? {} : { tokenBudget: scenario.tokenBudget }),
    },
    config: { fallbackModels: scenario.hasFallback ? ["model-b"] : [] },
    queued: Array.from({ length: scenario.queued }, (_, at) => ({
      uuid: `q${at}`,
      prompt: [textBlock(`queued ${at}`)],
    })),
    isAsync: scenario.isAsync,
    answersAtOnce: scenario.answersAtOnce,
  };
  if (scenario.hasSummary) options.summary = async () => "a line";
  return options;
}
