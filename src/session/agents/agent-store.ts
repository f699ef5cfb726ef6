/** Keeps an agent's conversation: in a transcript of its own beside its session's, under that session's lock. */
import {
  openTranscript,
  readSession,
  repairOrphans,
  subagentPath,
  TranscriptError,
  writeAgentMeta,
  type AgentMeta,
} from "../../transcript/index.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { Message } from "../../protocol/message.ts";
import type { StartedAgent } from "./started-agent.ts";
import { strippedThinkingMark } from "../../protocol/new-record.ts";
import type { Store, StoreOptions } from "../store/store-shape.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** The session's own lock covers everything that belongs to it. */
const noLock = { path: "", release: (): void => undefined };

type AgentStoreOptions = Pick<StoreOptions, "durability" | "replayOf" | "snips" | "snapshot">;

function agentMeta({ definition, description, toolUseId, depth, parent, member }: StartedAgent): AgentMeta {
  const optional = withoutUndefined({ parentAgentId: parent.agentRun?.id, name: member?.port.name });
  return { agentType: definition.name, description, toolUseId, spawnDepth: depth, ...optional };
}

/** Throws `UsageError` if the agent is to resume and nothing of it was kept. */
export function openAgentStore(
  agentRun: StartedAgent,
  around: Surroundings,
  { durability, snips, snapshot, replayOf }: AgentStoreOptions,
): Store {
  const { sessionId, spillDirectory, spilledBefore } = agentRun.parent.store;
  const shared = { sessionId, spillDirectory, spilledBefore, notices: [] };
  const sessionPath = agentRun.root.store.transcript?.path;
  if (sessionPath === undefined) {
    if (agentRun.isResumed) throw new UsageError("This session keeps nothing: no agent of it can go on.");
    return { ...shared, transcript: null, messages: [], restored: {} };
  }
  const path = subagentPath(sessionPath, agentRun.id);
  const { clock, ids, cwd, version, machine, mirror } = around;
  const { files: fs, processes } = machine;
  const own = { path, sessionId, cwd, version, clock, ids, durability, snapshot };
  const transcriptOptions = { ...own, fs, processes, lock: noLock, mirror };
  if (!agentRun.isResumed) {
    const { toolUseId, definition, namedModel, skill } = agentRun;
    const optional = withoutUndefined({ model: namedModel, skill: skill?.name });
    const facts = { agentType: definition.name, ...optional, toolUseId, recordsToolStarts: true } as const;
    const transcript = openTranscript({ ...transcriptOptions, facts });
    writeAgentMeta(fs, path, agentMeta(agentRun));
    return { ...shared, transcript, messages: [], restored: {} };
  }
  try {
    const stored = readSession(path, fs, snips.replay);
    const transcript = openTranscript({ ...transcriptOptions, resume: stored.resumePoint });
    const startedCalls = stored.startedToolUses;
    const marks = stored.hasUnboundThinking ? [strippedThinkingMark({ clock, ids })] : [];
    const repairs: Message[] = [
      ...repairOrphans(stored.messages, ids, clock, { startedCalls, replay: replayOf }),
      ...marks,
    ];
    for (const repair of repairs) transcript.append(repair);
    const { systemPrompt, readFileState, todos, resumePoint } = stored;
    const { summedUp, loadedTools } = resumePoint.snapshot;
    return {
      ...shared,
      transcript,
      messages: [...stored.messages, ...repairs],
      restored: { systemPrompt, readFileState, todos, summedUp, loadedTools },
    };
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    throw new UsageError(`No agent ${agentRun.id} of this session was kept: start a new one.`, { cause: error });
  }
}
