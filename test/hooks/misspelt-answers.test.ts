// Fields of a hook's answer that look like misspelt ones.
import { describe, expect, test } from "vitest";
import { readHookOutput } from "../../src/hooks/output.ts";

const specific = (more: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...more } });

// Seen: each of these let the call run, without a word.
describe("a misspelt field of an answer", () => {
  test.each([
    [{ decison: "block", reason: "x" }, "decision"],
    [{ continu: false }, "continue"],
    [{ hookspecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny" } }, "hookSpecificOutput"],
    [{ hook_specific_output: { permission_decision: "deny" } }, "hookSpecificOutput"],
    [specific({ permisionDecision: "deny" }), "permissionDecision"],
    [specific({ permission_decision: "deny" }), "permissionDecision"],
    [specific({ additional_context: "x" }), "additionalContext"],
    [{ permission_decision: "deny" }, "permissionDecision"],
    [{ updated_input: { command: "ls" } }, "updatedInput"],
  ])("is reported with the right name: %j", (answer, name) => {
    const { problem } = readHookOutput(answer, "PreToolUse", "x");
    expect(problem).toContain(`which has no effect: the field is called "${name}"`);
  });

  test.each([
    { decision: "approve", decison: "block" },
    { decisions: ["a"], continues: 3, context: "c", reason: "r", version: 1, message: "m", decison: null },
    { revision: "4f2a1c", ...specific({ permissionDecision: "allow" }) },
    specific({ permissionDecisionReason: "x", updatedInputs: 2 }),
    { permission_decision: "allow", ...specific({ permissionDecision: "allow" }) },
    { tool_name: "Bash", tool_input: {}, permission_mode: "default", session_id: "s", prompt_id: "p" },
  ])("is not reported beside the field it resembles, or if it is another thing: %j", (answer) => {
    expect(readHookOutput(answer, "PreToolUse", "x").problem).toBeUndefined();
  });

  test.each(["PreToolUse", "PreModelSwitch", "PreSkillShellCommand"] as const)(
    "is reported like a misplaced one, where it would decide %s",
    (event) => {
      for (const name of ["permissionDecision", "permission_decision"])
        expect(readHookOutput({ [name]: "deny" }, event, "x").problem).toMatch(/only counts inside/u);
    },
  );

  // Seen: the call ran unchanged and unasked.
  test.each([
    [specific({ permissionDecision: "allow", updated_input: { command: "ls" } })],
    [{ updated_input: { command: "ls" }, ...specific({ permissionDecision: "allow" }) }],
    [{ decision: "approve", updated_input: { command: "ls" } }],
  ])("permits nothing if it is the new input: %j", (answer) => {
    const { permission, problem } = readHookOutput(answer, "PreToolUse", "x");
    expect([permission, problem]).toEqual([undefined, expect.stringContaining("updatedInput")]);
  });

  test("permits nothing in an answer to the question either", () => {
    const decision = { behavior: "allow", updated_input: { command: "ls" } };
    const output = readHookOutput({ hookSpecificOutput: { decision } }, "PermissionRequest", "x");
    expect(output).toEqual({ problem: expect.stringContaining("updatedInput") as string });
  });

  test("keeps a permission whose new input is also in its place", () => {
    const input = { command: "ls" };
    const answer = { updated_input: input, ...specific({ permissionDecision: "allow", updatedInput: input }) };
    const { permission, problem } = readHookOutput(answer, "PreToolUse", "x");
    expect([permission, problem]).toEqual([{ behavior: "allow" }, undefined]);
  });

  // Seen: a script for several programs was called wrong on each event; with onFailure "block" it refused prompts.
  test.each(["PostToolUse", "UserPromptSubmit", "Stop", "SessionStart"] as const)(
    "is not reported on %s, if it would only decide a call",
    (event) => {
      const answer = { permission: "allow", permission_decision: "allow", updated_input: {} };
      expect(readHookOutput(answer, event, "x")).toEqual({});
    },
  );

  test("does not keep the other fields from taking effect", () => {
    const output = readHookOutput({ decision: "block", reason: "Test it.", systemMesage: "x" }, "Stop", "x");
    expect(output).toMatchObject({ blocking: "Test it.", problem: expect.stringContaining("systemMessage") as string });
  });

  test("is not reported on events on which answers have no effect", () => {
    expect(readHookOutput({ decison: "block" }, "Notification", "x").problem).toBeUndefined();
  });
});

test.each(["PreToolUse", "PreModelSwitch", "PreSkillShellCommand"] as const)(
  "a decision about %s in both places is no misplaced one, unless they differ",
  (event) => {
    const answer = (outer: string) => ({
      permissionDecision: outer,
      hookSpecificOutput: { hookEventName: event, permissionDecision: "deny" },
    });
    expect(readHookOutput(answer("deny"), event, "x")).toEqual({ permission: { behavior: "deny" } });
    expect(readHookOutput(answer("allow"), event, "x").problem).toContain("only counts inside");
  },
);
