// Checks the agents of the real Agent tool: compares their requests and calls with the transcripts that they keep.
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Part, RequestView } from "../../src/testing/index.ts";
import { agentKinds, agentMark } from "./agent-plan.ts";
import type { RequestSeen } from "./book.ts";
import { checkThinking } from "./history-checks.ts";
import { checkRequestForm, differenceFrom } from "./request-checks.ts";
import type { Transcript } from "./transcripts.ts";
import type { Watcher } from "./watcher.ts";
import type { WireRequest } from "./wire-view.ts";
import type { World } from "./world.ts";

export function isAgentRequest({ system }: WireRequest): boolean {
  return system?.some(({ text }) => text.includes(agentMark)) === true;
}

function agentTranscriptPaths(seat: Watcher): string[] {
  const folder = `/${seat.sessionId}/subagents/agent-`;
  return seat.world.disk.paths().filter((path) => path.includes(folder) && path.endsWith(".jsonl"));
}

function agentIdIn(path: string): string {
  return /agent-([^/]+)\.jsonl$/.exec(path)?.[1] ?? "";
}

/** Checks that an agent's request is valid and says what the agent's own transcript says. */
export function checkAgentRequest(seat: Watcher, seenRequest: RequestSeen, request: WireRequest): void {
  const { book, transcripts } = seat.world;
  checkRequestForm(seat, seenRequest, request);
  if (seenRequest.wantsSummary) return;
  const candidates = agentTranscriptPaths(seat).map((path) => ({
    path,
    difference: differenceFrom(transcripts.at(path), request),
  }));
  const asked = (path: string): number => book.requests.filter(({ agent }) => agent === path).length;
  // Two agents with the same task ask the same: the request belongs to the one that has asked less often.
  const [found] = candidates
    .filter(({ difference }) => difference === null)
    .sort((one, other) => asked(one.path) - asked(other.path));
  if (found === undefined)
    return seat.addProblem("law 2", `no agent has recorded what it asks: ${JSON.stringify(candidates)}`);
  seenRequest.agent = found.path;
  seenRequest.lines = transcripts.at(found.path).lines.length;
  seat.world.count("seen", book.agents.has(agentIdIn(found.path)) ? "agent asks again" : "agent asks");
  book.agents.add(agentIdIn(found.path));
  checkThinking(seat, transcripts.at(found.path), request, seenRequest.body);
}

/** Whether the message in the session's stream belongs to an agent. */
export function isAgentMessage(message: SDKMessage): boolean {
  if ("agent_id" in message && message.agent_id !== undefined) return true;
  return (message.type === "assistant" || message.type === "user") && message.parent_tool_use_id !== null;
}

/** Numbers the next call, and notes which agent makes it. */
export function nextCallNumber({ currentRequest, book }: World): number {
  const number = ++book.callCount;
  if (currentRequest !== null && currentRequest.agent !== null)
    book.agentByCall.set(`toolu_${String(number).padStart(6, "0")}`, currentRequest.agent);
  return number;
}

/** Draws a call that starts, resumes or stops an agent. Null: no such call. */
export function drawAgentCall(world: World, request: RequestView): Part | null {
  const { choices, book } = world;
  if (world.plan.crew === null || !request.hasTool("Agent") || !choices.chance(25)) return null;
  const number = nextCallNumber(world);
  const id = `toolu_${String(number).padStart(6, "0")}`;
  const known = [...book.agents];
  if (known.length > 0 && request.hasTool("TaskStop") && choices.chance(10))
    return { id, tool: "TaskStop", input: { task_id: choices.pick(known) } };
  return {
    id,
    tool: "Agent",
    input: {
      description: `task ${number}`,
      prompt: `agent's task ${number} ${choices.pick(["", "", "é ".repeat(400)])}`,
      subagent_type: choices.pick(Object.keys(agentKinds)),
      ...(choices.chance(50) ? { run_in_background: choices.chance(80) } : {}),
      ...(known.length > 0 && choices.chance(30) ? { resume: choices.pick(known) } : {}),
    },
  };
}

/** Returns the path of the transcript of the agent that made the call, or undefined if the session made it. */
export function callingAgent(seat: Watcher, toolUseId: string): string | undefined {
  const { book, transcripts } = seat.world;
  const meant = book.agentByCall.get(toolUseId);
  const recorded = (): string | undefined =>
    agentTranscriptPaths(seat).find((path) => hasToolUse(transcripts.at(path), toolUseId));
  // Of two agents with the same task and the same conversation, either may have asked.
  if (meant !== undefined) return hasToolUse(transcripts.at(meant), toolUseId) ? meant : (recorded() ?? meant);
  // The second of two calls with one id was given another id.
  return book.agents.size === 0 || hasToolUse(seat.transcript, toolUseId) ? undefined : recorded();
}

function hasToolUse({ conversation }: Transcript, toolUseId: string): boolean {
  return conversation.some(({ content }) => content?.some(({ type, id }) => type === "tool_use" && id === toolUseId));
}

/** The transcript that records the calls of the agent, or of the session if there is none. */
export function transcriptFor(seat: Watcher, agent: string | undefined): Transcript {
  return agent === undefined ? seat.transcript : seat.world.transcripts.at(agent);
}

/** The recorded calls of agents that have no result. */
export function openAgentCalls(seat: Watcher): string[] {
  return agentTranscriptPaths(seat).flatMap((path) => {
    const blocks = seat.world.transcripts.at(path).conversation.flatMap(({ content = [] }) => content);
    const answered = new Set(blocks.map(({ tool_use_id: id }) => id));
    return blocks.flatMap(({ type, id = "" }) => (type === "tool_use" && !answered.has(id) ? [id] : []));
  });
}

/** The transcripts of the agents that worked in this process: each of them has settled its calls. */
export function agentTranscripts(seat: Watcher): Transcript[] {
  const { book, transcripts } = seat.world;
  const paths = new Set(
    book.requests.flatMap(({ agent, process }) => (process === seat.process && agent ? [agent] : [])),
  );
  return [...paths].map((path) => transcripts.at(path));
}

/** How often each background agent started, and how often its end was reported. An agent that is resumed counts each time. */
export function agentEndCounts(seat: Watcher): { id: string; started: number; reported: number }[] {
  const counts = new Map<string, { started: number; reported: number }>();
  const at = (id: string) => {
    const found = counts.get(id) ?? { started: 0, reported: 0 };
    counts.set(id, found);
    return found;
  };
  for (const { message, toolUseResult } of seat.transcript.lines.slice(seat.linesBefore)) {
    // Not counted by the text for the model, which a hook may change.
    const { status, agentId } = (toolUseResult ?? {}) as { status?: string; agentId?: string };
    if (status === "async_launched" && agentId !== undefined) at(agentId).started++;
    const attachment = message?.attachment;
    if (attachment?.kind === "reminder" && attachment["name"] === "task_ended")
      at((attachment["task"] as { taskId: string }).taskId).reported++;
  }
  return [...counts].map(([id, count]) => ({ id, ...count }));
}
