/** Runs one agent from start to end: joined below its parent, run as one user turn, summed up as a tool result. */
import { onAbort } from "../../lib/on-abort.ts";
import { errorText } from "../../lib/error-text.ts";
import { createCancel, type Cancel } from "../../loop/cancel.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { TextBlock } from "../../protocol/message.ts";
import type { CancelCause } from "../../protocol/stop.ts";
import type { SDKMessage, SDKResultMessage } from "../../protocol/sdk.ts";
import type { ToolResult } from "../../protocol/tool.ts";
import { minUsefulAnswerTokens } from "../../protocol/useful-answer.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { isRecord } from "../../lib/is-record.ts";
import { quoteName } from "../../lib/quote-name.ts";
import { loadOnce } from "../../lib/load-once.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { failureResult } from "../../tools/failure.ts";
import type { AgentRun, Joined } from "../joined.ts";
import type { OpenAgentSession, Session } from "../session.ts";
import { runTurn } from "../turn/user-turn.ts";
import { needsWorktree } from "./needs-worktree.ts";
import type { OwnedPlace } from "./place.ts";
import type { KeptTree } from "../worktrees/tree.ts";
import { agentModelOf } from "./agent-model.ts";
import type { AgentCall } from "../agents/agent-tool.ts";
import { forwardMessage } from "./forward-message.ts";
import { AgentReport } from "./report.ts";
import { unfitAgentMessage } from "../agents/definitions.ts";
import { agentIdPattern, readAgentFacts } from "../agents/agent-facts.ts";
import { agentTools } from "../agents/rights.ts";
import { readStallMs, StallWatch } from "../agents/stall-watch.ts";
import type { Reservation } from "../agents/tree.ts";

type SkillToRun = Exclude<AgentCall["skill"], undefined>;

interface AgentWork {
  call: AgentCall;
  agentRun: AgentRun;
  reservation: Reservation;
  cancel: Cancel;
}

const loadOpening = loadOnce(() => import("./opening.ts"));
const loadPlace = loadOnce(() => import("./place.ts"));

export async function runAgent(joined: Joined, requestedCall: AgentCall, open: OpenAgentSession): Promise<ToolResult> {
  // An agent's own agents end with it, so they cannot run in the background.
  const call = { ...requestedCall, isBackground: requestedCall.isBackground && joined.agentRun === undefined };
  const agentRun = await affordableAgentRun(joined, call);
  if ("problem" in agentRun) return failureResult(agentRun.problem);
  const { id } = agentRun;
  // Another call in the same message may have resumed this agent meanwhile.
  const reserved = joined.agents.reserve(call.definition.maxTurns, { id, isNew: !agentRun.isResumed });
  if (!reserved.ok) return failureResult(reserved.message);
  const { reservation } = reserved;
  const cancel: Cancel = createCancel();
  let isInterrupted = false;
  const onInterrupt = (): void => {
    isInterrupted = true;
    joined.agentRun?.onInterrupt?.();
  };
  const admittedRun: AgentRun = { ...agentRun, turns: reservation.turns, onInterrupt };
  const report = new AgentReport(admittedRun, call, joined.around);
  if (call.isBackground) admittedRun.stall = stallWatch(joined, report, cancel);
  const agentWork = { call, agentRun: admittedRun, reservation, cancel };
  // Shown now: once the call is over it has no place in the stream, and clients keep their side open while they know of an agent.
  if (call.isBackground) call.show(report.startedMessage());
  const work = enterPlaceAndRun(joined, agentWork, report, open);
  const { around, tools } = joined;
  const keep = async (text: string): Promise<string> =>
    await around.machine.spills.open(tools.shared.spillDirectory()).write(`agent-${id}`, text);
  const ended = work.then(async (result) => {
    if (!call.isBackground) return;
    joined.agentNews.push(await report.endReminder(result, keep));
    joined.occasions.agentEnded(call.description);
  });
  joined.agents.add({
    id,
    type: call.definition.name,
    description: call.description,
    isBackground: call.isBackground,
    cancel,
    markEndedByModel: () => report.markEndedByModel(),
    ended,
  });
  if (call.isBackground) return report.launchedResult();
  const stopListening = onAbort(call.signal, () => cancel.cancel(cancelCauseOf(call.signal)));
  try {
    const result = await work;
    // A person who refuses a call and ends the turn also means the turn that waits for the agent.
    if (isInterrupted) joined.turn?.cancel("user");
    return result;
  } finally {
    stopListening();
  }
}

