/** Agents in the background outlast the turn that began them: what a run without a person does about it. */
import { settlesWithin, type StartTimer } from "./deadline.ts";
import type { Engine } from "./engine-port.ts";

/** Said to the model with what they reported. */
export const agentsEnded =
  "What worked in the background has ended, or written, as is told below. Go on with the task.";

/** What a turn of theirs is. */
export const ofAgents = { isMeta: true, origin: { kind: "task-notification" } } as const;

const defaultCeilingMs = 600_000;

/**
 * Waits for the agents in the background, at most so long as `CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS` says. True where there is then
 * something to tell the model.
 */
export async function agentsHaveNews(
  engine: Pick<Engine, "openAgents" | "whenAgentsEnd" | "background">,
  start: StartTimer,
): Promise<boolean> {
  if (engine.openAgents === 0) return false;
  const ended = engine.whenAgentsEnd();
  const ceilingMs = ceiling(engine.background.env?.["CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS"]);
  if (ceilingMs === 0) await ended;
  else if (!(await settlesWithin(ended, ceilingMs, start))) return false;
  return engine.openAgents > 0;
}

/** The prompt of its own that a session goes on with; undefined where nothing is left to tell. */
export async function promptOfAgents(
  ...[engine, start]: Parameters<typeof agentsHaveNews>
): Promise<({ content: string } & typeof ofAgents) | undefined> {
  return (await agentsHaveNews(engine, start)) ? { content: agentsEnded, ...ofAgents } : undefined;
}

function ceiling(text: string | undefined): number {
  const number = text === undefined || text.trim() === "" ? NaN : Number(text);
  return Number.isSafeInteger(number) && number >= 0 ? number : defaultCeilingMs;
}
