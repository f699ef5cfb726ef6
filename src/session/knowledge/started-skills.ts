/** Finds the skills and commands that a conversation was given, by its messages: a resumed session has started none itself. */
import type { Skill } from "../../knowledge/skill.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import { reminderIn } from "../../protocol/reminders.ts";
import { anyCommandInPrompt } from "../intake/read-command.ts";
import type { ReattachItem } from "../../context/reattach-item.ts";

/** Most characters that come back after a compaction, for one skill and for all. */
const maxReattachedChars = 20_000;
const maxAllReattachedChars = 100_000;

/** The text of a skill that comes back after a compaction. */
function reattachedText(name: string, text: string): string {
  return `The skill ${name}, which was begun before:\n\n${text}`;
}

const reattachedPattern = /^The skill (\S+), which was begun before:\n\n([^]*)$/u;

/** Texts by name, the latest last. `nameOf`: the name meant by what was typed or called; undefined for an unknown name. */
export function startedSkillTexts(
  messages: readonly Message[],
  nameOf: (typedName: string) => string | undefined,
): Map<string, string> {
  const textsByName = new Map<string, string>();
  const called = new Map<string, string>();
  let typed: string | undefined;
  const take = (typedName: string | undefined, text: string | undefined): void => {
    const name = typedName === undefined ? undefined : nameOf(typedName);
    if (name === undefined || text === undefined) return;
    textsByName.delete(name);
    textsByName.set(name, text);
  };
  for (const message of messages) {
    const reminder = reminderIn(message);
    if (reminder?.name === "skill") {
      const [, name, text] = reattachedPattern.exec(reminder.text) ?? [];
      take(name, text);
    }
    if (message.type === "assistant") for (const block of message.content) noteCall(block, called);
    if (message.type !== "user") continue;
    if (message.origin === "command") {
      take(typed, plainTextOf(message.content[0]));
      // Images that the prompt names follow it.
      typed = undefined;
    } else if (message.isMeta !== true) typed = anyCommandInPrompt(message.content)?.name;
    for (const block of message.content)
      if (block.type === "tool_result" && block.is_error !== true)
        take(called.get(block.tool_use_id), plainTextOf(block));
  }
  return textsByName;
}

function noteCall(block: ContentBlock, called: Map<string, string>): void {
  if (block.type === "tool_use" && block.name === "Skill") called.set(block.id, String(block.input["skill"]));
}

function plainTextOf(block: ContentBlock | undefined): string | undefined {
  if (block?.type === "text") return block.text;
  return block?.type === "tool_result" && typeof block.content === "string" ? block.content : undefined;
}

/** Whether the messages contain the text, word for word. */
function containsText(messages: readonly Message[], text: string): boolean {
  return messages.some(
    (message) => message.type === "user" && message.content.some((block) => plainTextOf(block) === text),
  );
}

/** What comes back after a compaction, while there is room. `keptMessages`: the messages that stay; a text in them is not repeated. */
export function reattachItems(
  latestFirst: readonly (readonly [name: string, text: string])[],
  keptMessages: readonly Message[],
): ReattachItem[] {
  let left = maxAllReattachedChars;
  const items: ReattachItem[] = [];
  for (const [name, text] of latestFirst) {
    if (containsText(keptMessages, text)) continue;
    const label = `the skill ${name}`;
    const shown = text.slice(0, maxReattachedChars);
    if (shown.length > left) items.push({ label, name: "skill" });
    else {
      left -= shown.length;
      items.push({ label, name: "skill", text: reattachedText(name, shown) });
    }
  }
  return items;
}

/** Whether spans of the conversation may be left out of what is sent. */
function hasGaps(messages: readonly Message[]): boolean {
  return messages.some(({ type }) => type === "collapse_commit" || type === "snip_boundary");
}

/** By convention a text that is already in the conversation is not sent twice. */
export function withoutRepetition(
  { kind, name }: Pick<Skill, "kind" | "name">,
  text: string,
  messages: readonly Message[],
): string {
  const note = `The ${kind} ${name} is started again: follow its text above, which has not changed.`;
  return text.length > note.length && containsText(messages, text) && !hasGaps(messages) ? note : text;
}
