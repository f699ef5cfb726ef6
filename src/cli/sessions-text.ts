/** Formats a session as lines for a terminal. */
import { formatAge, formatCost } from "../lib/format-figures.ts";
import { oneLine } from "../lib/sanitize.ts";
import type { SessionReport } from "../session/sessions/desk.ts";

export function sessionReportText(report: SessionReport, now: number): string {
  const { info, openIn, agents, prompts, path, costUsd, modelUsage = {}, forkedFrom, lastPrompt } = report;
  const time = (ms: number | undefined): string | undefined =>
    ms === undefined ? undefined : `${new Date(ms).toISOString()} (${formatAge(now - ms)})`;
  const rows: [string, string | undefined][] = [
    ["session", info.sessionId],
    ["title", info.customTitle],
    ["tag", info.tag],
    ["archived", info.archived === true ? "yes" : undefined],
    ["folder", info.cwd],
    ["branch", info.gitBranch],
    ["begun", time(info.createdAt)],
    ["last", time(info.lastModified)],
    ["prompts", String(prompts)],
    ["first", info.firstPrompt],
    ["newest", prompts > 1 ? lastPrompt : undefined],
    ["cost", costUsd === undefined ? undefined : formatCost(costUsd, modelUsage)],
    ["copy of", forkedFrom],
    ["agents", agents.length === 0 ? undefined : agents.join(", ")],
    ["open in", openIn ? "another process, or this one" : undefined],
    ["file", path],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name.padEnd(9)} ${oneLine(value, 300)}\n`],
  );
  return `${lines.join("")}\nTo continue it: pawl --resume ${info.sessionId}\n`;
}
