/** The names of tools, present and former. */

/** The tool name under which a person is asked whether a confined command may reach a host. */
export const networkAccessTool = "SandboxNetworkAccess";

const formerNames: Record<string, string> = {
  Task: "Agent",
  KillShell: "TaskStop",
  KillBash: "TaskStop",
  BashOutput: "TaskOutput",
  AgentOutput: "TaskOutput",
  BashOutputTool: "TaskOutput",
  SlashCommand: "Skill",
};

/** The names of the public convention, built in here or not. A guarding rule for any other name is likely misspelt. */
export const knownTools = new Set(
  (
    "Agent AskUserQuestion Bash Cd CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep " +
    "ListMcpResourcesTool LS LSP Monitor MultiEdit NotebookEdit NotebookRead PowerShell Read ReadMcpResourceDirTool ReadMcpResourceTool ScheduleWakeup SendMessage " +
    "Skill StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Workflow Write"
  ).split(" "),
);

/** Maps a tool's older names to its present one, in rules and in calls. */
export function canonicalTool(name: string): string {
  return Object.hasOwn(formerNames, name) ? (formerNames[name] ?? name) : name;
}

const toolsByLowerCase = new Map(Array.from(knownTools, (name) => [name.toLowerCase(), name]));

/** The tool of the convention with this name, ignoring case. */
export function findToolIgnoringCase(name: string): string | undefined {
  return toolsByLowerCase.get(name.toLowerCase());
}
