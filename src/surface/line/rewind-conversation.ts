/** `/rewind <message> conversation`: continues in a copy of the session without the messages from that one on. */
import { oneLine } from "../../lib/sanitize.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { checkpointsOf, rewindResultText, type Checkpoint } from "../../session/commands/answers/rewind.ts";
import type { Engine } from "../engine-port.ts";

export interface ConversationRewind {
  /** The message's number, or its uuid. */
  messageRef: string;
  /** Files changed since that message are restored, too. */
  withFiles: boolean;
}

interface RewindCallbacks {
  show(line: string): void;
  /** Receives the text of that message, to be edited or sent again. */
  setDraft(text: string): void;
}

/** Returns undefined if the argument concerns only files, which the session's own command handles. */
export function parseRewindArgument(argument: string): ConversationRewind | undefined {
  const [, messageRef, what] = /^(\S+)\s+(conversation|both)$/iu.exec(argument.trim()) ?? [];
  return messageRef === undefined ? undefined : { messageRef, withFiles: what?.toLowerCase() === "both" };
}

/** Throws `UsageError`, without changing anything, if the message does not exist or files cannot be restored. */
export async function rewindConversation(
  engine: Engine,
  { messageRef, withFiles }: ConversationRewind,
  callbacks: RewindCallbacks,
): Promise<void> {
  const messages = engine.getMessages();
  const wanted = checkpointsOf(messages).find(
    ({ number, uuid }) => String(number) === messageRef || uuid === messageRef,
  );
  if (wanted === undefined)
    throw new UsageError(
      `There is no message ${oneLine(messageRef, 60)} in the conversation; /rewind lists your messages.`,
    );
  if (withFiles) await restoreFiles(engine, wanted, callbacks);
  const before = messages[messages.findIndex(({ uuid }) => uuid === wanted.uuid) - 1];
  if (before === undefined) await engine.clear();
  else await engine.branch(undefined, { upToMessageId: before.uuid });
  callbacks.show(
    `The conversation continues from before message ${wanted.number}, in session ${engine.getSessionId()}.`,
  );
  callbacks.setDraft(wanted.text);
}

async function restoreFiles(engine: Engine, checkpoint: Checkpoint, callbacks: RewindCallbacks): Promise<void> {
  const result = await engine.rewindFiles(checkpoint.uuid);
  if (!result.canRewind) throw new UsageError(result.error ?? "No file can be put back.");
  for (const line of rewindResultText(checkpoint, result, false).split("\n")) callbacks.show(line);
}
