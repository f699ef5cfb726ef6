/** Answers /status: the session and what it works with. */
import { formatDollars } from "../../../lib/format-figures.ts";
import { oneLine } from "../../../lib/sanitize.ts";
import type { CommandAnswer, CommandDesk } from "../command.ts";

export async function answerStatus(desk: CommandDesk): Promise<CommandAnswer> {
  const session = desk.session();
  const { around, store, selected, ledger, mcp } = session.joined;
  const { sources, errors } = await session.desk.settings();
  const { apiKeySource = "none" } = session.desk.account();
  await mcp.desk?.ready(desk.cancel.signal);
  const servers = session.desk.mcpServers();
  const data = {
    version: around.version,
    sessionId: store.sessionId,
    title: session.desk.title ?? null,
    transcriptPath: store.transcript?.path ?? null,
    cwd: around.cwd,
    model: selected.current,
    effort: selected.effort ?? null,
    permissionMode: session.choices.permissionMode,
    settings: sources.map(({ file }) => file),
    settingsErrors: errors.length,
    apiKeySource,
    mcpServers: { connected: servers.filter((server) => server.status === "connected").length, all: servers.length },
    totalCostUsd: ledger.totalUsd,
  };
  const title = data.title === null ? "" : ` "${oneLine(data.title, 80)}"`;
  const rows: [string, string][] = [
    ["version", `pawl ${data.version}`],
    ["session", data.sessionId + title],
    ["transcript", data.transcriptPath ?? "none is kept"],
    ["folder", data.cwd],
    ["model", data.model + (data.effort === null ? "" : `, effort ${data.effort}`)],
    ["mode", data.permissionMode],
    ["settings", data.settings.length === 0 ? "none" : data.settings.join(", ")],
    ["key", data.apiKeySource],
    ["MCP servers", `${data.mcpServers.connected} of ${data.mcpServers.all} connected`],
    ["cost", formatDollars(data.totalCostUsd)],
  ];
  const wrong = errors.length === 0 ? [] : [`Problems in the settings: ${errors.length}; pawl doctor lists them.`];
  return {
    text: [...rows.map(([name, value]) => `${name.padEnd(12)}${oneLine(value, 400)}`), ...wrong].join("\n"),
    data,
  };
}
