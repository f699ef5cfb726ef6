/** The hooks of a session: callbacks of the host, then those of the user's settings. */
import { actsAsSubagent } from "../options/acts-as-subagent.ts";
import { isSameJson } from "../../lib/is-same-json.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { maySetEnvironment } from "../../hooks/handler.ts";
import { createFunctionRunners, type FunctionHooks } from "../../hooks/function-hooks.ts";
import { createHooks, type OwnedHooks, type Runners } from "../../hooks/run.ts";
import type { HookRecord, HookRunner } from "../../hooks/runner.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { Effort } from "../../protocol/model.ts";
import { activeHooks } from "../../settings/policy.ts";
import { isBareSession } from "../options/variables.ts";
import type { Settings } from "../../settings/settings.ts";
import { createNoticeOnce, noticedTexts } from "../surroundings/notice-once.ts";
import { asAgentHooks, enabledExtraHooks, type HookDefinitions } from "./extra-hooks.ts";
import { HookFeed } from "./hook-feed.ts";
import type { HookOccasions } from "./hook-occasions.ts";
import type { HookPartsOptions } from "./hook-parts-options.ts";

export interface HookParts {
  hooks: OwnedHooks;
  hookFeed: HookFeed;
}

export async function composeHooks(parts: HookPartsOptions): Promise<HookParts> {
  const { options, around, store, permissions } = parts;
  const { clock, ids } = around;
  const runners = await composeRunners(parts, around.settings).catch(rethrowWithAdvice);
  // By convention hooks in an agent see the session's transcript path, too; the agent's own path is reported at its end.
  const session = parts.agentRun?.root.store ?? store;
  const { subagent } = options;
  if (!actsAsSubagent(options)) around.telemetry?.sideEvents.hooks(runners);
  const identityFields = agentIdentityFields(parts);
  const feed = new HookFeed({
    includesAll: options.includeHookEvents === true,
    sessionId: store.sessionId,
    uuid: () => ids.uuid(),
  });
  const owned = createHooks(runners, {
    clock,
    ids,
    reportedMatchers: noticedTexts(parts),
    // A conversation has a person to ask, so it never defers; a call deferred within an agent could not be taken up again.
    canDefer: options.headless !== false && !actsAsSubagent(options),
    storeText: (text) => around.machine.spills.open(parts.shared.spillDirectory()).write("hook", text),
    common: ({ tool_name: tool }) => ({
      session_id: store.sessionId,
      transcript_path: session.transcript?.path ?? "",
      cwd: parts.cwd.get(),
      permission_mode: permissions.getMode(),
      ...promptIdField(parts.occasions),
      ...effortField(parts),
      ...identityFields,
      ...withoutUndefined({ mcp_server: tool === undefined ? undefined : parts.view.find(tool)?.mcpServer }),
    }),
    watch: (record) => {
      options.debug?.(debugLine(record));
      if (maySetEnvironment(record.event)) parts.occasions.environment?.scheduleRead();
      feed.hookEnded(record);
      around.telemetry?.hookEnded(record, subagent?.agentId);
    },
    toTerminal: options.onTerminalSequence,
    showOutsideConversation: (text) => around.notice(text),
    waking: parts.waking,
    onWatchedFilesChange: () => parts.occasions.noteWatchedFiles(around.cwd),
    onBegin: (run) => {
      feed.hookStarted(run);
      around.telemetry?.hookBegan(run, subagent?.agentId);
    },
    onProgress: (run, printed) => feed.hookProgressed(run, printed),
  });
  parts.occasions.attach(owned, parts.around.cwd, around.notice);
  parts.cwd.onChange = (from, to) => parts.occasions.cwdChanged(from, to);
  return { hooks: owned, hookFeed: feed };
}

/** By convention `agent_id` distinguishes a subagent from a main thread that is led by an agent. */
function agentIdentityFields({ options: { subagent }, leader }: HookPartsOptions): {
  agent_id?: string;
  agent_type?: string;
} {
  if (subagent !== undefined) return { agent_id: subagent.agentId, agent_type: subagent.agentType };
  return leader === undefined ? {} : { agent_type: leader.name };
}

