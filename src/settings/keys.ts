/**
 * What the value of each plain key must be. This one table checks files, explains keys in `pawl config`, and produces the schema for
 * editors. A value of the wrong form is left out.
 */
import { isObject, type Json } from "../lib/json.ts";
import { shouldHideValue } from "../lib/secrets.ts";
import { isStringList } from "../lib/is-string-list.ts";
import { efforts } from "../protocol/effort.ts";
import { themes } from "../protocol/theme.ts";
import type { PlainSettings } from "./settings.ts";

/** A part of a JSON schema. */
export type Schema = Readonly<Record<string, unknown>>;

export interface ValueRule {
  /** Completes the sentence "… should be". */
  expected: string;
  accepts(value: Json): boolean;
  /** Accepts the same values, as far as a schema can express it. */
  schema: Schema;
}

export interface KeyRule extends ValueRule {
  /** One line for people that explains the key. */
  about: string;
  /** The key counts in an administrator's files only. */
  isPolicyOnly?: true;
  /** The key forbids something: a wrong value is an error, and an untrusted folder may set it. */
  guards?: true;
  /** The key limits what is available: a wrong value is an error in an administrator's file. */
  limits?: true;
}

const isText = (value: Json): boolean => typeof value === "string" && value.trim() !== "";
export const nonBlankSchema: Schema = { type: "string", pattern: "\\S" };
const textRule = (expected: string): ValueRule => ({ expected, accepts: isText, schema: nonBlankSchema });
const flagRule: ValueRule = {
  expected: "true or false",
  accepts: (value) => typeof value === "boolean",
  schema: { type: "boolean" },
};

function textListRule(expected: string): ValueRule {
  return {
    expected,
    accepts: isStringList,
    schema: { type: "array", items: { type: "string" } },
  };
}

function oneOf(words: readonly string[]): ValueRule {
  const accepts = (value: Json): boolean => typeof value === "string" && words.includes(value);
  return { expected: `one of ${words.join(", ")}`, accepts, schema: { type: "string", enum: words } };
}

function integerRule(unit: string, from: number, to: number): ValueRule {
  const accepts = (value: Json): boolean => Number.isInteger(value) && Number(value) >= from && Number(value) <= to;
  return {
    expected: `a whole number of ${unit} from ${from} to ${to}`,
    accepts,
    schema: { type: "integer", minimum: from, maximum: to },
  };
}

