// How runs end, replayed with what was noted of them, and without.
import { expect, test } from "vitest";
import type { EngineOptions } from "../../../src/index.ts";
import type { Reply, Script } from "../../../src/testing/index.ts";
import { clearGroundsAfterwards } from "../support.ts";
import { altered, recorded, replay, withoutNotes } from "./support.ts";

clearGroundsAfterwards();

const echo: Reply = { content: [{ tool: "Bash", input: { command: "echo a" } }] };
const long: Reply = { content: [{ tool: "Bash", input: { command: "seq 2000" } }] };
const hook = (event: "PreToolUse" | "PostToolUse" | "Stop", answer: object): EngineOptions => ({
  hooks: { [event]: [{ callback: async () => answer }] },
});
const enough = { continue: false, stopReason: "enough" };
const denied = (more: object) => ({
  ...enough,
  hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", ...more },
});
const endless = { fallback: "Still." };

/** `isInferred`: the messages alone say so, too. */
test.each<[what: string, script: Script, options: EngineOptions, decisions: string[], isInferred: boolean]>([
  ["at a limit of turns", { fallback: echo }, { maxTurns: 2 }, ["next_turn", "max_turns"], true],
  ["without money", { fallback: echo }, { maxBudgetUsd: 0.000_001 }, ["max_budget_usd"], false],
  ["by a hook after a call", { steps: [echo] }, hook("PostToolUse", enough), ["hook_stopped"], true],
  ["by a hook before a call", { steps: [echo] }, hook("PreToolUse", enough), ["hook_stopped"], true],
  [
    "by a hook that refuses the call",
    { steps: [echo] },
    hook("PreToolUse", denied({ permissionDecisionReason: "not here" })),
    ["hook_stopped"],
    true,
  ],
  [
    "by a hook that refuses the call without a reason",
    { steps: [echo] },
    hook("PreToolUse", denied({})),
    ["hook_stopped"],
    true,
  ],
  ["by a stop hook", { steps: ["a"] }, hook("Stop", enough), ["stop_hook_prevented"], true],
  [
    "once stop hooks have asked for more too often",
    endless,
    hook("Stop", { decision: "block", reason: "more" }),
    [...Array.from({ length: 8 }, () => "stop_hook_blocking"), "completed"],
    true,
  ],
  [
    "after the last try at an answer that fits a schema, with tokens left",
    endless,
    { tokenBudget: 50_000, outputFormat: { type: "json_schema", schema: { type: "object", properties: {} } } },
    [...Array.from({ length: 4 }, () => "stop_hook_blocking"), "completed"],
    true,
  ],
  ["with a failure", { steps: [echo, { fault: "bad_request" }] }, {}, ["next_turn", "model_error"], true],
  ["with a failure at once", { steps: [{ fault: "unauthenticated" }] }, {}, ["model_error"], false],
  ["with a prompt that is too long", { fallback: { fault: "prompt_too_long" } }, {}, ["prompt_too_long"], false],
  [
    "after an overflow",
    { steps: [long, long, { fault: "prompt_too_long" }, "A summary."], ...endless },
    {},
    ["next_turn", "next_turn", "reactive_compact_retry", "completed"],
    true,
  ],
  ["with a refusal of the model", { steps: [{ content: "no", stopReason: "refusal" }] }, {}, ["model_error"], true],
])("replays a run that ended %s without a difference", async (_, script, options, decisions, isInferred) => {
  const session = await recorded(script, options);
  const same = { outcome: "same", decisions };
  expect((await replay(session, session.sessionId)).sessions[0]?.turns).toMatchObject([same]);
  const turns = (await replay(session, altered(session, withoutNotes))).sessions[0]?.turns ?? [];
  if (isInferred) expect(turns).toMatchObject([same]);
  else expect(turns.filter(({ outcome }) => outcome !== "skipped")).toEqual([]);
});
