/** The output of one hook, read tolerantly from the JSON of the public convention: unknown fields are ignored, invalid ones reported. */
import { present } from "../lib/present.ts";
import { errorText } from "../lib/error-text.ts";
import type { HookAnswer, HookElicitationAnswer, HookEvent, HookPermissionAnswer } from "../protocol/hook.ts";
import type { PermissionUpdate } from "../protocol/permission.ts";
import { deepestValue, isDeeperThan } from "../lib/is-deeper.ts";
import { isRecord } from "../lib/is-record.ts";
import { isTerminalSequence } from "../lib/terminal-sequence.ts";
import { isGiven, misplaced, outside } from "./misplaced.ts";
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

const mostUpdates = 100;

/** Events on which a model may be asked, by convention: on no other event does its answer decide anything. */
export const heedsModels: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PostToolBatch",
  "UserPromptSubmit",
  "UserPromptExpansion",
  "Stop",
  "SubagentStop",
  "TaskCreated",
  "TaskCompleted",
  "TeammateIdle",
]);

const blockable: ReadonlySet<HookEvent> = new Set([
  ...heedsModels,
  "PreCompact",
  "PreModelSwitch",
  "PreSkillShellCommand",
  "ConfigChange",
  "WorktreeCreate",
  "Elicitation",
  "ElicitationResult",
]);

/** By convention, `continue` and `systemMessage` have no effect on these events. */
const observing: ReadonlySet<HookEvent> = new Set([
  "PreCompact",
  "PostCompact",
  "SessionEnd",
  "StopFailure",
  "Notification",
  "InstructionsLoaded",
  "ConfigChange",
  "WorktreeCreate",
  "WorktreeRemove",
  "Elicitation",
  "ElicitationResult",
  "MessageDisplay",
]);

/** Only `continue` has no effect on these events: what it would stop has already happened, or happens anyway. */
const neverStopping: ReadonlySet<HookEvent> = new Set(["TaskCreated", "CwdChanged", "DirectoryAdded", "FileChanged"]);

/** Events with a `permissionDecision`. */
const decidesCalls: ReadonlySet<HookEvent> = new Set(["PreToolUse", "PreModelSwitch", "PreSkillShellCommand"]);

const watching: ReadonlySet<HookEvent> = new Set(["SessionStart", "CwdChanged", "FileChanged"]);

/** Reads the output of a hook. Must not throw, whatever `raw` is. */
export function readHookOutput(raw: unknown, event: HookEvent, name: string): HookOutput {
  if (raw === undefined || raw === null) return {};
  const fields = plainObject(raw);
  if (typeof fields === "string") return { problem: `${name} hook answered with ${fields}` };
  const output: HookOutput = {};
  const wrong = misplaced(fields, event, observing.has(event));
  if (wrong !== undefined) output.problem = `${name} hook ${wrong}`;
  const hint = wrong === undefined ? outside(fields) : undefined;
  if (hint !== undefined) output.hint = hint;
  if (!observing.has(event)) {
    const systemMessage = text(fields["systemMessage"]);
    if (systemMessage !== undefined) output.systemMessage = systemMessage;
    if (fields["continue"] === false && !neverStopping.has(event))
      output.preventContinuation = text(fields["stopReason"]) ?? "A hook stopped the run.";
  }
  readTerminalSequence(output, fields["terminalSequence"], name);
  readDecision(output, fields, event, name);
  readSpecific(output, fields["hookSpecificOutput"], event, name);
  return output;
}

/**
 * Returns a copy made through JSON, so that an object the hook changes later, or computes on access, does not affect the run. A string says
 * what is wrong.
 */
function plainObject(raw: unknown): Record<string, unknown> | string {
  if (typeof raw !== "object") return `a ${typeof raw} where an object is expected`;
  if (Array.isArray(raw)) return "a list where an object is expected";
  const tooDeep = "a value nested too deeply to read";
  try {
    const copy: unknown = JSON.parse(JSON.stringify(raw));
    // Newer engines serialise and parse any depth; code that recurses over the value later cannot.
    if (isDeeperThan(copy, deepestValue)) return tooDeep;
    return isRecord(copy) ? copy : "something that is not a JSON object";
  } catch (error) {
    if (error instanceof RangeError) return tooDeep;
    return `a value that cannot be written as JSON (${errorText(error)})`;
  }
}

