/** The status line: a command that gets the session's state in the form of the public convention. Loaded only if there is one. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { findRepository } from "../../lib/git-repository.ts";
import { totalInputTokens } from "../../protocol/usage.ts";
import { toWireUsage } from "../../protocol/wire-usage.ts";
import { effortField } from "../hooks/hook-parts.ts";
import type { Joined } from "../joined.ts";
import { sessionCost } from "./cost.ts";
import type { SessionDesk, StatusLinePlace } from "./desk.ts";
import { SettingsCommands } from "./settings-commands.ts";

/** Tokens of one response, by convention, regardless of the window. */
const largeTokens = 200_000;

type Desk = Pick<SessionDesk, "title" | "outputStyle" | "statusLine">;

/** See `SessionDesk.statusLineText`. */
export async function statusLineText(
  joined: Joined,
  desk: Desk,
  place: StatusLinePlace,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  const { statusLine } = desk;
  if (statusLine === undefined) return "";
  const commands = (joined.commands ??= new SettingsCommands(joined));
  const command = { name: "statusLine", command: statusLine.command, input: statusLineInput(joined, desk, place) };
  const variables = { COLUMNS: String(place.columns), LINES: String(place.rows) };
  return await commands.run({ ...command, variables }, signal);
}

/** In the form of the public convention. Leaves out what this session does not know. */
function statusLineInput(
  joined: Joined,
  { title, outputStyle }: Desk,
  { worktree, vimMode }: StatusLinePlace,
): Record<string, unknown> {
  const { around, store, tools, options, models, selected, permissions, occasions, ledger } = joined;
  const cwd = tools.cwd.get();
  const project_dir = around.isolation?.projectFolder ?? around.cwd;
  const { totalUsd, durationMs, apiDurationMs, linesAdded, linesRemoved } = sessionCost(ledger);
  const { promptId } = occasions;
  return {
    hook_event_name: "Status",
    session_id: store.sessionId,
    ...withoutUndefined({ session_name: title, prompt_id: promptId }),
    transcript_path: store.transcript?.path ?? "",
    cwd,
    model: { id: selected.current, display_name: displayName(selected.current) },
    workspace: { current_dir: cwd, project_dir, added_dirs: permissions.folders().slice(1) },
    version: around.version,
    output_style: { name: outputStyle },
    cost: {
      total_cost_usd: totalUsd,
      total_duration_ms: durationMs,
      total_api_duration_ms: apiDurationMs,
      total_lines_added: linesAdded,
      total_lines_removed: linesRemoved,
    },
    ...contextFigures(joined),
    ...effortField({ models, selected }),
    thinking: { enabled: models.thinkingOf(selected.current, selected.effort).type !== "disabled" },
    ...(vimMode === undefined ? {} : { vim: { mode: vimMode } }),
    ...(options.agent === undefined ? {} : { agent: { name: options.agent } }),
    ...(worktree === undefined
      ? {}
      : { worktree: { name: worktree, path: findRepository(project_dir) ?? project_dir } }),
  };
}

/** Figures of the last response, as the convention counts: its output is not in the percentages. */
function contextFigures({ context, conversation, models, selected }: Joined): Record<string, unknown> {
  const size = models.catalog.info(selected.current).contextWindow;
  const { usage } = context.measure(conversation.messages, 0);
  const input = usage === undefined ? 0 : totalInputTokens(usage);
  const output = usage?.outputTokens ?? 0;
  const used = usage === undefined || size === 0 ? null : Math.min(100, Math.round((input / size) * 100));
  return {
    context_window: {
      total_input_tokens: input,
      total_output_tokens: output,
      context_window_size: size,
      used_percentage: used,
      remaining_percentage: used === null ? null : 100 - used,
      current_usage: usage === undefined ? null : currentUsage(toWireUsage(usage)),
    },
    exceeds_200k_tokens: input + output > largeTokens,
  };
}

function currentUsage(wire: ReturnType<typeof toWireUsage>): Record<string, number> {
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = wire;
  return { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens };
}

/** `Opus 4.8` for `claude-opus-4-8-20260101`; other models are shown by their id. */
function displayName(id: string): string {
  const [, family, major, minor] = /^claude-([a-z]+)-(\d+)(?:-(\d{1,2}))?(?:-\d{6,})?$/u.exec(id) ?? [];
  if (family === undefined || major === undefined) return id;
  const version = minor === undefined ? major : `${major}.${minor}`;
  return `${family.charAt(0).toUpperCase()}${family.slice(1)} ${version}`;
}
