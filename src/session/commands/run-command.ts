/** A user turn that a built-in command answers: announced and summed up like any other, without a model call of its own. */
import { errorText } from "../../lib/error-text.ts";
import { withImmediateReturn } from "../../lib/with-immediate-return.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { stepsFromGenerator, waitFor, type Steps } from "../../lib/steps.ts";
import { createCancel } from "../../loop/cancel.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import { noUsage } from "../../protocol/usage.ts";
import { toResultUsage } from "../../protocol/wire-usage.ts";
import { initMessage } from "../init.ts";
import { refusal, type Command, type CommandAnswer, type CommandDesk, type CommandPlace } from "./command.ts";
import { commandList, withPromptCommands } from "./help.ts";
import {
  commandInPrompt,
  unknownCommandMessage,
  type CommandReader,
  type TypedCommand,
} from "../intake/read-command.ts";
import { commands, findCommand } from "./table.ts";

/** Runs the command. `openPromptTurn`: the turn to run instead if an unknown name now belongs to a skill. */
export function* commandSteps(
  typed: TypedCommand,
  place: CommandPlace,
  openPromptTurn: () => Steps<SDKMessage, void>,
): Steps<SDKMessage, void> {
  if (typed.name !== "" && findCommand(typed.name) === undefined) {
    const session = place.session();
    yield* waitFor(session.desk.reloadSkills());
    if (session.joined.skills.findForUser(typed.name) !== undefined) return yield* openPromptTurn();
  }
  yield* stepsFromGenerator(runCommand(typed, place));
}

/** Yields init first and exactly one result last; no result if the process was told to terminate. */
export async function* runCommand(typed: TypedCommand, place: CommandPlace): AsyncGenerator<SDKMessage, void> {
  yield initMessage(place.session());
  yield* answerCommand(typed, place);
}

/** Whether the command leaves the conversation alone. */
export function runsDuringTurn({ name }: TypedCommand): boolean {
  return findCommand(name)?.mayRunDuringTurn === true;
}

/** The same beside a running turn, which has already announced the session and continues if the reader leaves this. */
export function answerDuringTurn(
  typed: TypedCommand,
  place: Omit<CommandPlace, "cancel">,
): ReturnType<typeof runCommand> {
  const cancel = createCancel();
  // The session at the start, even if another takes its place before the answer is there.
  const session = place.session();
  return withImmediateReturn(answerCommand(typed, { ...place, session: () => session, cancel }), () =>
    cancel.cancel("consumer"),
  );
}

async function* answerCommand({ name, argument }: TypedCommand, place: CommandPlace): AsyncGenerator<SDKMessage, void> {
  const command = findCommand(name) ?? unknownCommand(name);
  const startedAt = place.session().joined.around.clock.elapsed();
  const { text, data, isError } = yield* runSafely(command, argument, { ...place, commands });
  const { around, ledger, store } = place.session().joined;
  const { clock, ids } = around;
  const base = { uuid: ids.uuid(), session_id: store.sessionId };
  const found = data === undefined ? {} : { data };
  yield { ...base, type: "system", subtype: "local_command_output", content: text, command: command.name, ...found };
  if (place.cancel.cause === "terminate") return;
  // No model turn, so no usage of the main loop.
  yield {
    type: "result",
    subtype: "success",
    is_error: isError === true,
    result: text,
    local_command: command.name,
    local_command_output: { argument, ...found },
    uuid: ids.uuid(),
    session_id: store.sessionId,
    duration_ms: Math.round(clock.elapsed() - startedAt),
    duration_api_ms: 0,
    num_turns: 0,
    num_user_messages: 0,
    stop_reason: null,
    terminal_reason: "completed",
    total_cost_usd: ledger.totalUsd,
    usage: toResultUsage(noUsage),
    modelUsage: structuredClone(ledger.modelUsage),
    permission_denials: [],
  };
}

async function* runSafely(
  command: Command,
  argument: string,
  desk: CommandDesk,
): AsyncGenerator<SDKMessage, CommandAnswer> {
  if (command.takesNoArgument === true && argument !== "")
    return refusal(`/${command.name} takes nothing, not "${oneLine(argument, 60)}".`);
  try {
    const run = command.run(argument, desk);
    return Symbol.asyncIterator in run ? yield* run : await run;
  } catch (error) {
    return refusal(`/${command.name} failed: ${errorText(error)}`);
  }
}

/**
 * Tells commands from prompts. `paths`: a word that is an existing path begins a prompt, as does the name of a skill.
 * `isSkillName`: whether a skill from files has the name.
 */
export function createCommandReader(
  paths: { realpath(path: string): string },
  isSkillOrPrompt: (name: string) => boolean,
  isSkillName: (name: string) => boolean,
): CommandReader {
  const pathExists = (path: string): boolean => {
    try {
      return paths.realpath(path) !== "";
    } catch {
      // Missing, or not accessible.
      return false;
    }
  };
  return (prompt) => {
    const parsed = commandInPrompt(prompt);
    if (parsed === undefined) return undefined;
    const { name, argument } = parsed;
    const command = findCommand(name);
    const isPrompt = command?.isPrompt !== undefined && (isSkillName(name) || command.isPrompt(argument));
    if (command !== undefined) return isPrompt ? undefined : parsed;
    return name !== "" && (isSkillOrPrompt(name) || pathExists(`/${name}`)) ? undefined : parsed;
  };
}

/** Answers an unknown name: a mistyped command is not sent to the model. */
function unknownCommand(name: string): Command {
  const run = (_argument: string, desk: CommandDesk): CommandAnswer => {
    const skill = desk.session().joined.skills.find(name);
    if (skill !== undefined)
      return refusal(`/${skill.name} is a skill for the model alone ("user-invocable" is off): ask for what it does.`);
    const offeredCommands = withPromptCommands(desk.commands, desk.session().joined);
    const names = offeredCommands.flatMap((each) => [each.name, ...(each.aliases ?? [])]);
    const head = name === "" ? "A slash alone is not a command." : unknownCommandMessage(name, names);
    return refusal(`${head} The commands are:\n${commandList(offeredCommands)}`);
  };
  return { name, argumentHint: "", description: "", run };
}
