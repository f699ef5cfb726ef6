/** The names of options. A misspelt option, or one of the convention that is not built, is refused and never ignored. */
import { nearestName } from "../../lib/edit-distance.ts";
import { isRecord } from "../../lib/is-record.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { checkObject, readOrRefuse } from "./check-arguments.ts";
import type { EngineOptions } from "./options.ts";

const kindChecks = {
  text: (value: unknown) => typeof value === "string",
  number: (value: unknown) => typeof value === "number",
  flag: (value: unknown) => typeof value === "boolean",
  function: (value: unknown) => typeof value === "function",
  texts: isStringList,
  list: (value: unknown) => Array.isArray(value),
  object: isRecord,
  textOrTexts: (value: unknown) => kindChecks.text(value) || kindChecks.texts(value),
} as const;

const kindNames: Record<keyof typeof kindChecks, string> = {
  text: "a string",
  number: "a number",
  flag: "true or false",
  function: "a function",
  texts: "a list of strings",
  list: "a list",
  object: "an object",
  textOrTexts: "a string or a list of strings",
};

const optionKinds: Record<keyof EngineOptions, keyof typeof kindChecks> = {
  abortController: "object",
  addDirs: "texts",
  agent: "text",
  agentLimits: "object",
  agents: "object",
  allowedTools: "texts",
  betas: "texts",
  appendSubagentSystemPrompt: "text",
  appendSystemPrompt: "text",
  bare: "flag",
  ask: "function",
  clock: "object",
  continue: "flag",
  customTools: "list",
  cwd: "text",
  debug: "function",
  disallowedTools: "texts",
  displayByLines: "flag",
  durability: "text",
  effort: "text",
  enableFileCheckpointing: "flag",
  env: "object",
  excludeDynamicSections: "flag",
  fallbackModel: "textOrTexts",
  forkSession: "flag",
  forwardSubagentText: "flag",
  headless: "flag",
  home: "text",
  hooks: "object",
  ids: "object",
  includeHookEvents: "flag",
  includePartialMessages: "flag",
  limits: "object",
  maxBudgetUsd: "number",
  maxOutputTokens: "number",
  maxThinkingTokens: "number",
  maxTurns: "number",
  managedSettings: "object",
  mcpConfig: "texts",
  mcpServers: "object",
  model: "text",
  onElicitation: "function",
  onElicitationComplete: "function",
  onMention: "function",
  onNotice: "function",
  onTerminalSequence: "function",
  orphanedPermission: "object",
  outputFormat: "object",
  permissionMode: "text",
  permissionPromptToolName: "text",
  persistSession: "flag",
  planModeInstructions: "text",
  pluginDirs: "texts",
  pluginDirsWithoutServers: "texts",
  promptSuggestions: "flag",
  resume: "text",
  resumeDropsTurn: "text",
  resumeSessionAt: "text",
  sandbox: "object",
  sessionId: "text",
  loadTimeoutMs: "number",
  sessionStore: "object",
  sessionStoreFlush: "text",
  sessionsHome: "text",
  transcriptMirror: "object",
  settingSources: "texts",
  settings: "text",
  setup: "text",
  skills: "textOrTexts",
  snipReplay: "function",
  speed: "text",
  strictMcpConfig: "flag",
  subagent: "object",
  systemPrompt: "text",
  taskBudget: "object",
  teammate: "object",
  thinking: "object",
  title: "text",
  tokenBudget: "number",
  toolUseSummaries: "flag",
  toolAliases: "object",
  toolConfig: "object",
  tools: "texts",
  transport: "function",
  trust: "flag",
  verbatimPrompts: "flag",
  version: "text",
};

/** Options that only the convention has, or to which it gives another name. */
const conventionKinds: Record<string, keyof typeof kindChecks> = {
  additionalDirectories: "texts",
  canUseTool: "function",
  debugFile: "text",
  extraArgs: "object",
  permissionPrompts: "text",
  plugins: "list",
  stderr: "function",
};

