import type { Command } from "./command.ts";

export const help: Command = {
  name: "help",
  argumentHint: "",
  description: "this list",
  run: (_argument, { commands }) => ({ text: commandList(commands) }),
};

export function commandList(commands: readonly Command[]): string {
  const heads = commands.map(({ name, argumentHint }) => `/${name} ${argumentHint}`.trimEnd());
  const width = Math.max(...heads.map((head) => head.length));
  return commands.map(({ description }, at) => `${heads[at]?.padEnd(width)}  ${description}`).join("\n");
}
