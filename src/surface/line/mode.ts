/**
 * `/mode`: the permission mode, and another one. It is the terminal's own, since a person has to say it: a prompt that came through a
 * pipe must not change what is permitted.
 */
import { errorText } from "../../lib/error-text.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { readCommand } from "../../session/commands/read-command.ts";
import type { Engine } from "../engine-port.ts";

/** Of those that anyone may enter at any time. */
const meanings: Partial<Record<PermissionMode, string>> = {
  default: "what no rule allows is asked about",
  acceptEdits: "edits in the folders of the session are not asked about",
  plan: "things are only read",
  dontAsk: "what no rule allows is refused",
};

export const modeCommand: SlashCommand = {
  name: "mode",
  description: "what is asked about: default, acceptEdits, plan, dontAsk",
  argumentHint: "[name]",
  builtin: true,
};

/** What is said to it; undefined where it is another line, or a command of the user's own. `first`: the mode the session began in. */
export function modeAnswer(
  text: string,
  engine: Pick<Engine, "getPermissionMode" | "setPermissionMode" | "supportedCommands">,
  first: PermissionMode,
): string | undefined {
  const given = readCommand(text);
  if (given?.name !== "mode" || engine.supportedCommands().some(({ name }) => name === "mode")) return undefined;
  const offered = [...new Set([...(Object.keys(meanings) as PermissionMode[]), first])];
  const { argument } = given;
  if (argument === "") {
    const others = offered.map((mode) => `  ${mode.padEnd(18)}${meanings[mode] ?? "as the session began"}`);
    return [`The permission mode is ${engine.getPermissionMode()}. There are:`, ...others].join("\n");
  }
  const mode = offered.find((each) => each.toLowerCase() === argument.toLowerCase());
  if (mode === undefined)
    return `"${oneLine(argument, 60)}" is no permission mode that can be had here; there are ${offered.join(", ")}.`;
  try {
    engine.setPermissionMode(mode);
  } catch (error) {
    return oneLine(errorText(error), 300);
  }
  return `From the next call on the permission mode is ${mode}: ${meanings[mode] ?? "as the session began"}.`;
}
