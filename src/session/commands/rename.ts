import { oneLine } from "../../lib/sanitize.ts";
import { titleOf } from "../options/title.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";

export const rename: Command = {
  name: "rename",
  argumentHint: "[title]",
  description: "set the title of this session, for lists and --resume",
  mayRunDuringTurn: true,
  run: runRename,
};

function runRename(argument: string, desk: CommandDesk): CommandAnswer {
  const { choices, joined } = desk.session();
  const { sessionId, transcript } = joined.store;
  if (argument === "") {
    const { title } = choices;
    if (title === undefined) return { text: "This session has no title; /rename <title> gives it one." };
    return { text: `This session is called ${oneLine(title, 200)}.`, data: { title } };
  }
  if (transcript === null) return refusal("This session is not saved, so a title would not last.");
  const title = titleOf(argument);
  if (title === "") return refusal("A title needs at least one visible character.");
  const failure = choices.setTitle(title);
  if (failure !== null) return refusal(`The title was not saved: ${failure.message}`);
  return { text: `This session is called ${title}.`, data: { title, session_id: sessionId } };
}