function promptIdField({ promptId }: HookOccasions): { prompt_id?: string } {
  return promptId === undefined ? {} : { prompt_id: promptId };
}

/** The requested effort; empty for models without effort levels. */
export function effortField({ models, selected }: Pick<HookPartsOptions, "models" | "selected">): {
  effort?: { level: Effort };
} {
  const { current, effort } = selected;
  const { efforts, defaultEffort = "high" } = models.catalog.info(current);
  return efforts.length === 0 ? {} : { effort: { level: models.effortOf(current, effort) ?? defaultEffort } };
}

/** Callbacks of the host, then hooks of settings. Throws `UsageError` if a hook that guards is invalid. */
export async function composeRunners(parts: HookPartsOptions, settings: Settings): Promise<Runners> {
  const functionRunners = createFunctionRunners((parts.options.hooks ?? {}) as FunctionHooks);
  parts.lastSettings = settings;
  const effectiveSettings = isBareSession(parts.around.env) ? { ...settings, disableAllHooks: true } : settings;
  const currentHooks = [
    ...activeHooks(effectiveSettings),
    ...enabledExtraHooks(parts.occasions.extraHooks, effectiveSettings),
  ];
  if (currentHooks.length === 0) return functionRunners;
  const { createSettingsRunners } = await import("./settings-hooks.ts");
  const around = { ...parts.around, settings };
  const configured = createSettingsRunners({ ...parts, around }, currentHooks, createNoticeOnce(parts));
  // Their problems were reported when they were read.
  for (const { matcher } of Object.values(configured).flat())
    if (matcher !== undefined) noticedTexts(parts).add(matcher);
  const runners: Partial<Record<HookEvent, HookRunner[]>> = { ...functionRunners };
  for (const [event, list] of Object.entries(configured) as [HookEvent, HookRunner[]][])
    runners[event] = [...(functionRunners[event] ?? []), ...list];
  return runners;
}

/** Adds the hooks of a skill that was started, for the rest of the session. Throws `UsageError` like `composeRunners`. */
export async function addHooks(parts: HookPartsOptions, hooks: OwnedHooks, skillHooks: HookDefinitions): Promise<void> {
  const { occasions, agentRun } = parts;
  const { extraHooks: before } = occasions;
  const isAbove = ({ place }: HookDefinitions): boolean => place?.isAbove === true;
  const definitions = agentRun === undefined ? [skillHooks] : asAgentHooks(skillHooks);
  const fresh = definitions.filter((added) => !before.some((each) => isSame(each, added) && !isAbove(each)));
  if (fresh.length === 0) return;
  occasions.extraHooks = [...before.filter((each) => !fresh.some((added) => isSame(each, added))), ...fresh];
  try {
    hooks.replace(await composeRunners(parts, parts.lastSettings ?? parts.around.settings));
  } catch (error) {
    occasions.extraHooks = before;
    throw error;
  }
}

function isSame(one: HookDefinitions, other: HookDefinitions): boolean {
  return one.source === other.source && isSameJson(one.value, other.value);
}

function rethrowWithAdvice(error: unknown): never {
  if (!(error instanceof UsageError)) throw error;
  throw new UsageError(`${error.message} Fix it or remove it: no session starts without a hook that may be a guard.`);
}

function debugLine({ event, name, outcome, decision, durationMs, exitCode, hint, stderr = "" }: HookRecord): string {
  const exit = exitCode === undefined ? "" : ` exit=${exitCode}`;
  // By convention stderr of a DirectoryAdded hook is shown nowhere else.
  const stderrText =
    event === "DirectoryAdded" && stderr !== "" ? ` stderr=${JSON.stringify(stderr.slice(0, 1_000))}` : "";
  const aside = hint === undefined ? "" : ` (${hint})`;
  return `hook ${event} ${outcome} decision=${decision} ms=${Math.round(durationMs)}${exit} ${JSON.stringify(name.slice(0, 200))}${stderrText}${aside}`;
}
