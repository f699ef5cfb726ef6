/** Turns configured hooks into what the engine runs: one runner per handler. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { runCommandHook, type CommandContext } from "./command-hook.ts";
import {
  defaultTimeoutSeconds,
  handlerName,
  type ConfiguredHook,
  type HookHandler,
  type HookOrigin,
} from "./handler.ts";
import { runHttpHook, type HttpContext } from "./http-hook.ts";
import { runMcpHook, type CallServerTool } from "./mcp-hook.ts";
import { runModelHook, type AskModel } from "./model-hook.ts";
import type { HookDependencies, HookRunner } from "./runner.ts";

export interface HandlerWorld {
  command: CommandContext;
  http: HttpContext;
  /** Absent: hooks that ask a model fail with that reason. */
  askModel?: AskModel;
  /** Absent: hooks that call MCP tools fail with that reason. */
  callServerTool?: CallServerTool;
  /** Whether a permission rule matches a call. */
  matchesRule(rule: string, input: HookInput): boolean | Promise<boolean>;
  clock: HookDependencies["clock"];
}

/** The events on which an `if` is evaluated; on other events, hooks with an `if` never run. */
const conditionalEvents: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
]);

export function supportsConditions(event: HookEvent): boolean {
  return conditionalEvents.has(event);
}

/** Events on which a hook that fails must not block, because the session would never stop. */
const neverBlockingEvents: ReadonlySet<HookEvent> = new Set(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"]);

/** Makes the runners, in the order of the hooks. */
export function createRunners(
  hooks: readonly ConfiguredHook[],
  world: HandlerWorld,
): Partial<Record<HookEvent, HookRunner[]>> {
  const runners: Partial<Record<HookEvent, HookRunner[]>> = {};
  for (const hook of hooks) (runners[hook.event] ??= []).push(toRunner(hook, world));
  return runners;
}

function toRunner(hook: ConfiguredHook, baseWorld: HandlerWorld): HookRunner {
  const { event, matcher, handler, origin, source, variables, isSkills, isAbove } = hook;
  const isFolders = origin === "project" || origin === "local";
  const hookContext = { isFolders, ...(variables === undefined ? {} : { variables }) };
  const world = { ...baseWorld, command: { ...baseWorld.command, ...hookContext } };
  const { condition, statusMessage, timeout = defaultTimeoutSeconds(event, handler.type) } = handler;
  const isAsync = handler.type === "command" && handler.isAsync;
  const blocksOnFailure = handler.blocksOnFailure && !isAsync && !neverBlockingEvents.has(event);
  const run = withSessionOnlyUpdates(origin, createRun({ ...handler, blocksOnFailure }, world));
  return {
    name: handlerName(handler),
    ...withoutUndefined({ matcher, statusMessage }),
    timeoutMs: timeout * 1_000,
    ...sessionEndLimit(hook),
    ...(handler.once === true ? { once: handler } : {}),
    // Copies in plugins and one-time hooks of skills are never treated as duplicates.
    ...(origin === "plugin" || handler.once === true
      ? {}
      : { identity: JSON.stringify(isSkills === true ? [source, handler] : handler) }),
    ...(condition === undefined
      ? {}
      : { meetsCondition: (input: HookInput) => supportsConditions(event) && world.matchesRule(condition, input) }),
    blocksOnFailure,
    isAsync,
    ...wakeOptions(handler),
    run: withOriginLabel(event, origin, isAbove === true ? withoutConsent(run) : run),
  };
}

function wakeOptions(handler: HookHandler): Pick<HookRunner, "wakes" | "wakeMessage"> {
  if (handler.type !== "command" || !handler.wakes) return {};
  const { wakeMessage } = handler;
  return { wakes: true, ...(wakeMessage === undefined ? {} : { wakeMessage }) };
}

const maxEndMs = 60_000;

/** By convention, hooks in settings files may ask for more time than the shared limit at the end of a session. */
export function sessionEndLimit({ event, origin, handler }: ConfiguredHook): Pick<HookRunner, "holdsEndMs"> {
  if (event !== "SessionEnd" || origin === "plugin" || handler.timeout === undefined) return {};
  return { holdsEndMs: Math.min(handler.timeout * 1_000, maxEndMs) };
}

const userOrigins: ReadonlySet<HookOrigin> = new Set(["user", "flag", "policy"]);

/** Permission updates from a project's or a plugin's hook apply to the session only and are written to no file. */
function withSessionOnlyUpdates(origin: HookOrigin, run: HookRunner["run"]): HookRunner["run"] {
  if (userOrigins.has(origin)) return run;
  return async (input, signal, work) => {
    const output = await run(input, signal, work);
    const { permissionAnswer: answer } = output;
    if (answer?.behavior !== "allow" || answer.updates === undefined) return output;
    const updates = answer.updates.map((update) => ({ ...update, destination: "session" as const }));
    return { ...output, permissionAnswer: { ...answer, updates } };
  };
}

/** Removes all consents from a hook's answer: like the tools a skill allows, they are for the session with the hook, not for its agents. */
function withoutConsent(run: HookRunner["run"]): HookRunner["run"] {
  return async (input, signal, work) => {
    const { permission, permissionAnswer: answer, elicitation, ...others } = await run(input, signal, work);
    return {
      ...others,
      ...(permission === undefined || permission.behavior === "allow" ? {} : { permission }),
      ...(answer?.behavior === "deny" ? { permissionAnswer: answer } : {}),
      ...(elicitation === undefined || elicitation.action === "accept" ? {} : { elicitation }),
    };
  };
}

const originLabels = {
  policy: "Managed",
  flag: "Settings",
  user: "User",
  project: "Project",
  local: "Local",
  plugin: "Plugin",
} as const satisfies Record<HookOrigin, string>;

/** Labels a question with the origin of the hook, so that the person who answers does not mistake a project's words for someone else's. */
function withOriginLabel(event: HookEvent, origin: HookOrigin, run: HookRunner["run"]): HookRunner["run"] {
  if (event !== "PreToolUse") return run;
  return async (input, signal, work) => {
    const output = await run(input, signal, work);
    const { permission } = output;
    if (permission?.behavior !== "ask") return output;
    const reason = `[${originLabels[origin]}] ${permission.reason ?? "a PreToolUse hook wants a person to answer"}`;
    return { ...output, permission: { behavior: "ask", reason } };
  };
}

function createRun(handler: HookHandler, world: HandlerWorld): HookRunner["run"] {
  switch (handler.type) {
    case "command":
      return async (input, signal, work) => {
        const { output, run } = await runCommandHook(handler, input, signal, world.command, world.clock, work);
        work.report(run);
        return output;
      };
    case "http":
      return (input, signal) => runHttpHook(handler, input, signal, world.http);
    case "mcp_tool":
      return (input, signal) => {
        if (world.callServerTool === undefined) throw new Error("there are no MCP servers here");
        return runMcpHook(handler, input, signal, world.callServerTool);
      };
    case "prompt":
    case "agent":
      return (input, signal) => {
        if (world.askModel === undefined) throw new Error("there is no model to ask");
        return runModelHook(handler, input, signal, world.askModel);
      };
    default:
      return handler satisfies never;
  }
}
