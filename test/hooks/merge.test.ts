// Several hooks that disagree: the answer depends on what they said and on their order in the settings, never on who was first.
import fc from "fast-check";
import { expect, test } from "vitest";
import { createFunctionHooks } from "./function-hooks.ts";
import { mergeAnswers } from "../../src/hooks/merge.ts";
import type { HookOutput } from "../../src/hooks/output.ts";
import type { HookAnswer, HookEvent } from "../../src/protocol/hook.ts";
import type { PermissionMode, PermissionUpdate } from "../../src/protocol/permission.ts";

const decisions = ["allow", "ask", "deny", "defer", undefined] as const;
const said = fc.record(
  {
    decision: fc.constantFrom("block", "approve", undefined),
    reason: fc.constantFrom("r1", "r2"),
    continue: fc.constantFrom(true, true, true, false),
    stopReason: fc.constantFrom("s1", "s2"),
    permissionDecision: fc.constantFrom(...decisions),
    updatedInput: fc.option(fc.record({ command: fc.constantFrom("a", "b") }), { nil: undefined }),
    additionalContext: fc.option(fc.constantFrom("c1", "c2"), { nil: undefined }),
    behavior: fc.constantFrom("allow", "deny", undefined),
    fails: fc.constantFrom(false, false, false, true),
    delay: fc.integer({ min: 0, max: 3 }),
  },
  { requiredKeys: ["reason", "stopReason", "fails", "delay"] },
);
type Said = typeof said extends fc.Arbitrary<infer T> ? T : never;

const clock = { elapsed: () => 0, timestamp: () => "t", timer: () => () => undefined };

async function answerTo(event: HookEvent, list: readonly Said[], delays: readonly number[]): Promise<HookAnswer> {
  const hooks = list.map((each, index) => ({
    callback: async () => {
      for (let turn = delays[index] ?? 0; turn > 0; turn--) await new Promise((resolve) => setImmediate(resolve));
      if (each.fails) throw new Error(`broken ${index}`);
      const { decision, reason, stopReason, permissionDecision, updatedInput, additionalContext, behavior } = each;
      return {
        decision,
        reason,
        continue: each.continue,
        stopReason,
        hookSpecificOutput: {
          permissionDecision,
          permissionDecisionReason: reason,
          updatedInput,
          additionalContext,
          ...(behavior === undefined ? {} : { decision: { behavior } }),
        },
      };
    },
  }));
  const port = createFunctionHooks({ [event]: hooks }, { clock, ids: { uuid: () => "id" }, common: () => ({}) });
  return await port.run({ hook_event_name: event, tool_name: "Bash" }, new AbortController().signal);
}

const events = ["PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "UserPromptSubmit"] as const;

test("the order in which hooks finish changes nothing, and a refusal wins at any position", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...events), fc.array(said, { maxLength: 6 }), async (event, list) => {
      const quick = await answerTo(event, list, []);
      const slow = await answerTo(
        event,
        list,
        list.map(({ delay }) => delay),
      );
      expect({ ...slow, runs: [] }).toEqual({ ...quick, runs: [] });
      const sound = list.filter(({ fails }) => !fails);
      if (event === "PreToolUse") {
        const denies = sound.some(
          ({ decision, permissionDecision }) => permissionDecision === "deny" || decision === "block",
        );
        if (denies) expect(quick.permission?.behavior).toBe("deny");
        // Nobody takes a call up again here: a deferral says nothing, and takes nothing from what another hook said.
        const asks = sound.some(({ permissionDecision }) => permissionDecision === "ask");
        if (!denies && asks) expect(quick.permission?.behavior).toBe("ask");
      }
      if (event === "PermissionRequest" && sound.some(({ behavior }) => behavior === "deny"))
        expect(quick.permissionAnswer?.behavior).toBe("deny");
      const first = sound.find((each) => each.continue === false);
      expect(quick.preventContinuation).toBe(first?.stopReason);
      if (first !== undefined) expect(quick.blocking).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("merges two approvals of a PermissionRequest: the later input counts, and the updates of both", () => {
  const update = (mode: PermissionMode): PermissionUpdate => ({ type: "setMode", mode, destination: "session" });
  const consent = (command: string, mode: PermissionMode): HookOutput => ({
    permissionAnswer: { behavior: "allow", updatedInput: { command }, updates: [update(mode)] },
  });
  const { permissionAnswer } = mergeAnswers([consent("a", "default"), consent("b", "plan")]);
  expect(permissionAnswer).toEqual({
    behavior: "allow",
    updatedInput: { command: "b" },
    updates: [update("default"), update("plan")],
  });
});

test("adding one deny makes the merged permission a deny, whatever the other hooks answer", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { maxLength: 4 }), fc.nat(4), async (list, at) => {
      const refusal: Said = { reason: "r1", stopReason: "s1", fails: false, delay: 0, permissionDecision: "deny" };
      const answer = await answerTo("PreToolUse", list.toSpliced(at, 0, refusal), []);
      expect(answer.permission?.behavior).toBe("deny");
    }),
    { numRuns: 100 },
  );
});

