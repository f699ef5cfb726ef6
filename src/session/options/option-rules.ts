/** Each option: its kind, and what its value must be besides. A new option has its type in `options.ts` and its entry here. */
import { isRecord } from "../../lib/is-record.ts";
import { permissionModes } from "../../protocol/permission.ts";
import { checkAgents } from "./check-agents.ts";
import { checkOptionalTexts, refuseIf } from "./check-arguments.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkAgentLimits, checkLoopLimits } from "./check-limits.ts";
import { checkEffort, checkTaskBudget, checkThinking, isWholeNumber } from "./check-model.ts";
import { checkCustomTools } from "./check-tools.ts";
import type { OptionKind } from "./option-kinds.ts";
import type { EngineOptions } from "./options.ts";
import { titleOf } from "./title.ts";

type ValueOf<Name extends keyof EngineOptions> = NonNullable<EngineOptions[Name]>;

interface OptionRule<Name extends keyof EngineOptions> {
  /** The kinds of all options are checked before anything else of them. */
  kind: OptionKind;
  /** The only words that the option accepts. An unknown word would be ignored: without a settings source, its deny rules are gone. */
  words?: readonly Extract<ValueOf<Name> extends readonly (infer Item)[] ? Item : ValueOf<Name>, string>[];
  /** The functions that the object must have. */
  functions?: readonly (keyof ValueOf<Name>)[];
  /** Throws `UsageError`. The checks run in the order of the table, so that the same one of several mistakes is always named. */
  check?: (value: ValueOf<Name>, options: EngineOptions) => void;
  /** The host is only told something by this function: its exceptions end no turn. */
  isListener?: true;
}

