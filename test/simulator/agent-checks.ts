// Agents of the real Agent tool, watched: what they ask of the model and run, held against the transcripts that they keep.
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

/** What an agent asks is valid, is what its own records say, and begins as what it asked before. */
export function checkAgentRequest(seat: Watcher, seenRequest: RequestSeen, request: WireRequest): void {
  const { book, transcripts } = seat.world;
  checkRequestForm(seat, seenRequest, request);
  if (seenRequest.wantsSummary) return;
  const told = agentTranscriptPaths(seat).map((path) => ({
    path,
    difference: differenceFrom(transcripts.at(path), request),
  }));
  const asked = (path: string): number => book.requests.filter(({ agent }) => agent === path).length;
  // Two that were given one task ask the same: it is the other one's turn.
  const [found] = told
    .filter(({ difference }) => difference === null)
    .sort((one, other) => asked(one.path) - asked(other.path));
  if (found === undefined)
    return seat.addProblem("law 2", `no agent has recorded what it asks: ${JSON.stringify(told)}`);
  seenRequest.agent = found.path;
  seenRequest.lines = transcripts.at(found.path).lines.length;
  seat.world.count("seen", book.agents.has(agentIdIn(found.path)) ? "agent asks again" : "agent asks");
  book.agents.add(agentIdIn(found.path));
  checkThinking(seat, transcripts.at(found.path), request, seenRequest.body);
}

/** Told of an agent in the stream of the session. */
export function isAgentMessage(message: SDKMessage): boolean {
  if ("agent_id" in message && message.agent_id !== undefined) return true;
  return (message.type === "assistant" || message.type === "user") && message.parent_tool_use_id !== null;
}

/** Of a call that is meant: whose it is can be told by it. */
export function nextCallNumber({ currentRequest, book }: World): number {
  const number = ++book.callCount;
  if (currentRequest !== null && currentRequest.agent !== null)
    book.agentByCall.set(`toolu_${String(number).padStart(6, "0")}`, currentRequest.agent);
  return number;
}

/** A call to start an agent, to go on with one, or to end one. */
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

/** The path of the transcript of the agent that has made a call; undefined: the session has. */
export function callingAgent(seat: Watcher, toolUseId: string): string | undefined {
  const { book, transcripts } = seat.world;
  const meant = book.agentByCall.get(toolUseId);
  const recorded = (): string | undefined =>
    agentTranscriptPaths(seat).find((path) => hasToolUse(transcripts.at(path), toolUseId));
  // Of two that were given one task, and have said the same so far, either may have asked.
  if (meant !== undefined) return hasToolUse(transcripts.at(meant), toolUseId) ? meant : (recorded() ?? meant);
  // Of two of one id the second was given another.
  return book.agents.size === 0 || hasToolUse(seat.transcript, toolUseId) ? undefined : recorded();
}

function hasToolUse({ conversation }: Transcript, toolUseId: string): boolean {
  return conversation.some(({ content }) => content?.some(({ type, id }) => type === "tool_use" && id === toolUseId));
}

/** What runs for an agent is recorded with it. */
export function transcriptFor(seat: Watcher, agent: string | undefined): Transcript {
  return agent === undefined ? seat.transcript : seat.world.transcripts.at(agent);
}

/** Calls on record without a result. */
export function openAgentCalls(seat: Watcher): string[] {
  return agentTranscriptPaths(seat).flatMap((path) => {
    const blocks = seat.world.transcripts.at(path).conversation.flatMap(({ content = [] }) => content);
    const answered = new Set(blocks.map(({ tool_use_id: id }) => id));
    return blocks.flatMap(({ type, id = "" }) => (type === "tool_use" && !answered.has(id) ? [id] : []));
  });
}

/** Those that worked in this process: each has settled all it began. */
export function agentTranscripts(seat: Watcher): Transcript[] {
  const { book, transcripts } = seat.world;
  const own = new Set(
    book.requests.flatMap(({ agent, process }) => (process === seat.process && agent ? [agent] : [])),
  );
  return [...own].map((path) => transcripts.at(path));
}

/** How often the end of each agent of the background was told, by its id; of one that goes on, each time. */
export function agentEndCounts(seat: Watcher): { id: string; started: number; reported: number }[] {
  const counts = new Map<string, { started: number; reported: number }>();
  const at = (id: string) => {
    const found = counts.get(id) ?? { started: 0, reported: 0 };
    counts.set(id, found);
    return found;
  };
  for (const { message, toolUseResult } of seat.transcript.lines.slice(seat.linesBefore)) {
    // Not by the words for the model, which a hook may change.
    const { status, agentId } = (toolUseResult ?? {}) as { status?: string; agentId?: string };
    if (status === "async_launched" && agentId !== undefined) at(agentId).started++;
    const attachment = message?.attachment;
    if (attachment?.kind === "reminder" && attachment["name"] === "task_ended")
      at((attachment["task"] as { taskId: string }).taskId).reported++;
  }
  return [...counts].map(([id, count]) => ({ id, ...count }));
}
