/** All commands that can follow a slash at the prompt: the session's own and the terminal's. */
import type { SDKResultMessage } from "../../protocol/sdk.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { unknownCommandMessage } from "../../session/intake/read-command.ts";
import type { Engine } from "../engine-port.ts";
import { modeCommand, planCommand } from "./mode-commands.ts";
import { sessionCommands } from "./session-switcher.ts";

const exitCommand: SlashCommand = {
  name: "exit",
  description: "exit pawl",
  argumentHint: "",
  aliases: ["quit"],
  builtin: true,
};

/** Commands that other agents offer behind a slash, and pawl as subcommands of the shell command. */
const pawlSubcommands: ReadonlySet<string> = new Set(["config", "doctor", "plugin", "replay", "sessions", "trust"]);

/** What does here what other agents have a command for. */
const otherWays: ReadonlyMap<string, string> = new Map([
  ["approvals", "/permissions"],
  ["bashes", "/tasks"],
  ["checkpoint", "/rewind"],
  ["compress", "/compact"],
  ["copy", "/export <file>"],
  ["diff", "!git diff"],
  ["details", "Ctrl+O"],
  ["directory", "/add-dir"],
  ["editor", "Ctrl+G"],
  ["login", "ANTHROPIC_API_KEY in your environment"],
  ["mention", "@ and a path"],
  ["output-style", '"outputStyle" in your settings'],
  ["ps", "/tasks"],
  ["restore", "/rewind"],
  ["sandbox", '"sandbox" in your settings'],
  ["stats", "/cost"],
  ["statusline", '"statusLine" in your settings'],
  ["terminal-setup", "Alt+Enter or Ctrl+J for a new line"],
  ["theme", '"theme": "light" or "dark" in your settings, or NO_COLOR=1 for no colours'],
  ["thinking", "Ctrl+O"],
  ["todos", "/tasks"],
  ["undo", "/rewind"],
  ["vim", '"editorMode": "vim" in your settings'],
]);

/** The terminal's commands hide others of the same name. */
export function allCommands(engine: Pick<Engine, "supportedCommands">): SlashCommand[] {
  const own = [modeCommand, planCommand, ...sessionCommands, exitCommand];
  const names = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return [...engine.supportedCommands().filter(({ name }) => !names.has(name)), ...own];
}

/**
 * Returns the error for an unknown command name, or undefined if the result is about something else. It replaces the session's own
 * answer, whose list of commands is taller than many terminals and lacks the terminal's commands.
 */
export function unknownCommandError(
  result: SDKResultMessage,
  engine: Pick<Engine, "supportedCommands">,
): string | undefined {
  const { local_command: name } = result;
  if (name === undefined || !result.is_error || result.subtype !== "success") return undefined;
  if (name === "") return "A slash alone is not a command: /help lists the commands, and Tab completes them.";
  if (!result.result.startsWith(unknownCommandMessage(name, []))) return undefined;
  if (pawlSubcommands.has(name))
    return `There is no command /${name} here: run pawl ${name} in a shell. /help lists the commands.`;
  const other = otherWays.get(name);
  if (other !== undefined) return `There is no command /${name} here: use ${other}. /help lists the commands.`;
  const names = allCommands(engine).flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  return `${unknownCommandMessage(name, names)} /help lists the commands.`;
}
