/** Whether a session works for another one. Not the same as having an `agentRun`: a host can ask for it, with the option `subagent`. */
import type { EngineOptions } from "./options.ts";

/**
 * Such a session starts nothing that only a main thread starts, and its turns end with SubagentStop hooks. Every agent acts as a
 * subagent. A session that a host opens as a subagent is not an agent of a session here: it owns its ledger, servers and connections.
 */
export function actsAsSubagent({ subagent }: Pick<EngineOptions, "subagent">): boolean {
  return subagent !== undefined;
}
