/** Checks of options that are used only later: a wrong value would surface in the middle of a turn, or not at all. */
import { checkOptionalTexts, checkReadable, refuseIf } from "./check-arguments.ts";
import { isRecord } from "../../lib/is-record.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { isPermissionMode, permissionModes } from "../../protocol/permission.ts";
import type { LoopLimits } from "../../loop/ports.ts";
import type { AgentLimits } from "../agents/limits.ts";
import { describeMatcherProblem } from "../../hooks/matcher.ts";
import type { HookEvent } from "../../protocol/hook.ts";
import type { EngineOptions } from "./options.ts";

const agentBounds = { depth: true, concurrent: true, count: true, turns: true } satisfies Record<
  keyof AgentLimits,
  true
>;

/** The smallest value of each limit. */
const loopBounds = {
  maxTurns: 1,
  tokenBudget: 1,
  outputTokensDefault: 1,
  outputTokensEscalated: 1,
  outputTokensRecoveries: 0,
  stopHookBlocks: 0,
  overloadsBeforeFallback: 1,
  pausedTurns: 0,
  toolConcurrency: 1,
  resultCharsPerMessage: 0,
  permissionMs: 0,
  hookMs: 0,
  turnEndMs: 0,
  toolMs: 0,
  compactionMs: 0,
  portMs: 0,
  modelSilenceMs: 0,
  settleMs: 0,
} satisfies Record<keyof LoopLimits, number>;

const requiredFunctions = {
  clock: ["now", "elapsed", "timestamp", "timer"],
  ids: ["uuid", "random"],
  transcriptMirror: ["wrote", "settled"],
} as const satisfies Partial<Record<keyof EngineOptions, readonly string[]>>;

/** Throws `UsageError`. Expects that objects and lists were already checked to be such. */
export function checkParts(options: EngineOptions): void {
  for (const [name, functions] of Object.entries(requiredFunctions))
    checkFunctions(name, options[name as keyof typeof requiredFunctions], functions);
  checkOptionalTexts(withOptionNames("env", options.env));
  for (const [event, list] of Object.entries(options.hooks ?? {})) checkHooks(event as HookEvent, list);
  for (const [name, definition] of Object.entries(options.agents ?? {})) checkAgent(`agents.${name}`, definition);
  for (const [name, server] of Object.entries(options.mcpServers ?? {}))
    refuseIf(!isRecord(server), `mcpServers.${name} must be an object.`);
  checkTools("customTools", options.customTools);
  checkAgentLimits(options.agentLimits ?? {});
  checkLoopLimits(options.limits ?? {});
}

/** A misspelt limit would limit nothing. */
function checkAgentLimits(limits: object): void {
  const names = Object.keys(agentBounds);
  const isBound = ([name, most]: [string, unknown]): boolean =>
    names.includes(name) && (most === undefined || (typeof most === "number" && most >= 0));
  refuseIf(
    !Object.entries(limits).every(isBound),
    `agentLimits takes the numbers ${names.join(", ")}, each at least 0.`,
  );
}

/** A limit of zero calls would let no call run. */
function checkLoopLimits(limits: object): void {
  for (const [name, most] of Object.entries(limits) as [string, unknown][]) {
    const least = Object.hasOwn(loopBounds, name) ? loopBounds[name as keyof LoopLimits] : undefined;
    refuseIf(least === undefined, `limits has no ${name}; it has ${Object.keys(loopBounds).join(", ")}.`);
    const isBound = most === undefined || (typeof most === "number" && most >= Number(least));
    refuseIf(!isBound, `limits.${name} must be a number of at least ${least}.`);
  }
}

/** Throws `UsageError` for a value that is not a list of tools; undefined is accepted. */
export function checkTools(name: string, tools: unknown): void {
  if (tools === undefined) return;
  if (Array.isArray(tools)) for (const [index, tool] of tools.entries()) checkReadable(`${name}[${index}]`, tool);
  const isTool = (tool: unknown): boolean =>
    isRecord(tool) && typeof tool["name"] === "string" && typeof tool["call"] === "function";
  refuseIf(!(Array.isArray(tools) && tools.every(isTool)), `${name} must be a list of tools made by tool().`);
  const isNamed = ({ name: own }: { name: string }): boolean => own.trim() !== "";
  refuseIf(
    !(tools as { name: string }[]).every(isNamed),
    `${name}: each tool must have a name; no model can call one without.`,
  );
}

/** Throws `UsageError` for two tools of the same name: nobody could call the second. */
export function refuseDuplicateTools(tools: readonly { name: string }[]): void {
  const seenNames = new Set<string>();
  const twin = tools.find(({ name }) => seenNames.size === seenNames.add(name).size);
  if (twin !== undefined) throw new UsageError(`Two tools have the name ${twin.name}: rename one.`);
}

