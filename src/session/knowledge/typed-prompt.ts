/** A prompt that starts a skill, a user's own command or a server's prompt: its expansion follows, recorded as the session's text. */
import { isObject } from "../../lib/json.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { QueryEvent } from "../../protocol/event.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { Terminal } from "../../protocol/stop.ts";
import type { ToolResult } from "../../protocol/tool.ts";
import type { Skill } from "../../knowledge/skill.ts";
import type { Cancel } from "../../loop/cancel.ts";
import { isCondition, tooLongReason, type Goals } from "../goal/goals.ts";
import { anyCommandInPrompt } from "../intake/read-command.ts";
import { showWhileWaiting, removeBlockedPrompt, type Intake } from "../intake/intake.ts";
import type { JudgedPrompt } from "../intake/judged-prompt.ts";
import { recordAll, terminalOf } from "../intake/record-all.ts";
import type { InputQueue } from "../intake/queue.ts";
import type { McpDesk } from "../mcp/desk.ts";
import { commandMessage, contextMessage, removalRecords } from "../store/own-records.ts";
import { attachmentRecord } from "../../protocol/new-record.ts";
import { invalidRequest } from "../intake/prompt.ts";
import { goalPromptText, builtInPromptText } from "./built-in-prompts.ts";
import type { MentionedFile, MentioningText, MentionWorld } from "./mentioned-files.ts";
import { referenceRecord, type ReferenceWorld } from "./server-references.ts";
import type { SkillDesk } from "./skill-desk.ts";
import type { TurnChoice } from "./turn-choice.ts";

/** Separates the blocks, so that the last word of one and the first of the next stay apart. */
function promptText(prompt: readonly ContentBlock[]): string {
  return blockText(prompt, "\n");
}

interface TypedSkill {
  skill: Skill;
  /** The name as typed. */
  name: string;
  argument: string;
  /** Texts that came with it. */
  otherText: string;
}

function typedSkill(prompt: readonly ContentBlock[], skills: SkillDesk): TypedSkill | undefined {
  const command = anyCommandInPrompt(prompt);
  const skill = command === undefined ? undefined : skills.findForUser(command.name);
  if (command === undefined || skill === undefined) return undefined;
  const own = prompt.findLast(({ type }) => type === "text");
  return { skill, ...command, otherText: promptText(prompt.filter((block) => block !== own)) };
}

const serverPromptPattern = /^\s*[/／]mcp__/u;

/** Whether the prompt starts a skill or a server's prompt. Which prompts servers have is known only once they are connected. */
export function startsSkillOrServerPrompt(
  prompt: readonly ContentBlock[],
  skills: SkillDesk,
  servers: McpDesk | undefined,
): boolean {
  return (
    typedSkill(prompt, skills) !== undefined || (servers !== undefined && serverPromptPattern.test(promptText(prompt)))
  );
}

/** Whether the prompt starts one of pawl's own, or sets a goal. */
export function startsBuiltInPrompt(prompt: readonly ContentBlock[]): boolean {
  return builtInPromptIn(prompt) !== undefined;
}

/** The expansion for the model; `condition`: of the goal that it sets. */
function builtInPromptIn(prompt: readonly ContentBlock[]): { text: string; condition?: string } | undefined {
  const { name = "", argument = "" } = anyCommandInPrompt(prompt) ?? {};
  if (name === "goal")
    return isCondition(argument) ? { text: goalPromptText(argument), condition: argument } : undefined;
  const text = builtInPromptText(name, argument);
  return text === undefined ? undefined : { text };
}

interface PromptExpansion {
  intake: Intake;
  skills: SkillDesk;
  servers: Pick<McpDesk, "promptIn" | "fetchTypedReferences" | "isResourceReference"> | undefined;
  prompt: ContentBlock[];
  judged: JudgedPrompt;
  cancel: Cancel;
  choice: TurnChoice;
  goals: Pick<Goals, "refusal" | "set">;
  fitMedia: ReferenceWorld["fitMedia"];
}

/** At the start of a user turn: permissions granted for the last one end. `isTyped`: the prompt may start something. */
export async function* expandPrompt(
  prompt: ContentBlock[],
  isTyped: boolean,
  context: Omit<PromptExpansion, "prompt">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  context.skills.beginTurn();
  if (!isTyped) return null;
  const all = { ...context, prompt };
  const typed = typedSkill(prompt, context.skills);
  const ended = yield* typed === undefined ? expandOther(all) : expandTyped(typed, all);
  return ended ?? (yield* notifyServers(all));
}