const nameListRule: ValueRule = {
  expected: "a name or a list of names",
  accepts: (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  schema: { anyOf: [nonBlankSchema, { type: "array", items: nonBlankSchema }] },
};

const commandFieldRules = { type: oneOf(["command"]), command: textRule("a command") };

/** The fields of settings that are commands, by the settings' keys. */
export const commandFields: Readonly<Record<"statusLine" | "fileSuggestion", Readonly<Record<string, ValueRule>>>> = {
  statusLine: {
    ...commandFieldRules,
    padding: { expected: "a number", accepts: (value) => typeof value === "number", schema: { type: "number" } },
    refreshInterval: {
      expected: "a number above 0",
      accepts: (value) => typeof value === "number" && value > 0,
      schema: { type: "number", exclusiveMinimum: 0 },
    },
    hideVimModeIndicator: flagRule,
  },
  fileSuggestion: commandFieldRules,
};
export const commandKeys = Object.keys(commandFields) as (keyof typeof commandFields)[];

function commandRule(key: keyof typeof commandFields, suffix = ""): ValueRule {
  const fields = commandFields[key];
  return {
    expected: `{"type": "command", "command": "…"}${suffix}`,
    accepts: (value) =>
      isObject(value) &&
      Object.entries(fields).every(([name, rule]) => {
        const field = value[name];
        return field === undefined ? !(name in commandFieldRules) : rule.accepts(field);
      }),
    schema: {
      type: "object",
      properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
      required: Object.keys(commandFieldRules),
    },
  };
}

const policyOnlyKey = (about: string, rule: ValueRule): KeyRule => ({ ...rule, about, isPolicyOnly: true });
const policyLockKey = (about: string): KeyRule => ({ ...policyOnlyKey(about, flagRule), limits: true });
const guardingKey = (about: string, rule: ValueRule): KeyRule => ({ ...rule, about, guards: true });
const limitingKey = (about: string, rule: ValueRule): KeyRule => ({ ...rule, about, limits: true });
const plainKey = (about: string, rule: ValueRule): KeyRule => ({ ...rule, about });

export const keyRules: { readonly [Key in keyof Required<PlainSettings>]: KeyRule } = {
  model: plainKey("The model a session begins with: an alias or a full id.", textRule("a model's name")),
  fallbackModel: plainKey("Tried in order while the model is overloaded or missing.", nameListRule),
  effortLevel: plainKey("How thorough the model is.", oneOf(efforts)),
  maxEffortLevel: guardingKey("How thorough the model may be at most; the lowest counts.", oneOf(efforts)),
  apiKeyHelper: plainKey("A command that prints the API key; a project cannot set it.", textRule("a command")),
  otelHeadersHelper: plainKey(
    "A command that prints headers for telemetry, as JSON; a project cannot set it.",
    textRule("a command"),
  ),
  alwaysThinkingEnabled: plainKey(
    "Whether the model thinks before it answers, unless a flag or a variable decides it.",
    flagRule,
  ),
  agent: plainKey("The kind of agent that leads a session.", textRule("an agent's name")),
  language: plainKey("The language that answers are given in.", textRule("a language")),
  promptCacheTtl: plainKey("How long the server keeps the cached beginning of a conversation.", oneOf(["5m", "1h"])),
  subagentPromptCacheTtl: plainKey(
    "How long the server keeps the cached beginning of an agent's conversation.",
    oneOf(["5m", "1h"]),
  ),
  cleanupPeriodDays: plainKey("Days after which an untouched session is removed.", integerRule("days", 1, 36_500)),
  autoCompactEnabled: plainKey("Whether a conversation that grows too long is summarised by itself.", flagRule),
  autoCompactWindow: plainKey(
    "The window a conversation is kept inside, where the model's own is larger.",
    integerRule("tokens", 100_000, 1_000_000),
  ),
  microcompactEnabled: plainKey("Whether old tool results are cleared away.", flagRule),
  snipEnabled: plainKey("Whether spans can be taken out of a conversation.", flagRule),
  contextCollapseEnabled: plainKey("Whether old parts of a conversation are folded into summaries.", flagRule),
  contextCollapsePercent: plainKey(
    "How full the window is when old parts begin to be folded.",
    integerRule("percent", 1, 100),
  ),
  bashOutputMaxChars: plainKey(
    "How much of a successful command's output the model sees at once.",
    integerRule("characters", 4_000, 128_000),
  ),
  askUserQuestionTimeout: plainKey(
    "How long the model's questions wait for you before it goes on without an answer.",
    oneOf(["60s", "5m", "10m", "never"]),
  ),
  autoMemoryEnabled: plainKey("Whether notes about a project are kept from one session to the next.", flagRule),
  autoDreamEnabled: plainKey("Whether notes about a project are merged and pruned now and then.", flagRule),
  fileCheckpointingEnabled: plainKey("Whether files are kept before they are changed, for a rewind.", flagRule),
  includeGitInstructions: plainKey("Whether the model is told of the repository's state.", flagRule),
  respectGitignore: plainKey("Whether searches skip what git ignores; `false` has no effect yet.", flagRule),
  worktree: plainKey("For work trees: `symlinkDirectories` lists folders that are links to the project's.", {
    expected: '{"symlinkDirectories": ["node_modules"]}',
    accepts: (value) => {
      const folders = isObject(value) ? (value["symlinkDirectories"] ?? []) : undefined;
      return Array.isArray(folders) && folders.every(isText);
    },
    schema: { type: "object", properties: { symlinkDirectories: { type: "array", items: nonBlankSchema } } },
  }),
  plansDirectory: plainKey("The folder that plans are kept in; default: the session's own.", textRule("a folder")),
  outputStyle: plainKey("The style that answers are given in.", textRule("a style's name")),
  editorMode: plainKey("The key bindings at the terminal's prompt.", oneOf(["normal", "vim"])),
  vimInsertModeRemaps: plainKey("What ends Vim's insert mode besides Esc, such as jj.", {
    expected: '{"jj": "<Esc>"}, with 2 to 8 characters',
    accepts: (value) =>
      isObject(value) && Object.entries(value).every(([keys, does]) => /^[!-~]{2,8}$/u.test(keys) && does === "<Esc>"),
    schema: {
      type: "object",
      propertyNames: { pattern: "^[!-~]{2,8}$" },
      additionalProperties: { enum: ["<Esc>"] },
    },
  }),
  theme: plainKey("The terminal's colours: for a dark or a light background, or as it is found (auto).", oneOf(themes)),
  axScreenReader: plainKey("Whether the terminal is for a screen reader: lines with labels, nothing drawn.", flagRule),
  skillListingMaxDescChars: plainKey(
    "How much of a skill's description is listed.",
    integerRule("characters", 1, 100_000),
  ),
  skillListingBudgetFraction: plainKey("How much of the window the list of skills may take.", {
    expected: "a number above 0, up to 1",
    accepts: (value) => typeof value === "number" && value > 0 && value <= 1,
    schema: { type: "number", exclusiveMinimum: 0, maximum: 1 },
  }),
  availableModels: limitingKey(
    "The only models that may be used: names, ids or beginnings of ids.",
    textListRule("a list of models"),
  ),
  availableModelsMatch: limitingKey(
    "Whether the beginning of an id is enough in availableModels.",
    oneOf(["prefix", "exact"]),
  ),
  enforceAvailableModels: plainKey(
    "No effect: only the models in availableModels can be used, whatever this says.",
    flagRule,
  ),
  disableBundledSkills: plainKey("No effect: this version comes without skills of its own.", flagRule),
  disableCommandPluginSources: plainKey("No effect: plugins only come from this disk, never from a command.", flagRule),
  deniedModels: guardingKey(
    "Models that cannot be used, written as in availableModels.",
    textListRule("a list of models"),
  ),
  disableSkillShellExecution: limitingKey("Whether shell lines in skills and commands are left out.", flagRule),
  disableAllHooks: limitingKey(
    "Switches off every hook but an administrator's, the status line and the file suggestion too.",
    flagRule,
  ),
  statusLine: plainKey(
    "A command whose output is shown below the terminal's prompt.",
    commandRule("statusLine", ', with numbers as "padding" (columns) and "refreshInterval" (seconds) if wanted'),
  ),
  fileSuggestion: plainKey(
    "A command that suggests files for the text typed after an @.",
    commandRule("fileSuggestion"),
  ),
  claudeMd: policyOnlyKey(
    "An administrator's instructions, given to the model before those of all files.",
    textRule("text"),
  ),
  allowManagedHooksOnly: policyLockKey(
    "An administrator's: no other file's hooks, status line and file suggestion run.",
  ),
  allowManagedMcpServersOnly: policyLockKey("An administrator's: no other file's list of allowed MCP servers counts."),
  allowManagedPermissionRulesOnly: policyLockKey("An administrator's: no other file's or flag's allow rules count."),
  allowedHttpHookUrls: limitingKey(
    "The addresses hooks may call, with * for anything; in a host, for a part of it.",
    textListRule("a list of address patterns"),
  ),
  httpHookAllowedEnvVars: limitingKey(
    "The variables that may go into hooks' headers.",
    textListRule("a list of names"),
  ),
};

const isPrice = (value: Json | undefined): boolean => typeof value === "number" && Number.isFinite(value) && value >= 0;

/** Whether the value gives prices in USD per million tokens, by model. */
export function isPriceTable(value: Json): boolean {
  return isObject(value) && Object.values(value).every(isPriceList);
}

function isPriceList(value: Json): boolean {
  if (!isObject(value) || !isPrice(value["input"]) || !isPrice(value["output"])) return false;
  return Object.values(value).every(isPrice);
}

export function showValue(value: Json): string {
  const shown = JSON.stringify(value);
  return shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
}

/** The value for display. A token that was written as a number must not be shown at each start. */
export function showKeyValue(key: string, value: Json): string {
  const isSecret = key.startsWith("env.") && shouldHideValue(key.slice("env.".length), "");
  return isSecret ? "the value there" : showValue(value);
}