/** Turns an invalid answer of a guard into a block. */
export function guarded(output: HookOutput, event: HookEvent, name: string, isGuard: boolean): HookOutput {
  const { problem } = output;
  return problem === undefined || !isGuard ? output : { ...blockedOutput(output, event, name, problem), problem };
}

/**
 * Makes a block that no JSON can undo: from exit code 2, or from a guard that failed. The reason is the answer's own if it gave one. If the
 * event cannot be blocked, the block becomes a problem for people. `printed`: the reason if there is no other.
 */
export function blockedOutput(
  output: HookOutput,
  event: HookEvent,
  name: string,
  said: string,
  printed = "",
): HookOutput {
  const { systemMessage, preventContinuation, additionalContext } = output;
  const kept = {
    ...present({ systemMessage, preventContinuation, additionalContext }),
  };
  const denied = output.permission?.behavior === "deny" ? output.permission.reason : undefined;
  const own = output.blocking === unexplained(name) ? undefined : output.blocking;
  const reason = denied ?? own ?? text(said) ?? text(printed) ?? unexplained(name);
  if (event === "PreToolUse") return { ...kept, permission: permission("deny", reason) };
  if (blockable.has(event)) return { ...kept, blocking: reason };
  // Exit code 2 has no meaning for this event, and does not undo a denial.
  const { permissionAnswer } = output;
  const refused = permissionAnswer?.behavior === "deny" ? { permissionAnswer } : {};
  return { ...kept, ...refused, problem: `${name} hook error${said === "" ? "" : `: ${text(said) ?? ""}`}` };
}

const unexplained = (name: string): string => `${name} hook blocked without a reason.`;

function readDecision(output: HookOutput, fields: Record<string, unknown>, event: HookEvent, name: string): void {
  const { decision } = fields;
  if (decision === undefined || decision === null) return;
  const reason = text(fields["reason"]);
  if (decision === "approve") {
    // On other events `approve` has no effect.
    if (event === "PreToolUse") output.permission = permission("allow", reason);
  } else if (decision === "allow" && event !== "PreToolUse" && event !== "PermissionRequest") {
    // The same for `allow`: if there is nothing to permit, it can only mean that there is no objection.
    return;
  } else if (decision !== "block")
    output.problem = `${name} hook gave the unknown decision ${JSON.stringify(decision)}`;
  else if (event === "PreToolUse") output.permission = permission("deny", reason);
  else if (blockable.has(event)) output.blocking = reason ?? unexplained(name);
}

function readSpecific(output: HookOutput, specific: unknown, event: HookEvent, name: string): void {
  if (!isRecord(specific)) return;
  const { hookEventName } = specific;
  if (isGiven(hookEventName) && hookEventName !== event) {
    output.problem = `${name} hook answered for ${JSON.stringify(hookEventName)}`;
    return;
  }
  const context = text(specific["additionalContext"]);
  if (context !== undefined) output.additionalContext = context;
  if (event === "PostToolUse")
    output.updatedToolOutput = specific["updatedToolOutput"] ?? specific["updatedMCPToolOutput"];
  if (decidesCalls.has(event)) readPermission(output, specific, event, name);
  if (event === "PermissionRequest") readPermissionRequest(output, specific["decision"], name);
  if (event === "Elicitation" || event === "ElicitationResult") readElicitation(output, specific, name);
  if (watching.has(event)) readWatchPaths(output, specific["watchPaths"], name);
  if (event === "PermissionDenied" && specific["retry"] === true) output.retry = true;
  if (event === "MessageDisplay") readDisplay(output, specific["displayContent"], name);
  if (event === "SessionStart" || event === "UserPromptSubmit") readBeginning(output, specific, event);
  const worktreePath = event === "WorktreeCreate" ? text(specific["worktreePath"]) : undefined;
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
    const message = text(fields["message"]);
    const interrupt = fields["interrupt"] === true ? { interrupt: true as const } : {};
    output.permissionAnswer = { behavior, ...(message === undefined ? {} : { message }), ...interrupt };
  } else output.problem = `${name} hook gave a decision that is neither allow nor deny`;
}

