// What the hooks of an agent's parent may decide about the agent's calls.
import { expect, test } from "vitest";
import { readHookConfig } from "../../src/hooks/config.ts";
import { createRunners, type HandlerWorld } from "../../src/hooks/configured-hooks.ts";
import { createHooks } from "../../src/hooks/run.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import { systemClock } from "../../src/lib/system-clock.ts";

const clock = { ...systemClock, timestamp: () => "2026-01-01T00:00:00.000Z" };
const world: HandlerWorld = {
  command: { environment: () => ({ PATH: process.env["PATH"] ?? "" }), projectDir: "/", sessionId: "s-1" },
  http: { env: {} },
  matchesRule: () => true,
  clock,
};

async function said(event: HookEvent, hookSpecificOutput: object) {
  const output = JSON.stringify({ hookSpecificOutput: { hookEventName: event, ...hookSpecificOutput } });
  const given = { [event]: [{ hooks: [{ type: "command", command: `printf %s '${output}'` }] }] };
  const { hooks } = readHookConfig(given, "user", "x", { isAbove: true });
  const ports = { clock, ids: { uuid: () => "id" }, common: () => ({ session_id: "s-1", cwd: "/" }), watch: () => {} };
  const input = { hook_event_name: event, tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "toolu_1" };
  const { permission, permissionAnswer, elicitation, notices } = await createHooks(
    createRunners(hooks, world),
    ports,
  ).run(input, new AbortController().signal);
  expect(notices).toEqual([]);
  return permission ?? permissionAnswer ?? elicitation;
}

const rule = { type: "addRules", behavior: "allow", rules: [{ toolName: "Bash" }], destination: "session" };

test.each<[HookEvent, object]>([
  ["PreToolUse", { permissionDecision: "allow" }],
  ["PreToolUse", { permissionDecision: "allow", updatedInput: { command: "id" } }],
  ["PermissionRequest", { decision: { behavior: "allow" } }],
  ["PermissionRequest", { decision: { behavior: "allow", updatedInput: {}, updatedPermissions: [rule] } }],
  ["Elicitation", { action: "accept", content: {} }],
  ["ElicitationResult", { action: "accept", content: {} }],
])("ignores the consent of a hook that belongs to the parent session: %s %j", async (event, output) => {
  expect(await said(event, output)).toBeUndefined();
});

// Seen: of what a server asks, its refusal was ignored with its consent.
test.each<[HookEvent, object, object]>([
  ["PreToolUse", { permissionDecision: "deny" }, { behavior: "deny" }],
  ["PreToolUse", { permissionDecision: "ask" }, { behavior: "ask" }],
  ["PermissionRequest", { decision: { behavior: "deny", message: "no" } }, { behavior: "deny" }],
  ["Elicitation", { action: "decline" }, { action: "decline" }],
  ["Elicitation", { action: "cancel" }, { action: "cancel" }],
  ["ElicitationResult", { action: "decline" }, { action: "decline" }],
])("applies the refusal of a hook that belongs to the parent session: %s %j", async (event, output, answer) => {
  expect(await said(event, output)).toMatchObject(answer);
});
