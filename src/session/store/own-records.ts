/** Records that a session writes by itself. */
import type { Message, UserMessage } from "../../protocol/message.ts";
import type { ClockPort, IdPort } from "../../loop/ports.ts";

interface World {
  clock: Pick<ClockPort, "timestamp">;
  ids: Pick<IdPort, "uuid">;
}

/** For the model, and by nobody: what stands for a command, or tells of one. */
export function commandMessage(text: string, { clock, ids }: World): UserMessage {
  const own = { uuid: ids.uuid(), timestamp: clock.timestamp() };
  return { type: "user", ...own, content: [{ type: "text", text }], isMeta: true, origin: "command" };
}

export function contextMessage(event: string, text: string, { clock, ids }: World): Message {
  const attachment = { kind: "hook_context" as const, event, text };
  return { type: "attachment", uuid: ids.uuid(), timestamp: clock.timestamp(), attachment };
}

/** Takes those messages out of the conversation, and says why. */
export function takenBack({ clock, ids }: World, targets: string[], name: string, text: string): Message[] {
  const own = () => ({ uuid: ids.uuid(), timestamp: clock.timestamp() });
  return [
    { type: "tombstone", ...own(), targets, reason: "refusal" },
    { type: "notice", ...own(), level: "warning", name, text },
  ];
}