const unsaid: Said = { reason: "r1", stopReason: "s1", fails: false, delay: 0 };
const allows: Said = { ...unsaid, permissionDecision: "allow" };
const changes: Said = { ...unsaid, updatedInput: { command: "a" } };
const gives: Said = { ...allows, updatedInput: { command: "b" } };

test.each([
  ["one hook allows and changes", [gives], true],
  ["such a hook follows one that only allows", [allows, gives], true],
  ["such a hook follows one whose change does not count", [changes, gives], true],
  ["such a hook precedes another whose change counts", [gives, changes], false],
  ["one hook allows and another changes", [allows, changes], false],
  ["one hook allows and another changes and asks", [allows, { ...changes, permissionDecision: "ask" }], false],
] as const)(
  "marks the input as approved only if the hook that gave it also allows the call: %s",
  async (_name, list, isGiven) => {
    const { permission } = await answerTo("PreToolUse", list, []);
    expect(permission).toHaveProperty("reason", "r1");
    expect("givesInput" in permission!).toBe(isGiven);
  },
);

test("combines the permission updates of several approvals, and adds none if there are none", async () => {
  const update = (mode: string) => ({ type: "setMode", mode, destination: "session" });
  const consenting = async (...modes: string[][]) => {
    const hooks = modes.map((each) => ({
      callback: async () => ({
        hookSpecificOutput: { decision: { behavior: "allow", updatedPermissions: each.map(update) } },
      }),
    }));
    const dependencies = { clock, ids: { uuid: () => "id" }, common: () => ({}) };
    const port = createFunctionHooks({ PermissionRequest: hooks }, dependencies);
    const input = { hook_event_name: "PermissionRequest" as const, tool_name: "Bash" };
    return (await port.run(input, new AbortController().signal)).permissionAnswer;
  };
  expect(await consenting(["plan"], ["default"])).toEqual({
    behavior: "allow",
    updates: [update("plan"), update("default")],
  });
  expect(await consenting([], [])).toEqual({ behavior: "allow" });
});

test("uses the first reason among hooks that decide alike", async () => {
  for (const permissionDecision of ["allow", "ask", "deny"] as const) {
    const list = (["r1", "r2"] as const).map((reason): Said => ({ ...unsaid, reason, permissionDecision }));
    expect((await answerTo("PreToolUse", list, [1, 0])).permission).toEqual({
      behavior: permissionDecision,
      reason: "r1",
    });
  }
});

test.each([
  [["accept", "decline"], "decline"],
  [["accept", "cancel"], "cancel"],
  [["cancel", "decline"], "decline"],
  [["accept", "accept"], "accept"],
] as const)("a refusal of an elicitation counts in whatever order the hooks answer: %j", async (actions, counts) => {
  for (const each of [actions, actions.toReversed()]) {
    const hooks = each.map((action, at) => ({
      callback: async () => ({ hookSpecificOutput: { action, content: { at } } }),
    }));
    const dependencies = { clock, ids: { uuid: () => "id" }, common: () => ({}) };
    const port = createFunctionHooks({ Elicitation: hooks }, dependencies);
    const answer = await port.run({ hook_event_name: "Elicitation" }, new AbortController().signal);
    expect(answer.elicitation?.action).toBe(counts);
    if (counts === "accept") expect(answer.elicitation).toEqual({ action: "accept", content: { at: 0 } });
  }
});
