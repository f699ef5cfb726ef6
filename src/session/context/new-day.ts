/** Of a conversation that goes on over midnight, or is taken up on a later day: which day it is by then. */
import { blockText } from "../../protocol/block-text.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { ClockPort } from "../../loop/ports.ts";

const name = "day";

const told =
  /(?:^|\n)(?:# Date\nToday is|It is another day by now: today is) (\d{4}-\d\d-\d\d)\.(?:\n<\/system-reminder>|$)/u;

/** The first message tells the day, which stays as it was sent. Empty where that holds, or no day was told. */
export function newDay(messages: readonly Message[], { timestamp }: Pick<ClockPort, "timestamp">): Reminder[] {
  const today = timestamp().slice(0, 10);
  const last = messages.findLast((message) => dayIn(message) !== undefined);
  if (last === undefined || dayIn(last) === today) return [];
  return [{ kind: "reminder", name, text: `It is another day by now: today is ${today}.` }];
}

type Reminder = Extract<Attachment, { kind: "reminder" }>;

function dayIn(message: Message): string | undefined {
  if (message.type === "user")
    return message.origin === "context" ? told.exec(blockText(message.content, "\n"))?.[1] : undefined;
  if (message.type !== "attachment" || message.attachment.kind !== "reminder") return undefined;
  return message.attachment.name === name ? told.exec(message.attachment.text)?.[1] : undefined;
}

/** The same for the borders of a session, which looks through its conversation once a day. */
export function createDayNews(messages: readonly Message[], clock: Pick<ClockPort, "timestamp">): () => Reminder[] {
  let looked: string | undefined;
  return () => {
    const today = clock.timestamp().slice(0, 10);
    if (today === looked || messages.length === 0) return [];
    looked = today;
    return newDay(messages, clock);
  };
}
