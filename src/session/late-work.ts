/** Work beside the turns that may have something to report between two of them: agents, teammates, hooks that wake the session. */
import { actsAsSubagent } from "./options/acts-as-subagent.ts";
import { oneLine } from "../lib/sanitize.ts";
import type { Attachment, EndedTask } from "../protocol/message.ts";
import type { ReattachItem } from "../context/reattach-item.ts";
import type { Joined } from "./joined.ts";

type BackgroundRooms = Pick<Joined, "agents" | "team" | "waking">;

/** Counts what works in the background or has ended without the model being told. Running hooks do not count: nobody waits for them. */
export function countOpenWork({
  agents,
  agentNews,
  team,
  waking,
}: BackgroundRooms & Pick<Joined, "agentNews">): number {
  return agents.workingInBackground().length + agentNews.length + team.newsCount + waking.waiting;
}

/** Resolves once there is something to report, or nothing works any more. */
export async function whenWorkReports({ agents, team, waking }: BackgroundRooms): Promise<void> {
  const ended = agents.whenBackgroundEnds();
  const reported = team.whenNews(ended);
  if (waking.running + waking.waiting === 0) return await reported;
  if (agents.workingInBackground().length === 0) return await waking.whenReported();
  await Promise.race([reported, waking.whenReported().then(() => (waking.waiting > 0 ? undefined : reported))]);
}

export interface UnreportedEnds {
  tasks: EndedTask[];
  /** Resolves when one that still works ends; absent if none works. */
  next?: Promise<unknown>;
}

/** The background agents whose end the model has not been told of yet. */
export function unreportedEnds({ agents, agentNews }: Pick<Joined, "agents" | "agentNews">): UnreportedEnds {
  const tasks = endedTasksIn(agentNews);
  const working = agents
    .workingInBackground()
    .flatMap(({ ended, teammate }) => (teammate === undefined ? [ended] : []));
  return working.length === 0 ? { tasks } : { tasks, next: Promise.race(working) };
}

export function endedTasksIn(attachments: readonly Attachment[]): EndedTask[] {
  return attachments.flatMap((news) => (news.kind === "reminder" && news.task !== undefined ? [news.task] : []));
}

/** Reminds the model after a compaction which agents it has started, so that it does not start them again. */
export function runningAgentItems({ agents, options }: Pick<Joined, "agents" | "options">): ReattachItem[] {
  const working = agents.workingInBackground().filter(({ teammate }) => teammate === undefined);
  if (working.length === 0 || actsAsSubagent(options)) return [];
  const lines = working.map(({ id, type, description }) => `- ${id}: ${type}: ${oneLine(description, 200)}`);
  const text = `Agents that work in the background now (TaskStop ends them by their id):\n${lines.join("\n")}`;
  return [{ label: `agents that work in the background (${working.length})`, name: "agents", text }];
}
