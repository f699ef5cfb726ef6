import { oneLine } from "../../lib/sanitize.ts";
import { efforts } from "../../protocol/effort.ts";
import { refusal, type Command, type CommandAnswer } from "./command.ts";
import type { Session } from "../session.ts";

const levelNames = `${efforts.join(", ")}, and default`;

export const effort: Command = {
  name: "effort",
  argumentHint: "[level]",
  description: `${efforts.join(", ")}, or default`,
  run: (argument, desk) => changeEffort(desk.session(), argument),
};

function changeEffort({ joined }: Session, argument: string): CommandAnswer {
  const { selected } = joined;
  const level = argument.toLowerCase();
  if (level === "")
    return { text: `The effort is ${selected.effort ?? "the model's default"}. The levels are ${levelNames}.` };
  const known = efforts.find((each) => each === level);
  if (known === undefined && level !== "default")
    return refusal(`"${oneLine(argument, 60)}" is not an effort level; the levels are ${levelNames}.`);
  selected.effort = known;
  return { text: `From the next message on the effort is ${known ?? "the model's default"}.` };
}
