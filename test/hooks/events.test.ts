// What an answer means on each event: where a block blocks, where `continue: false` stops, and where messages for people are shown.
import { expect, test } from "vitest";
import { createFunctionHooks } from "./function-hooks.ts";
import { hookEvents, type HookAnswer, type HookEvent } from "../../src/protocol/hook.ts";

const clock = { elapsed: () => 0, timestamp: () => "t", timer: () => () => undefined };

async function answered(event: HookEvent, said: object): Promise<HookAnswer> {
  const dependencies = { clock, ids: { uuid: () => "id" }, common: () => ({}) };
  const port = createFunctionHooks({ [event]: [{ callback: async () => said }] }, dependencies);
  return await port.run({ hook_event_name: event, tool_name: "Bash" }, new AbortController().signal);
}

const named = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const blocks = named(
  "PostToolUse PostToolUseFailure PostToolBatch UserPromptSubmit UserPromptExpansion Stop SubagentStop TaskCreated TaskCompleted TeammateIdle PreCompact PreModelSwitch PreSkillShellCommand ConfigChange WorktreeCreate Elicitation ElicitationResult",
);
const decides = named("PreToolUse PreModelSwitch PreSkillShellCommand");
const observes = named(
  "PreCompact PostCompact SessionEnd StopFailure Notification InstructionsLoaded ConfigChange WorktreeCreate WorktreeRemove Elicitation ElicitationResult MessageDisplay",
);
const goesOn = named("TaskCreated CwdChanged DirectoryAdded FileChanged");

test.each(hookEvents)(
  "decision, permissionDecision, continue and systemMessage have the documented effects on %s",
  async (event) => {
    const blocked = await answered(event, { decision: "block", reason: "no" });
    expect(blocked.blocking).toEqual(blocks.has(event) ? ["no"] : []);
    expect(blocked.permission).toEqual(event === "PreToolUse" ? { behavior: "deny", reason: "no" } : undefined);

    const hookSpecificOutput = { hookEventName: event, permissionDecision: "deny", permissionDecisionReason: "no" };
    const { permission } = await answered(event, { hookSpecificOutput });
    expect(permission).toEqual(decides.has(event) ? { behavior: "deny", reason: "no" } : undefined);

    const stopped = await answered(event, { continue: false, stopReason: "enough" });
    expect(stopped.preventContinuation).toBe(observes.has(event) || goesOn.has(event) ? undefined : "enough");

    const { notices } = await answered(event, { systemMessage: "look" });
    expect(notices.map(({ text }) => text).includes("look")).toBe(!observes.has(event));
  },
);

test.each<[string, object, keyof HookAnswer, string]>([
  ["updatedToolOutput", { updatedToolOutput: "x" }, "updatedToolOutput", "PostToolUse"],
  ["updatedInput", { updatedInput: { a: 1 } }, "updatedInput", "PreToolUse PreModelSwitch PreSkillShellCommand"],
  ["decision", { decision: { behavior: "allow" } }, "permissionAnswer", "PermissionRequest"],
  ["retry", { retry: true }, "retry", "PermissionDenied"],
  ["an invalid retry", { retry: "yes" }, "retry", ""],
  ["watchPaths", { watchPaths: ["/a"] }, "watchPaths", "SessionStart CwdChanged FileChanged"],
  ["displayContent", { displayContent: "x" }, "displayContent", "MessageDisplay"],
  ["worktreePath", { worktreePath: "/a" }, "worktreePath", "WorktreeCreate"],
  ["action", { action: "decline" }, "elicitation", "Elicitation ElicitationResult"],
  ["sessionTitle", { sessionTitle: "x" }, "sessionTitle", "SessionStart UserPromptSubmit"],
  ["initialUserMessage", { initialUserMessage: "x" }, "initialUserMessage", "SessionStart"],
  ["reloadSkills", { reloadSkills: true }, "reloadSkills", "SessionStart"],
])("the field %s has an effect only on its own events", async (_name, hookSpecificOutput, field, where) => {
  const counts: string[] = [];
  for (const event of hookEvents) {
    const { [field]: said, notices } = await answered(event, { hookSpecificOutput });
    if (said !== undefined) counts.push(event);
    expect(notices.map(({ text }) => text).filter((text) => text.includes("failed"))).toEqual([]);
  }
  expect(counts.toSorted()).toEqual(where.split(" ").filter(Boolean).toSorted());
});

// Seen: query() threw a TypeError.
test("treats an event whose list is undefined as having no hooks", () => {
  const dependencies = { clock, ids: { uuid: () => "id" }, common: () => ({}) };
  const hooks = { Stop: undefined } as unknown as Parameters<typeof createFunctionHooks>[0];
  expect(createFunctionHooks(hooks, dependencies).has("Stop")).toBe(false);
});

test("combines the watchPaths of several hooks", async () => {
  const dependencies = { clock, ids: { uuid: () => "id" }, common: () => ({}) };
  const hooks = ["/a", "/b"].map((path) => ({
    callback: async () => ({ hookSpecificOutput: { watchPaths: [path] } }),
  }));
  const port = createFunctionHooks({ CwdChanged: hooks }, dependencies);
  const answer = await port.run({ hook_event_name: "CwdChanged" }, new AbortController().signal);
  expect(answer.watchPaths).toEqual(["/a", "/b"]);
});
