/** Translates options that agent SDKs name or shape differently into pawl's own. Loaded only if there are any. */
import { jsonText } from "../options/check-arguments.ts";
import { resolve } from "node:path";
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { AgentDefinition } from "../../protocol/agent.ts";
import type { AskPermission } from "../../protocol/permission.ts";
import { createAppendingLog } from "../debug-log.ts";
import { checkMatcher } from "../options/check-hooks.ts";
import { checkConventionNames } from "../options/option-names.ts";
import type { EngineOptions, HookCallbackMatcher } from "../options/options.ts";
import { hostQuestion, readHostAnswer } from "./host-question.ts";
import type { CanUseTool, HookCallbacks, QueryOptions } from "../options/query-options.ts";
import { asFireAndForget } from "../../lib/fire-and-forget.ts";
import { joinPromptBlocks } from "./system-prompt.ts";

/** Throws `UsageError` if an option is given in both ways or cannot be read. */
export function translateOptions(queryOptions: QueryOptions): EngineOptions {
  checkConventionNames(queryOptions);
  const { canUseTool, additionalDirectories, plugins, permissionPrompts, debug, debugFile, stderr, ...others } =
    queryOptions;
  const { extraArgs, hooks, systemPrompt, tools, settings, agents, ...same } = others;
  const notice = queryOptions.onNotice ?? (stderr === undefined ? undefined : (text: string) => stderr(`${text}\n`));
  const report = notice === undefined ? () => undefined : asFireAndForget(notice);
  const options: EngineOptions = {
    ...same,
    ...(notice === undefined ? {} : { onNotice: notice }),
    ...optionUnderOwnName("additionalDirectories", additionalDirectories, "addDirs", queryOptions.addDirs),
    ...optionUnderOwnName(
      "plugins",
      pluginFolders(plugins, queryOptions.cwd, false),
      "pluginDirs",
      queryOptions.pluginDirs,
    ),
    ...optionUnderOwnName(
      "plugins",
      pluginFolders(plugins, queryOptions.cwd, true),
      "pluginDirsWithoutServers",
      queryOptions.pluginDirsWithoutServers,
    ),
    ...optionUnderOwnName(
      "canUseTool",
      canUseTool === undefined ? undefined : askWithCallback(canUseTool, report),
      "ask",
      queryOptions.ask,
    ),
    ...(hooks === undefined ? {} : { hooks: translateHooks(hooks) }),
    ...(agents === undefined ? {} : { agents: translateAgents(agents) }),
    ...promptOptions(systemPrompt, queryOptions.appendSystemPrompt),
    ...(tools === undefined ? {} : toolOptions(tools)),
    ...(settings === undefined
      ? {}
      : { settings: typeof settings === "string" ? settings : jsonText("settings", settings) }),
    ...debugOptions({ debug, debugFile, extraArgs, stderr, env: queryOptions.env }),
  };
  if (permissionPrompts === undefined || permissionPrompts === "host") return options;
  if (permissionPrompts !== "none") throw new UsageError("permissionPrompts is host or none.");
  const { ask: _ask, permissionPromptToolName: _tool, ...withoutAsking } = options;
  return withoutAsking;
}

function optionUnderOwnName<K extends keyof EngineOptions>(
  name: string,
  value: EngineOptions[K] | undefined,
  ownName: K,
  options: EngineOptions[K],
): Partial<EngineOptions> {
  if (value === undefined) return {};
  if (options !== undefined) throw new UsageError(`${name} and ${ownName} are the same option: use one.`);
  return { [ownName]: value };
}

/** Folders of the plugins without their servers (`withoutServers`) or with them. */
function pluginFolders(
  plugins: QueryOptions["plugins"],
  cwd = process.cwd(),
  withoutServers: boolean,
): string[] | undefined {
  const chosen = plugins?.filter((plugin) => (plugin?.skipMcpDiscovery === true) === withoutServers) ?? [];
  if (chosen.length === 0) return undefined;
  return chosen.map((plugin: unknown) => {
    if (!isRecord(plugin) || plugin["type"] !== "local" || typeof plugin["path"] !== "string")
      throw new UsageError('A plugin is a folder: { type: "local", path }.');
    return resolve(cwd, plugin["path"]);
  });
}

function askWithCallback(canUseTool: CanUseTool, notice: (text: string) => void): AskPermission {
  return async (question, signal) => {
    const { agentId, decisionReasonType: _, ...questionFields } = hostQuestion(question);
    const { toolName, input, toolUseId, key } = question;
    const agent = agentId === undefined ? {} : { agentID: agentId };
    const context = { ...questionFields, ...agent, signal, toolUseID: toolUseId, requestId: key };
    const answer: unknown = await canUseTool(toolName, structuredClone(input), context);
    if (!isRecord(answer)) throw new Error("canUseTool gave no answer");
    return readHostAnswer(answer, true, notice);
  };
}

