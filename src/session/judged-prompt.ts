/** The prompt of a user turn until hooks have let it in: where the turn ends before that, what was recorded of it is taken out. */
import type { HookEvent } from "../protocol/hook.ts";
import type { Message } from "../protocol/message.ts";
import type { Intake } from "./intake.ts";

export class JudgedPrompt {
  /** Of its record. */
  uuid = "";
  /** Of all records that came of it. */
  said: string[] = [];
  #judges: readonly HookEvent[] = [];

  begin(uuid: string, judges: readonly HookEvent[]): void {
    this.uuid = uuid;
    this.said = [uuid];
    this.#judges = judges;
  }

  judged(): void {
    this.#judges = [];
  }

  /** It would go to the model with the next one, and nobody would have been asked. Answers what was recorded. */
  takeOut({ conversation, hooks, clock, ids, onTakenOut }: Intake): Message[] {
    const asked = this.#judges.filter((judge) => hooks.has(judge));
    this.judged();
    if (asked.length === 0) return [];
    onTakenOut();
    const own = () => ({ uuid: ids.uuid(), timestamp: clock.timestamp() });
    const text = `The prompt was taken out: the turn ended before its ${asked.join(" and ")} hooks had answered. Give it again.`;
    const records: Message[] = [
      { type: "tombstone", ...own(), targets: this.said, reason: "refusal" },
      { type: "notice", ...own(), level: "warning", name: "prompt_blocked", text },
    ];
    return records.filter((record) => conversation.append(record).ok);
  }
}

/** Those who are asked about a prompt, in this order. `isSkill`: it begins one. */
export function hooksAbout(isSkill: boolean): HookEvent[] {
  return isSkill ? ["UserPromptSubmit", "UserPromptExpansion"] : ["UserPromptSubmit"];
}
