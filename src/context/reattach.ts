/** What the model sees again after a compaction: as much as fits, the most important first; the rest is only named. */
import type { AttachmentMessage, Message, UserMessage } from "../protocol/index.ts";
import { reminderIn } from "../protocol/reminders.ts";
import type { Pass } from "./layer.ts";
import { attachmentRecord } from "../protocol/new-record.ts";
import { messageTokens } from "./measure.ts";

const mostNamed = 12;

/** Returns the messages to reattach, uncut. `keptMessages`: the conversation they join; its reminders are not repeated. `room`: unscaled tokens. */
export async function selectReattachments(
  { world }: Pass,
  keptMessages: readonly Message[],
  room: number,
): Promise<Message[]> {
  const { policy, memory } = world;
  // Earlier reattachments filled the window again, so less is reattached each time.
  let left = Math.min(policy.reattachTokens, room) / 4 ** memory.refills;
  const known = new Set(keptMessages.map((each) => reminderIn(each)?.text));
  const fitting: Message[] = [];
  const omittedNames: string[] = [];
  for (const { label, message } of await world.reattach(keptMessages)) {
    const text = message === undefined ? undefined : reminderIn(message)?.text;
    if (text !== undefined && known.has(text)) continue;
    const cost = message === undefined ? Infinity : messageTokens(message).total;
    if (message === undefined || cost > left) {
      omittedNames.push(label);
      continue;
    }
    left -= cost;
    fitting.push(asLoopMessage(message));
  }
  return omittedNames.length === 0 ? fitting : [...fitting, notReattachedReminder(omittedNames, world)];
}

/** Reattached messages come from the loop, not from the user. */
function asLoopMessage(message: AttachmentMessage | UserMessage): Message {
  return message.type === "user" ? { ...message, isMeta: true, origin: "compaction" } : message;
}

function notReattachedReminder(labels: readonly string[], world: Pass["world"]): AttachmentMessage {
  const shown = labels.slice(0, mostNamed);
  if (labels.length > shown.length) shown.push(`and ${labels.length - shown.length} more`);
  const text = `Left out when the conversation was compacted, for want of room: ${shown.join("; ")}. Look again where it is needed.`;
  const attachment = { kind: "reminder" as const, name: "not_reattached", text };
  return attachmentRecord(attachment, world);
}