/** Expands a prompt that starts no skill. */
async function* expandOther(typed: PromptExpansion): AsyncGenerator<QueryEvent, Terminal | null> {
  const { prompt, servers, judged } = typed;
  const serverPrompt = servers?.promptIn(promptText(prompt));
  if (serverPrompt !== undefined) {
    const expansion = { type: "mcp_prompt" as const, source: "mcp", ...serverPrompt };
    const answer = yield* runExpansionHooks(expansion, typed);
    const ended = answer.ended ?? (yield* recordForPrompt(answer.records, typed));
    if (ended !== null || judged.waitsFor("UserPromptExpansion")) return ended;
  }
  judged.markJudged("UserPromptExpansion");
  const failed = yield* expandBuiltIn(prompt, typed);
  return failed ?? (yield* recordMentionedFiles(promptText(prompt), "", typed));
}

/** Runs once hooks have let the prompt in: until then no server may hear of it. */
async function* notifyServers({
  intake,
  servers,
  prompt,
  judged,
  cancel,
  fitMedia,
}: PromptExpansion): AsyncGenerator<QueryEvent, Terminal | null> {
  if (servers === undefined || cancel.signal.aborted) return null;
  const contents = await servers.fetchTypedReferences(promptText(prompt), cancel.signal);
  const records = await Promise.all(contents.map((content) => referenceRecord(content, { intake, fitMedia })));
  return yield* recordForPrompt(records, { intake, judged });
}

/** Records what was said about the prompt; returns a Terminal if it could not be recorded. */
async function* recordForPrompt(
  records: readonly Message[],
  { intake, judged }: Pick<PromptExpansion, "intake" | "judged">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  judged.recordUuids.push(...records.filter(({ type }) => type !== "notice").map(({ uuid }) => uuid));
  return terminalOf(yield* recordAll(intake.conversation, records));
}

/** One of pawl's own prompts, if the user's words name one. */
async function* expandBuiltIn(
  prompt: readonly ContentBlock[],
  typed: Pick<PromptExpansion, "intake" | "judged" | "goals">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const own = builtInPromptIn(prompt);
  if (own === undefined) return null;
  const { text, condition } = own;
  const { goals } = typed;
  const why = condition === undefined ? undefined : (tooLongReason(condition) ?? goals.refusal());
  if (why !== undefined) return yield* rejectCommand("goal", why, [], typed);
  const ended = yield* recordForPrompt([commandMessage(text, typed.intake)], typed);
  // It is recorded before it takes effect.
  return ended ?? (condition === undefined ? null : terminalOf(goals.set(condition)));
}

type MentionContext = Pick<Intake, "clock" | "ids"> & { skills: SkillDesk } & Pick<MentionWorld, "isResource">;

/** The named files, in the order of the text. */
async function readMentionsIfAny(
  text: MentioningText,
  { skills, clock, ids, isResource }: MentionContext,
  signal: AbortSignal,
  onRead?: (toolUseId: string) => void,
): Promise<MentionedFile[]> {
  const { rooms } = skills;
  if (rooms === undefined || !/[@＠]/u.test(text.typed + text.fileText)) return [];
  const { readMentionedFiles } = await import("./mentioned-files.ts");
  const { onMention } = skills;
  return await readMentionedFiles(text, { ...rooms, signal, ids, clock, onMention, onRead, isResource });
}

/** Files named by prompts that are to join a running turn. If they are read but do not join, they count as never shown. */
export function createMentionReader(context: MentionContext): NonNullable<InputQueue["files"]> {
  return async (prompt, signal) => {
    const reads: string[] = [];
    const leave = (): void => reads.forEach((id) => context.skills.rooms?.markNotShown(id));
    try {
      const text = { typed: promptText(prompt), fileText: "" };
      const messages = await readMentionsIfAny(text, context, signal, (id) => reads.push(id));
      // Nobody waits for them any more.
      if (signal.aborted) leave();
      return { messages, leave };
    } catch (error) {
      leave();
      throw error;
    }
  };
}

/** Files named by a person, or by a skill that the person started, and the memory they bring in. */
async function* recordMentionedFiles(
  typed: string,
  fileText: string,
  {
    intake,
    skills,
    servers,
    judged,
    cancel,
  }: Pick<PromptExpansion, "intake" | "skills" | "servers" | "judged" | "cancel">,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const isResource = (word: string): boolean => servers?.isResourceReference(word) === true;
  const found = await readMentionsIfAny({ typed, fileText }, { ...intake, skills, isResource }, cancel.signal);
  if (found.length === 0) return null;
  // The memory they bring in is sent once, whatever becomes of the prompt.
  judged.recordUuids.push(...found.map(({ uuid }) => uuid));
  return terminalOf(
    yield* recordAll(intake.conversation, [
      ...found,
      ...(skills.rooms?.news() ?? []).map((each) => attachmentRecord(each, intake)),
    ]),
  );
}

