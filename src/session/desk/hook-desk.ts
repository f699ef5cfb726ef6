/** The hooks of this folder and this user, for inspection: which are configured, and what they do on an event. */
import type { HookProblem } from "../../hooks/hook-problem.ts";
import { readHooks } from "../settings/read-hooks.ts";
import { createRunners, sessionEndLimit } from "../../hooks/configured-hooks.ts";
import { defaultTimeoutSeconds, type ConfiguredHook } from "../../hooks/handler.ts";
import { createHooks } from "../../hooks/run.ts";
import type { HookRecord } from "../../hooks/runner.ts";
import { surveyHooks, type SurveyedHook } from "../../hooks/survey.ts";
import type { HookAnswer, HookInput } from "../../protocol/hook.ts";
import { claudeHome } from "../../settings/paths.ts";
import { activeHooks } from "../../settings/policy.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import { readApiKey } from "../surroundings/credentials.ts";
import { findPlugins } from "../../knowledge/enabled-plugins.ts";
import { HookEnvironment } from "../hooks/hook-environment.ts";
import { createModelAsker } from "../hooks/hook-model.ts";
import { HookOccasions } from "../hooks/hook-occasions.ts";
import { createLedger } from "../ledger/create-ledger.ts";
import { openSession, type OpenedSession } from "../open-session.ts";
import { composeModel } from "../model/model-parts.ts";
import type { EngineOptions } from "../options/options.ts";
import { composePermissions } from "../permissions/permission-parts.ts";
import { enabledExtraHooks, allPluginHooks, type HookDefinitions } from "../hooks/extra-hooks.ts";
import { pluginWishes } from "../plugins/wishes.ts";
import { sessionEndLimitMs } from "../hooks/end-limit.ts";
import { readActiveHooks, hookWorld } from "../hooks/settings-hooks.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export interface HookTrial {
  /** In the order in which they ended. */
  runs: HookRecord[];
  /** The combined answer of all hooks that were waited for. */
  answer: HookAnswer;
  /** Output of hooks that nobody waits for, for the model's next turn. */
  late: string[];
}

export interface HookDesk {
  cwd: string;
  hooks: SurveyedHook[];
  problems: HookProblem[];
  /** Runs the hooks that this event would run, but none of an untrusted folder. Throws `UsageError` if a session would not start. */
  try(input: HookInput, signal: AbortSignal): Promise<HookTrial>;
}

/** Opening the desk runs nothing. Throws `UsageError` if settings cannot be read. */
export function openHookDesk(options: EngineOptions): HookDesk {
  const around = surroundingsWithoutKey(options);
  const { settings } = around;
  // Reads the same files again as if trusted, to report the hooks that are held back.
  const asTrusted = surroundingsWithoutKey({ ...options, trust: true, onNotice: () => {} });
  const all = [...asTrusted.settings.hooks, ...findPluginHooks(options, asTrusted)];
  const read = all.map(({ value, origin, source, place }: HookDefinitions) => readHooks(value, origin, source, place));
  const trustedDefinitions = [...settings.hooks, ...findPluginHooks(options, around)];
  const trusted = new Set(trustedDefinitions.map(({ origin, source }) => `${origin} ${source}`));
  const { allowedHttpHookUrls } = settings;
  const configured = read.flatMap(({ hooks }) => hooks);
  const isTrusted = ({ origin, source }: ConfiguredHook): boolean => trusted.has(`${origin} ${source}`);
  return {
    cwd: around.cwd,
    hooks: surveyHooks(configured, {
      isTrusted,
      endMs: configuredEndLimitMs(configured.filter(isTrusted), around),
      disableAllHooks: settings.disableAllHooks === true,
      leavesToPolicy: settings.allowManagedHooksOnly === true,
      ...(allowedHttpHookUrls === undefined ? {} : { allowedHttpHookUrls }),
    }),
    problems: read.flatMap(({ problems }) => problems),
    try: (input, signal) => tryHooks(options, around, input, signal),
  };
}

function configuredEndLimitMs(hooks: readonly ConfiguredHook[], { env }: Surroundings): number {
  return sessionEndLimitMs(env, Math.max(0, ...hooks.map((hook) => sessionEndLimit(hook).holdsEndMs ?? 0)));
}

/** The hooks of plugins. */
function findPluginHooks(options: EngineOptions, around: Surroundings): HookDefinitions[] {
  const { cwd, env, home, settings } = around;
  const places = { cwd, home, claudeHome: claudeHome(env, home) };
  return allPluginHooks(findPlugins(pluginWishes(options, settings), places).plugins, around);
}

async function tryHooks(
  options: EngineOptions,
  around: Surroundings,
  input: HookInput,
  signal: AbortSignal,
): Promise<HookTrial> {
  const { settings } = around;
  const definitions = [...activeHooks(settings), ...enabledExtraHooks(findPluginHooks(options, around), settings)];
  const hooks = readActiveHooks(definitions, () => {}).filter(({ event }) => event === input.hook_event_name);
  const session = openSession({ ...options, persistSession: false }, around);
  try {
    return await runTrial({ hooks, options, around, session }, input, signal);
  } finally {
    session.tools.cleanUp();
    session.tools.shared.sandbox?.dispose();
  }
}

interface Trial {
  hooks: readonly ConfiguredHook[];
  options: EngineOptions;
  around: Surroundings;
  session: OpenedSession;
}

async function runTrial(
  { hooks, options, around, session }: Trial,
  input: HookInput,
  signal: AbortSignal,
): Promise<HookTrial> {
  const { store, tools } = session;
  const { permissions } = composePermissions({ options, around, store, tools, occasions: new HookOccasions() });
  const { env, clock, notice, machine } = around;
  const { processes } = machine;
  const environment = new HookEnvironment({ env, cwd: () => around.cwd, clock, notice, processes });
  const envFile = (hook: string): string => environment.path(hook);
  const own = { around, sessionId: store.sessionId, permissions, cwd: tools.cwd, envFile };
  const asksModel = hooks.some(({ handler }) => handler.type === "prompt" || handler.type === "agent");
  const models = asksModel ? await createTrialModels(options, around) : undefined;
  const askModel =
    models === undefined
      ? undefined
      : createModelAsker({
          ...own,
          access: { permissions, shared: tools.shared },
          models,
          selected: { effort: models.wishes.effort },
          model: models.model,
          budget: createLedger(options, around, models, store),
        });
  const runs: HookRecord[] = [];
  const port = createHooks(createRunners(hooks, hookWorld({ ...own, askModel })), {
    clock: around.clock,
    ids: around.ids,
    canDefer: true,
    common: () => ({
      session_id: store.sessionId,
      transcript_path: "",
      cwd: around.cwd,
      permission_mode: permissions.getMode(),
    }),
    watch: (record) => void runs.push(record),
  });
  try {
    const answer = await port.run(input, signal);
    await port.drain(signal.aborted ? 0 : longestTimeoutMs(hooks));
    return { runs, answer, late: port.takeLateOutput() };
  } finally {
    models?.model.dispose();
    await environment.cleanUp();
  }
}

function longestTimeoutMs(hooks: readonly ConfiguredHook[]): number {
  const seconds = hooks.map(({ event, handler }) => handler.timeout ?? defaultTimeoutSeconds(event, handler.type));
  return Math.max(0, ...seconds) * 1_000;
}

async function createTrialModels(options: EngineOptions, around: Surroundings) {
  const apiKey = await readApiKey(around, around.settings.apiKeyHelper);
  return composeModel(options, { ...around, ...(apiKey === undefined ? {} : { apiKey }) }, undefined);
}
