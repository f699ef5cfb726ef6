/** A prompt that begins a skill or a command of the user's own: what it stands for follows it, recorded as the session's word. */
import { blockText } from "../../protocol/block-text.ts";
import type { QueryEvent } from "../../protocol/event.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { commandIn } from "../commands/read-command.ts";
import { recordAll, shownWhileItLasts, takenOut, type Intake } from "../intake.ts";
import type { JudgedPrompt } from "../judged-prompt.ts";
import { commandMessage, contextMessage, takenBack } from "../own-records.ts";
import { invalid } from "../prompt.ts";
import { ownPrompt } from "./own-prompts.ts";
import type { SkillDesk } from "./skill-desk.ts";
import type { TurnChoice } from "./turn-choice.ts";

interface TypedSkill {
  skill: Skill;
  /** As typed. */
  name: string;
  argument: string;
}

export function typedSkill(prompt: readonly ContentBlock[], skills: SkillDesk): TypedSkill | undefined {
  const given = commandIn(prompt);
  const skill = given === undefined ? undefined : skills.findForUser(given.name);
  return given === undefined || skill === undefined ? undefined : { skill, ...given };
}

interface Typed {
  intake: Intake;
  skills: SkillDesk;
  prompt: ContentBlock[];
  judged: JudgedPrompt;
  cancel: Cancel;
  choice: TurnChoice;
}

/** At the start of a user turn: what was approved for the last one is over. `isTyped`: its prompt may begin something. */
export async function* expandPrompt(
  prompt: ContentBlock[],
  isTyped: boolean,
  given: Omit<Typed, "prompt">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  given.skills.beginTurn();
  if (!isTyped) return null;
  const typed = typedSkill(prompt, given.skills);
  if (typed === undefined) {
    const failed = yield* expandOwn(prompt, given);
    return failed ?? (yield* tellMentioned(blockText(prompt), "", given));
  }
  return yield* expandTyped(typed, { ...given, prompt });
}

/** The Terminal where it could not be recorded. */
async function* put(
  records: readonly Message[],
  { conversation }: Pick<Intake, "conversation">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const failed = yield* recordAll(conversation, records);
  return failed === null ? null : { reason: "model_error", error: failed };
}

/** A prompt of pawl's own, where the user's words name one. */
async function* expandOwn(
  prompt: readonly ContentBlock[],
  { intake }: Pick<Typed, "intake">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const named = commandIn(prompt);
  const text = named === undefined ? undefined : ownPrompt(named.name, named.argument);
  if (text === undefined) return null;
  return yield* put([commandMessage(text, intake)], intake);
}

/** Files that a person names, or a skill the person began, and what memory they call for. */
async function* tellMentioned(
  typed: string,
  written: string,
  { intake, skills, cancel }: Pick<Typed, "intake" | "skills" | "cancel">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const { clock, ids } = intake;
  const { rooms } = skills;
  if (rooms === undefined || !`${typed}${written}`.includes("@")) return null;
  const { mentionedFiles } = await import("./mentioned.ts");
  const { signal } = cancel;
  const found = await mentionedFiles({ typed, written }, { ...rooms, signal, ids, clock, onMention: skills.onMention });
  if (found.length === 0) return null;
  const own = () => ({ uuid: ids.uuid(), timestamp: clock.timestamp() });
  const called = rooms.news().map((attachment): Message => ({ type: "attachment", ...own(), attachment }));
  return yield* put([...found, ...called], intake);
}

/** Yields what was recorded; the Terminal where a hook blocked it, or it could not be made. */
async function* expandTyped(
  { skill, name, argument }: TypedSkill,
  { intake, skills, prompt, judged, cancel, choice }: Typed,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const { conversation, hooks, clock } = intake;
  const records: Message[] = [];
  if (hooks.has("UserPromptExpansion")) {
    const about = { expansion_type: "slash_command", command_name: name, command_args: argument };
    const event = { hook_event_name: "UserPromptExpansion" as const, ...about, command_source: skill.source };
    const asked = hooks.run({ ...event, prompt: blockText(prompt) }, cancel.signal);
    const answer = yield* shownWhileItLasts(asked, "UserPromptExpansion", clock, cancel);
    // Those that were ended have not let it pass.
    if (cancel.signal.aborted) return null;
    const why = answer.blocking[0] ?? answer.preventContinuation;
    if (why !== undefined)
      return yield* takenOut(intake, judged.said, answer.notices, `A hook blocked /${name}: ${why}`);
    records.push(...answer.notices);
    for (const text of answer.additionalContext) records.push(contextMessage("UserPromptExpansion", text, intake));
  }
  judged.judgedBy("UserPromptExpansion");
  if (skill.fork !== undefined && skills.rooms !== undefined) {
    const forked = { skill, argument, toolUseId: judged.uuid, signal: cancel.signal };
    const { fork } = skills.rooms;
    const { followed } = await import("./typed-fork.ts");
    const result = yield* followed(name, (show) => fork({ ...forked, show }), clock, cancel);
    const text = `The user began /${name}, which an agent does. What it answered, for you to report:\n${blockText(result.content, "\n")}`;
    return yield* put([commandMessage(text, intake), ...records], intake);
  }
  const expansion = await skills.expand(skill, argument, cancel.signal, "user");
  // The interrupt is why, and the turn ends by it.
  if (!expansion.ok && cancel.signal.aborted) return yield* put(records, intake);
  if (!expansion.ok) {
    const back = takenBack(intake, judged.said, "command_failed", `/${name}: ${expansion.why}`);
    const failed = yield* recordAll(conversation, [...records, ...back]);
    return { reason: "model_error", error: failed ?? invalid(`/${name} was not begun: ${expansion.why}`) };
  }
  choice.take(expansion.skill);
  const failed = yield* put([commandMessage(expansion.text, intake), ...records], intake);
  return failed ?? (yield* tellMentioned(argument, expansion.written, { intake, skills, cancel }));
}
