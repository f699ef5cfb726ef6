/** All that may stand behind a slash at the prompt: the session's own commands and the terminal's. */
import type { SDKResultMessage } from "../../protocol/sdk.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { noSuchCommand } from "../../session/commands/read-command.ts";
import type { Engine } from "../engine-port.ts";
import { modeCommand, planCommand } from "./mode.ts";
import { sessionCommands } from "./other-session.ts";

const leaving: SlashCommand = {
  name: "exit",
  description: "leave",
  argumentHint: "",
  aliases: ["quit"],
  builtin: true,
};

/** What other agents have behind a slash, and pawl as a command of its own. */
const shellCommands: ReadonlySet<string> = new Set(["config", "doctor", "plugin", "replay", "sessions", "trust"]);

/** The terminal's count before others of their names. */
export function allCommands(engine: Pick<Engine, "supportedCommands">): SlashCommand[] {
  const own = [modeCommand, planCommand, ...sessionCommands, leaving];
  const names = new Set(own.flatMap(({ name, aliases = [] }) => [name, ...aliases]));
  return [...engine.supportedCommands().filter(({ name }) => !names.has(name)), ...own];
}

/**
 * What is said of a name that is none, undefined where the result is about something else. The session's own answer lists what it
 * knows: more rows than many terminals have, and none of the terminal's commands among them.
 */
export function mistyped(result: SDKResultMessage, engine: Pick<Engine, "supportedCommands">): string | undefined {
  const { local_command: name } = result;
  if (name === undefined || !result.is_error || result.subtype !== "success") return undefined;
  if (name === "") return "A slash alone is no command: /help lists those there are, and Tab completes them.";
  if (!result.result.startsWith(noSuchCommand(name, []))) return undefined;
  if (shellCommands.has(name))
    return `There is no command /${name}: it is pawl ${name}, in a shell. /help lists those there are.`;
  const names = allCommands(engine).flatMap((command) => [command.name, ...(command.aliases ?? [])]);
  return `${noSuchCommand(name, names)} /help lists those there are.`;
}
