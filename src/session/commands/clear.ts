import type { SDKMessage } from "../../protocol/sdk.ts";
import { tasksIn, untoldEnds } from "../agents/late-work.ts";
import { fromEndedTask } from "../convert-attachment.ts";
import type { Command, CommandAnswer, CommandDesk } from "./command.ts";

export const clear: Command = {
  name: "clear",
  aliases: ["new", "reset"],
  argumentHint: "",
  description: "start a new session; the old one is kept",
  run: (_argument, desk) => cleared(desk),
};

async function* cleared(desk: CommandDesk): AsyncGenerator<SDKMessage, CommandAnswer> {
  const { joined: left } = desk.session();
  const { sessionId: old } = left.store;
  await desk.clear();
  // Clients that were told of running tasks wait for their ends, but no turn of the old session will report them.
  const ended = [...tasksIn(left.endedCommands()), ...untoldEnds(left).tasks];
  for (const task of ended) yield fromEndedTask(task, left.around.ids.uuid(), old);
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
