/** The output of one hook, read tolerantly from the JSON of the public convention: unknown fields are ignored, invalid ones reported. */
import { withoutUndefined } from "../lib/without-undefined.ts";
import { errorText } from "../lib/error-text.ts";
import type { HookAnswer, HookElicitationAnswer, HookEvent, HookPermissionAnswer } from "../protocol/hook.ts";
import type { PermissionUpdate } from "../protocol/permission.ts";
import { maxValueDepth, isDeeperThan } from "../lib/is-deeper.ts";
import { isRecord } from "../lib/is-record.ts";
import { isTerminalSequence } from "./terminal-sequence.ts";
import { isStringList } from "../lib/is-string-list.ts";
import { isGiven, describeMisplacedField, describeOutsideFields, strayInputName } from "./misplaced-fields.ts";
import {
  blockableEvents,
  observingEvents,
  neverStoppingEvents,
  permissionEvents,
  watchPathEvents,
} from "./output-events.ts";
import { hasMisspeltInput } from "./misspelt-answer.ts";
import { permissionUpdateIn } from "./permission-update.ts";

export interface HookOutput {
  /** What was wrong with the hook or its answer, for people. */
  problem?: string;
  /** Fields that have no effect where they are, for debugging only: it is not reported otherwise. */
  hint?: string;
  systemMessage?: string;
  preventContinuation?: string;
  blocking?: string;
  permission?: HookAnswer["permission"];
  updatedInput?: Record<string, unknown>;
  permissionAnswer?: HookPermissionAnswer;
  updatedToolOutput?: unknown;
  worktreePath?: string;
  elicitation?: HookElicitationAnswer;
  watchPaths?: string[];
  displayContent?: string;
  retry?: true;
  sessionTitle?: string;
  reloadSkills?: true;
  initialUserMessage?: string;
  /** A permitted terminal sequence. */
  terminalSequence?: string;
  additionalContext?: string;
}

const maxUpdates = 100;

/** Reads the output of a hook. Must not throw, whatever `raw` is. */
export function readHookOutput(raw: unknown, event: HookEvent, name: string): HookOutput {
  if (!isGiven(raw)) return {};
  const fields = copyAsJson(raw);
  if (typeof fields === "string") return { problem: `${name} hook answered with ${fields}` };
  const output: HookOutput = {};
  const wrong = describeMisplacedField(fields, event, observingEvents.has(event));
  if (wrong !== undefined) output.problem = `${name} hook ${wrong}`;
  const hint = wrong === undefined ? describeOutsideFields(fields) : undefined;
  if (hint !== undefined) output.hint = hint;
  if (!observingEvents.has(event)) {
    const systemMessage = nonEmptyText(fields["systemMessage"]);
    if (systemMessage !== undefined) output.systemMessage = systemMessage;
    if (fields["continue"] === false && !neverStoppingEvents.has(event))
      output.preventContinuation = nonEmptyText(fields["stopReason"]) ?? "A hook stopped the run.";
  }
  readTerminalSequence(output, fields["terminalSequence"], name);
  readDecision(output, fields, event, name);
  readSpecificOutput(output, fields["hookSpecificOutput"], event, name);
  const losesInput = strayInputName(fields) !== undefined || losesMisspeltInput(output, fields);
  if (permissionEvents.has(event) && losesInput) withdrawPermission(output, event);
  if (event === "PermissionRequest") withdrawStrayAllowance(output, fields, name);
  return output;
}

/**
 * Returns a copy made through JSON, so that an object the hook changes later, or computes on access, does not affect the run. A string says
 * what is wrong.
 */
function copyAsJson(raw: unknown): Record<string, unknown> | string {
  if (typeof raw !== "object") return `a ${typeof raw} where an object is expected`;
  if (Array.isArray(raw)) return "a list where an object is expected";
  const tooDeep = "a value nested too deeply to read";
  try {
    const copy: unknown = JSON.parse(JSON.stringify(raw));
    // Newer engines serialise and parse any depth; code that recurses over the value later cannot.
    if (isDeeperThan(copy, maxValueDepth)) return tooDeep;
    return isRecord(copy) ? copy : "something that is not a JSON object";
  } catch (error) {
    if (error instanceof RangeError) return tooDeep;
    return `a value that cannot be written as JSON (${errorText(error)})`;
  }
}

/** Turns an invalid answer of a guard into a block. */
export function blockIfInvalid(output: HookOutput, event: HookEvent, name: string, isGuard: boolean): HookOutput {
  const { problem } = output;
  return problem === undefined || !isGuard ? output : { ...blockedOutput(output, event, name, problem), problem };
}

/** Makes the output of a failed hook: a problem for people, and for a guard also a block. */
export function failedOutput(
  output: HookOutput,
  event: HookEvent,
  name: string,
  why: string,
  isGuard: boolean,
): HookOutput {
  const problem = `${name} hook ${why}`;
  return isGuard ? { ...blockedOutput(output, event, name, problem), problem } : { problem };
}

