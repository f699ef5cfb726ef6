/** Tells the model the date in a conversation that continues past midnight or is resumed on a later day. */
import { localDay } from "../../lib/local-day.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { Attachment, Message } from "../../protocol/message.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

const name = "day";

const told =
  /(?:^|\n)(?:# Date\nToday is|It is another day by now: today is) (\d{4}-\d\d-\d\d)\.(?:\n<\/system-reminder>|$)/u;

/** The first message tells the date, and stays as it was sent. Empty if that date still holds, or none was told. */
export function newDay(messages: readonly Message[], around: Around): Reminder[] {
  const today = dayOf(around);
  const last = messages.findLast((message) => dayIn(message) !== undefined);
  if (last === undefined || dayIn(last) === today) return [];
  return [{ kind: "reminder", name, text: `It is another day by now: today is ${today}.` }];
}

type Around = Pick<Surroundings, "clock" | "env">;

function dayOf({ clock, env }: Around): string {
  return localDay(clock.timestamp(), env["TZ"]);
}

type Reminder = Extract<Attachment, { kind: "reminder" }>;

function dayIn(message: Message): string | undefined {
  if (message.type === "user")
    return message.origin === "context" ? told.exec(blockText(message.content, "\n"))?.[1] : undefined;
  if (message.type !== "attachment" || message.attachment.kind !== "reminder") return undefined;
  return message.attachment.name === name ? told.exec(message.attachment.text)?.[1] : undefined;
}

/** The same for the borders of a session, searching the conversation only once a day. */
export function createDayNews(messages: readonly Message[], around: Around): () => Reminder[] {
  let looked: string | undefined;
  return () => {
    const today = dayOf(around);
    if (today === looked || messages.length === 0) return [];
    looked = today;
    return newDay(messages, around);
  };
}
