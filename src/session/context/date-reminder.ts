/** Tells the model the date in a conversation that continues past midnight or is resumed on a later day. */
import { localDay } from "../../lib/local-day.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const reminderName = "day";

const datePattern =
  /(?:^|\n)(?:# Date\nToday is|It is another day by now: today is) (\d{4}-\d\d-\d\d)\.(?:\n<\/system-reminder>|$)/u;

/** The first message tells the date, and stays as it was sent. Empty if that date still holds, or none was told. */
export function dateReminders(messages: readonly Message[], around: Around): Reminder[] {
  const today = currentDay(around);
  const last = messages.findLast((message) => announcedDate(message) !== undefined);
  if (last === undefined || announcedDate(last) === today) return [];
  return [{ kind: "reminder", name: reminderName, text: `It is another day by now: today is ${today}.` }];
}

type Around = Pick<Surroundings, "clock" | "env">;

function currentDay({ clock, env }: Around): string {
  return localDay(clock.timestamp(), env["TZ"]);
}

type Reminder = Extract<Attachment, { kind: "reminder" }>;

function announcedDate(message: Message): string | undefined {
  if (message.type === "user")
    return message.origin === "context" ? datePattern.exec(blockText(message.content, "\n"))?.[1] : undefined;
  if (message.type !== "attachment" || message.attachment.kind !== "reminder") return undefined;
  return message.attachment.name === reminderName ? datePattern.exec(message.attachment.text)?.[1] : undefined;
}

/** The same for the borders of a session, searching the conversation only once a day. */
export function createDateReminders(messages: readonly Message[], around: Around): () => Reminder[] {
  let lastCheckedDay: string | undefined;
  return () => {
    const today = currentDay(around);
    if (today === lastCheckedDay || messages.length === 0) return [];
    lastCheckedDay = today;
    return dateReminders(messages, around);
  };
}
