/** The end of a session: waits for what it started within limits, tells the rest to end, and releases everything. */
import { oneLine } from "../lib/sanitize.ts";
import { isAnswer, lastAnswerText } from "../protocol/answers.ts";
import type { Message } from "../protocol/message.ts";
import { closeCollapses } from "./context/collapses.ts";
import type { SideWork } from "./side-work.ts";
import { backgroundTasks } from "./hooks/background-tasks.ts";
import { sessionEndLimitMs } from "./hooks/end-limit.ts";
import type { Housekeeping } from "./housekeeping.ts";
import type { Joined } from "./joined.ts";
import type { EndReason } from "./kept-choices.ts";

const hookDrainMs = 5_000;
const backgroundGraceMs = 5_000;

export interface CloseOptions {
  /** Ends the MCP servers that end with this session; the next session takes over the others. */
  closeServers: () => Promise<void>;
  housekeeping: Housekeeping;
  sideWork: SideWork;
  /** True if no other session takes its place. */
  isLast: boolean;
  /** True if nobody waits for background work. */
  hurry: boolean;
  /** Passed to SessionEnd hooks; undefined if nothing was ever said in the session. */
  reason: EndReason | undefined;
}

export async function closeSession(
  joined: Joined,
  { closeServers, housekeeping, sideWork, isLast, hurry, reason }: CloseOptions,
): Promise<void> {
  const { hooks, tools, store, models, options, checkpoints, collapses, ledger, around, disposers, facts } = joined;
  const { agents, agentRun, occasions, openingTexts, forks } = joined;
  const ownsSharedParts = agentRun === undefined;
  const graceMs = options.headless === true && !hurry ? backgroundGraceMs : 0;
  if (ownsSharedParts) await agents.end();
  forks.dropSuggestion();
  await Promise.all([openingTexts.end(), checkpoints.close(), housekeeping.stop(), disposers.release()]);
  const limitMs = Math.min(sessionEndLimitMs(around.env, hooks.sessionEndMs()), hurry ? hookDrainMs : Infinity);
  if (reason !== undefined) runEndHooks(joined, reason, limitMs);
  const drainMs = reason === undefined ? hookDrainMs : Math.max(hookDrainMs, limitMs);
  try {
    const ended = closeCollapses(collapses, facts, { clock: around.clock, ledger });
    const forked = sideWork.close(hurry ? 0 : backgroundGraceMs);
    const commands = [tools.shared.background.dispose(graceMs), joined.commands?.close()];
    // SessionEnd hooks may call tools of these servers, so the servers close after the hooks.
    const servers = hooks.drain(drainMs).then(closeServers);
    await Promise.all([servers, ...commands, ended, forked]);
    for (const report of joined.waking.unreported)
      around.notice(
        `A background hook reported after the last request, so the model has not seen it: ${oneLine(report, 500)}`,
      );
    checkpoints.endTurn(false);
    await checkpoints.settled();
    tools.cleanUp();
    if (ownsSharedParts) tools.shared.sandbox?.dispose();
    await occasions.environment?.cleanUp();
  } finally {
    store.transcript?.close();
    if (ownsSharedParts) await around.mirror?.settled(isLast);
    if (ownsSharedParts) await around.telemetry?.close();
    // An agent uses its session's connections, so only the session closes them.
    if (ownsSharedParts) models.model.dispose();
  }
}

/** Runs the end hooks. An agent that was cut off or failed has stopped as well: its SubagentStop hooks run once. */
function runEndHooks(
  { hooks, agentRun, store, tools, agents, conversation }: Joined,
  reason: EndReason,
  limitMs: number,
): void {
  if (agentRun === undefined) {
    if (hooks.has("SessionEnd")) hooks.runWithin({ hook_event_name: "SessionEnd", reason }, limitMs);
  } else if (hooks.has("SubagentStop") && !hooks.eventsRun.has("SubagentStop")) {
    const { path } = store.transcript ?? {};
    const transcriptField = path === undefined ? {} : { agent_transcript_path: path };
    const background_tasks = backgroundTasks(tools.shared.background, agents, agentRun.id);
    const last_assistant_message = lastAssistantText(conversation.messages);
    const hookFields = { stop_hook_active: false, last_assistant_message, background_tasks };
    hooks.runDetached({ hook_event_name: "SubagentStop", ...hookFields, ...transcriptField });
  }
}

/** The last text of an agent that was cut off: its very last response may be a tool call without text. */
function lastAssistantText(messages: readonly Message[]): string {
  const at = messages.findLastIndex(
    (message) =>
      isAnswer(message) && message.content.some((block) => block.type === "text" && block.text.trim() !== ""),
  );
  return lastAnswerText(messages.slice(0, at + 1));
}
