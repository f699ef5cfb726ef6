/**
 * Turns the words after `pawl` into a command. Pure: it touches no process state and no files. A mistake is a `UsageError`
 * whose message names the flag and says what to write instead.
 */
import type { Command } from "commander";
import type { Environment } from "../lib/environment.ts";
import { editDistance, nearestName } from "../lib/edit-distance.ts";
import { UsageError } from "../lib/usage-error.ts";
import { efforts } from "../protocol/effort.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import { clientArguments, withoutDebugFilter } from "./client-flags.ts";
import { authHelp, parseAuth, type AuthArguments } from "./auth-arguments.ts";
import { completionHelp, parseCompletion, type Shell } from "./completion-arguments.ts";
import { doctorHelp, parseDoctor, type DoctorArguments } from "./doctor-arguments.ts";
import { hooksArguments, hooksCommand } from "./hooks-arguments.ts";
import type { HooksArguments } from "./hooks-command.ts";
import { configArguments, configCommand } from "./config-arguments.ts";
import type { ConfigArguments } from "./config-command.ts";
import { checkFlagCombinations } from "./check-flag-combinations.ts";
import { explainArguments, explainCommand } from "./explain-arguments.ts";
import { parseDenyRules, parseRules, parseToolNames } from "./lists.ts";
import { isCommandNotBuilt } from "./not-built.ts";
import { mcpHelp, parseMcp, type McpArguments } from "./mcp-arguments.ts";
import { parsePlugin, pluginHelp, type PluginArguments } from "./plugin-arguments.ts";
import { mainCommand, mockCommand, type RawOptions } from "./options.ts";
import type { ExplainArguments } from "./permissions-command.ts";
import { parseRewind, rewindPrompt } from "./rewind-flags.ts";
import { parseReplay, replayHelp, type ReplayArguments } from "./replay-arguments.ts";
import { sessionsArguments, sessionsCommand, type SessionsArguments } from "./sessions-arguments.ts";
import { asksForHelp, tokenise } from "./tokenise.ts";
import { parseTrust, trustHelp, type TrustArguments } from "./trust-arguments.ts";
import {
  parseCompactWindow,
  parseDollars,
  parseInteger,
  notEmpty,
  oneOf,
  parsePermissionMode,
  parseTokenCount,
  maxTurnsFromEnvironment,
  parseUuid,
} from "./values.ts";
import { inputFormats, outputFormats, speeds, thinkingModes, type RunArguments } from "./run-arguments.ts";

export type CliCommand =
  | { kind: "help"; text: string }
  | { kind: "version" }
  | { kind: "mock"; script: string; port: number }
  | { kind: "explain"; explain: ExplainArguments }
  | { kind: "trust"; trust: TrustArguments }
  | { kind: "hooks"; hooks: HooksArguments }
  | { kind: "config"; config: ConfigArguments }
  | { kind: "doctor"; doctor: DoctorArguments }
  | { kind: "auth"; auth: AuthArguments }
  | { kind: "replay"; replay: ReplayArguments }
  | { kind: "sessions"; sessions: SessionsArguments }
  | { kind: "mcp"; mcp: McpArguments }
  | { kind: "plugin"; plugin: PluginArguments }
  | { kind: "completion"; shell: Shell }
  | { kind: "mcp-serve"; run: RunArguments }
  | { kind: "run"; run: RunArguments };

const parsePluginWords = orHelp(pluginHelp, (words) => ({ kind: "plugin", plugin: parsePlugin(words) }));
const parseExplain = withFlags(explainCommand, (command) => ({ kind: "explain", explain: explainArguments(command) }));

/** Each parser gets the words after the command's name. */
const commands = new Map<string, (words: readonly string[], env: Environment) => CliCommand>([
  ["mock", withFlags(mockCommand, mockArguments)],
  ["trust", orHelp(trustHelp, (words) => ({ kind: "trust", trust: parseTrust(words) }))],
  ["doctor", orHelp(doctorHelp, (words) => ({ kind: "doctor", doctor: parseDoctor(words) }))],
  ["auth", orHelp(authHelp, (words) => ({ kind: "auth", auth: parseAuth(words) }))],
  ["completion", orHelp(completionHelp, (words) => ({ kind: "completion", shell: parseCompletion(words) }))],
  ["replay", orHelp(replayHelp, (words) => ({ kind: "replay", replay: parseReplay(words) }))],
  ["plugin", parsePluginWords],
  ["plugins", parsePluginWords],
  ["mcp", parseMcpCommand],
  ["permissions", parsePermissions],
  ["hooks", withFlags(hooksCommand, (command) => ({ kind: "hooks", hooks: hooksArguments(command) }))],
  ["sessions", withFlags(sessionsCommand, (command) => ({ kind: "sessions", sessions: sessionsArguments(command) }))],
  ["config", withFlags(configCommand, (command) => ({ kind: "config", config: configArguments(command) }))],
]);

type ParseWords = (words: readonly string[]) => CliCommand;

function orHelp(text: string, parse: ParseWords): ParseWords {
  return (words) => (asksForHelp(words) ? { kind: "help", text } : parse(words));
}

