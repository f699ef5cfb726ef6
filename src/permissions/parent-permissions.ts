/** Permissions below others: what applies to a session also applies to its subagents, as it is at each call. */
import type { PermissionMode, PermissionUpdate } from "../protocol/permission.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { RuleProblem, WrittenRules } from "./rules/rule.ts";
import type { ParentRules } from "./rule-book.ts";
import type { WorkingFolders } from "./paths/working-folders.ts";

/** What a session's permissions offer to those of its subagents. */
export interface SharedPermissions {
  getMode(): PermissionMode;
  /** The rules of files, of flags and of the session; of temporary rules only those that forbid, and that existed at that version. */
  writtenRules(version?: number): WrittenRules;
  /** A different number after each change of the rules. */
  ruleVersion(): number;
  readonly workingFolders: WorkingFolders;
  readonly openQuestions: OpenQuestions;
  /** Adds a rule that a person allows for good. Returns false, and adds nothing, if the rule cannot be read. */
  addLastingRule(rule: string): boolean;
  /** Applies a change that a person's answer asks for. */
  applyUpdate(change: PermissionUpdate): RuleProblem[];
}

export interface ParentPermissions {
  /** The permissions above. The mode here is never laxer than theirs. */
  permissions: SharedPermissions;
  /** The version of their rules at which the present work here began; may grow. Default: the version at the start. */
  begunAt?: () => number;
  /** Maps their rules to the rules that apply here. Default: unchanged. */
  mapRules?: (rules: WrittenRules) => WrittenRules;
  /** Whether their working directories are shared. */
  sharesFolders: boolean;
  /** Whether a lasting answer given here is applied above, and so here too; otherwise it applies here only. */
  shares: (change: string | PermissionUpdate) => boolean;
}

export function parentRules({ permissions, mapRules = (rules) => rules, begunAt }: ParentPermissions): ParentRules {
  const first = permissions.ruleVersion();
  const since = begunAt ?? (() => first);
  return {
    writtenRules: () => mapRules(permissions.writtenRules(since())),
    // Both only grow.
    version: () => permissions.ruleVersion() + since(),
  };
}
