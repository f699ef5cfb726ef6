/** Going back in a session, for hosts that want to drop one turn: if anything else would go, this is refused. */
import { UsageError } from "../../lib/usage-error.ts";
import type { Message } from "../../protocol/message.ts";

interface DropRequest {
  /** `conversation`: all messages. `keptMessages`: those with which the session is to continue. */
  conversation: readonly Message[];
  keptMessages: readonly Message[];
  /** Uuid of the prompt whose turn is to be dropped. */
  prompt: string;
}

/** Throws `UsageError` with the wording that hosts of the convention look for. The outcome is the same however often it is called. */
export function assertOnlyTurnDropped({ conversation, keptMessages, prompt }: DropRequest): void {
  const refuse = (why: string): never => {
    throw new UsageError(`Resume rejected by --resume-drops-turn: ${why}.`);
  };
  const last = keptMessages.at(-1)?.uuid;
  const at = conversation.findIndex(({ uuid }) => uuid === last);
  if (at === -1)
    return refuse(
      "the conversation no longer contains the message after which the session would go on, so what would go is unknown",
    );
  const known = new Set(keptMessages.map(({ uuid }) => uuid));
  const dropped = conversation.slice(at + 1).filter(({ uuid }) => !known.has(uuid));
  const start = dropped.findIndex(({ uuid }) => uuid === prompt);
  if (start === -1) return refuse(`the message ${prompt.slice(0, 80)} is not among those that would go`);
  const payload = dropped.slice(0, start).find(({ type }) => type === "user" || type === "assistant");
  if (payload !== undefined) return refuse(`the message ${payload.uuid} before that turn would go too`);
  for (const message of dropped.slice(start + 1)) {
    const why = foreignMessageReason(message);
    if (why !== undefined) return refuse(why);
  }
}

/** Returns undefined for a message that the turn itself made. */
function foreignMessageReason(message: Message): string | undefined {
  if (message.type === "user" && message.origin === "human" && message.isMeta !== true)
    return `the user's message ${message.uuid} would go too`;
  if (message.type !== "attachment") return undefined;
  const { attachment } = message;
  if (attachment.kind === "queued_command")
    return `the message ${attachment.sourceUuid}, which joined that turn, would go too`;
  const isNews = attachment.kind === "reminder" && (attachment.task !== undefined || attachment.mail !== undefined);
  return isNews ? "news of work in the background would go too" : undefined;
}
