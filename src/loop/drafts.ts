/** Messages that the loop writes of its own accord. */
import type { UserMessage } from "../protocol/message.ts";
import type { Draft } from "./fact.ts";
import * as texts from "./texts.ts";

type DraftOf<Type extends Draft["type"]> = Extract<Draft, { type: Type }>;

/** For the model; the user's view hides it. */
export function metaUser(text: string, origin: NonNullable<UserMessage["origin"]>): DraftOf<"user"> {
  return { type: "user", content: [{ type: "text", text }], isMeta: true, origin };
}

/** What tells the model that it was interrupted. */
export function interruption(where: "streaming" | "tools"): DraftOf<"user"> {
  return metaUser(where === "tools" ? texts.interruptedDuringTools : texts.interruptedWhileAnswering, "interruption");
}

/** For people. */
export function warning(name: string, text: string, data?: Record<string, unknown>): DraftOf<"notice"> {
  return { type: "notice", level: "warning", name, text, ...(data === undefined ? {} : { data }) };
}
