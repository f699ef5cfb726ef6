/** What one hook said, read tolerantly from the public convention's JSON: unknown fields are ignored, wrong ones reported. */
import type { HookEvent } from "../protocol/hook.ts";

export interface HookOutput {
  /** What was wrong with the hook or its answer, for people. */
  problem?: string;
  systemMessage?: string;
  preventContinuation?: string;
  blocking?: string;
  permission?: { behavior: "allow" | "deny" | "ask"; reason?: string };
  updatedInput?: Record<string, unknown>;
  updatedToolOutput?: unknown;
  additionalContext?: string;
}

const blockable: ReadonlySet<HookEvent> = new Set([
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "UserPromptSubmit",
  "Stop",
  "SubagentStop",
  "PreCompact",
]);

export function readHookOutput(raw: unknown, event: HookEvent, name: string): HookOutput {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== "object" || Array.isArray(raw))
    return {
      problem: `${name} hook answered with ${Array.isArray(raw) ? "a list" : `a ${typeof raw}`} where an object is expected`,
    };
  const fields = raw as Record<string, unknown>;
  const output: HookOutput = {};
  const systemMessage = text(fields["systemMessage"]);
  if (systemMessage !== undefined) output.systemMessage = systemMessage;
  if (fields["continue"] === false)
    output.preventContinuation = text(fields["stopReason"]) ?? "A hook stopped the run.";
  readDecision(output, fields, event, name);
  const specific = fields["hookSpecificOutput"];
  if (typeof specific === "object" && specific !== null)
    readSpecific(output, specific as Record<string, unknown>, event, name);
  return output;
}

function readDecision(output: HookOutput, fields: Record<string, unknown>, event: HookEvent, name: string): void {
  const { decision } = fields;
  if (decision === undefined) return;
  const reason = text(fields["reason"]);
  if (decision === "approve" && event === "PreToolUse") output.permission = permission("allow", reason);
  else if (decision !== "block")
    output.problem = `${name} hook gave the decision ${JSON.stringify(decision)}, which is none`;
  else if (event === "PreToolUse") output.permission = permission("deny", reason);
  else if (blockable.has(event)) output.blocking = reason ?? `${name} hook blocked without a reason.`;
}

function readSpecific(output: HookOutput, specific: Record<string, unknown>, event: HookEvent, name: string): void {
  const context = text(specific["additionalContext"]);
  if (context !== undefined) output.additionalContext = context;
  if (event === "PostToolUse" && specific["updatedToolOutput"] !== undefined)
    output.updatedToolOutput = specific["updatedToolOutput"];
  if (event !== "PreToolUse") return;
  const { permissionDecision, updatedInput } = specific;
  const reason = text(specific["permissionDecisionReason"]);
  if (permissionDecision === "allow" || permissionDecision === "deny" || permissionDecision === "ask")
    output.permission = permission(permissionDecision, reason);
  else if (permissionDecision === "defer")
    output.problem = `${name} hook deferred the call, which this version does not know`;
  else if (permissionDecision !== undefined)
    output.problem = `${name} hook gave the permission ${JSON.stringify(permissionDecision)}, which is none`;
  if (updatedInput === undefined) return;
  if (typeof updatedInput === "object" && updatedInput !== null && !Array.isArray(updatedInput))
    output.updatedInput = updatedInput as Record<string, unknown>;
  else output.problem = `${name} hook gave an updatedInput that is no object`;
}

function permission(behavior: "allow" | "deny" | "ask", reason: string | undefined): HookOutput["permission"] {
  return reason === undefined ? { behavior } : { behavior, reason };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
