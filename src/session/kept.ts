/** What of a session goes along when another one takes its place. */
import { sessionSource } from "../permissions/permissions.ts";
import { checkObject, checkOptionalTexts } from "./check-arguments.ts";
import type { Joined } from "./joined.ts";
import { notNow } from "./not-now.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Kept, SessionParts, Successor } from "./parts.ts";

/** The user's own choices: the model, its effort, the permission mode, what was allowed always, the folders; and who leads it. */
function keptOf({ selected, permissions, options, around }: Joined): Kept {
  const rules = permissions.describeRules();
  return {
    model: selected.current,
    ...(selected.effort === undefined ? {} : { effort: selected.effort }),
    permissionMode: permissions.getMode(),
    agent: options.agent,
    addDirs: options.addDirs,
    grantedRules: rules.filter(({ source }) => source === sessionSource),
    applied: around.live?.applied,
  };
}

/** Another session takes the place of this one. */
export async function succeededBy(
  joined: Joined,
  title: string | undefined,
  successor: Successor | undefined,
): Promise<SessionParts> {
  // Its own lock would tell that a process holds it, and how to end that.
  const { resume = "", forkSession } = successor ?? {};
  if (resume !== "" && forkSession === undefined && [joined.store.sessionId, title].includes(resume))
    throw new UsageError("This session is that one already.");
  return await joined.restart(keptOf(joined), joined.mcp.desk, successor);
}

/** What `branch` may be told. */
export interface BranchOptions {
  /** The uuid of the last message that the copy has; absent: it has all. */
  upToMessageId?: string;
}

/** Throws where nothing of it is kept. */
export function copyOf(parts: SessionParts, title: string | undefined, options: BranchOptions): Successor {
  checkObject("options", options);
  const { upToMessageId } = options;
  checkOptionalTexts({ title, upToMessageId });
  if (parts.transcriptPath === undefined || parts.conversation.messages.length === 0) throw notNow.empty();
  const at = upToMessageId === undefined ? {} : { resumeSessionAt: upToMessageId };
  return { resume: parts.sessionId, forkSession: true, title, ...at };
}
