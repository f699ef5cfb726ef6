/** Expands a skill or command for the model: its text, with arguments filled in and the output of its shell lines. */
import {
  countsFromZero,
  fillCommand,
  fillPlaceholders,
  takesArguments,
  type ArgumentValues,
} from "../../knowledge/skill-arguments.ts";
import { withoutReminders } from "../../protocol/system-reminder.ts";
import { skillFolderVariables } from "../../knowledge/plugin-data.ts";
import { digestOf, readSkillFile } from "../../knowledge/skill-file.ts";
import { readText } from "../../knowledge/scan.ts";
import { splitShellPieces } from "../../knowledge/shell-pieces.ts";
import type { Skill } from "../../knowledge/skill.ts";
import { withFilledRules } from "./skill-rights.ts";

export interface ExpandWorld {
  variables: Readonly<Record<string, string>>;
  /** An administrator or the user has disabled shell lines. */
  isShellOff: boolean;
  /** Grants the front matter's permissions from here on, also for shell lines. Not called if there are none. Returns what revokes them. */
  grant(skill: Skill): () => void;
  /** The last step. Returns why the skill cannot be started, or undefined. */
  begin(skill: Skill): Promise<string | undefined>;
  /** Creates a plugin's data folder, which the plugin expects once it is named. Must not throw. */
  makeFolder(folder: string): void;
  /** Returns the output, or why there is none, for people and the model. */
  run(command: string): Promise<{ ok: true; output: string } | { ok: false; why: string }>;
}

/** `fileText`: the text without the output of shell lines. */
export type Expansion = { ok: true; text: string; fileText: string; skill: Skill } | { ok: false; why: string };

const maxShellLines = 30;

export async function expandSkill(known: Skill, argument: string, world: ExpandWorld): Promise<Expansion> {
  const read = readText(known.path);
  if (!read.ok) return { ok: false, why: `${known.path} cannot be read: ${read.why}.` };
  // Text written since the session began grants no permissions.
  const isAsFound = digestOf(read.text) === known.digest;
  const reread = await readSkillFile(read.text, { ...known, isTrusted: known.runsCommands && isAsFound });
  const { body } = reread;
  const variables = { ...world.variables, ...skillFolderVariables(known) };
  const skill = withFilledRules(reread.skill, variables);
  const hasRules = skill.allowedTools.length + skill.disallowedTools.length > 0;
  const revoke = hasRules ? world.grant(skill) : undefined;
  const expansion = await expandBody(skill, body, argument, variables, world).catch((error: unknown) => {
    revoke?.();
    throw error;
  });
  if (!expansion.ok) revoke?.();
  return expansion;
}

async function expandBody(
  skill: Skill,
  body: string,
  argument: string,
  variables: ArgumentValues["variables"],
  world: ExpandWorld,
): Promise<Expansion> {
  const { path, plugin } = skill;
  const argumentValues: ArgumentValues = {
    argument,
    names: skill.arguments,
    variables,
    countsFromZero: countsFromZero(body),
  };
  const pieces = splitShellPieces(body);
  if (pieces.filter(({ command }) => command !== undefined).length > maxShellLines)
    return { ok: false, why: `${path} has more than ${maxShellLines} shell lines.` };
  if (plugin !== undefined && body.includes("${CLAUDE_PLUGIN_DATA}")) world.makeFolder(plugin.data);
  let text = "";
  let fileText = "";
  for (const piece of pieces) {
    if (piece.command === undefined) {
      const filled = fillPlaceholders(piece.text, argumentValues);
      text += filled;
      fileText += filled;
    } else {
      const ran = await runShellPart(piece.command, argumentValues, skill, world);
      if (!ran.ok) return ran;
      text += ran.output;
    }
  }
  const why = await world.begin(skill);
  if (why !== undefined) return { ok: false, why };
  const areArgumentsUsed = takesArguments(body, argumentValues) || argument === "";
  const fullText = areArgumentsUsed ? text.trim() : `${text.trim()}\n\nARGUMENTS: ${argument}`;
  // Anybody may have written the output of its commands, and it is sent in a message of the user's.
  return { ok: true, text: withoutReminders(fullText), fileText, skill };
}

type ShellOutput = { ok: true; output: string } | { ok: false; why: string };

async function runShellPart(
  command: string,
  argumentValues: ArgumentValues,
  skill: Skill,
  world: ExpandWorld,
): Promise<ShellOutput> {
  if (world.isShellOff) return { ok: true, output: "[shell command execution disabled by policy]" };
  if (!skill.runsCommands)
    return {
      ok: true,
      output: "[shell command not run: the current text of this file is not trusted in this session]",
    };
  const filled = fillCommand(command, argumentValues);
  if (filled === undefined)
    return { ok: false, why: `The arguments cannot be put safely into the shell line "${command}" of ${skill.path}.` };
  return await world.run(filled);
}
