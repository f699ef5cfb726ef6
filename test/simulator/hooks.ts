// Hooks that pass, block, prevent, lie, talk nonsense, throw, and hang.
import type { EngineOptions } from "../../src/session/options/options.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import type { HookSeen } from "./book.ts";
import type { Seat } from "./seat.ts";
import { neverResolves, type Process, type World } from "./world.ts";

type Callback = NonNullable<NonNullable<EngineOptions["hooks"]>[HookEvent]>[number]["callback"];

export function hooksFor(world: World, process: Process, seat: Seat): EngineOptions["hooks"] {
  const hooks: EngineOptions["hooks"] = {};
  for (const event of world.plan.hooked) {
    const callback: Callback = (input, { signal }) => runHook(event, input, signal, { world, process, seat });
    hooks[event] = [{ callback }, ...(world.choices.chance(20) ? [{ callback }] : [])];
  }
  return hooks;
}

/** The calls that a hook is asked about: one, or those of a message. */
export function callsIn({ tool_use_id: id, tool_calls: calls }: Record<string, unknown>): string[] {
  if (typeof id === "string") return [id];
  return Array.isArray(calls) ? calls.map(({ tool_use_id: each }: { tool_use_id: string }) => each) : [];
}

interface HookContext {
  world: World;
  process: Process;
  seat: Seat;
}

async function runHook(
  event: HookEvent,
  input: Record<string, unknown>,
  signal: AbortSignal,
  { world, process, seat }: HookContext,
): Promise<Record<string, unknown> | undefined> {
  if (process.isDead) return neverResolves();
  const seen = seat.hookAsked(event, input, signal);
  const draw = () =>
    world.choices.chance(world.plan.moods.hook)
      ? world.choices.pick(unusualAnswersByEvent[event] ?? unusualAnswers)
      : undefined;
  const ordinary = () => world.drawInStreaks(`hooks of ${event}`, draw, event === "Stop" ? 65 : 40);
  const kind = (isDeferredCall(world, input) ? world.choices.pick(answersForDeferred) : ordinary()) ?? "pass";
  const wait = kind === "hang" ? 30_000_000 : world.latency();
  world.count("hook", `${event} ${kind}`);
  await world.scheduler.pause(wait, `hook ${event}`, process, signal);
  if (process.isDead) return neverResolves();
  seen.settledAt = world.scheduler.elapsed;
  if (signal.aborted) {
    seen.wasEnded = true;
    if (signal.reason === "timeout") seen.kind = "late";
    return undefined;
  }
  if (kind === "throw") throw new Error("a broken hook");
  if (kind === "nonsense") return "nonsense" as never;
  seen.kind = kind;
  seen.answer = hookOutput(
    kind,
    event,
    seen,
    kind === "context" ? " and this".repeat(world.choices.pick([0, 0, 900])) : "",
  );
  return seen.answer ?? undefined;
}

const unusualAnswers = [
  "block",
  "prevent",
  "deny",
  "ask",
  "allow",
  "defer",
  "context",
  "input",
  "badInput",
  "output",
  "message",
  "throw",
  "nonsense",
  "hang",
] as const;

/** Of a call that was put off: most do not put it off again, and some have had enough. */
const answersForDeferred = [
  undefined,
  undefined,
  undefined,
  "prevent",
  "prevent",
  "block",
  "context",
  "defer",
  "hang",
] as const;

function isDeferredCall({ book }: World, input: Record<string, unknown>): boolean {
  return callsIn(input).some((id) => book.deferredCalls.has(id));
}

/** What matters most there, or is rarely obeyed, most often. */
const unusualAnswersByEvent: Partial<Record<HookEvent, readonly (typeof unusualAnswers)[number][]>> = {
  Stop: ["block", "block", "block", "prevent", "context", "throw", "nonsense", "hang"],
  PreToolUse: [...unusualAnswers, "defer", "defer", "defer", "defer"],
};

function hookOutput(
  kind: "pass" | (typeof unusualAnswers)[number],
  event: HookEvent,
  { input }: HookSeen,
  more: string,
): Record<string, unknown> | null {
  const specific = (fields: object) => ({ hookSpecificOutput: { hookEventName: event, ...fields } });
  switch (kind) {
    case "block":
      return { decision: "block", reason: "a hook says: not yet" };
    case "prevent":
      return { continue: false, stopReason: "a hook says: enough" };
    case "deny":
    case "ask":
    case "allow":
    case "defer":
      return specific({ permissionDecision: kind, permissionDecisionReason: `a hook says: ${kind}` });
    case "context":
      return specific({ additionalContext: `a hook says: know this${more}` });
    case "input":
      return specific({ updatedInput: { ...(input["tool_input"] as object), note: "changed by a hook" } });
    case "badInput":
      return specific({ updatedInput: { seal: 7 } });
    case "output":
      return specific({ updatedToolOutput: "changed by a hook" });
    case "message":
      return { systemMessage: "a hook greets" };
    default:
      return null;
  }
}