type Hooks = NonNullable<QueryOptions["hooks"]>;

function translateHooks(hooks: Hooks): NonNullable<EngineOptions["hooks"]> {
  if (!isRecord(hooks)) throw new UsageError("hooks must be an object with a list for each event.");
  const own: Record<string, HookCallbackMatcher[]> = {};
  for (const [event, list = []] of Object.entries(hooks)) {
    if (!Array.isArray(list)) throw new UsageError(`hooks.${event} is a list.`);
    own[event] = list.flatMap((entry) =>
      isRecord(entry) && "hooks" in entry
        ? toCallbackMatchers(entry as HookCallbacks, event)
        : [entry as HookCallbackMatcher],
    );
  }
  return own;
}

function toCallbackMatchers(callbacks: HookCallbacks, event: string): HookCallbackMatcher[] {
  const { matcher, hooks, timeout, onFailure } = callbacks;
  if (!Array.isArray(hooks) || !hooks.every((hook) => typeof hook === "function"))
    throw new UsageError(`hooks.${event}: "hooks" is a list of functions.`);
  checkMatcher(`hooks.${event}`, callbacks, "hooks");
  return hooks.map((hook) => ({
    ...(matcher === undefined ? {} : { matcher }),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1_000 }),
    ...(onFailure === undefined ? {} : { onFailure }),
    callback: (input, { signal, toolUseId }) => hook(input, toolUseId, { signal }),
  }));
}

type ConventionAgents = Record<string, AgentDefinition & { omitClaudeMd?: boolean }>;

/** Leaves an invalid definition as it is: it is refused by name later. */
function translateAgents(agents: ConventionAgents): EngineOptions["agents"] {
  if (!isRecord(agents)) return agents;
  return Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => {
      if (!isRecord(agent)) return [name, agent];
      const { omitClaudeMd, ...definition } = agent;
      return [name, omitClaudeMd === true ? { ...definition, bare: true } : definition];
    }),
  );
}

function promptOptions(value: unknown, append: string | undefined): Partial<EngineOptions> {
  if (value === undefined) return {};
  const promptSource = isRecord(value) ? value : { type: "custom", prompt: value };
  const { type, preset, prompt, append: more } = promptSource;
  if (type === "preset" && preset === "claude_code" && (more === undefined || typeof more === "string")) {
    const parts = [more, append].filter((part) => part !== undefined && part !== "");
    return {
      ...(parts.length === 0 ? {} : { appendSystemPrompt: parts.join("\n\n") }),
      ...(promptSource["excludeDynamicSections"] === true ? { excludeDynamicSections: true } : {}),
    };
  }
  const systemPrompt = type === "custom" ? joinPromptBlocks(prompt) : undefined;
  if (systemPrompt !== undefined) return { systemPrompt };
  throw new UsageError(
    'systemPrompt is a text, a list of texts, { type: "custom", prompt } or { type: "preset", preset: "claude_code", append }.',
  );
}

function toolOptions(tools: NonNullable<QueryOptions["tools"]>): Pick<EngineOptions, "tools"> {
  if (Array.isArray(tools)) return { tools };
  if (isRecord(tools) && tools.type === "preset" && tools.preset === "claude_code") return {};
  throw new UsageError('tools is a list of names, or { type: "preset", preset: "claude_code" }.');
}

type DebugChoices = Pick<QueryOptions, "debug" | "debugFile" | "extraArgs" | "stderr" | "env">;

function debugOptions({
  debug,
  debugFile,
  extraArgs = {},
  stderr,
  env = process.env,
}: DebugChoices): Partial<EngineOptions> {
  const { debug: flag, "debug-file": file, "replay-user-messages": _replay, ...flags } = extraArgs;
  const [other] = Object.keys(flags);
  if (other !== undefined)
    throw new UsageError(
      `extraArgs takes replay-user-messages, debug and debug-file here, not ${other.slice(0, 80)}: other flags of the command are options here.`,
    );
  const path = debugFile ?? file ?? undefined;
  const listeners = [
    ...(typeof debug === "function" ? [debug] : []),
    ...(path === undefined ? [] : [createAppendingLog(path, env)]),
    ...(stderr !== undefined && (debug === true || flag !== undefined) ? [(line: string) => stderr(`${line}\n`)] : []),
  ].map((hear) => asFireAndForget(hear));
  return listeners.length === 0 ? {} : { debug: (line) => listeners.forEach((hear) => hear(line)) };
}
