/** From what settings say to what the engine runs: one runner a handler, each of its own type. */
import { present } from "../lib/present.ts";
import type { HookEvent, HookInput } from "../protocol/hook.ts";
import { runCommandHook, type CommandPlaces } from "./command-hook.ts";
import { defaultTimeout, nameOf, type ConfiguredHook, type HookHandler, type HookOrigin } from "./handler.ts";
import { runHttpHook, type HttpPlaces } from "./http-hook.ts";
import { runMcpHook, type CallServerTool } from "./mcp-hook.ts";
import { runModelHook, type AskModel } from "./model-hook.ts";
import type { HookDependencies, HookRunner } from "./runner.ts";

export interface HandlerWorld {
  command: CommandPlaces;
  http: HttpPlaces;
  /** Absent: hooks that ask a model fail, and say so. */
  askModel?: AskModel;
  /** Absent: hooks that are tools of servers fail, and say so. */
  callServerTool?: CallServerTool;
  /** Whether a permission rule concerns a call. */
  matchesRule(rule: string, input: HookInput): boolean | Promise<boolean>;
  clock: HookDependencies["clock"];
}

/** The events an `if` is judged on; on any other a hook that has one never runs. */
const conditional: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
]);

export function isConditional(event: HookEvent): boolean {
  return conditional.has(event);
}

/** Where a failure to answer is no reason to go on for ever. */
const neverGuards: ReadonlySet<HookEvent> = new Set(["Stop", "SubagentStop", "TaskCompleted", "TeammateIdle"]);

/** In the order in which they are given. */
export function configuredRunners(
  hooks: readonly ConfiguredHook[],
  world: HandlerWorld,
): Partial<Record<HookEvent, HookRunner[]>> {
  const runners: Partial<Record<HookEvent, HookRunner[]>> = {};
  for (const hook of hooks) (runners[hook.event] ??= []).push(toRunner(hook, world));
  return runners;
}

function toRunner(hook: ConfiguredHook, given: HandlerWorld): HookRunner {
  const { event, matcher, handler, origin, source, variables, isSkills, isAbove } = hook;
  const isFolders = origin === "project" || origin === "local";
  const own = { isFolders, ...(variables === undefined ? {} : { variables }) };
  const world = { ...given, command: { ...given.command, ...own } };
  const { condition, statusMessage, timeout = defaultTimeout(event, handler.type) } = handler;
  const isAsync = handler.type === "command" && handler.isAsync;
  const blocksOnFailure = handler.blocksOnFailure && !isAsync && !neverGuards.has(event);
  const run = keepingNothing(origin, runOf({ ...handler, blocksOnFailure }, world));
  return {
    name: nameOf(handler),
    ...present({ matcher, statusMessage }),
    timeoutMs: timeout * 1_000,
    ...endOf(hook),
    ...(handler.once === true ? { once: handler } : {}),
    // A plugin's copy stays its own, and a skill's.
    ...(origin === "plugin" || handler.once === true
      ? {}
      : { identity: JSON.stringify(isSkills === true ? [source, handler] : handler) }),
    ...(condition === undefined
      ? {}
      : { concerns: (input: HookInput) => conditional.has(event) && world.matchesRule(condition, input) }),
    blocksOnFailure,
    isAsync,
    ...wakingOf(handler),
    run: labelled(event, origin, isAbove === true ? permittingNothing(run) : run),
  };
}

function wakingOf(handler: HookHandler): Pick<HookRunner, "wakes" | "wakeMessage"> {
  if (handler.type !== "command" || !handler.wakes) return {};
  const { wakeMessage } = handler;
  return { wakes: true, ...(wakeMessage === undefined ? {} : { wakeMessage }) };
}

const longestEndMs = 60_000;

/** By convention those of settings files may ask for more time than a session's end has for all. */
export function endOf({ event, origin, handler }: ConfiguredHook): Pick<HookRunner, "holdsEndMs"> {
  if (event !== "SessionEnd" || origin === "plugin" || handler.timeout === undefined) return {};
  return { holdsEndMs: Math.min(handler.timeout * 1_000, longestEndMs) };
}

const usersOwn: ReadonlySet<HookOrigin> = new Set(["user", "flag", "policy"]);

/** What a folder or a plugin brings along changes the permissions of a session at most, and no file. */
function keepingNothing(origin: HookOrigin, run: HookRunner["run"]): HookRunner["run"] {
  if (usersOwn.has(origin)) return run;
  return async (input, signal, own) => {
    const output = await run(input, signal, own);
    const { permissionAnswer: answer } = output;
    if (answer?.behavior !== "allow" || answer.updates === undefined) return output;
    const updates = answer.updates.map((update) => ({ ...update, destination: "session" as const }));
    return { ...output, permissionAnswer: { ...answer, updates } };
  };
}

/** As with what a skill permits: that is for whoever began it. */
function permittingNothing(run: HookRunner["run"]): HookRunner["run"] {
  return async (input, signal, own) => {
    const { permission, permissionAnswer: answer, elicitation, ...others } = await run(input, signal, own);
    return {
      ...others,
      ...(permission === undefined || permission.behavior === "allow" ? {} : { permission }),
      ...(answer?.behavior === "deny" ? { permissionAnswer: answer } : {}),
      ...(elicitation === undefined || elicitation.action === "accept" ? {} : { elicitation }),
    };
  };
}

const labels = {
  policy: "Managed",
  flag: "Settings",
  user: "User",
  project: "Project",
  local: "Local",
  plugin: "Plugin",
} as const satisfies Record<HookOrigin, string>;

/** Whose question it is: a person who answers it must not take a folder's words for those of somebody else. */
function labelled(event: HookEvent, origin: HookOrigin, run: HookRunner["run"]): HookRunner["run"] {
  if (event !== "PreToolUse") return run;
  return async (input, signal, own) => {
    const output = await run(input, signal, own);
    const { permission } = output;
    if (permission?.behavior !== "ask") return output;
    const reason = `[${labels[origin]}] ${permission.reason ?? "a PreToolUse hook wants a person to answer"}`;
    return { ...output, permission: { behavior: "ask", reason } };
  };
}

function runOf(handler: HookHandler, world: HandlerWorld): HookRunner["run"] {
  switch (handler.type) {
    case "command":
      return async (input, signal, own) => {
        const { output, run } = await runCommandHook(handler, input, signal, world.command, world.clock, own);
        own.tell(run);
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
