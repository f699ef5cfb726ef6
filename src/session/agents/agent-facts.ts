/** Reads what an agent of this session was started with, from the first line of its transcript. */
import { basename, dirname, join } from "node:path";
import { readSessionFacts, sessionFolder, subagentPath, type SessionFacts } from "../../transcript/index.ts";
import type { Store } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** A session whose agents are meant. */
interface AgentOwner {
  store: Pick<Store, "transcript">;
  around: Pick<Surroundings, "machine">;
}

/** Form of an agent's id. */
export const agentIdPattern = /^[0-9a-f]{16}$/u;

/** Undefined if nothing was kept, or if it is damaged. */
export function readAgentFacts({ store, around }: AgentOwner, id: string): SessionFacts | undefined {
  const { transcript } = store;
  if (transcript === null || !agentIdPattern.test(id)) return undefined;
  return readSessionFacts(subagentPath(transcript.path, id), around.machine.files);
}

const agentFilePattern = /^agent-([0-9a-f]{16})\.jsonl$/u;

/** The agents started by a session, or by an agent of it: ids by the tool call that started each. */
export function agentIdsByToolUse({ store, around }: AgentOwner): Map<string, string> {
  const idsByToolUse = new Map<string, string>();
  const { path } = store.transcript ?? {};
  if (path === undefined) return idsByToolUse;
  const { files } = around.machine;
  const own = dirname(path);
  const folder = basename(own) === "subagents" ? own : join(sessionFolder(path), "subagents");
  for (const name of files.statusOf(folder) === undefined ? [] : files.list(folder)) {
    const id = agentFilePattern.exec(name)?.[1];
    const toolUseId = id === undefined ? undefined : readSessionFacts(join(folder, name), files)?.toolUseId;
    if (id !== undefined && toolUseId !== undefined) idsByToolUse.set(toolUseId, id);
  }
  return idsByToolUse;
}
