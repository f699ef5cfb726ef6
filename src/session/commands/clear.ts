import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Command, CommandAnswer, CommandDesk } from "./command.ts";

export const clear: Command = {
  name: "clear",
  aliases: ["new", "reset"],
  argumentHint: "",
  description: "start over in a new session; the old one is kept",
  run: (_argument, desk) => cleared(desk),
};

async function* cleared(desk: CommandDesk): AsyncGenerator<SDKMessage, CommandAnswer> {
  const { sessionId: old } = desk.parts();
  await desk.clear();
  const { sessionId, ids } = desk.parts();
  yield {
    type: "conversation_reset",
    new_conversation_id: sessionId,
    trigger: "clear",
    uuid: ids.uuid(),
    session_id: old,
  };
  return { text: `A new session: ${sessionId}` };
}
