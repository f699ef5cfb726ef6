import { oneLine } from "../../lib/sanitize.ts";
import type { Command } from "./command.ts";

export const help: Command = {
  name: "help",
  argumentHint: "",
  description: "this list",
  run: (_argument, desk) => ({ text: commandList([...desk.commands, ...desk.parts().skills.slashCommands()]) }),
};

export function commandList(commands: readonly Pick<Command, "name" | "argumentHint" | "description">[]): string {
  const heads = commands.map(({ name, argumentHint }) => `/${name} ${argumentHint}`.trimEnd());
  const width = Math.max(...heads.map((head) => head.length));
  return commands.map(({ description }, at) => `${heads[at]?.padEnd(width)}  ${oneLine(description, 120)}`).join("\n");
}
