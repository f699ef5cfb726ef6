/** The commands whose answers are loaded with their first use. */
import type { Command } from "./command.ts";

const listing = { argumentHint: "", mayRunDuringTurn: true, takesNoArgument: true } as const;

export const agents: Command = {
  ...listing,
  name: "agents",
  description: "list the agent types: what each is for, its source, model and tools",
  run: async (_argument, desk) => (await import("./answers/agents.ts")).answerAgents(desk),
};

export const hooks: Command = {
  ...listing,
  name: "hooks",
  description: "list the hooks from settings, their sources, and why any of them does not run",
  run: async (_argument, desk) => (await import("./answers/hooks.ts")).answerHooks(desk),
};

export const mcp: Command = {
  name: "mcp",
  argumentHint: "[reconnect|logout <server>]",
  description: "list the MCP servers, their state and what they offer; reconnect to one, or log out of it",
  mayRunDuringTurn: true,
  run: async (argument, desk) => (await import("./answers/mcp.ts")).answerMcp(argument, desk),
};

export const memory: Command = {
  ...listing,
  name: "memory",
  description: "list the loaded memory files in order, with their sources and sizes",
  run: async (_argument, desk) => (await import("./answers/memory.ts")).answerMemory(desk),
};

export const permissions: Command = {
  ...listing,
  name: "permissions",
  aliases: ["allowed-tools"],
  description: "show the permission mode, the rules with their sources, and the folders",
  run: async (_argument, desk) => (await import("./answers/permissions.ts")).answerPermissions(desk),
};

export const rewind: Command = {
  name: "rewind",
  argumentHint: "[message [confirm]]",
  description: "restore files to their state before one of your messages; without confirm, only say what would change",
  run: async (argument, desk) => (await import("./answers/rewind.ts")).answerRewind(argument, desk),
};

export const skills: Command = {
  ...listing,
  name: "skills",
  description: "list the skills and commands from files: what each is for, its source, who may start it",
  run: async (_argument, desk) => (await import("./answers/skills.ts")).answerSkills(desk),
};

export const status: Command = {
  ...listing,
  name: "status",
  description: "show the session, its folder and transcript, the model, the mode and the settings files in force",
  run: async (_argument, desk) => (await import("./answers/status.ts")).answerStatus(desk),
};
