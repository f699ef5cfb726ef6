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

  test("does not keep the other fields from taking effect", () => {
    const output = readHookOutput({ decision: "block", reason: "Test it.", systemMesage: "x" }, "Stop", "x");
    expect(output).toMatchObject({ blocking: "Test it.", problem: expect.stringContaining("systemMessage") as string });
  });

  test("is not reported on events on which answers have no effect", () => {
    expect(readHookOutput({ decison: "block" }, "Notification", "x").problem).toBeUndefined();
  });
});
