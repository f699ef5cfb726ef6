import { oneLine } from "../../lib/sanitize.ts";
import { present } from "../../lib/present.ts";
import type { NamedAgent } from "../../protocol/agent.ts";
import type { Command } from "./command.ts";
import { listText, originOf } from "./listing.ts";

export const agents: Command = {
  name: "agents",
  argumentHint: "",
  description: "list the agent types: what each is for, its source, model and tools",
  isBeside: true,
  takesNothing: true,
  run(_argument, desk) {
    const { agentTypes } = desk.session().joined;
    const head = `${agentTypes.length} ${agentTypes.length === 1 ? "kind" : "kinds"} of agent:`;
    const rows = agentTypes.map((agent) => ({ name: agent.name, lines: [agent.description, about(agent)] }));
    return { text: listText(head, rows), data: { agents: agentTypes.map(dataOf) } };
  },
};

function about({ source, path, model = "inherit", tools, disallowedTools = [], unfit }: NamedAgent): string {
  const named = model === "inherit" ? "the session's model" : `model ${model}`;
  const given = tools === undefined || tools.includes("*") ? "all tools" : `tools: ${tools.join(", ") || "none"}`;
  const taken = disallowedTools.length === 0 ? "" : `, but ${disallowedTools.join(", ")}`;
  const why = unfit === undefined ? "" : `; is not started: ${unfit}`;
  return `${originOf(source, path)}; ${oneLine(named, 80)}; ${oneLine(given + taken, 300)}${oneLine(why, 300)}`;
}

function dataOf({ name, description, source, path, model, tools, disallowedTools, unfit }: NamedAgent) {
  return { name, description, source, ...present({ path, model, tools, disallowedTools, unfit }) };
}
