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
  const { sessionId: old } = desk.session().joined.store;
  await desk.clear();
  const { store, around } = desk.session().joined;
  const { sessionId } = store;
  yield {
    type: "conversation_reset",
    new_conversation_id: sessionId,
    trigger: "clear",
    uuid: around.ids.uuid(),
    session_id: old,
  };
  return { text: `A new session: ${sessionId}` };
}
