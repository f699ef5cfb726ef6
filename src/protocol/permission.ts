/** The Permission port: modes, what is judged, and the answers. */
import type { McpServerProvenance } from "./mcp.ts";

export const permissionModes = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** One thing a call would do. A call is allowed only if every subject is. Paths are absolute and not yet resolved. */
export type PermissionSubject =
  | { kind: "read"; path: string }
  | { kind: "write"; path: string }
  /** `shell`: the command is run by a plain `sh`, not by bash. */
  | { kind: "command"; command: string; shell?: "sh" }
  | { kind: "tool" };

export interface HookDecision {
  behavior: "allow" | "ask";
  reason?: string;
  /** The hook provided the input and allows the call itself. */
  givesInput?: true;
}

export interface PermissionRequest {
  toolName: string;
  toolUseId: string;
  /** The final input, after hooks changed it. */
  input: Record<string, unknown>;
  isReadOnly: boolean;
  subjects: PermissionSubject[];
  cwd: string;
  /** What a PreToolUse hook answered. `allow` only skips the question; deny and ask rules still apply. */
  hookDecision?: HookDecision;
  /** Names the question, such as `t3.permission.0`, so that any process could answer it. */
  key: string;
}

export type PermissionReason =
  | { type: "rule"; rule: string; source: string }
  | { type: "mode"; mode: PermissionMode }
  | { type: "hook"; text: string }
  | { type: "safety"; text: string }
  | { type: "workingDirectory"; text: string }
  | { type: "sandbox"; text: string }
  /** The model that judges calls in `auto` mode. */
  | { type: "classifier"; text: string }
  | { type: "user" }
  | { type: "unanswered"; text: string };

/** Where a path of a call led when it was judged. What is opened later must still be there. */
export interface JudgedPath {
  /** Absolute and normalised, as the call gives it. */
  path: string;
  /** With all links resolved; null if it could not be resolved. */
  real: string | null;
}

export type PermissionDecision =
  | {
      behavior: "allow";
      updatedInput?: Record<string, unknown>;
      reason: PermissionReason;
      /** Every path that was judged. Absent if no path was looked at. */
      judged?: readonly JudgedPath[];
    }
  | {
      behavior: "deny";
      /** For the model: what was refused, why, and what would allow it. */
      message: string;
      reason: PermissionReason;
      /** The user wants the whole turn to stop. */
      interrupt?: boolean;
      /** A hook ends the run after this call, for this reason. */
      stops?: string;
    };

/** Judges one call, asking the user if the rules say so. Must not throw; denies when in doubt. An abort denies. */
export interface PermissionPort {
  /** Returns synchronously if nobody has to be asked. */
  decide(request: PermissionRequest, signal: AbortSignal): PermissionDecision | Promise<PermissionDecision>;
}

/** What the host (a person at a terminal, an SDK's `canUseTool`) is asked. */
export interface PermissionQuestion extends PermissionRequest {
  /** Why the question is asked. */
  reason: PermissionReason;
  /** Which part of the call needs permission, one clause; absent if `reason` says it all. */
  why?: string;
  /** The agent that makes the call, if it is an agent of the session. */
  agentId?: string;
  /** The MCP server the tool belongs to. */
  mcpServer?: McpServerProvenance;
  /** For approving a plan: the mode that follows if the answer allows it without setting one. */
  modeAfter?: PermissionMode;
  /** The answer is the purpose of the call: it comes as `updatedInput`. */
  requiresUserInteraction?: true;
  /** A rule that, added to the session, would answer similar questions. */
  suggestedRule?: string;
  /** For a line of several commands that lack permission: rules, one per command, that together would answer similar questions. */
  suggestedRules?: PermissionRuleValue[];
}

export type PermissionAnswer =
  | {
      behavior: "allow";
      updatedInput?: Record<string, unknown> | undefined;
      /** Added to the session's allow rules. */ rule?: string | undefined;
      /** Changes to the session's permissions, made before the call runs. */
      updates?: PermissionUpdate[] | undefined;
    }
  | { behavior: "deny"; message?: string | undefined; interrupt?: boolean | undefined };

export type AskPermission = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

/** A permission rule in two parts, as in the public convention. */
export interface PermissionRuleValue {
  toolName: string;
  /** The text in the parentheses. */
  ruleContent?: string;
}

/** Where a change is saved. It takes effect in this session wherever it is saved. */
export type PermissionDestination = "session" | "localSettings" | "projectSettings" | "userSettings" | "cliArg";

export type PermissionUpdate = { destination: PermissionDestination } & (
  | {
      type: "addRules" | "replaceRules" | "removeRules";
      rules: PermissionRuleValue[];
      behavior: "allow" | "deny" | "ask";
    }
  | { type: "setMode"; mode: PermissionMode }
  | { type: "addDirectories" | "removeDirectories"; directories: string[] }
);

const updateDestinations = ["session", "localSettings", "projectSettings", "userSettings", "cliArg"];

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}

export function isPermissionUpdate(value: unknown): value is PermissionUpdate {
  if (typeof value !== "object" || value === null) return false;
  const update = value as Record<string, unknown>;
  if (!updateDestinations.includes(String(update["destination"]))) return false;
  switch (update["type"]) {
    case "addRules":
    case "replaceRules":
    case "removeRules":
      return ["allow", "deny", "ask"].includes(String(update["behavior"])) && isListOf(update["rules"], isRuleValue);
    case "setMode":
      return isPermissionMode(update["mode"]);
    case "addDirectories":
    case "removeDirectories":
      return isListOf(update["directories"], (folder) => typeof folder === "string");
    default:
      return false;
  }
}

function isRuleValue(value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("toolName" in value)) return false;
  const content = "ruleContent" in value ? value.ruleContent : undefined;
  return typeof value.toolName === "string" && (content === undefined || typeof content === "string");
}

function isListOf(value: unknown, is: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

/** Returns a rule as settings write it. */
export function ruleText({ toolName, ruleContent }: PermissionRuleValue): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

/** Splits a written rule into its parts. */
export function ruleParts(rule: string): PermissionRuleValue {
  const [, toolName = rule, ruleContent] = /^([^(]+)\(([^]*)\)$/u.exec(rule) ?? [];
  return { toolName, ...(ruleContent === undefined ? {} : { ruleContent }) };
}
