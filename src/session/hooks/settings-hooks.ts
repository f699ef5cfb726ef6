/** Joins the hooks that settings configure with what they need of a session. Loaded only if there are any. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { readHooks } from "../settings/read-hooks.ts";
import { createRunners, type HandlerWorld } from "../../hooks/configured-hooks.ts";
import { maySetEnvironment, type ConfiguredHook } from "../../hooks/handler.ts";
import type { CallServerTool } from "../../hooks/mcp-hook.ts";
import type { AskModel } from "../../hooks/model-hook.ts";
import type { HookRunner } from "../../hooks/runner.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { Cwd } from "../../tools/cwd.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";
import { HookEnvironment } from "./hook-environment.ts";
import { createServerToolCaller } from "./hook-server-tools.ts";
import { createModelAsker } from "./hook-model.ts";
import type { HookDefinitions } from "./extra-hooks.ts";
import type { HookPartsOptions } from "./hook-parts-options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

export function createSettingsRunners(
  parts: HookPartsOptions,
  definitions: readonly HookDefinitions[],
  tell: (problem: string) => void,
): Partial<Record<HookEvent, HookRunner[]>> {
  const hooks = readActiveHooks(definitions, tell);
  if (hooks.length === 0) return {};
  const { around, store, permissions, cwd } = parts;
  const own = { around, sessionId: store.sessionId, permissions, cwd };
  const { view } = parts;
  const find = (name: string) => view.find(name);
  const callServerTool = createServerToolCaller({ find, sessionId: store.sessionId, cwd: () => cwd.get() });
  if (hooks.some(({ event, handler }) => handler.type === "command" && maySetEnvironment(event)))
    ensureHookEnvironment(parts);
  const envFile = (hook: string): string => ensureHookEnvironment(parts).path(hook);
  return createRunners(
    hooks,
    hookWorld({ ...own, envFile, callServerTool, askModel: createModelAsker({ ...parts, ...own, access: parts }) }),
  );
}

function ensureHookEnvironment({ around, cwd, occasions, shared }: HookPartsOptions): HookEnvironment {
  const { env, clock, notice, machine } = around;
  const { processes } = machine;
  shared.hookVariables = (signal) => occasions.variables(signal);
  return (occasions.environment ??= new HookEnvironment({ env, cwd: () => cwd.get(), clock, notice, processes }));
}

/** Throws `UsageError` if a guard is invalid: continuing without it would be to fail open. */
export function readActiveHooks(
  definitions: readonly HookDefinitions[],
  notice: (text: string) => void,
): ConfiguredHook[] {
  return definitions.flatMap(({ value, origin, source, place }) => {
    const { hooks, problems } = readHooks(value, origin, source, place);
    for (const problem of problems) {
      if (problem.level === "error") throw new UsageError(problem.text);
      notice(problem.text);
    }
    return hooks;
  });
}

export interface HookWorldParts {
  around: Surroundings;
  sessionId: string;
  permissions: Permissions;
  cwd: Cwd;
  /** If absent, hooks that ask a model fail. */
  askModel?: AskModel;
  envFile?: (hook: string) => string;
  callServerTool?: CallServerTool;
}

export function hookWorld({
  around,
  sessionId,
  permissions,
  cwd,
  askModel,
  envFile,
  callServerTool,
}: HookWorldParts): HandlerWorld {
  const { allowedHttpHookUrls, httpHookAllowedEnvVars } = around.settings;
  return {
    command: {
      environment: () => hookEnvironment(around.env),
      projectDir: around.isolation?.projectFolder ?? around.cwd,
      sessionId,
      ...(envFile === undefined ? {} : { envFile }),
    },
    http: {
      env: around.env,
      ...withoutUndefined({ allowedUrls: allowedHttpHookUrls, allowedEnvVars: httpHookAllowedEnvVars }),
    },
    ...withoutUndefined({ askModel, callServerTool }),
    matchesRule: (rule, { tool_name: name = "", tool_input: input = {} }) =>
      permissions.ruleConcernsCall(rule, name, input, cwd.get()),
    clock: around.clock,
  };
}

function hookEnvironment(env: Surroundings["env"]): Record<string, string> {
  const kept = Object.entries(scrubEnvironment(env)).filter(([name]) => !name.startsWith("OTEL_"));
  return Object.fromEntries(kept);
}
