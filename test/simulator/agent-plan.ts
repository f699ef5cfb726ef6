// The agents that a session may start, and their limits.
import type { AgentDefinition } from "../../src/protocol/agent.ts";
import type { Choices } from "./choices.ts";

/** Begins the system prompts of agents, and no other one. */
export const agentMark = "You are the agent ";
const tools = ["Look", "Scan", "Change", "Fail", "Deaf", "Careful", "Huge"];

export const agentKinds: Record<string, AgentDefinition> = {
  looker: { description: "looks", prompt: `${agentMark}looker.`, tools: ["Look", "Scan", "Huge"], maxTurns: 4 },
  worker: { description: "works", prompt: `${agentMark}worker.`, tools: [...tools, "Agent"], maxTurns: 8 },
  beside: { description: "works beside", prompt: `${agentMark}beside.`, tools, maxTurns: 6, background: true },
  small: {
    description: "is small",
    prompt: `${agentMark}small.`,
    tools: ["Look"],
    model: "claude-haiku-4-5",
    maxTurns: 3,
  },
};

/** Null: the session has no agents. */
export function drawAgentLimits(choices: Choices, isWanted: boolean) {
  if (!isWanted) return null;
  return {
    // An agent that is resumed at another depth could have other tools, but its thinking is bound to the tools it had.
    depth: choices.pick([1, 9]),
    concurrent: choices.pick([20, 2]),
    count: choices.pick([200, 4]),
    turns: choices.pick([5_000, 24]),
  };
}