/**
 * Makes a block that no JSON can undo: from exit code 2, or from a guard that failed. The reason is the answer's own if it gave one. If the
 * event cannot be blocked, the block becomes a problem for people. `printed`: the reason if there is no other.
 */
export function blockedOutput(
  output: HookOutput,
  event: HookEvent,
  name: string,
  statedReason: string,
  printed = "",
): HookOutput {
  const { systemMessage, preventContinuation, additionalContext } = output;
  const kept = withoutUndefined({ systemMessage, preventContinuation, additionalContext });
  const denied = output.permission?.behavior === "deny" ? output.permission.reason : undefined;
  const blockReason = output.blocking === noReasonText(name) ? undefined : output.blocking;
  const reason = denied ?? blockReason ?? nonEmptyText(statedReason) ?? nonEmptyText(printed) ?? noReasonText(name);
  if (event === "PreToolUse") return { ...kept, permission: toPermission("deny", reason) };
  if (blockableEvents.has(event)) return { ...kept, blocking: reason };
  // Exit code 2 has no meaning for this event, and does not undo a denial.
  const { permissionAnswer } = output;
  const refused = permissionAnswer?.behavior === "deny" ? { permissionAnswer } : {};
  return {
    ...kept,
    ...refused,
    problem: `${name} hook error${statedReason === "" ? "" : `: ${nonEmptyText(statedReason) ?? ""}`}`,
  };
}

export const noReasonText = (name: string): string => `${name} hook blocked without a reason.`;

function readDecision(output: HookOutput, fields: Record<string, unknown>, event: HookEvent, name: string): void {
  const { decision } = fields;
  if (!isGiven(decision)) return;
  const reason = nonEmptyText(fields["reason"]);
  if (decision === "approve") {
    // On other events `approve` has no effect.
    if (event === "PreToolUse") output.permission = toPermission("allow", reason);
  } else if (decision === "allow" && event !== "PreToolUse" && event !== "PermissionRequest") {
    // The same for `allow`: if there is nothing to permit, it can only mean that there is no objection.
    return;
  } else if (decision !== "block")
    output.problem = `${name} hook gave the unknown decision ${JSON.stringify(decision)}`;
  else if (event === "PreToolUse") output.permission = toPermission("deny", reason);
  else if (blockableEvents.has(event)) output.blocking = reason ?? noReasonText(name);
}

function readSpecificOutput(output: HookOutput, specific: unknown, event: HookEvent, name: string): void {
  if (!isRecord(specific)) return;
  const { hookEventName } = specific;
  if (isGiven(hookEventName) && hookEventName !== event) {
    output.problem = `${name} hook answered for ${JSON.stringify(hookEventName)}`;
    return;
  }
  const context = nonEmptyText(specific["additionalContext"]);
  if (context !== undefined) output.additionalContext = context;
  if (event === "PostToolUse")
    output.updatedToolOutput = specific["updatedToolOutput"] ?? specific["updatedMCPToolOutput"];
  if (permissionEvents.has(event)) readPermission(output, specific, event, name);
  if (event === "PermissionRequest") readPermissionRequest(output, specific["decision"], name);
  if (event === "Elicitation" || event === "ElicitationResult") readElicitation(output, specific, name);
  if (watchPathEvents.has(event)) readWatchPaths(output, specific["watchPaths"], name);
  if (event === "PermissionDenied" && specific["retry"] === true) output.retry = true;
  if (event === "MessageDisplay") readDisplay(output, specific["displayContent"], name);
  if (event === "SessionStart" || event === "UserPromptSubmit") readStartFields(output, specific, event);
  const worktreePath = event === "WorktreeCreate" ? nonEmptyText(specific["worktreePath"]) : undefined;
  if (worktreePath !== undefined) output.worktreePath = worktreePath;
}

function readPermissionRequest(output: HookOutput, decision: unknown, name: string): void {
  if (!isGiven(decision)) return;
  const fields = isRecord(decision) ? decision : {};
  const { behavior, updatedInput } = fields;
  if (behavior === "allow" && (!isGiven(updatedInput) || isRecord(updatedInput))) {
    const updates = readUpdates(output, fields["updatedPermissions"], name);
    const changed = isRecord(updatedInput) ? { updatedInput } : {};
    output.permissionAnswer = { behavior, ...changed, ...(updates.length === 0 ? {} : { updates }) };
  } else if (behavior === "deny") {
    const message = nonEmptyText(fields["message"]);
    const interrupt = fields["interrupt"] === true ? { interrupt: true as const } : {};
    output.permissionAnswer = { behavior, ...(message === undefined ? {} : { message }), ...interrupt };
  } else output.problem = `${name} hook gave a decision that is neither allow nor deny`;
}

