/** What goes on beside the turns and may have something to tell between two of them: agents, teammates, hooks that wake. */
import type { AgentCrew } from "./tree.ts";

/** How much works there, or has ended without the model having been told. Hooks that run keep nobody waiting. */
export function openWork({ agents, agentNews, team, waking }: AgentCrew): number {
  return agents.inBackground().length + agentNews.length + team.news + waking.waiting;
}

/** Resolves once there is something to tell, or nothing works any more. */
export async function whenWorkReports({ agents, team, waking }: AgentCrew): Promise<void> {
  const ended = agents.whenBackgroundEnds();
  const reported = team.whenNews(ended);
  if (waking.running + waking.waiting === 0) return await reported;
  if (agents.inBackground().length === 0) return await waking.whenHeard();
  await Promise.race([reported, waking.whenHeard().then(() => (waking.waiting > 0 ? undefined : reported))]);
}
