/** Answers /agents: the agent types. */
import { oneLine } from "../../../lib/sanitize.ts";
import { withoutUndefined } from "../../../lib/without-undefined.ts";
import type { NamedAgent } from "../../../protocol/agent.ts";
import type { CommandAnswer, CommandDesk } from "../command.ts";
import { listText, originText } from "./listing.ts";

export function answerAgents(desk: CommandDesk): CommandAnswer {
  const { agentTypes } = desk.session().joined;
  const head = `${agentTypes.length} ${agentTypes.length === 1 ? "kind" : "kinds"} of agent:`;
  const rows = agentTypes.map((agent) => ({ name: agent.name, lines: [agent.description, agentDetails(agent)] }));
  return { text: listText(head, rows), data: { agents: agentTypes.map(agentData) } };
}

function agentDetails({ source, path, model = "inherit", tools, disallowedTools = [], unfit }: NamedAgent): string {
  const modelText = model === "inherit" ? "the session's model" : `model ${model}`;
  const toolsText = tools === undefined || tools.includes("*") ? "all tools" : `tools: ${tools.join(", ") || "none"}`;
  const exceptText = disallowedTools.length === 0 ? "" : `, but ${disallowedTools.join(", ")}`;
  const why = unfit === undefined ? "" : `; is not started: ${unfit}`;
  return `${originText(source, path)}; ${oneLine(modelText, 80)}; ${oneLine(toolsText + exceptText, 300)}${oneLine(why, 300)}`;
}

function agentData({ name, description, source, path, model, tools, disallowedTools, unfit }: NamedAgent) {
  return { name, description, source, ...withoutUndefined({ path, model, tools, disallowedTools, unfit }) };
}