/** Ends an agent that has gone silent, and reports that as the reason. */
function stallWatch({ around }: Joined, report: AgentReport, cancel: Cancel): StallWatch {
  const ms = readStallMs(around.env);
  return new StallWatch(around.clock, ms, () => {
    report.markStalled(ms);
    cancel.cancel("interrupt");
  });
}

export function cancelCauseOf({ reason }: AbortSignal): CancelCause {
  const known: readonly unknown[] = ["user", "interrupt", "terminate", "consumer", "shutdown"] satisfies CancelCause[];
  return known.includes(reason) ? (reason as CancelCause) : "user";
}

/** How the agent would run below that parent. */
function createAgentRun(parent: Joined, call: AgentCall): AgentRun | { problem: string } {
  const { definition, resume } = call;
  const { around, agents, agentRun, view, permissions } = parent;
  if (definition.unfit !== undefined) return { problem: unfitAgentMessage(definition.name, definition.unfit) };
  const depth = (agentRun?.depth ?? 0) + 1;
  if (depth > agents.limits.depth)
    return {
      problem: `Agents may be nested ${agents.limits.depth} deep here, and this one is at that depth: do it yourself.`,
    };
  if (resume !== undefined && !agentIdPattern.test(resume))
    return { problem: `"${resume.slice(0, 80)}" is not the id of an agent.` };
  const problem = resume === undefined ? null : agents.resumeProblem(resume);
  if (problem !== null) return { problem };
  const tools = agentTools(definition, view.names(), depth < agents.limits.depth);
  const hasServers = definition.mcpServers?.some((each) => typeof each !== "string") === true;
  const { tools: toolNames = [] } = definition;
  // An empty list says that the agent needs no tools.
  if (tools.length === 0 && toolNames.length > 0 && !hasServers)
    return {
      problem: `The agent ${definition.name} would have no tools: its definition names ${toolNames.join(", ").slice(0, 200)}, and none of them is available here. It is not started.`,
    };
  const root = agentRun?.root ?? parent;
  const facts = resume === undefined ? undefined : readAgentFacts(root, resume);
  const skill = call.skill?.skill ?? findSkill(facts?.skill, parent);
  if (skill === undefined && facts?.skill !== undefined) return { problem: missingSkillText(facts.skill) };
  const requestedModel = call.model ?? facts?.model;
  const agentModel = agentModelOf(parent, definition, requestedModel, skill);
  if ("problem" in agentModel) return agentModel;
  return {
    id: resume ?? around.ids.uuid().replaceAll("-", "").slice(0, 16).toLowerCase(),
    definition,
    depth,
    turns: 0,
    tools,
    ...agentModel,
    ...withoutUndefined({ namedModel: requestedModel, skill }),
    description: call.description,
    toolUseId: call.toolUseId,
    isResumed: resume !== undefined,
    ruleVersion: permissions.ruleVersion(),
    parent,
    root,
  };
}

/** Skills of folders below the working folder are only known to whoever has read a file there. */
function findSkill(name: string | undefined, { skills, agentRun }: Joined): Skill | undefined {
  return name === undefined ? undefined : (skills.find(name) ?? agentRun?.root.skills.find(name));
}

function missingSkillText(name: string): string {
  return `This agent carries out the skill ${quoteName(name)}, which is not known here now, so the agent could do what the skill forbids. It is not resumed: start a new agent.`;
}

/** How the agent would run below that session, if its first call can be paid for. */
export async function affordableAgentRun(joined: Joined, call: AgentCall): Promise<AgentRun | { problem: string }> {
  const agentRun = createAgentRun(joined, call);
  if ("problem" in agentRun || (await isAffordable(joined, agentRun, call))) return agentRun;
  return { problem: "Budget limit reached: no agent can be paid for." };
}

/** Whether the agent's first call could be admitted, now or once others have ended; nothing stays reserved. */
async function isAffordable(
  { ledger, models }: Joined,
  { model, definition }: AgentRun,
  { prompt }: AgentCall,
): Promise<boolean> {
  const requestBytes = Buffer.byteLength(prompt) + Buffer.byteLength(definition.prompt);
  const maxTokens = Math.min(minUsefulAnswerTokens, models.catalog.info(model).maxOutputTokens);
  const size = { requestBytes, estimatedInputTokens: requestBytes, mediaTokens: () => 0 };
  const admission = await ledger.admit({ model, ...size, maxTokens, patient: true });
  if (!admission.admitted) return admission.freed !== undefined;
  ledger.settle(admission.ticket, { notBilled: true });
  return true;
}

