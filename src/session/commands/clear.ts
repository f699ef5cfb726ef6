import type { SDKMessage } from "../../protocol/sdk.ts";
import { endedTasksIn, unreportedEnds } from "../late-work.ts";
import { fromEndedTask } from "../events/convert-attachment.ts";
import type { Command, CommandAnswer, CommandDesk } from "./command.ts";

export const clear: Command = {
  name: "clear",
  aliases: ["new", "reset"],
  argumentHint: "",
  description: "start a new session; the old one is kept",
  run: (_argument, desk) => clearSession(desk),
};

async function* clearSession(desk: CommandDesk): AsyncGenerator<SDKMessage, CommandAnswer> {
  const { joined: oldRooms } = desk.session();
  const { sessionId: oldSessionId } = oldRooms.store;
  await desk.clear();
  // Clients that were told of running tasks wait for their ends, but no turn of the old session will report them.
  const endedTasks = [...endedTasksIn(oldRooms.endedCommands()), ...unreportedEnds(oldRooms).tasks];
  for (const task of endedTasks) yield fromEndedTask(task, oldRooms.around.ids.uuid(), oldSessionId);
  const { store, around } = desk.session().joined;
  const { sessionId } = store;
  yield {
    type: "conversation_reset",
    new_conversation_id: sessionId,
    trigger: "clear",
    uuid: around.ids.uuid(),
    session_id: oldSessionId,
  };
  return { text: `A new session: ${sessionId}` };
}
