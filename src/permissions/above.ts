/** Permissions below others: what holds for a session holds for its agents as well, as it is at each call. */
import type { PermissionMode, PermissionUpdate } from "../protocol/permission.ts";
import type { OpenQuestions } from "./open-questions.ts";
import type { RuleProblem, WrittenRules } from "./rules/rule.ts";
import type { RulesAbove } from "./rule-book.ts";
import type { WorkingFolders } from "./paths/working-folders.ts";

/** What the permissions of a session are to those of its agents. */
export interface SharedPermissions {
  getMode(): PermissionMode;
  /** Of files, of flags and of the session's own; of those for a while, what forbids. */
  writtenRules(): WrittenRules;
  /** Another number after each change of them. */
  ruleVersion(): number;
  readonly workingFolders: WorkingFolders;
  readonly open: OpenQuestions;
  /** What a person allows for good. False, and nothing added, where the rule cannot be read. */
  takeRule(rule: string): boolean;
  /** What a person changes by an answer. */
  takeUpdate(change: PermissionUpdate): RuleProblem[];
}

export interface Above {
  /** The mode is never laxer than theirs. */
  permissions: SharedPermissions;
  /** Their rules as they hold here. Default: as they are. */
  held?: (rules: WrittenRules) => WrittenRules;
  /** Whether their folders are these, too. */
  sharesFolders: boolean;
  /** Whether what a person answers here for good counts there, and so here; else it counts here alone. */
  shares: (change: string | PermissionUpdate) => boolean;
}

export function rulesAbove({ permissions, held = (rules) => rules }: Above): RulesAbove {
  return { written: () => held(permissions.writtenRules()), version: () => permissions.ruleVersion() };
}