/** Options of the convention that have no meaning here: no process is started, and what they would change does not exist. */
const ignoredOptions = new Set(
  `agentProgressSummaries allowDangerouslySkipPermissions executable executableArgs mcpServersDelivery
  onUserDialog pathToClaudeCodeExecutable perTaskStopAffordance pluginDelivery
  spawnClaudeCodeProcess supportedDialogKinds`.split(/\s+/u),
);

/** Options of the convention that are not built yet. */
const unsupportedOptions = new Set(["projectConfigRoot"]);

const knownNames = [
  ...Object.keys(optionKinds),
  ...Object.keys(conventionKinds),
  ...unsupportedOptions,
  ...ignoredOptions,
];

/**
 * Returns a copy of the options as they are now, since a program may change its object, and the lists and tables in it, for the next
 * session at once. Includes properties that the object inherits from its class or prototype; functions stay bound to the object. Throws
 * `UsageError` for a value that is not an object or cannot be read.
 */
export function snapshotOptions<Given extends object>(options: Given): Given {
  checkObject("options", options);
  const names = readOrRefuse(
    "options",
    () => new Set([...propertyNames(options), ...knownNames.filter((name) => name in options)]),
  );
  return Object.fromEntries(
    [...names].map((name) => {
      const value: unknown = readOrRefuse("options", () => Reflect.get(options, name));
      if (typeof value === "function") return [name, value.bind(options)];
      return [name, readOrRefuse(`The option ${name}`, () => copyDeep(value, new Map()))];
    }),
  ) as Given;
}

/** Returns own and inherited property names. Inherited methods that are no known option are left out. */
function propertyNames(object: object): string[] {
  const names: string[] = [];
  for (const name in object) {
    const isInherited = !Object.hasOwn(object, name);
    if (!isInherited || !(name in Object.prototype || kindChecks.function(Reflect.get(object, name)))) names.push(name);
  }
  return names;
}

/** Copies a value and everything in it. `copies` maps what was already copied to its copy, since a value may contain itself. */
function copyDeep(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (copies.has(value)) return copies.get(value);
  const copy = copyShallow(value);
  copies.set(value, copy);
  if (copy !== value)
    for (const [name, inner] of Object.entries(Object(copy))) Reflect.set(Object(copy), name, copyDeep(inner, copies));
  return copy;
}

/** An object with functions may be a live object rather than a table, so it is not copied. */
function copyShallow(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  if (!isRecord(value) || !isBarePrototype(Reflect.getPrototypeOf(value))) return value;
  const copy = { ...value };
  return Object.values(copy).some(kindChecks.function) ? value : copy;
}

/** `process.env` has a prototype of its own, which adds nothing. */
function isBarePrototype(prototype: object | null): boolean {
  if (prototype === null || prototype === Object.prototype) return true;
  const isBare = Reflect.ownKeys(prototype).every((name) => name === "constructor");
  return isBare && isBarePrototype(Reflect.getPrototypeOf(prototype));
}

/** Throws `UsageError` for the first option that is unknown or of the wrong type. `notice` receives those without a meaning here. */
export function checkOptionNames(options: object, notice: (text: string) => void): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (ignoredOptions.has(name)) notice(`The option ${name} means nothing here and was ignored.`);
    else if (!isKnownOption(name)) throw new UsageError(unknownText(name));
    else if (!kindChecks[optionKinds[name]](value))
      throw new UsageError(`The option ${name} must be ${kindNames[optionKinds[name]]}.`);
  }
}

/** The same for options that have another name in the convention. */
export function checkConventionNames(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = Object.hasOwn(conventionKinds, name) ? conventionKinds[name] : undefined;
    if (kind !== undefined && value !== undefined && !kindChecks[kind](value))
      throw new UsageError(`The option ${name} must be ${kindNames[kind]}.`);
  }
}

function isKnownOption(name: string): name is keyof EngineOptions {
  return Object.hasOwn(optionKinds, name);
}

function unknownText(name: string): string {
  if (unsupportedOptions.has(name)) return `The option ${name} is not built yet: leave it out.`;
  const near = nearestName(name, knownNames);
  return `There is no option ${name.slice(0, 80)}${near === undefined ? "." : `: did you mean ${near}?`}`;
}
