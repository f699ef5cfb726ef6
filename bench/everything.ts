/** Everything that the model can be offered, turned on at once, to measure what that costs. */

/** `TodoWrite` is missing, because the task list replaces it. */
export const everyTool = [
  "Agent",
  "Bash",
  "Edit",
  "Glob",
  "Grep",
  "NotebookEdit",
  "Read",
  "SendMessage",
  "Skill",
  "TaskCreate",
  "TaskGet",
  "TaskList",
  "TaskStop",
  "TaskUpdate",
  "WebFetch",
  "Write",
];

/** Further tools if a person can be asked. */
export const askingTools = ["AskUserQuestion", "EnterPlanMode", "ExitPlanMode"];

/** Further tools for a server with resources whose tool definitions must be searched for. */
export const serverTools = ["ToolSearch", "ListMcpResourcesTool", "ReadMcpResourceTool"];

export const everySetting = {
  autoMemoryEnabled: true,
  env: { CLAUDE_CODE_ENABLE_TASKS: "1", CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1", ENABLE_TOOL_SEARCH: "true" },
};

export const exampleSkill = {
  path: ".pawl/skills/notes/SKILL.md",
  text: "---\nname: notes\ndescription: How notes are to be read\n---\nRead them in turn.\n",
};

/** A server's program and what it does; see `test/mcp/server.ts`. */
export const exampleServer = {
  program: "test/mcp/server.ts",
  behaviour: {
    tools: Array.from({ length: 20 }, (_, at) => ({
      name: `job_${at}`,
      description: `Does job ${at}. ${"It has a long description. ".repeat(20)}`,
      inputSchema: { type: "object", properties: { what: { type: "string" } } },
    })),
    resources: [{ uri: "note:one", name: "One", mimeType: "text/plain" }],
  },
};

export const maxPrefixTokens = 4_000;