const optionRules: { readonly [Name in keyof Required<EngineOptions>]: OptionKind | OptionRule<Name> } = {
  // The model.
  model: "text",
  fallbackModel: "textOrTexts",
  effort: { kind: "text", check: checkEffort },
  thinking: { kind: "object", check: checkThinking },
  maxThinkingTokens: {
    kind: "number",
    check: (count) =>
      refuseIf(!isWholeNumber(count, 0), "maxThinkingTokens must be a whole number; 0 turns thinking off."),
  },
  maxOutputTokens: {
    kind: "number",
    check: (count) => refuseIf(!isWholeNumber(count, 1), "maxOutputTokens must be a whole number of at least 1."),
  },
  tokenBudget: {
    kind: "number",
    check: (count) =>
      refuseIf(!isWholeNumber(count, 1), "tokenBudget must be a whole number of at least 1 output token."),
  },
  taskBudget: { kind: "object", check: checkTaskBudget },
  speed: {
    kind: "text",
    check: (speed) =>
      refuseIf(!["fast", "standard"].includes(speed), `There is no speed ${speed}: there are standard and fast.`),
  },
  betas: "texts",
  systemPrompt: "text",
  appendSystemPrompt: "text",
  appendSubagentSystemPrompt: "text",
  excludeDynamicSections: "flag",

  // What replaces parts of the process and the machine.
  clock: { kind: "object", functions: ["now", "elapsed", "timestamp", "timer"] },
  ids: { kind: "object", functions: ["uuid", "random"] },
  transcriptMirror: { kind: "object", functions: ["wrote", "settled"] },
  transport: "function",
  env: {
    kind: "object",
    check: (env) =>
      checkOptionalTexts(Object.fromEntries(Object.entries(env).map(([key, value]) => [`env.${key}`, value]))),
  },
  home: "text",
  version: "text",

  // Hooks, tools and agents.
  hooks: { kind: "object", check: checkHooks },
  includeHookEvents: "flag",
  allowedTools: "texts",
  disallowedTools: "texts",
  tools: "texts",
  toolAliases: {
    kind: "object",
    check: (aliases) =>
      refuseIf(!Object.values(aliases).every(isNonEmptyText), "toolAliases must map each alias to the name of a tool."),
  },
  skills: {
    kind: "textOrTexts",
    check: (skills) =>
      refuseIf(typeof skills === "string" && skills !== "all", 'skills must be a list of names, or "all".'),
  },
  outputFormat: {
    kind: "object",
    check: ({ type, schema }) =>
      refuseIf(
        !(type === "json_schema" && isRecord(schema)),
        'outputFormat must be { type: "json_schema", schema }, with a JSON Schema.',
      ),
  },
  agent: "text",
  agents: { kind: "object", check: checkAgents },
  mcpConfig: "texts",
  mcpServers: {
    kind: "object",
    check: (servers) => {
      for (const [name, server] of Object.entries(servers))
        refuseIf(!isRecord(server), `mcpServers.${name} must be an object.`);
    },
  },
  strictMcpConfig: "flag",
  onElicitation: "function",
  onElicitationComplete: "function",
  customTools: { kind: "list", check: checkCustomTools },
  pluginDirs: "texts",
  pluginDirsWithoutServers: "texts",
  forwardSubagentText: "flag",

  // Limits and permissions.
  agentLimits: { kind: "object", check: checkAgentLimits },
  limits: { kind: "object", check: checkLoopLimits },
  maxTurns: {
    kind: "number",
    check: (count) => refuseIf(!isWholeNumber(count, 1), "maxTurns must be a whole number of at least 1."),
  },
  maxBudgetUsd: {
    kind: "number",
    check: (amount) =>
      refuseIf(!(Number.isFinite(amount) && amount > 0), "maxBudgetUsd must be an amount of dollars above 0."),
  },
  permissionMode: {
    kind: "text",
    check: (mode) =>
      refuseIf(
        !permissionModes.includes(mode),
        `There is no permission mode ${mode}: there are ${permissionModes.join(", ")}.`,
      ),
  },
  planModeInstructions: "text",
  ask: "function",
  permissionPromptToolName: "text",
  headless: "flag",
  trust: "flag",
  sandbox: "object",

  // Where the session takes its settings from, and what it writes.
  settings: "text",
  settingSources: { kind: "texts", words: ["user", "project", "local"] },
  managedSettings: "object",
  bare: "flag",
  durability: { kind: "text", words: ["process", "power"] },
  sessionStore: "object",
  sessionStoreFlush: { kind: "text", words: ["batched", "eager"] },
  sessionsHome: "text",
  persistSession: "flag",
  enableFileCheckpointing: "flag",

  // The turn, and the messages about it.
  setup: { kind: "text", words: ["init", "maintenance"] },
  toolConfig: {
    kind: "object",
    check: ({ askUserQuestion }) => {
      const { previewFormat } = askUserQuestion ?? {};
      refuseIf(
        previewFormat !== undefined && !["markdown", "html"].includes(previewFormat),
        "toolConfig.askUserQuestion.previewFormat must be markdown or html.",
      );
    },
  },
  verbatimPrompts: "flag",
  includePartialMessages: "flag",
  displayByLines: "flag",
  toolUseSummaries: "flag",
  promptSuggestions: "flag",
  snipReplay: "function",
  abortController: {
    kind: "object",
    check: ({ signal }) =>
      refuseIf(!(signal instanceof AbortSignal), "abortController must be an AbortController with a signal."),
  },
  debug: { kind: "function", isListener: true },
  onNotice: { kind: "function", isListener: true },
  onMention: { kind: "function", isListener: true },
  onTerminalSequence: { kind: "function", isListener: true },
  cwd: {
    kind: "text",
    check: (cwd) => refuseIf(cwd.includes("\0"), "The option cwd must not contain a NUL byte."),
  },
  addDirs: "texts",

  // Which session it is.
  loadTimeoutMs: {
    kind: "number",
    check: (limit) => refuseIf(!(limit > 0), "loadTimeoutMs must be a number of milliseconds above 0."),
  },
  continue: "flag",
  resume: {
    kind: "text",
    check: (name, options) => {
      refuseIf(name.trim() === "", "resume names a session by its id or title, and is empty.");
      refuseIf(options.continue === true, "resume and continue each name a session: use only one.");
    },
  },
  orphanedPermission: {
    kind: "object",
    check: (_, options) =>
      refuseIf(!continuesSession(options), "orphanedPermission is for a resumed session: it needs resume or continue."),
  },
  resumeSessionAt: {
    kind: "text",
    check: (_, options) =>
      refuseIf(
        !continuesSession(options),
        "resumeSessionAt names a message of a resumed session: it needs resume or continue.",
      ),
  },
  resumeDropsTurn: {
    kind: "text",
    check: (_, { resumeSessionAt }) =>
      refuseIf(
        resumeSessionAt === undefined,
        "resumeDropsTurn (--resume-drops-turn) only works together with resumeSessionAt.",
      ),
  },
  forkSession: {
    kind: "flag",
    check: (forks, options) =>
      refuseIf(forks && !continuesSession(options), "forkSession copies a session: it needs continue or resume."),
  },
  sessionId: {
    kind: "text",
    check: (_, options) =>
      refuseIf(
        continuesSession(options) && options.forkSession !== true,
        "sessionId is for a new session: with continue or resume it needs forkSession too.",
      ),
  },
  title: {
    kind: "text",
    check: (title) => refuseIf(titleOf(title) === "", "title must have at least one visible character."),
  },
  subagent: {
    kind: "object",
    check: ({ agentId, agentType }) =>
      refuseIf(
        !(isNonEmptyText(agentId) && isNonEmptyText(agentType)),
        "subagent must have an agentId and an agentType.",
      ),
  },
  teammate: {
    kind: "object",
    check: (teammate) =>
      refuseIf(
        !(isNonEmptyText(teammate.name) && typeof teammate.tasksInProgress === "function"),
        "teammate must have a name and a function tasksInProgress.",
      ),
  },
};

/** The names in the order of the table. */
export const optionNames = Object.keys(optionRules) as (keyof EngineOptions)[];

export function isOptionName(name: string): name is keyof EngineOptions {
  return Object.hasOwn(optionRules, name);
}

export function ruleOf<Name extends keyof EngineOptions>(name: Name): OptionRule<Name> {
  const rule: OptionKind | OptionRule<Name> = optionRules[name];
  return typeof rule === "string" ? { kind: rule } : rule;
}

function continuesSession(options: EngineOptions): boolean {
  return options.resume !== undefined || options.continue === true;
}

function isNonEmptyText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}
