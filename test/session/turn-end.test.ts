// The end of a turn in a session: its steps in the debug log, who a subagent is, what a team is asked.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** All inputs of these events, in order. */
function listening(...events: ("Stop" | "SubagentStop" | "TaskCompleted" | "TeammateIdle" | "PreToolUse")[]) {
  const inputs: Record<string, unknown>[] = [];
  const callback = async (input: object) => void inputs.push({ ...input });
  const hooks: EngineOptions["hooks"] = Object.fromEntries(events.map((event) => [event, [{ callback }]]));
  return { inputs, hooks };
}

function stepsIn(lines: readonly string[]): string[] {
  return lines.flatMap((line) => (line.startsWith("turn_end ") ? [line.slice("turn_end ".length)] : []));
}

test("the debug log has the steps of the turn's end in order", async () => {
  const lines: string[] = [];
  const { hooks } = listening("Stop", "TaskCompleted", "TeammateIdle");
  const teammate = { name: "ada", tasksInProgress: async () => [{ id: "7", subject: "Count" }] };
  const { engine } = await openSession({ steps: ["One."] }, { hooks, teammate, debug: (line) => lines.push(line) });
  await turn(engine, "Count.");
  const first = ["snapshot", "job", "forks", "release"];
  expect(stepsIn(lines)).toEqual([...first, "Stop", "tasks", "TaskCompleted", "TeammateIdle"]);
});

test("a subagent's hooks are told the agent's id and type, with its own transcript", async () => {
  const { inputs, hooks } = listening("Stop", "SubagentStop", "PreToolUse");
  const subagent = { agentId: "agent-9", agentType: "reviewer" };
  const { engine } = await openSession(
    { steps: [{ content: [{ tool: "Glob", input: { pattern: "*" } }] }, "One."] },
    {
      hooks,
      subagent,
    },
  );
  await turn(engine, "Review.");
  const who = { agent_id: "agent-9", agent_type: "reviewer" };
  expect(inputs).toMatchObject([
    { hook_event_name: "PreToolUse", ...who },
    { hook_event_name: "SubagentStop", ...who, agent_transcript_path: engine.getTranscriptPath() },
  ]);
  expect(inputs).toHaveLength(2);
});

test("a matcher of SubagentStop is matched against the agent type", async () => {
  const seen: string[] = [];
  const hook = (matcher: string) => ({ matcher, callback: async () => void seen.push(matcher) });
  const { engine } = await openSession(
    { steps: ["One."] },
    {
      hooks: { SubagentStop: [hook("reviewer"), hook("writer"), hook("rev.*")] },
      subagent: { agentId: "a", agentType: "reviewer" },
    },
  );
  await turn(engine, "Review.");
  expect(seen).toEqual(["reviewer", "rev.*"]);
});
