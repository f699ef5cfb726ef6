/** `pawl replay`: replays recorded sessions through this version's loop. */
import { oneLine, sanitizeLine } from "../lib/sanitize.ts";
import { replaySession, replaySessions } from "../session/replay/replay-session.ts";
import type { ReplayOptions, ReplayReport, ReplayedSession, ReplayedTurn } from "../session/replay/report.ts";
import type { ReplayArguments } from "./replay-arguments.ts";

/** Returns the exit code: 1 if a decision differs, else 2 if a turn could not be replayed. */
export async function runReplay(
  { session, folder, json }: ReplayArguments,
  context: Pick<ReplayOptions, "cwd" | "env" | "home">,
  print: (text: string) => Promise<unknown>,
): Promise<number> {
  const lines: string[] = [];
  const options: ReplayOptions = {
    ...context,
    onFile: (file) => void lines.push(fileLine(file)),
    onTurn: (turn) => void lines.push(...turnLines(turn)),
  };
  const report = session === null ? await replaySessions(folder, options) : await replaySession(session, options);
  if (json) await print(`${JSON.stringify(report, null, 2)}\n`);
  else await print(`${[...lines, ...problemLines(report), "", summaryLine(report)].join("\n")}\n`);
  if (report.differs > 0) return 1;
  return report.skipped > 0 ? 2 : 0;
}

function fileLine({ sessionId, path, agentId }: Pick<ReplayedSession, "sessionId" | "path" | "agentId">): string {
  return sanitizeLine(agentId === undefined ? `session ${sessionId}  ${path}` : `agent ${agentId}`);
}

function turnLines({ turn, decisions, outcome, difference, remark }: ReplayedTurn): string[] {
  const outcomeText = { same: "same", differs: "DIFFERS", skipped: "not replayed" }[outcome];
  const head = `  turn ${turn}  ${outcomeText}  ${countRepeats(decisions)}`.trimEnd();
  const line = remark === undefined ? head : `${head}  (${oneLine(remark, 200)})`;
  if (difference !== undefined) {
    const { pass, kind, recorded, replayed } = difference;
    const shown = (text: string): string => oneLine(text, 400);
    return [
      line,
      `    first difference: ${kind} in pass ${pass}`,
      `      recorded: ${shown(recorded)}`,
      `      today:    ${shown(replayed)}`,
    ];
  }
  return [line];
}

/** Returns the decisions with repeats counted: `next_turn ×3 → completed`. */
function countRepeats(decisions: readonly string[]): string {
  const parts: { name: string; times: number }[] = [];
  for (const name of decisions) {
    const last = parts.at(-1);
    if (last?.name === name) last.times++;
    else parts.push({ name, times: 1 });
  }
  return parts.map(({ name, times }) => (times === 1 ? name : `${name} ×${times}`)).join(" → ");
}

function problemLines({ sessions }: ReplayReport): string[] {
  return sessions
    .flatMap((session) => [session, ...session.agents])
    .flatMap(({ path, problem }) => (problem === undefined ? [] : [`${oneLine(path, 200)}: ${oneLine(problem, 400)}`]));
}

function summaryLine({ same, differs, skipped, sessions }: ReplayReport): string {
  const turns = same + differs + skipped;
  const of = sessions.length === 1 ? "" : ` of ${sessions.length} sessions`;
  const parts = [`${turns} ${turns === 1 ? "turn" : "turns"}${of}: ${same} the same`];
  if (differs > 0) parts.push(`${differs} ${differs === 1 ? "differs" : "differ"}`);
  if (skipped > 0) parts.push(`${skipped} could not be replayed`);
  return parts.join(", ");
}
