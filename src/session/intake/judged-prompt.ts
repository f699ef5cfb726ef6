/** The prompt of a user turn until hooks have let it in. If the turn ends before that, its records are taken out. */
import type { HookEvent } from "../../protocol/hook.ts";
import type { Message } from "../../protocol/message.ts";
import type { OwnedHooks } from "../../hooks/run.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";
import type { Conversation } from "../store/conversation.ts";
import { removalRecords } from "../store/own-records.ts";

interface RecordRooms {
  conversation: Conversation;
  hooks: OwnedHooks;
  clock: ClockPort;
  ids: IdPort;
}

export class JudgedPrompt {
  /** Uuid of the prompt's record. */
  uuid = "";
  /** Uuids of that record, and of everything that hooks said about it. */
  recordUuids: string[] = [];
  #pendingEvents: readonly HookEvent[] = [];

  begin(uuid: string, judges: readonly HookEvent[]): void {
    this.uuid = uuid;
    this.recordUuids = [uuid];
    this.#pendingEvents = judges;
  }

  /** The hooks of this event have answered, or there were none to ask. */
  markJudged(event: HookEvent): void {
    this.#pendingEvents = this.#pendingEvents.filter((judge) => judge !== event);
  }

  waitsFor(event: HookEvent): boolean {
    return this.#pendingEvents.includes(event);
  }

  /** Nobody has to be asked about the prompt any more. */
  settle(): void {
    this.#pendingEvents = [];
  }

  /** Removes the prompt if hooks have not judged it: it would go to the model with the next one. Returns what was recorded. */
  removeUnjudged(records: RecordRooms): Message[] {
    const { conversation, hooks } = records;
    const eventsToJudge = this.#pendingEvents.filter((judge) => hooks.has(judge));
    this.settle();
    if (eventsToJudge.length === 0) return [];
    conversation.unjudged.delete(this.uuid);
    const text = `The prompt was removed: the turn ended before its ${eventsToJudge.join(" and ")} hooks had answered. Submit it again.`;
    return removalRecords(records, this.recordUuids, "prompt_blocked", text).filter(
      (record) => conversation.append(record).ok,
    );
  }
}

/** The events whose hooks judge a prompt, in this order. `startsSkill`: the prompt begins with a skill or with a prompt of a server. */
export function judgingEvents(startsSkill: boolean): HookEvent[] {
  return startsSkill ? ["UserPromptSubmit", "UserPromptExpansion"] : ["UserPromptSubmit"];
}
