/** What of a session goes along when another one takes its place. */
import { sessionSource } from "../permissions/permissions.ts";
import type { DescribedRule } from "../permissions/rules/rule.ts";
import type { JsonObject } from "../lib/json.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Effort, ThinkingSetting } from "../protocol/model.ts";
import type { PermissionMode } from "../protocol/permission.ts";
import { checkObject, checkOptionalTexts } from "./options/check-arguments.ts";
import type { Joined } from "./joined.ts";
import { notNow } from "./not-now.ts";

/** What a user has chosen since the session began, and keeps. */
export interface Kept {
  model: string;
  effort?: Effort;
  /** Undefined: the host has said nothing of it. */
  chosenThinking?: ThinkingSetting | undefined;
  permissionMode: PermissionMode;
  /** The kind of agent that the main thread is. */
  agent?: string | undefined;
  /** Folders it works in besides the current one. Absolute. */
  addDirs?: string[] | undefined;
  /** Of answers to questions: what is allowed "always", and what is not. */
  grantedRules: DescribedRule[];
  /** What the host has laid over `--settings`. */
  applied?: Readonly<JsonObject> | undefined;
}

/** The session that takes a session's place, where that is not an empty one. */
export interface Successor {
  /** Id, the beginning of one, or title. */
  resume: string;
  /** A copy of it, in which the user's own choices stay. */
  forkSession?: true;
  /** The uuid of the last message that is copied; absent: all are. */
  resumeSessionAt?: string;
  title?: string | undefined;
}

/** What SessionEnd hooks are told: of `clear` and `resume`, another session takes its place. */
export type EndReason = "clear" | "resume" | "prompt_input_exit" | "other";

/** The user's own choices: the model, its effort and thinking, the permission mode, what was allowed always, the folders; and who leads it. */
export function keptOf({ selected, permissions, options, around, models }: Joined): Kept {
  const rules = permissions.describeRules();
  return {
    model: selected.current,
    ...(selected.effort === undefined ? {} : { effort: selected.effort }),
    chosenThinking: models.wishes.chosenThinking,
    permissionMode: permissions.getMode(),
    agent: options.agent,
    addDirs: options.addDirs,
    grantedRules: rules.filter(({ source }) => source === sessionSource),
    applied: around.live?.applied,
  };
}

/** Its own lock would tell that a process holds it, and how to end that. */
export function refuseItself({ sessionId }: Joined["store"], title: string | undefined, successor?: Successor): void {
  const { resume = "", forkSession } = successor ?? {};
  if (resume !== "" && forkSession === undefined && [sessionId, title].includes(resume))
    throw new UsageError("This session is that one already.");
}

/** What `branch` may be told. */
export interface BranchOptions {
  /** The uuid of the last message that the copy has; absent: it has all. */
  upToMessageId?: string;
}

/** Throws where nothing of it is kept. */
export function copyOf(
  { store, conversation }: Pick<Joined, "store" | "conversation">,
  title: string | undefined,
  options: BranchOptions,
): Successor {
  checkObject("options", options);
  const { upToMessageId } = options;
  checkOptionalTexts({ title, upToMessageId });
  if (store.transcript === null || conversation.messages.length === 0) throw notNow.empty();
  const at = upToMessageId === undefined ? {} : { resumeSessionAt: upToMessageId };
  return { resume: store.sessionId, forkSession: true, title, ...at };
}
