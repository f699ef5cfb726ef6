/**
 * `/mode` and `/plan`: the permission mode, and another one. They are the terminal's own, since a person has to say it: a prompt that
 * came through a pipe must not change what is permitted.
 */
import { errorText } from "../../lib/error-text.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { PermissionMode } from "../../protocol/permission.ts";
import type { SlashCommand } from "../../protocol/sdk-commands.ts";
import { readCommand } from "../../session/commands/read-command.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";

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

export const planCommand: SlashCommand = {
  name: "plan",
  description: "plan first: things are only read until you have approved a plan",
  argumentHint: "[what is to be planned]",
  builtin: true,
};

const cycle: readonly PermissionMode[] = ["default", "acceptEdits", "plan"];

/** What Shift+Tab leads to. `first`: the mode the session began in. */
export function modeAfter(mode: PermissionMode, first: PermissionMode): PermissionMode {
  const all = [...new Set([...cycle, first])];
  return all[(all.indexOf(mode) + 1) % all.length]!;
}

/** Tells the mode where it is another than usual. */
export function promptIn(engine: Pick<Engine, "getPermissionMode"> | undefined, { marks }: Style): string {
  const mode = engine?.getPermissionMode() ?? "default";
  return mode === "default" ? marks.prompt : `${mode} ${marks.prompt}`;
}

/** What is to be planned, of `/plan` with more behind it. */
export function plannedIn(text: string): string | undefined {
  const given = readCommand(text);
  return given?.name === "plan" && given.argument !== "" ? given.argument : undefined;
}

type ModeEngine = Pick<Engine, "getPermissionMode" | "setPermissionMode" | "supportedCommands">;

/** What is said to it; undefined where it is another line, or a command of the user's own. `first`: the mode the session began in. */
export function modeAnswer(text: string, engine: ModeEngine, first: PermissionMode): string | undefined {
  const given = readCommand(text);
  const isOurs = given?.name === modeCommand.name || given?.name === planCommand.name;
  if (!isOurs || engine.supportedCommands().some(({ name }) => name === given.name)) return undefined;
  if (given.name === planCommand.name) return changedTo("plan", engine);
  const offered = [...new Set([...(Object.keys(meanings) as PermissionMode[]), first])];
  const { argument } = given;
  if (argument === "") {
    const others = offered.map((mode) => `  ${mode.padEnd(18)}${meanings[mode] ?? "as the session began"}`);
    return [`The permission mode is ${engine.getPermissionMode()}. There are:`, ...others].join("\n");
  }
  const mode = offered.find((each) => each.toLowerCase() === argument.toLowerCase());
  if (mode === undefined)
    return `"${oneLine(argument, 60)}" is no permission mode that can be had here; there are ${offered.join(", ")}.`;
  return changedTo(mode, engine);
}

function changedTo(mode: PermissionMode, engine: ModeEngine): string {
  try {
    engine.setPermissionMode(mode);
  } catch (error) {
    return oneLine(errorText(error), 300);
  }
  return `From the next call on the permission mode is ${mode}: ${meanings[mode] ?? "as the session began"}.`;
}