interface ExpandedCommand {
  type: "slash_command" | "mcp_prompt";
  name: string;
  argument: string;
  source: string;
}

/** What hooks say about the expansion, to record with it; `ended` if one blocked it. Hooks that were cut off have not let it pass. */
async function* runExpansionHooks(
  { type, name, argument, source }: ExpandedCommand,
  { intake, prompt, judged, cancel }: PromptExpansion,
): AsyncGenerator<QueryEvent, { ended: Terminal | null; records: Message[] }> {
  const { hooks, clock } = intake;
  const event = "UserPromptExpansion";
  const records: Message[] = [];
  if (hooks.has(event)) {
    const about = { expansion_type: type, command_name: name, command_args: argument, command_source: source };
    const hookAnswer = hooks.run({ hook_event_name: event, ...about, prompt: promptText(prompt) }, cancel.signal);
    const answer = yield* showWhileWaiting(hookAnswer, event, clock, cancel);
    if (cancel.signal.aborted) return { ended: null, records };
    const why = answer.blocking[0] ?? answer.preventContinuation;
    if (why !== undefined) {
      const ended = yield* removeBlockedPrompt(
        intake,
        judged.recordUuids,
        answer.notices,
        `A hook blocked /${name}: ${why}`,
      );
      return { ended, records };
    }
    records.push(...answer.notices);
    for (const text of answer.additionalContext) records.push(contextMessage(event, text, intake));
  }
  judged.markJudged(event);
  return { ended: null, records };
}

/** Yields what was recorded; returns a Terminal if a hook blocked it, or it could not be expanded. */
async function* expandTyped(
  { skill, name, argument, otherText }: TypedSkill,
  typed: PromptExpansion,
): AsyncGenerator<QueryEvent, Terminal | null> {
  const { intake, skills, judged, cancel, choice } = typed;
  const { clock } = intake;
  const expansionInput = { type: "slash_command" as const, name, argument, source: skill.source };
  const { ended, records } = yield* runExpansionHooks(expansionInput, typed);
  if (ended !== null || judged.waitsFor("UserPromptExpansion")) return ended;
  if (skill.fork !== undefined && skills.rooms !== undefined) {
    const skillStart = { skill, argument, otherText, isTyped: true as const };
    const forked = { ...skillStart, toolUseId: judged.uuid, signal: cancel.signal };
    const { fork } = skills.rooms;
    const { followFork } = await import("./typed-fork.ts");
    const result = yield* followFork(name, (show) => fork({ ...forked, show }), clock, cancel);
    return yield* recordForPrompt([commandMessage(forkedText(name, result), intake), ...records], typed);
  }
  const expansion = await skills.expand(skill, argument, cancel.signal, "user");
  // The interrupt is the reason, and ends the turn.
  if (!expansion.ok && cancel.signal.aborted) return yield* recordForPrompt(records, typed);
  if (!expansion.ok) {
    const notices = records.filter(({ type }) => type === "notice");
    return yield* rejectCommand(name, expansion.why, notices, typed);
  }
  choice.applySkill(expansion.skill);
  const failed = yield* recordForPrompt([commandMessage(expansion.text, intake), ...records], typed);
  return failed ?? (yield* recordMentionedFiles(`${otherText}\n${argument}`, expansion.fileText, typed));
}

/** Removes its prompt from the conversation. */
async function* rejectCommand(
  name: string,
  why: string,
  notices: readonly Message[],
  { intake, judged }: Pick<PromptExpansion, "intake" | "judged">,
): AsyncGenerator<QueryEvent, Terminal> {
  const back = removalRecords(intake, judged.recordUuids, "command_failed", `/${name}: ${why}`);
  const failed = yield* recordAll(intake.conversation, [...notices, ...back]);
  return { reason: "model_error", error: failed ?? invalidRequest(`/${name} was not started: ${why}`) };
}

function forkedText(name: string, { content, output }: ToolResult): string {
  const resultText = blockText(content, "\n");
  const introduction = `The user started /${name}, which an agent carries out.`;
  if (isObject(output) && output["status"] === "async_launched")
    return `${introduction} ${resultText} Then report what it answered.`;
  return `${introduction} What it answered, for you to report:\n${resultText}`;
}