/** Never throws: a caller that waits for it gets a result. */
async function enterPlaceAndRun(
  joined: Joined,
  agentWork: AgentWork,
  report: AgentReport,
  open: OpenAgentSession,
): Promise<ToolResult> {
  const { call, agentRun, reservation, cancel } = agentWork;
  let place: OwnedPlace | undefined;
  let result: ToolResult;
  try {
    if (needsWorktree(agentRun, call.isolation)) {
      const { enterPlace } = await loadPlace();
      place = await enterPlace(joined, agentRun, cancel.signal);
    }
    const placed = place === undefined ? agentWork : { ...agentWork, agentRun: { ...agentRun, place } };
    result = await runAgentSession(joined, placed, report, open);
  } catch (error) {
    report.markFailed();
    if (error instanceof UsageError) result = failureResult(error.message);
    else result = failureResult(`The agent failed: ${errorText(error)}`);
  } finally {
    agentRun.stall?.stop();
    reservation.release(report.turns);
  }
  const kept = await place?.leave();
  if (report.hasBegun) showIfAwaited(call, report.notification());
  return kept === undefined ? result : withWorktreeNote(result, kept);
}

async function runAgentSession(
  joined: Joined,
  agentWork: AgentWork,
  report: AgentReport,
  open: OpenAgentSession,
): Promise<ToolResult> {
  const { call, agentRun, cancel } = agentWork;
  const { root } = agentRun;
  const session = await open(agentRun);
  joined.agents.sessions.add(session);
  const forwardOptions = { show: call.show, isShown: !call.isBackground, notice: root.around.notice };
  try {
    showIfAwaited(call, report.startedMessage());
    if (agentRun.isResumed && agentRun.skill !== undefined) await session.joined.skills.restrict(agentRun.skill);
    const promptText = call.skill === undefined ? call.prompt : await skillText(call.skill, session, cancel.signal);
    const prompt = [
      ...(await loadOpeningBlocks(agentRun, session, cancel.signal)),
      { type: "text" as const, text: promptText },
    ];
    for await (const message of runTurn(session, prompt, {}, cancel)) {
      agentRun.stall?.take(message);
      for (const shown of report.take(message)) forwardMessage(shown, forwardOptions);
      root.facts.put("ledger", root.ledger.snapshot());
    }
    const runningCommands = session.desk
      .tasks()
      .filter(({ task_type: type, status }) => type === "shell" && status === "running");
    return report.result(runningCommands);
  } finally {
    await session.close(true, "other");
    // Messages of hooks that nobody waited for.
    for (const message of session.hookFeed?.take() ?? []) forwardMessage(message, forwardOptions);
    joined.agents.sessions.delete(session);
  }
}

/** The skill's permissions hold for the agent as long as it runs. */
async function skillText(
  { skill, argument, otherText }: SkillToRun,
  { joined }: Session,
  signal: AbortSignal,
): Promise<string> {
  const expansion = await joined.skills.expand(skill, argument, signal);
  if (!expansion.ok) throw new UsageError(expansion.why);
  return otherText === "" ? expansion.text : `${otherText}\n\n${expansion.text}`;
}

/** The blocks that the agent's definition adds at the start. */
export async function loadOpeningBlocks(
  agentRun: AgentRun,
  session: Session,
  signal: AbortSignal,
): Promise<TextBlock[]> {
  const { skills = [], memory } = agentRun.definition;
  if (skills.length === 0 && memory === undefined) return [];
  const { openingBlocks } = await loadOpening();
  return await openingBlocks(agentRun, session.joined.skills, signal);
}

function withWorktreeNote(result: ToolResult, { path, text }: KeptTree): ToolResult {
  const { content, output } = result;
  const worktree = isRecord(output) ? { output: { ...output, worktreePath: path } } : {};
  if (typeof content === "string") return { ...result, content: `${content}\n${text}`, ...worktree };
  return { ...result, content: [...content, { type: "text", text }], ...worktree };
}

function showIfAwaited({ isBackground, show: tell }: AgentCall, message: SDKMessage | SDKResultMessage): void {
  // The call that started it is over, and has no place in the stream any more.
  if (!isBackground) tell(message);
}