function readWatchPaths(output: HookOutput, value: unknown, name: string): void {
  if (!isGiven(value)) return;
  if (isStringList(value)) output.watchPaths = value.slice(0, maxUpdates);
  else output.problem = `${name} hook gave watchPaths that are not a list of paths`;
}

function readTerminalSequence(output: HookOutput, value: unknown, name: string): void {
  if (!isGiven(value) || value === "") return;
  if (typeof value === "string" && isTerminalSequence(value)) output.terminalSequence = value;
  else
    output.problem = `${name} hook gave a terminalSequence that is not one of those permitted (a title: OSC 0, 1, 2; a notification: OSC 9, 99, 777; BEL)`;
}

function readStartFields(output: HookOutput, specific: Record<string, unknown>, event: HookEvent): void {
  const sessionTitle = nonEmptyText(specific["sessionTitle"]);
  if (sessionTitle !== undefined) output.sessionTitle = sessionTitle;
  if (event !== "SessionStart") return;
  if (specific["reloadSkills"] === true) output.reloadSkills = true;
  const initialUserMessage = nonEmptyText(specific["initialUserMessage"]);
  if (initialUserMessage !== undefined) output.initialUserMessage = initialUserMessage;
}

function readDisplay(output: HookOutput, value: unknown, name: string): void {
  if (typeof value === "string") output.displayContent = value;
  else if (isGiven(value)) output.problem = `${name} hook gave a displayContent that is not text`;
}

function readElicitation(output: HookOutput, { action, content }: Record<string, unknown>, name: string): void {
  if (!isGiven(action)) return;
  const isKnown = action === "accept" || action === "decline" || action === "cancel";
  if (!isKnown || (isGiven(content) && !isRecord(content)))
    output.problem = `${name} hook gave an answer that is neither accept, decline nor cancel, or whose content is not an object`;
  else output.elicitation = { action, ...(isRecord(content) ? { content } : {}) };
}

/** Reads permission updates. An invalid update is reported and ignored; the rest of the answer counts. */
function readUpdates(output: HookOutput, value: unknown, name: string): PermissionUpdate[] {
  if (!isGiven(value)) return [];
  const list = Array.isArray(value) ? value.slice(0, maxUpdates) : [];
  const known = list.map(permissionUpdateIn).filter((update) => update !== undefined);
  if (!Array.isArray(value) || known.length < value.length)
    output.problem = `${name} hook gave an invalid permission update, which was ignored`;
  return known;
}

function readPermission(output: HookOutput, specific: Record<string, unknown>, event: HookEvent, name: string): void {
  const { permissionDecision: decision, updatedInput } = specific;
  const reason = nonEmptyText(specific["permissionDecisionReason"]);
  const isDeferral = decision === "defer" && event !== "PreModelSwitch";
  if (decision === "allow" || decision === "deny" || decision === "ask" || isDeferral) {
    // If the same answer blocks in its older form, it stays blocked.
    if (output.permission?.behavior !== "deny") output.permission = toPermission(decision, reason);
  } else if (isGiven(decision)) output.problem = `${name} hook gave the unknown permission ${JSON.stringify(decision)}`;
  // A deferred call is asked about again, and may be changed then.
  if (!isGiven(updatedInput) || isDeferral) return;
  if (isRecord(updatedInput)) {
    output.updatedInput = updatedInput;
    return;
  }
  output.problem = `${name} hook gave an updatedInput that is not an object`;
  withdrawPermission(output, event);
}

function losesMisspeltInput({ updatedInput, permission }: HookOutput, fields: Record<string, unknown>): boolean {
  const isMeant = updatedInput === undefined && permission?.behavior === "allow";
  return isMeant && [fields, fields["hookSpecificOutput"]].some(hasMisspeltInput);
}

/** The hook permitted the call as changed by it, not as it is. */
function withdrawPermission(output: HookOutput, event: HookEvent): void {
  if (output.permission?.behavior === "allow") delete output.permission;
  if (event === "PreSkillShellCommand") output.permission ??= toPermission("deny", output.problem);
}

/** The same for an answer to the question, whose new input belongs into its decision. */
function withdrawStrayAllowance(output: HookOutput, fields: Record<string, unknown>, name: string): void {
  const { permissionAnswer: answer } = output;
  const { hookSpecificOutput: specific } = fields;
  const decision = isRecord(specific) ? specific["decision"] : undefined;
  const isStray =
    [fields, specific].some((place) => isRecord(place) && isRecord(place["updatedInput"])) ||
    [fields, specific, decision].some(hasMisspeltInput);
  if (!isStray || answer?.behavior !== "allow" || answer.updatedInput !== undefined) return;
  delete output.permissionAnswer;
  output.problem = `${name} hook gave a new input that is not the "updatedInput" of its decision, which changes nothing`;
}

type Permission = NonNullable<HookOutput["permission"]>;

function toPermission(behavior: Permission["behavior"], reason: string | undefined): Permission {
  return reason === undefined ? { behavior } : { behavior, reason };
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
