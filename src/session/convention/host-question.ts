/** Converts a permission question for hosts of the convention, and reads their answers. An unreadable answer refuses the call. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { McpServerProvenance } from "../../protocol/mcp.ts";
import { permissionUpdateIn } from "../../hooks/permission-update.ts";
import { isRecord } from "../../lib/is-record.ts";
import {
  isPermissionMode,
  ruleParts,
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionReason,
  type PermissionRuleValue,
  type PermissionUpdate,
} from "../../protocol/permission.ts";

export interface HostQuestion {
  /** The permission updates that would make the next question of this kind unnecessary. */
  suggestions: PermissionUpdate[];
  /** The file the question is about, if its path is the reason for the question. */
  blockedPath?: string;
  decisionReason: string;
  decisionReasonType: string;
  matchedAskRule?: PermissionRuleValue & { source: string };
  displayName: string;
  description?: string;
  agentId?: string;
  mcpServer?: McpServerProvenance;
  requiresUserInteraction?: true;
}

export function hostQuestion(question: PermissionQuestion): HostQuestion {
  const { toolName, input, reason, why, subjects, agentId } = question;
  const path = subjects.find((subject) => subject.kind === "read" || subject.kind === "write")?.path;
  const isBlockedPath = reason.type === "workingDirectory" || reason.type === "safety";
  const description = input["description"];
  return {
    suggestions: suggestedUpdates(question),
    ...(isBlockedPath && path !== undefined ? { blockedPath: path } : {}),
    decisionReason: why ?? reasonText(reason),
    decisionReasonType: reasonTypes[reason.type],
    ...(reason.type === "rule" ? { matchedAskRule: { source: reason.source, ...ruleParts(reason.rule) } } : {}),
    displayName: toolName,
    ...(typeof description === "string" ? { description } : {}),
    ...withoutUndefined({ agentId, mcpServer: question.mcpServer }),
    ...(question.requiresUserInteraction === true ? { requiresUserInteraction: true } : {}),
  };
}

const reasonTypes: Record<PermissionReason["type"], string> = {
  rule: "rule",
  mode: "mode",
  hook: "hook",
  safety: "safetyCheck",
  workingDirectory: "workingDir",
  sandbox: "other",
  classifier: "classifier",
  user: "other",
  unanswered: "other",
};

function reasonText(reason: PermissionReason): string {
  switch (reason.type) {
    case "rule":
      return `the rule ${reason.rule} (${reason.source}) asks`;
    case "mode":
      return `the mode ${reason.mode} asks for it`;
    case "user":
      return "a person decides";
    case "hook":
    case "safety":
    case "workingDirectory":
    case "sandbox":
    case "classifier":
    case "unanswered":
      return reason.text;
    default:
      return reason satisfies never;
  }
}

/** Returns the updates an answer may include with its consent. Plans have none: editors would send one back in place of the chosen mode. */
export function suggestedUpdates(question: PermissionQuestion): PermissionUpdate[] {
  const { suggestedRule, suggestedRules, subjects, reason } = question;
  const suggestions: PermissionUpdate[] = [];
  const isEdit = subjects.length > 0 && subjects.every(({ kind }) => kind === "write");
  if (isEdit && reason.type === "mode")
    suggestions.push({ type: "setMode", mode: "acceptEdits", destination: "session" });
  const rules = suggestedRules ?? (suggestedRule === undefined ? [] : [ruleParts(suggestedRule)]);
  if (rules.length > 0)
    suggestions.push({
      type: "addRules",
      rules,
      behavior: "allow",
      destination: "session",
    });
  return suggestions;
}

/** Throws if the answer is invalid; the caller then refuses the call. */
export function readHostAnswer(
  answer: Record<string, unknown>,
  mayBypass: boolean,
  notice: (text: string) => void,
): PermissionAnswer {
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = answer;
  if (behavior === "deny")
    return {
      behavior,
      ...(typeof message === "string" ? { message } : {}),
      ...(interrupt === true ? { interrupt } : {}),
    };
  if (behavior !== "allow") throw new Error('the client answered neither "allow" nor "deny"');
  if (updatedInput !== undefined && updatedInput !== null && !isRecord(updatedInput))
    throw new Error("the client answered with an updatedInput that is not an object");
  const updates = readUpdates(updatedPermissions, mayBypass, notice);
  return {
    behavior,
    ...(isRecord(updatedInput) ? { updatedInput } : {}),
    ...(updates.length === 0 ? {} : { updates }),
  };
}

function readUpdates(value: unknown, mayBypass: boolean, notice: (text: string) => void): PermissionUpdate[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((value: unknown) => {
    const update = permissionUpdateIn(value);
    if (update === undefined) notice("an unknown permission update of the client was ignored");
    const isRefused = update?.type === "setMode" && !mayEnter(update.mode, mayBypass);
    if (isRefused) notice(bypassModeRefusal);
    return update === undefined || isRefused ? [] : [update];
  });
}

export const bypassModeRefusal =
  "the mode bypassPermissions is only for a session that was started with --allow-dangerously-skip-permissions or in that mode";

/** Whether a client may switch to this mode. */
export function mayEnter(mode: string, mayBypass: boolean): boolean {
  return isPermissionMode(mode) && (mode !== "bypassPermissions" || mayBypass);
}