function checkFunctions(name: string, value: unknown, functions: readonly string[]): void {
  const isWhole = isRecord(value) && functions.every((each) => typeof value[each] === "function");
  refuseIf(value !== undefined && !isWhole, `${name} must be an object with the functions ${functions.join(", ")}.`);
}

/** Refuses unknown fields of a matcher. They would do nothing, and a misspelt `matcher` would run the hook for every call. */
export function checkMatcher(name: string, matcher: object, of: "callback" | "hooks"): void {
  const fields = ["matcher", of, of === "callback" ? "timeoutMs" : "timeout", "onFailure"];
  const strange = Object.keys(withoutUndefined({ ...matcher })).find((field) => !fields.includes(field));
  refuseIf(strange !== undefined, `${name}: a matcher has no field "${strange}"; its fields are ${fields.join(", ")}.`);
}

/** A guard hook that cannot be run would let everything pass. */
function checkHooks(event: HookEvent, list: unknown): void {
  const name = `hooks.${event}`;
  if (list === undefined) return;
  if (!Array.isArray(list)) throw new UsageError(`${name} must be a list.`);
  for (const entry of list as unknown[]) {
    if (!isRecord(entry) || typeof entry["callback"] !== "function")
      throw new UsageError(`${name} must be a list of { matcher, callback } or { matcher, hooks }, with functions.`);
    checkMatcher(name, entry, "callback");
    const { matcher, timeoutMs, onFailure } = entry;
    refuseIf(
      !isOptionalText(matcher),
      `${name}: "matcher" must be a string; without a matcher, the hook is always asked.`,
    );
    refuseIf(
      timeoutMs !== undefined && !(Number(timeoutMs) >= 0),
      `${name}: "timeoutMs" must be a number of milliseconds, "timeout" a number of seconds.`,
    );
    refuseIf(
      ![undefined, "continue", "block"].includes(onFailure as string),
      `${name}: "onFailure" must be continue or block.`,
    );
    if (onFailure === "block") checkGuardMatcher(name, matcher as string | undefined, event);
  }
}

/** As in settings: a matcher that can never match is refused instead of passing for a guard. */
function checkGuardMatcher(name: string, matcher: string | undefined, event: HookEvent): void {
  const slip = describeMatcherProblem(matcher, event);
  const remedy = `With onFailure "block", the matcher must be right: correct it.`;
  refuseIf(slip !== undefined, `${name}: the matcher ${JSON.stringify(matcher)} ${slip} ${remedy}`);
}

function withOptionNames(option: string, values: object = {}): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${option}.${name}`, value as unknown]));
}

function checkAgent(name: string, definition: unknown): void {
  if (!isRecord(definition)) throw new UsageError(`${name} must be an object with a description and a prompt.`);
  const { description, prompt, tools, disallowedTools } = definition;
  refuseIf(
    typeof description !== "string" || typeof prompt !== "string",
    `${name} must have a description and a prompt, both strings.`,
  );
  refuseIf(!isOptionalTexts(tools) || !isOptionalTexts(disallowedTools), `${name}: its tools must be a list of names.`);
  checkRestrictions(name, definition);
  checkAgentFields(name, definition);
}

const agentFields: Readonly<Record<string, [isFit: (value: unknown) => boolean, kind: string]>> = {
  model: [isText, "a string"],
  initialPrompt: [isText, "a string"],
  background: [isBoolean, "true or false"],
  bare: [isBoolean, "true or false"],
  memory: [(value) => ["user", "project", "local"].includes(value as string), "user, project or local"],
  skills: [isStringList, "a list of names"],
  mcpServers: [
    (value) => Array.isArray(value) && value.every((server) => isText(server) || isRecord(server)),
    "a list of names, or of servers by name",
  ],
};

/** Checks fields that are otherwise read only when the agent starts, where an error would surface inside it. Null means absent. */
function checkAgentFields(name: string, definition: Record<string, unknown>): void {
  for (const [field, [isFit, kind]] of Object.entries(agentFields)) {
    const value = definition[field] ?? undefined;
    refuseIf(value !== undefined && !isFit(value), `${name}: "${field}" must be ${kind}.`);
  }
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isBoolean(value: unknown): boolean {
  return typeof value === "boolean";
}

function checkRestrictions(name: string, { permissionMode, isolation, maxTurns }: Record<string, unknown>): void {
  refuseIf(
    !isPermissionMode(permissionMode ?? "default"),
    `${name}: "permissionMode" must be one of ${permissionModes.join(", ")}.`,
  );
  refuseIf((isolation ?? "worktree") !== "worktree", `${name}: "isolation" must be worktree, or left out.`);
  refuseIf(
    !(Number.isSafeInteger(maxTurns ?? 1) && Number(maxTurns ?? 1) > 0),
    `${name}: "maxTurns" must be a whole number of at least 1.`,
  );
}

function isOptionalText(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isOptionalTexts(value: unknown): boolean {
  return value === undefined || isStringList(value);
}
