/** The Permission port: modes, what is judged, and the answers. */
import type { McpServerProvenance } from "./mcp.ts";

export const permissionModes = ["default", "acceptEdits", "plan", "auto", "dontAsk", "bypassPermissions"] as const;
export type PermissionMode = (typeof permissionModes)[number];

/** One thing a call would do. A call is allowed only where every subject is. Paths are absolute and not yet resolved. */
export type PermissionSubject =
  | { kind: "read"; path: string }
  | { kind: "write"; path: string }
  /** `shell`: not bash runs it, but a shell that knows less. */
  | { kind: "command"; command: string; shell?: "sh" }
  | { kind: "tool" };

export interface HookDecision {
  behavior: "allow" | "ask";
  reason?: string;
  /** The hook that gave the input allows the call itself. */
  givesInput?: true;
}

export interface PermissionRequest {
  toolName: string;
  toolUseId: string;
  /** The final input: after hooks changed it. */
  input: Record<string, unknown>;
  isReadOnly: boolean;
  subjects: PermissionSubject[];
  cwd: string;
  /** What a PreToolUse hook answered; `allow` only skips the question, deny and ask rules still hold. */
  hookDecision?: HookDecision;
  /** `t3.permission.0`: names the question, so that any process could answer it. */
  key: string;
}

export type PermissionReason =
  | { type: "rule"; rule: string; source: string }
  | { type: "mode"; mode: PermissionMode }
  | { type: "hook"; text: string }
  | { type: "safety"; text: string }
  | { type: "workingDirectory"; text: string }
  | { type: "sandbox"; text: string }
  /** The model that judges in the mode `auto`. */
  | { type: "classifier"; text: string }
  | { type: "user" }
  | { type: "unanswered"; text: string };

/** Where a path of a call led when it was judged: what is opened later must lie there still. */
export interface JudgedPath {
  /** Absolute and normal, as the call has it. */
  path: string;
  /** Without a link; null where it could not be told. */
  real: string | null;
}

export type PermissionDecision =
  | {
      behavior: "allow";
      updatedInput?: Record<string, unknown>;
      reason: PermissionReason;
      /** Of each path that was judged. Absent where whoever judged looked at none. */
      judged?: readonly JudgedPath[];
    }
  | {
      behavior: "deny";
      /** For the model: what was refused, why, and what would allow it. */
      message: string;
      reason: PermissionReason;
      /** The user wants the whole turn to stop. */
      interrupt?: boolean;
      /** A hook ends the run after this, and says why. */
      stops?: string;
    };

/** Judges one call, asking the user where the rules say so. Must not throw; fails closed. An abort denies. */
export interface PermissionPort {
  /** At once where nobody has to be asked. */
  decide(request: PermissionRequest, signal: AbortSignal): PermissionDecision | Promise<PermissionDecision>;
}

/** What the host (a person at a terminal, an SDK's `canUseTool`) is asked. */
export interface PermissionQuestion extends PermissionRequest {
  /** Why it is asked. */
  reason: PermissionReason;
  /** Which part of the call needs it, one clause; absent where `reason` says it all. */
  why?: string;
  /** Whose call it is, where an agent of the session makes it. */
  agentId?: string;
  /** Whose tool it is. */
  mcpServer?: McpServerProvenance;
  /** Of a plan to be approved: the mode a consent leads to that changes none itself. */
  modeAfter?: PermissionMode;
  /** The answer is what the call is for: it comes with an `updatedInput`. */
  requiresUserInteraction?: true;
  /** A rule that, once added to the session, would answer the like. */
  suggestedRule?: string;
  /** Of a line of several commands that lack permission: rules that would answer the like together, one for each. */
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

/** A rule in two parts, as the public convention has it. */
export interface PermissionRuleValue {
  toolName: string;
  /** What stands in the parentheses. */
  ruleContent?: string;
}

/** Where a change is to be kept. This session takes it up wherever that is. */
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

const destinations = ["session", "localSettings", "projectSettings", "userSettings", "cliArg"];

export function isPermissionMode(value: unknown): value is PermissionMode {
  return permissionModes.some((mode) => mode === value);
}

export function isPermissionUpdate(value: unknown): value is PermissionUpdate {
  if (typeof value !== "object" || value === null) return false;
  const update = value as Record<string, unknown>;
  if (!destinations.includes(String(update["destination"]))) return false;
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

/** As it is written in settings. */
export function ruleText({ toolName, ruleContent }: PermissionRuleValue): string {
  return ruleContent === undefined ? toolName : `${toolName}(${ruleContent})`;
}

/** The parts of a written rule. */
export function ruleParts(rule: string): PermissionRuleValue {
  const [, toolName = rule, ruleContent] = /^([^(]+)\(([^]*)\)$/u.exec(rule) ?? [];
  return { toolName, ...(ruleContent === undefined ? {} : { ruleContent }) };
}
