/** What is said in a turn, with whose message it answers. */
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { SubmitOptions } from "../intake/intake.ts";

/** Of the messages of one turn, in their order. A host that gave up a prompt knows a late result by the prompt's id. */
export function attribution({
  origin,
  uuid = "",
}: Pick<SubmitOptions, "origin" | "uuid">): (message: SDKMessage) => SDKMessage {
  let answered: string[] = uuid === "" ? [] : [uuid];
  return (message) => {
    const { type } = message;
    if (type === "user" && message.isReplay === true && message.uuid !== undefined)
      answered = [...answered, message.uuid];
    if (type !== "result" && (type !== "assistant" || message.parent_tool_use_id !== null)) return message;
    const last = answered.at(-1);
    const ids = last === undefined ? {} : { user_message_uuid: last, user_message_uuids: answered };
    return { ...message, ...ids, ...(type === "result" && origin !== undefined ? { origin } : {}) };
  };
}
