/** Turns flags and environment into the engine's options, and reads the files that flags name. */
import { resolve } from "node:path";
import { homeFolder } from "../lib/home-folder.ts";
import { readNamedFile } from "../lib/named-file.ts";
import { statusAt } from "../lib/status-at.ts";
import { reasonOf } from "../lib/system-reason.ts";
import { UsageError } from "../lib/usage-error.ts";
import { snipReplay } from "../context/snip-replay.ts";
import type { EngineOptions } from "../session/options/options.ts";
import type { RunArguments } from "./run-arguments.ts";
import { promptAfterList } from "./lists.ts";
import { resolveMcpConfigFlag, resolveSettingsFlag } from "./settings-flag.ts";

export interface Surroundings {
  env: Record<string, string | undefined>;
  /** Absolute. */
  cwd: string;
  version: string;
}

export function engineOptions(run: RunArguments, { env, cwd, version }: Surroundings): EngineOptions {
  return {
    cwd,
    env: environmentWithFlags(env, run),
    betas: run.client.betas,
    home: homeFolder(env),
    version,
    model: run.model,
    fallbackModel: run.fallbackModel,
    effort: run.effort,
    ...thinkingOption(run),
    forwardSubagentText: run.client.forwardSubagentText,
    maxThinkingTokens: run.maxThinkingTokens,
    speed: run.speed,
    maxTurns: run.maxTurns,
    maxBudgetUsd: run.maxBudgetUsd,
    tokenBudget: run.tokenBudget,
    ...(run.taskBudget === undefined ? {} : { taskBudget: { total: run.taskBudget } }),
    permissionMode: run.permissionMode,
    allowedTools: run.allowedTools,
    disallowedTools: run.disallowedTools,
    tools: run.tools,
    ...systemPromptOptions(run, cwd),
    ...folderOptions(run, cwd),
    ...(run.mcpConfig.length === 0
      ? {}
      : { mcpConfig: run.mcpConfig.map((flag) => resolveMcpConfigFlag(flag, { cwd })) }),
    strictMcpConfig: run.strictMcpConfig,
    ...(run.verbatimPrompts ? { verbatimPrompts: true, skills: [] } : {}),
    setup: run.setup,
    ...(run.bare ? { bare: true } : {}),
    resume: run.resume === true ? undefined : run.resume,
    continue: run.continue,
    resumeSessionAt: run.resumeSessionAt,
    resumeDropsTurn: run.resumeDropsTurn,
    forkSession: run.forkSession,
    title: run.name,
    sessionId: run.sessionId,
    persistSession: run.persistSession,
    settings: run.settings === undefined ? undefined : resolveSettingsFlag(run.settings, { env, cwd }),
    settingSources: run.client.settingSources,
    managedSettings: run.client.managedSettings,
    permissionPromptToolName: run.client.permissionPromptTool,
    agent: run.client.agent,
    ...(run.client.agents === undefined ? {} : { agents: run.client.agents }),
    ...(run.client.jsonSchema === undefined
      ? {}
      : { outputFormat: { type: "json_schema", schema: run.client.jsonSchema } }),
    trust: run.trust,
    // The conversation shows the answer as it streams.
    includePartialMessages: run.includePartialMessages || !run.print,
    displayByLines: !run.print,
    // The conversation shows what hooks are at work.
    promptSuggestions: run.promptSuggestions,
    includeHookEvents: run.includeHookEvents || !run.print,
    headless: run.print,
    snipReplay,
    enableFileCheckpointing: true,
  };
}

function systemPromptOptions(
  run: RunArguments,
  cwd: string,
): Pick<
  EngineOptions,
  "appendSubagentSystemPrompt" | "appendSystemPrompt" | "excludeDynamicSections" | "systemPrompt"
> {
  const appended = [
    run.appendSystemPrompt,
    readFlagFile("--append-system-prompt-file", cwd, run.appendSystemPromptFile),
  ];
  const appendSystemPrompt = appended.filter((text) => text !== undefined && text !== "").join("\n\n");
  return {
    systemPrompt: run.systemPrompt ?? readFlagFile("--system-prompt-file", cwd, run.systemPromptFile),
    ...(appendSystemPrompt === "" ? {} : { appendSystemPrompt }),
    appendSubagentSystemPrompt: run.client.appendSubagentSystemPrompt,
    ...(run.client.excludeDynamicSections ? { excludeDynamicSections: true } : {}),
  };
}

function folderOptions(
  run: RunArguments,
  cwd: string,
): Pick<EngineOptions, "addDirs" | "pluginDirs" | "pluginDirsWithoutServers"> {
  const existingFolders = (flag: string, folders: readonly string[]): string[] =>
    folders.map((folder) => existingFolder(flag, resolve(cwd, folder)));
  return {
    addDirs: existingFolders("--add-dir", run.addDirs),
    pluginDirs: existingFolders("--plugin-dir", run.pluginDirs),
    pluginDirsWithoutServers: existingFolders("--plugin-dir-no-mcp", run.pluginDirsWithoutServers),
  };
}

function thinkingOption({
  thinking,
  client: { thinkingDisplay: display },
}: RunArguments): Pick<EngineOptions, "thinking"> {
  if (thinking === undefined && display === undefined) return {};
  return { thinking: { type: thinking ?? "auto", ...(display === undefined ? {} : { display }) } };
}

/** Sets the variables that have the same meaning as a flag. */
function environmentWithFlags(env: Surroundings["env"], run: RunArguments): Surroundings["env"] {
  const { safeMode, compactWindow } = run;
  const compactVariables =
    compactWindow === undefined ? {} : { CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(compactWindow) };
  return { ...env, ...(safeMode ? { CLAUDE_CODE_SAFE_MODE: "1" } : {}), ...compactVariables };
}

/** The same limit as for a prompt that is piped in. */
const maxPromptBytes = 10_000_000;

function readFlagFile(flag: string, cwd: string, file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  const path = resolve(cwd, file);
  let text: string | undefined;
  try {
    text = readNamedFile(path, maxPromptBytes);
  } catch (error) {
    throw new UsageError(`${flag}: ${path} cannot be read: ${reasonOf(error)}.`);
  }
  if (text === undefined) throw new UsageError(`${flag}: ${path} is larger than 10 MB.`);
  return text.replace(/^\ufeff/u, "");
}

function existingFolder(flag: string, path: string): string {
  const found = statusAt(path);
  if (found === undefined)
    throw new UsageError(`${flag}: ${path} does not exist${/\s/u.test(path) ? `; ${promptAfterList}` : ""}.`);
  if (!found.isDirectory()) throw new UsageError(`${flag}: ${path} is not a folder.`);
  return path;
}
