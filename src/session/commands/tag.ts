import { titleOf } from "../options/title.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";

export const tag: Command = {
  name: "tag",
  argumentHint: "[tag]",
  description: "tag the session for searches; the same tag again removes it",
  mayRunDuringTurn: true,
  run: runTag,
};

function runTag(argument: string, desk: CommandDesk): CommandAnswer {
  const { choices, joined } = desk.session();
  const before = choices.tag;
  if (argument === "") {
    if (before === null) return { text: "This session has no tag; /tag <tag> gives it one." };
    return {
      text: `This session has the tag ${titleOf(before)}; /tag ${titleOf(before)} takes it off.`,
      data: { tag: before },
    };
  }
  if (joined.store.transcript === null) return refusal("This session is not saved, so a tag would not last.");
  const wanted = titleOf(argument);
  if (wanted === "") return refusal("A tag needs at least one visible character.");
  const next = wanted === before ? null : wanted;
  const failure = choices.setTag(next);
  if (failure !== null) return refusal(`The tag was not saved: ${failure.message}`);
  const text = next === null ? `The tag ${wanted} is off.` : `This session has the tag ${wanted}.`;
  return { text, data: { tag: next } };
}