/** For commands whose flags commander parses. */
function withFlags(
  build: (write: (text: string) => void) => Command,
  read: (command: Command) => CliCommand,
): ParseWords {
  return (words) => {
    const parsed = tokenise(build, words);
    return "kind" in parsed ? parsed : read(parsed.command);
  };
}

/** `argv` starts after node and the script. `env` supplies limits that no flag sets: `PAWL_MAX_TURNS`, `CLAUDE_CODE_MAX_TURNS`. */
export function parseArguments(argv: readonly string[], env: Environment = {}): CliCommand {
  const [first] = argv;
  const command = first === undefined ? undefined : commands.get(first);
  if (command !== undefined) return command(argv.slice(1), env);
  if (first !== undefined && isCommandNotBuilt(first)) {
    throw new UsageError(`pawl ${first} is not built yet; to send the word as a prompt: pawl -- ${first}`);
  }
  refuseMistypedCommand(first);
  const parsed = tokenise(mainCommand, withoutDebugFilter(argv));
  if ("kind" in parsed) return parsed;
  const raw = parsed.command.opts<RawOptions>();
  if (raw.version) return { kind: "version" };
  const prompt = promptFromWords(parsed.command.args);
  const run = { ...runArguments(raw, env), ...(prompt === undefined ? {} : { prompt }) };
  checkFlagCombinations(raw, run);
  return { kind: "run", run: run.rewind === undefined ? run : { ...run, prompt: rewindPrompt(run.rewind) } };
}

/** When a host gives a flag an empty value, SDKs pass the flag and then an empty word. That word is not a prompt. */
function promptFromWords(words: readonly string[]): string | undefined {
  const [prompt, more] = words.filter((word) => word !== "");
  if (more !== undefined) throw new UsageError('One prompt only: put it in quotes, pawl -p "like this".');
  return prompt ?? words[0];
}

/** `serve` takes the flags of a run; those about a conversation have no effect. */
function parseMcpCommand(words: readonly string[], env: Environment): CliCommand {
  if (words[0] !== "serve") {
    if (asksForHelp(words)) return { kind: "help", text: mcpHelp };
    return { kind: "mcp", mcp: parseMcp(words) };
  }
  const parsed = parseArguments(["-p", ...words.slice(1)], env);
  if (parsed.kind !== "run") return parsed;
  if (parsed.run.worktree !== undefined)
    throw new UsageError("pawl mcp serve works in the folder it is called in: leave --worktree out.");
  return { kind: "mcp-serve", run: parsed.run };
}

function mockArguments(command: Command): CliCommand {
  const { script, port } = command.opts<{ script?: string; port?: string }>();
  if (script === undefined) throw new UsageError("pawl mock needs --script <file>, the replies to serve.");
  const number = port === undefined ? 0 : parseInteger("--port", port, 0);
  if (number > 65_535) throw new UsageError(`--port needs a port up to 65535, not "${number}".`);
  return { kind: "mock", script: notEmpty("--script", script), port: number };
}

function parsePermissions([verb, ...words]: readonly string[]): CliCommand {
  if (verb === "--help" || verb === "-h") return parsePermissions(["explain", verb]);
  if (verb !== "explain")
    throw new UsageError(`pawl permissions has one subcommand, explain: pawl permissions explain 'Bash(git push)'`);
  return parseExplain(words);
}

function mapDefined<T, R>(value: T | undefined, read: (value: T) => R): R | undefined {
  return value === undefined ? undefined : read(value);
}

