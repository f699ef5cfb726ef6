/** The messages of a session and of its agents. */
import { dirname, join } from "node:path";
import { UsageError } from "../../lib/usage-error.ts";
import type { SessionMessage } from "../../protocol/sdk-sessions.ts";
import { eachMessage } from "../../transcript/history.ts";
import { nodeFileSystem, subagentPath, TranscriptError } from "../../transcript/index.ts";
import type { SessionMessagesOptions, SessionPlace } from "./options.ts";
import { requireSessionFile, withUsageErrors } from "./place.ts";
import { toSessionMessage } from "./session-message.ts";

export function readSessionMessages(sessionId: string, options: SessionMessagesOptions): SessionMessage[] {
  const file = requireSessionFile(sessionId, options);
  return readTranscriptMessages(file.path, file.sessionId, options);
}

export function agentIds(sessionId: string, place: SessionPlace): string[] {
  return agentFiles(requireSessionFile(sessionId, place).path).map(({ agentId }) => agentId);
}

/** Returns the agents of the session with that transcript, in the order in which they were started. */
export function agentFiles(path: string): { agentId: string; path: string }[] {
  const folder = dirname(subagentPath(path, "any"));
  if (nodeFileSystem.statusOf(folder)?.isFolder !== true) return [];
  const found = nodeFileSystem.list(folder).flatMap((name) => {
    const agentId = /^agent-([\w-]+)\.jsonl$/u.exec(name)?.[1];
    return agentId === undefined ? [] : [{ agentId, path: join(folder, name), begun: startTimeOf(join(folder, name)) }];
  });
  return found
    .sort((one, other) => (one.begun < other.begun ? -1 : 1))
    .map(({ agentId, path: own }) => ({ agentId, path: own }));
}

/** Returns the time of the first record; empty if nothing can be read. */
function startTimeOf(path: string): string {
  let startTime = "";
  try {
    eachMessage(path, { includeCompacted: true }, ({ record }) => {
      startTime = record.timestamp;
      return false;
    });
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
  }
  return startTime;
}

export function readAgentMessages(
  sessionId: string,
  agentId: string,
  options: SessionMessagesOptions,
): SessionMessage[] {
  const file = requireSessionFile(sessionId, options);
  const agent = agentFiles(file.path).find((each) => each.agentId === agentId);
  if (agent === undefined)
    throw new UsageError(`The session ${file.sessionId} has no agent ${agentId.slice(0, 80)}.`, {
      code: "session_not_found",
    });
  return readTranscriptMessages(agent.path, file.sessionId, options);
}

function readTranscriptMessages(path: string, sessionId: string, options: SessionMessagesOptions): SessionMessage[] {
  const { limit = Infinity, offset = 0, includeSystemMessages = false, includeCompacted = false } = options;
  const messages: SessionMessage[] = [];
  let at = 0;
  withUsageErrors(() =>
    eachMessage(path, { includeCompacted }, ({ message }) => {
      if (messages.length >= limit) return false;
      const shown = toSessionMessage(message, sessionId, includeSystemMessages);
      if (shown !== undefined && at++ >= offset) messages.push(shown);
      return true;
    }),
  );
  return messages;
}
