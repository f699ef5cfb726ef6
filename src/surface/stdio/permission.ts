/** Permission questions put to the client: `can_use_tool` out, its answer read back. What cannot be read refuses the call. */

import {
  isPermissionMode,
  isPermissionUpdate,
  type AskPermission,
  type PermissionAnswer,
  type PermissionQuestion,
  type PermissionReason,
  type PermissionUpdate,
} from "../../protocol/permission.ts";
import type { Loose } from "./frame.ts";
import type { ClientRequest, ClientRequests } from "./client-requests.ts";
import { isRecord } from "../../lib/is-record.ts";

export interface ClientPermissionOptions {
  requests: ClientRequests;
  /** The session was started so that it may get there. */
  mayBypass: boolean;
  /** For people: a part of an answer that was not taken. */
  notice: (text: string) => void;
}

export function askClient({ requests, mayBypass, notice }: ClientPermissionOptions): AskPermission {
  return async (question, signal) => {
    const answer = await requests.send(questionOf(question), signal);
    return readAnswer(answer, mayBypass, notice);
  };
}

const reasonTypes: Record<PermissionReason["type"], string> = {
  rule: "rule",
  mode: "mode",
  hook: "hook",
  safety: "safetyCheck",
  workingDirectory: "workingDir",
  sandbox: "other",
  user: "other",
  unanswered: "other",
};

function questionOf(question: PermissionQuestion): ClientRequest {
  const { toolName, toolUseId, input, reason, why, subjects } = question;
  const suggestions = suggestionsOf(question);
  const path = subjects.find((subject) => subject.kind === "read" || subject.kind === "write")?.path;
  const isBlockedPath = reason.type === "workingDirectory" || reason.type === "safety";
  const description = input["description"];
  return {
    subtype: "can_use_tool",
    tool_name: toolName,
    input,
    tool_use_id: toolUseId,
    ...(suggestions.length === 0 ? {} : { permission_suggestions: suggestions }),
    ...(isBlockedPath && path !== undefined ? { blocked_path: path } : {}),
    decision_reason: why ?? reasonText(reason),
    decision_reason_type: reasonTypes[reason.type],
    ...(reason.type === "rule" ? { matched_ask_rule: matchedRule(reason) } : {}),
    display_name: toolName,
    ...(typeof description === "string" ? { description } : {}),
  };
}

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
    case "unanswered":
      return reason.text;
    default:
      return reason satisfies never;
  }
}

function matchedRule({ rule, source }: Extract<PermissionReason, { type: "rule" }>): Loose {
  const { toolName, ruleContent } = ruleParts(rule);
  return { source, tool_name: toolName, ...(ruleContent === undefined ? {} : { rule_content: ruleContent }) };
}

function ruleParts(rule: string): { toolName: string; ruleContent?: string } {
  const [, toolName = rule, ruleContent] = /^([^(]+)\(([^]*)\)$/u.exec(rule) ?? [];
  return { toolName, ...(ruleContent === undefined ? {} : { ruleContent }) };
}

/** What would spare the next question of the kind. */
function suggestionsOf({ suggestedRule, subjects, reason }: PermissionQuestion): PermissionUpdate[] {
  const suggestions: PermissionUpdate[] = [];
  const isEdit = subjects.length > 0 && subjects.every(({ kind }) => kind === "write");
  if (isEdit && reason.type === "mode")
    suggestions.push({ type: "setMode", mode: "acceptEdits", destination: "session" });
  if (suggestedRule !== undefined)
    suggestions.push({
      type: "addRules",
      rules: [ruleParts(suggestedRule)],
      behavior: "allow",
      destination: "session",
    });
  return suggestions;
}

/** Throws where it is no answer: whoever asked refuses the call then. */
function readAnswer(answer: Loose, mayBypass: boolean, notice: (text: string) => void): PermissionAnswer {
  const { behavior, message, interrupt, updatedInput, updatedPermissions } = answer;
  if (behavior === "deny")
    return {
      behavior,
      ...(typeof message === "string" ? { message } : {}),
      ...(interrupt === true ? { interrupt } : {}),
    };
  if (behavior !== "allow") throw new Error('the client answered neither "allow" nor "deny"');
  if (updatedInput !== undefined && updatedInput !== null && !isRecord(updatedInput))
    throw new Error("the client answered with an updatedInput that is no object");
  const updates = readUpdates(updatedPermissions, mayBypass, notice);
  return {
    behavior,
    ...(isRecord(updatedInput) ? { updatedInput } : {}),
    ...(updates.length === 0 ? {} : { updates }),
  };
}

function readUpdates(value: unknown, mayBypass: boolean, notice: (text: string) => void): PermissionUpdate[] {
  if (!Array.isArray(value)) return [];
  return value.filter((update: unknown): update is PermissionUpdate => {
    if (!isPermissionUpdate(update)) {
      notice("a permission update of the client was passed over: it is none that is known");
      return false;
    }
    const isRefused = update.type === "setMode" && !mayEnter(update.mode, mayBypass);
    if (isRefused) notice(refusedMode);
    return !isRefused;
  });
}

export const refusedMode =
  "the mode bypassPermissions is only for a session that was started with --allow-dangerously-skip-permissions or in that mode";

/** Whether a client may switch to it. */
export function mayEnter(mode: string, mayBypass: boolean): boolean {
  return isPermissionMode(mode) && (mode !== "bypassPermissions" || mayBypass);
}