function readWatchPaths(output: HookOutput, given: unknown, name: string): void {
  if (given === undefined || given === null) return;
  if (Array.isArray(given) && given.every((path) => typeof path === "string"))
    output.watchPaths = given.slice(0, mostUpdates);
  else output.problem = `${name} hook gave watchPaths that are not a list of paths`;
}

function readTerminalSequence(output: HookOutput, given: unknown, name: string): void {
  if (given === undefined || given === null || given === "") return;
  if (typeof given === "string" && isTerminalSequence(given)) output.terminalSequence = given;
  else
    output.problem = `${name} hook gave a terminalSequence that is not one of those permitted (a title: OSC 0, 1, 2; a notification: OSC 9, 99, 777; BEL)`;
}

function readBeginning(output: HookOutput, specific: Record<string, unknown>, event: HookEvent): void {
  const sessionTitle = text(specific["sessionTitle"]);
  if (sessionTitle !== undefined) output.sessionTitle = sessionTitle;
  if (event !== "SessionStart") return;
  if (specific["reloadSkills"] === true) output.reloadSkills = true;
  const initialUserMessage = text(specific["initialUserMessage"]);
  if (initialUserMessage !== undefined) output.initialUserMessage = initialUserMessage;
}

function readDisplay(output: HookOutput, given: unknown, name: string): void {
  if (typeof given === "string") output.displayContent = given;
  else if (given !== undefined && given !== null)
    output.problem = `${name} hook gave a displayContent that is not text`;
}

function readElicitation(output: HookOutput, { action, content }: Record<string, unknown>, name: string): void {
  if (!isGiven(action)) return;
  const isKnown = action === "accept" || action === "decline" || action === "cancel";
  if (!isKnown || (isGiven(content) && !isRecord(content)))
    output.problem = `${name} hook gave an answer that is neither accept, decline nor cancel, or whose content is not an object`;
  else output.elicitation = { action, ...(isRecord(content) ? { content } : {}) };
}

/** Reads permission updates. An invalid update is reported and ignored; the rest of the answer counts. */
function readUpdates(output: HookOutput, given: unknown, name: string): PermissionUpdate[] {
  if (given === undefined || given === null) return [];
  const list = Array.isArray(given) ? given.slice(0, mostUpdates) : [];
  const known = list.map(permissionUpdateIn).filter((update) => update !== undefined);
  if (!Array.isArray(given) || known.length < given.length)
    output.problem = `${name} hook gave an invalid permission update, which was ignored`;
  return known;
}

function readPermission(output: HookOutput, specific: Record<string, unknown>, event: HookEvent, name: string): void {
  const { permissionDecision: decision, updatedInput } = specific;
  const reason = text(specific["permissionDecisionReason"]);
  const isDeferral = decision === "defer" && event !== "PreModelSwitch";
  if (decision === "allow" || decision === "deny" || decision === "ask" || isDeferral) {
    // If the same answer blocks in its older form, it stays blocked.
    if (output.permission?.behavior !== "deny") output.permission = permission(decision, reason);
  } else if (decision !== undefined && decision !== null)
    output.problem = `${name} hook gave the unknown permission ${JSON.stringify(decision)}`;
  // A deferred call is asked about again, and may be changed then.
  if (updatedInput === undefined || updatedInput === null || isDeferral) return;
  if (isRecord(updatedInput)) {
    output.updatedInput = updatedInput;
    return;
  }
  output.problem = `${name} hook gave an updatedInput that is not an object`;
  // It permitted the changed call, not this one.
  if (output.permission?.behavior === "allow") delete output.permission;
  if (event === "PreSkillShellCommand") output.permission ??= permission("deny", output.problem);
}

type Permission = NonNullable<HookOutput["permission"]>;

function permission(behavior: Permission["behavior"], reason: string | undefined): Permission {
  return reason === undefined ? { behavior } : { behavior, reason };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
