/** What one session hands on to the session that takes its place. */
import { sessionSource } from "../permissions/permissions.ts";
import type { DescribedRule } from "../permissions/rules/rule.ts";
import type { JsonObject } from "../lib/json.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Effort, ThinkingSetting } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import { checkObject, checkOptionalTexts } from "./options/check-arguments.ts";
import type { Joined } from "./joined.ts";
import { sessionErrors } from "./session-errors.ts";

/** The user's choices since the session began that the next session keeps. */
export interface KeptChoices {
  model: string;
  effort?: Effort;
  /** Undefined if the host has not set it. */
  chosenThinking?: ThinkingSetting | undefined;
  permissionMode: PermissionMode;
  /** The mode that an approved plan returns to. */
  modeBeforePlan?: PermissionMode | undefined;
  /** The agent type of the main thread. */
  agent?: string | undefined;
  /** Folders it works in besides the working directory. Absolute. */
  addDirs?: string[] | undefined;
  /** Rules from answers to permission questions: what is "always" allowed, and what is not. */
  grantedRules: DescribedRule[];
  /** Settings that the host applied on top of `--settings`. */
  applied?: Readonly<JsonObject> | undefined;
}

/** The session that takes this session's place, unless that is an empty one. */
export interface Successor {
  /** Id, beginning of an id, or title. */
  resume: string;
  /** Continues in a copy, which keeps the user's choices. */
  forkSession?: true;
  /** The uuid of the last message to copy; absent: copies all. */
  resumeSessionAt?: string;
  title?: string | undefined;
}

/** Passed to SessionEnd hooks. With `clear` and `resume`, another session takes its place. */
export type EndReason = "clear" | "resume" | "prompt_input_exit" | "other";

/** Collects the user's choices: model, effort, thinking, permission mode, "always" rules, folders, and the lead agent. */
export function collectKeptChoices({ selected, permissions, options, around, models, plan }: Joined): KeptChoices {
  const rules = permissions.describeRules();
  return {
    model: selected.current,
    ...(selected.effort === undefined ? {} : { effort: selected.effort }),
    chosenThinking: models.wishes.chosenThinking,
    permissionMode: permissions.getMode(),
    modeBeforePlan: plan?.modeBefore,
    agent: options.agent,
    addDirs: options.addDirs,
    grantedRules: rules.filter(({ source }) => source === sessionSource),
    applied: around.live?.applied,
  };
}

/** Refuses to resume the session itself: otherwise its own lock would report that a process holds it, and how to end that process. */
export function checkNotSameSession(
  { sessionId }: Joined["store"],
  title: string | undefined,
  successor?: Successor,
): void {
  const { resume = "", forkSession } = successor ?? {};
  if (resume !== "" && forkSession === undefined && [sessionId, title].includes(resume))
    throw new UsageError("You are already in this session.");
}

/** Options of `branch`. */
export interface BranchOptions {
  /** The uuid of the last message in the copy; absent: copies all. */
  upToMessageId?: string;
}

/** Throws if nothing of the session is kept. */
export function copyAsSuccessor(
  { store, conversation }: Pick<Joined, "store" | "conversation">,
  title: string | undefined,
  options: BranchOptions,
): Successor {
  checkObject("options", options);
  const { upToMessageId } = options;
  checkOptionalTexts({ title, upToMessageId });
  if (store.transcript === null || conversation.messages.length === 0) throw sessionErrors.empty();
  const at = upToMessageId === undefined ? {} : { resumeSessionAt: upToMessageId };
  return { resume: store.sessionId, forkSession: true, title, ...at };
}
