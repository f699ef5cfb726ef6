/** The hooks that the user's settings configure, joined with what they need of a session. Loaded where there are any. */
import { admit, call } from "../context/model-call.ts";
import { textTokens } from "../context/measure.ts";
import { readHookConfig } from "../hooks/config.ts";
import { configuredRunners, type HandlerWorld } from "../hooks/configured-hooks.ts";
import type { HookRunner } from "../hooks/runner.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { HookEvent } from "../protocol/hook.ts";
import type { ModelRequest } from "../protocol/model.ts";
import type { SettingsHooks } from "../settings/settings.ts";
import { scrubEnvironment } from "../tools/shell/environment.ts";
import type { HookPartsOptions } from "./hook-parts.ts";
import type { Surroundings } from "./surroundings.ts";

export function settingsRunners(
  parts: HookPartsOptions,
  given: readonly SettingsHooks[],
): Partial<Record<HookEvent, HookRunner[]>> {
  const { around } = parts;
  const read = given.map(({ value, origin, source }) => readHookConfig(value, origin, source));
  for (const problem of read.flatMap(({ problems }) => problems)) {
    // A guard that cannot be kept: going on without it would be to fail open.
    if (problem.level === "error") throw new UsageError(problem.text);
    around.notice(problem.text);
  }
  const hooks = read.flatMap((each) => each.hooks);
  return hooks.length === 0 ? {} : configuredRunners(hooks, worldOf(parts));
}

function worldOf(parts: HookPartsOptions): HandlerWorld {
  const { around, store, permissions } = parts;
  const { allowedHttpHookUrls, httpHookAllowedEnvVars } = around.settings;
  let asked = 0;
  return {
    command: {
      environment: () => hookEnvironment(around.env),
      projectDir: around.cwd,
      sessionId: store.sessionId,
    },
    http: {
      env: around.env,
      ...(allowedHttpHookUrls === undefined ? {} : { allowedUrls: allowedHttpHookUrls }),
      ...(httpHookAllowedEnvVars === undefined ? {} : { allowedEnvVars: httpHookAllowedEnvVars }),
    },
    askModel: (question, signal) => {
      asked += 1;
      return askSmallModel(parts, question, `hook.${asked}`, signal);
    },
    matchesRule: (rule, { tool_name: name = "", tool_input: input = {} }) =>
      permissions.concerns(rule, name, input, parts.cwd.get()),
    clock: around.clock,
  };
}

function hookEnvironment(env: Surroundings["env"]): Record<string, string> {
  const kept = Object.entries(scrubEnvironment(env)).filter(([name]) => !name.startsWith("OTEL_"));
  return Object.fromEntries(kept);
}

const maxTokens = 1_024;

/** Admitted and billed like every call. */
async function askSmallModel(
  { model, budget, models, around, store }: HookPartsOptions,
  { prompt, model: wanted = "haiku" }: { prompt: string; model?: string },
  key: string,
  signal: AbortSignal,
): Promise<string> {
  const modelId = models.catalog.resolveModel(wanted, around.env);
  const thinks = model.info(modelId).thinking === "adaptive_always";
  const request: ModelRequest = {
    model: modelId,
    system: [],
    tools: [],
    messages: [{ role: "user", content: [{ type: "text", text: prompt }] }],
    cacheBreakpoints: [],
    maxTokens: Math.min(maxTokens, model.info(modelId).maxOutputTokens),
    thinking: thinks ? { type: "auto" } : { type: "disabled" },
    querySource: "side_question",
    sessionId: store.sessionId,
    key,
  };
  const admission = await admit({ model, budget }, request, [], textTokens(prompt), signal);
  if (!admission.admitted) throw new Error("the budget does not allow a call of the model");
  const paid = { ...request, maxTokens: admission.maxTokens };
  const { text, outcome } = await call({ model, budget }, paid, admission.ticket, signal);
  if (!outcome.ok) throw new Error(`the model could not be asked (${outcome.failure.message})`);
  return text;
}
