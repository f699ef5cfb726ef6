// What is there now, told whole to clients that said what they are: work in the background, commands, and what servers have had done.
import { describe, expect, test } from "vitest";
import type { SlashCommand } from "../../../src/protocol/sdk-commands.ts";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import type { SDKActiveGoal, SDKBackgroundTask } from "../../../src/protocol/sdk-control.ts";
import { ClientStateSync } from "../../../src/surface/stdio/client-state-sync.ts";
import { serverOf, toolNamed } from "../../mcp/support.ts";
import { success, system, toolResult } from "../support/messages.ts";
import { calls, drive, says, type Json } from "./client.ts";

const init = system({ subtype: "init" });
const command = (name: string): SlashCommand => ({ name, description: "", argumentHint: "", builtin: true });

function levels(begun?: SlashCommand[]) {
  const written: Json[] = [];
  const tasks: Partial<SDKBackgroundTask>[] = [];
  const commands = [command("help")];
  const set: { goal: SDKActiveGoal | null } = { goal: null };
  const desk = { tasks: () => tasks, goal: () => set.goal };
  const engine = { desk, supportedCommands: () => commands, getSessionId: () => "s1" } as never;
  const made = new ClientStateSync({
    engine: () => engine,
    write: (message) => written.push(message as Json),
    newId: () => "u",
  });
  if (begun !== undefined) made.recordInitialize({ commands: begun });
  const told = (message: SDKMessage): Json[] => {
    made.afterMessage(message);
    return written.splice(0);
  };
  return { tasks, commands, set, told };
}

describe("messages about the current state", () => {
  test("sends the background tasks after messages that may have changed them, if they differ", () => {
    const { tasks, told } = levels([command("help")]);
    expect(told(init)).toEqual([]);
    tasks.push({ task_id: "b1", task_type: "shell", status: "running", description: "npm test" });
    const all = [{ task_id: "b1", task_type: "local_bash", description: "npm test" }];
    const common = { type: "system", subtype: "background_tasks_changed", uuid: "u", session_id: "s1" };
    expect(told(toolResult("begun"))).toEqual([{ ...common, tasks: all }]);
    expect(told(toolResult("again"))).toEqual([]);
    tasks.push({ task_id: "a1", task_type: "teammate", status: "paused", description: "waits" });
    const both = [...all, { task_id: "a1", task_type: "in_process_teammate", description: "waits" }];
    expect(told(system({ subtype: "task_started" }))).toEqual([{ ...common, tasks: both }]);
    tasks[0]!.status = "completed";
    expect(told(system({ subtype: "status" }))).toEqual([]);
    expect(told(system({ subtype: "task_notification" }))).toEqual([{ ...common, tasks: both.slice(1) }]);
    tasks.length = 0;
    expect(told(success("done"))).toEqual([{ ...common, tasks: [] }]);
  });

  test("sends the commands between turns if they differ from those of initialize", () => {
    const { commands, told } = levels([]);
    const common = { type: "system", subtype: "commands_changed", uuid: "u", session_id: "s1" };
    expect(told(toolResult(""))).toEqual([]);
    expect(told(init)).toEqual([{ ...common, commands: [command("help")] }]);
    expect(told(success(""))).toEqual([]);
    commands.push(command("new"));
    expect(told(success(""))).toEqual([{ ...common, commands: [command("help"), command("new")] }]);
  });

  test("sends the goal whenever it differs, and null once there is none", () => {
    const { set, told } = levels([]);
    expect(told(system({ subtype: "status" }))).toEqual([]);
    const value = { condition: "All pass.", iterations: 0, set_at: "2026-01-01T00:00:00.000Z", tokens_at_start: 5 };
    set.goal = { ...value };
    const common = { type: "active_goal", uuid: "u", session_id: "s1" };
    expect(told(system({ subtype: "status" }))).toEqual([{ ...common, value }]);
    expect(told(toolResult(""))).toEqual([]);
    set.goal = { ...value, iterations: 1, last_reason: "One fails." };
    expect(told(toolResult(""))).toEqual([{ ...common, value: set.goal }]);
    set.goal = null;
    expect(told(toolResult(""))).toEqual([{ ...common, value: null }]);
  });

  test("sends nothing to a client that has not initialized", () => {
    const { tasks, set, told } = levels();
    set.goal = { condition: "All pass.", iterations: 0, set_at: "", tokens_at_start: 0 };
    tasks.push({ task_id: "b1", task_type: "shell", status: "running", description: "npm test" });
    expect([...told(init), ...told(toolResult("")), ...told(success(""))]).toEqual([]);
  });
});

test("a client is told about background tasks and about a completed elicitation", () => {
  const url = { mode: "url", url: "https://example.com/login", elicitationId: "e1", message: "Log in" };
  const servers = { mcpServers: { test: serverOf({ tools: [toolNamed("asks")], done: ["e1"] }) } };
  const args = ["--mcp-config", JSON.stringify(servers), "--allowed-tools", "mcp__test__asks,Bash"];
  const answer = ({ subtype }: Json): Json => (subtype === "elicitation" ? { action: "accept" } : {});
  const background = { command: "sleep 60", run_in_background: true, description: "waits" };
  const script = [calls(["mcp__test__asks", url], ["Bash", background]), says("done")];
  return drive(script, { args, answer }, async (client) => {
    await client.request("initialize");
    client.sendPrompt("go");
    await client.result();
    const told = (name: string): Json[] => client.messages.filter(({ subtype }) => subtype === name);
    expect(told("elicitation_complete")).toMatchObject([{ mcp_server_name: "test", elicitation_id: "e1" }]);
    const [begun] = told("background_tasks_changed");
    expect(begun).toMatchObject({ tasks: [{ task_type: "local_bash", description: "waits" }] });
    const [{ task_id }] = begun!["tasks"] as [{ task_id: string }];
    await client.request("stop_task", { task_id });
    await client.until(() => told("background_tasks_changed").length > 1, "the end of it");
    expect(told("background_tasks_changed").at(-1)).toMatchObject({ tasks: [] });
  });
});
