/** A user turn that a built-in command answers: announced and summed up as any other, without a call of the model of its own. */
import { errorText } from "../../lib/error-text.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { passedOn, waitFor, type Steps } from "../../lib/steps.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { initMessage } from "../init.ts";
import { makeCommandResult } from "../result.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk } from "./command.ts";
import { commandList, offeredCommands } from "./help.ts";
import { commandIn, noSuchCommand, type CommandReader, type GivenCommand } from "./read-command.ts";
import { findCommand } from "./table.ts";

/** `asPrompt`: the turn that it is where a name that was not known is one of a skill by now. */
export function* commandSteps(
  given: GivenCommand,
  desk: CommandDesk,
  asPrompt: () => Steps<SDKMessage, void>,
): Steps<SDKMessage, void> {
  if (given.name !== "" && findCommand(given.name) === undefined) {
    const parts = desk.parts();
    yield* waitFor(parts.desk.reloadSkills());
    if (parts.skills.findForUser(given.name) !== undefined) return yield* asPrompt();
  }
  yield* passedOn(runCommand(given, desk));
}

/** Yields init first and exactly one result last; no result where the process was told to terminate. */
export async function* runCommand(given: GivenCommand, desk: CommandDesk): AsyncGenerator<SDKMessage, void> {
  yield initMessage(desk.parts());
  yield* answerCommand(given, desk);
}

/** It touches nothing of the conversation. */
export function runsBeside({ name }: GivenCommand): boolean {
  return findCommand(name)?.isBeside === true;
}

/** The same beside a turn, which has announced the session. */
export async function* answerCommand(
  { name, argument }: GivenCommand,
  desk: CommandDesk,
): AsyncGenerator<SDKMessage, void> {
  const command = findCommand(name) ?? unknownCommand(name);
  const startedAt = desk.parts().clock.elapsed();
  const { text, data, isError } = yield* answerOf(command, argument, desk);
  const parts = desk.parts();
  const base = { uuid: parts.ids.uuid(), session_id: parts.sessionId };
  const found = data === undefined ? {} : { data };
  yield { ...base, type: "system", subtype: "local_command_output", content: text, command: command.name, ...found };
  if (desk.cancel.cause === "terminate") return;
  yield makeCommandResult({
    text,
    isError: isError === true,
    command: command.name,
    output: { argument, ...found },
    durationMs: Math.round(parts.clock.elapsed() - startedAt),
    totalCostUsd: parts.ledger.totalUsd,
    modelUsage: structuredClone(parts.ledger.modelUsage),
    uuid: parts.ids.uuid(),
    sessionId: parts.sessionId,
  });
}

async function* answerOf(
  command: Command,
  argument: string,
  desk: CommandDesk,
): AsyncGenerator<SDKMessage, CommandAnswer> {
  if (command.takesNothing === true && argument !== "")
    return refusal(`/${command.name} takes nothing, not "${oneLine(argument, 60)}".`);
  try {
    const run = command.run(argument, desk);
    return Symbol.asyncIterator in run ? yield* run : await run;
  } catch (error) {
    return refusal(`/${command.name} failed: ${errorText(error)}`);
  }
}

/** Tells commands from prompts. `paths`: a word that leads somewhere on the disk begins a prompt, and so does the name of a skill. */
export function createCommandReader(
  paths: { realpath(path: string): string },
  isSkill: (name: string) => boolean = () => false,
): CommandReader {
  const isThere = (path: string): boolean => {
    try {
      return paths.realpath(path) !== "";
    } catch {
      // Not there, or not for us to see.
      return false;
    }
  };
  return (prompt) => {
    const given = commandIn(prompt);
    if (given === undefined) return undefined;
    const { name } = given;
    if (findCommand(name) !== undefined) return given;
    return name !== "" && (isSkill(name) || isThere(`/${name}`)) ? undefined : given;
  };
}

/** Answers for a name that is none: a mistyped command is not sent to the model. */
function unknownCommand(name: string): Command {
  const run = (_argument: string, desk: CommandDesk): CommandAnswer => {
    const skill = desk.parts().skills.find(name);
    if (skill !== undefined)
      return refusal(`/${skill.name} is a skill for the model alone ("user-invocable" is off): ask for what it does.`);
    const commands = [...desk.commands, ...offeredCommands(desk.parts())];
    const names = commands.flatMap((each) => [each.name, ...(each.aliases ?? [])]);
    const head = name === "" ? "A slash alone is no command." : noSuchCommand(name, names);
    return refusal(`${head} These there are:\n${commandList(commands)}`);
  };
  return { name, argumentHint: "", description: "", run };
}
