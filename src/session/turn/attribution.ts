/** Marks the messages of a turn with the uuids of the user messages they answer. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SDKAnswering } from "../../protocol/sdk-origin.ts";
import type { SubmitOptions } from "../intake/intake.ts";

/** Returns the function to apply to the messages of one turn, in order. A host that gave up a prompt knows a late result by its uuid. */
export function createAttribution({
  origin,
  uuid = "",
}: Pick<SubmitOptions, "origin" | "uuid">): (message: SDKMessage) => SDKMessage {
  let answered: string[] = uuid === "" ? [] : [uuid];
  // Also contains prompts that a hook kept from joining the turn, since no other result will mention them.
  let settled = answered;
  return (message) => {
    const { type } = message;
    if (type === "user" && message.isReplay === true && message.uuid !== undefined) {
      answered = [...answered, message.uuid];
      settled = [...settled, message.uuid];
    }
    const refused = refusedPromptId(message);
    if (refused !== undefined) settled = [...settled, refused];
    if (type === "result")
      return { ...message, ...answeringFields(settled), ...(origin === undefined ? {} : { origin }) };
    return type === "assistant" && message.parent_tool_use_id === null
      ? { ...message, ...answeringFields(answered) }
      : message;
  };
}

function answeringFields(ids: string[]): SDKAnswering {
  const last = ids.at(-1);
  return last === undefined ? {} : { user_message_uuid: last, user_message_uuids: ids };
}

function refusedPromptId(message: SDKMessage): string | undefined {
  if (message.type !== "system" || message.subtype !== "informational") return undefined;
  if (message.tag !== "prompt_blocked" || message.agent_id !== undefined) return undefined;
  const id = message.data?.["uuid"];
  return typeof id === "string" ? id : undefined;
}