function runArguments(raw: RawOptions, env: Environment): RunArguments {
  return {
    // Programs that use stream-json for input and output do not pass -p.
    print: raw.print ?? (raw.inputFormat === "stream-json" || raw.rewindFiles !== undefined),
    outputFormat: oneOf("--output-format", raw.outputFormat ?? "text", outputFormats),
    inputFormat: oneOf("--input-format", raw.inputFormat ?? "text", inputFormats),
    includePartialMessages: raw.includePartialMessages ?? false,
    includeHookEvents: raw.includeHookEvents ?? false,
    promptSuggestions: raw.promptSuggestions ?? false,
    verbose: raw.verbose ?? false,
    model: mapDefined(raw.model, (name) => notEmpty("--model", name)),
    fallbackModel: mapDefined(raw.fallbackModel, (name) => notEmpty("--fallback-model", name)),
    effort: mapDefined(raw.effort, (level) => oneOf("--effort", level, efforts, ["ultracode"])),
    thinking: mapDefined(raw.thinking, (how) => oneOf("--thinking", how, thinkingModes)),
    maxThinkingTokens: mapDefined(raw.maxThinkingTokens, (count) => parseInteger("--max-thinking-tokens", count, 0)),
    speed: mapDefined(raw.speed, (speed) => oneOf("--speed", speed, speeds)),
    maxTurns: turnLimit(raw, env),
    maxBudgetUsd: mapDefined(raw.maxBudgetUsd, (amount) => parseDollars("--max-budget-usd", amount)),
    tokenBudget: mapDefined(raw.tokenBudget, (count) => parseTokenCount("--token-budget", count, 1)),
    taskBudget: mapDefined(raw.taskBudget, (count) => parseTokenCount("--task-budget", count, 20_000)),
    compactWindow: mapDefined(raw.autocompact, (window) => parseCompactWindow("--autocompact", window)),
    permissionMode: permissionMode(raw),
    allowedTools: parseRules("--allowed-tools", raw.allowedTools ?? []),
    disallowedTools: parseDenyRules("--disallowed-tools", raw.disallowedTools ?? []),
    tools: mapDefined(raw.tools, (names) => parseToolNames("--tools", names)),
    pluginDirs: (raw.pluginDir ?? []).map((folder) => notEmpty("--plugin-dir", folder)),
    pluginDirsWithoutServers: (raw.pluginDirNoMcp ?? []).map((folder) => notEmpty("--plugin-dir-no-mcp", folder)),
    addDirs: (raw.addDir ?? []).map((folder) => notEmpty("--add-dir", folder)),
    mcpConfig: (raw.mcpConfig ?? []).map((config) => notEmpty("--mcp-config", config)),
    strictMcpConfig: raw.strictMcpConfig === true,
    systemPrompt: raw.systemPrompt,
    systemPromptFile: mapDefined(raw.systemPromptFile, (file) => notEmpty("--system-prompt-file", file)),
    appendSystemPrompt: raw.appendSystemPrompt,
    appendSystemPromptFile: mapDefined(raw.appendSystemPromptFile, (file) =>
      notEmpty("--append-system-prompt-file", file),
    ),
    verbatimPrompts: raw.rewindFiles === undefined && raw.disableSlashCommands === true,
    initOnly: raw.initOnly === true,
    bare: raw.bare === true,
    safeMode: raw.safeMode === true,
    setup: raw.init === true ? "init" : raw.maintenance === true ? "maintenance" : undefined,
    continue: raw.continue ?? false,
    resume: mapDefined(raw.resume, (session) => resumeTarget(session, raw)),
    resumeSessionAt: mapDefined(raw.resumeSessionAt, (id) => notEmpty("--resume-session-at", id)),
    resumeDropsTurn: mapDefined(raw.resumeDropsTurn, (id) => notEmpty("--resume-drops-turn", id)),
    forkSession: raw.forkSession ?? false,
    name: mapDefined(raw.name, (title) => notEmpty("--name", title)),
    worktree: mapDefined(raw.worktree, (name) => (name === true ? name : notEmpty("--worktree", name))),
    sessionId: mapDefined(raw.sessionId, (id) => parseUuid("--session-id", id)),
    persistSession: raw.sessionPersistence,
    rewind: parseRewind(raw),
    trust: raw.trust === true,
    screenReader: raw.axScreenReader === true,
    settings: mapDefined(raw.settings, (text) => notEmpty("--settings", text)),
    debugFile: mapDefined(raw.debugFile, (file) => notEmpty("--debug-file", file)),
    client: clientArguments(raw),
  };
}

/** Refuses a word that is nearly a command: it is hardly a prompt, and sending it costs money. `deploy` and `docker` pass. */
function refuseMistypedCommand(word: string | undefined): void {
  if (word === undefined || !/^[a-z]{3,}$/iu.test(word)) return;
  const near = nearestName(word, [...commands.keys(), "help", "version"]);
  if (near === undefined || !isTypo(word.toLowerCase(), near)) return;
  const suggestion = near === "help" || near === "version" ? `--${near}` : near;
  throw new UsageError(
    `There is no command ${word}; did you mean pawl ${suggestion}? To send the word as a prompt: pawl -- ${word}`,
  );
}

/** Swapped letters are a slip sooner than wrong ones: `congif`, `sessoin`. In words of three letters only swapped ones count. */
function isTypo(word: string, name: string): boolean {
  const distance = editDistance(word, name);
  const distanceWhenSorted = editDistance(sortedLetters(word), sortedLetters(name));
  return distanceWhenSorted < distance || (word.length > 3 && distance <= Math.max(1, Math.floor(word.length / 4)));
}

function sortedLetters(word: string): string {
  return Array.from(word).toSorted().join("");
}

function resumeTarget(session: string | true, { print }: RawOptions): string | true {
  if (session === true && print !== true) return true;
  if (session === true || session.trim() === "") {
    throw new UsageError(
      "--resume needs a session's id or title: pawl sessions lists them, and -c continues the newest one of this folder.",
    );
  }
  return session;
}

function turnLimit(raw: RawOptions, env: Environment): number | undefined {
  if (raw.maxTurns !== undefined) return parseInteger("--max-turns", raw.maxTurns, 1);
  return maxTurnsFromEnvironment(env);
}

function permissionMode(raw: RawOptions): PermissionMode | undefined {
  const mode = mapDefined(raw.permissionMode, parsePermissionMode);
  if (!raw.dangerouslySkipPermissions) return mode;
  if (mode !== undefined && mode !== "bypassPermissions") {
    throw new UsageError(`--dangerously-skip-permissions contradicts --permission-mode ${mode}: use one.`);
  }
  return "bypassPermissions";
}
