/**
 * `/mode` and `/plan` show and change the permission mode. Only the terminal has them, because a person must decide this: a prompt
 * from a pipe must not change what is allowed.
 */
import { errorText } from "../../lib/error-text.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { readCommand } from "../../session/intake/read-command.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";

/** The modes that can be entered at any time. */
const modeDescriptions: Partial<Record<PermissionMode, string>> = {
  default: "calls that no rule allows are asked about",
  acceptEdits: "edits in the session's folders are not asked about",
  plan: "the model only reads and plans",
  dontAsk: "calls that no rule allows are refused",
};

export const modeCommand: SlashCommand = {
  name: "mode",
  description: "show or set the permission mode: default, acceptEdits, plan, dontAsk",
  argumentHint: "[name]",
  builtin: true,
};

export const planCommand: SlashCommand = {
  name: "plan",
  description: "plan first: the model only reads until you approve its plan",
  argumentHint: "[what to plan]",
  builtin: true,
};

const modeCycle: readonly PermissionMode[] = ["default", "acceptEdits", "plan"];

/** Returns the mode that Shift+Tab switches to. `first` is the mode the session started in. */
export function nextMode(mode: PermissionMode, first: PermissionMode): PermissionMode {
  const all = [...new Set([...modeCycle, first])];
  return all[(all.indexOf(mode) + 1) % all.length]!;
}

/** Returns the prompt, with the mode before it unless that is the default, and a goal that is set. */
export function promptWithMode(
  engine: Pick<Engine, "getPermissionMode" | "desk"> | undefined,
  { marks }: Style,
): string {
  const mode = engine?.getPermissionMode() ?? "default";
  const hasGoal = engine !== undefined && engine.desk.goal() !== null;
  const states = [...(mode === "default" ? [] : [mode]), ...(hasGoal ? ["goal"] : [])];
  return states.length === 0 ? marks.prompt : `${states.join(", ")} ${marks.prompt}`;
}

/** Returns the text after `/plan`, which is to be planned. */
export function planArgument(text: string): string | undefined {
  const command = readCommand(text);
  return command?.name === "plan" && command.argument !== "" ? command.argument : undefined;
}

type ModeEngine = Pick<Engine, "getPermissionMode" | "setPermissionMode" | "supportedCommands">;

/** Returns the answer, or undefined for other lines and for a user's command of that name. `first`: the mode of the session's start. */
export function runModeCommand(text: string, engine: ModeEngine, first: PermissionMode): string | undefined {
  const command = readCommand(text);
  const isOurs = command?.name === modeCommand.name || command?.name === planCommand.name;
  if (!isOurs || engine.supportedCommands().some(({ name }) => name === command.name)) return undefined;
  if (command.name === planCommand.name) return switchMode("plan", engine);
  const offered = [...new Set([...(Object.keys(modeDescriptions) as PermissionMode[]), first])];
  const { argument } = command;
  if (argument === "") {
    const others = offered.map((mode) => `  ${mode.padEnd(18)}${modeDescriptions[mode] ?? "as the session began"}`);
    return [`The permission mode is ${engine.getPermissionMode()}. The modes are:`, ...others].join("\n");
  }
  const mode = offered.find((each) => each.toLowerCase() === argument.toLowerCase());
  if (mode === undefined)
    return `"${oneLine(argument, 60)}" is not a permission mode available here; the modes are ${offered.join(", ")}.`;
  return switchMode(mode, engine);
}

function switchMode(mode: PermissionMode, engine: ModeEngine): string {
  try {
    engine.setPermissionMode(mode);
  } catch (error) {
    return oneLine(errorText(error), 300);
  }
  return `From the next tool call on, the permission mode is ${mode}: ${modeDescriptions[mode] ?? "as the session began"}.`;
}
