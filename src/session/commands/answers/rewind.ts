/** Answers /rewind: lists the messages to go back to, and puts files back. */
import { sep } from "node:path";
import { quoteName } from "../../../lib/quote-name.ts";
import { oneLine } from "../../../lib/sanitize.ts";
import { blockText } from "../../../protocol/block-text.ts";
import type { Message } from "../../../protocol/message.ts";
import type { RewindFilesResult } from "../../files/rewind-types.ts";
import { isSessionId } from "../../../transcript/paths.ts";
import { refusal, type CommandAnswer, type CommandDesk } from "../command.ts";

export interface Checkpoint {
  /** Counted from 1, the oldest. Absent if the message is no longer in the conversation. */
  number?: number;
  uuid: string;
  text: string;
}

/** Used by the command-line flag: what it then tells the user to do next is another flag. */
const dryRunFlag = "--dry-run";

const maxListedCheckpoints = 10;
const maxListedFiles = 20;

export async function answerRewind(argument: string, desk: CommandDesk): Promise<CommandAnswer> {
  const session = desk.session();
  const checkpoints = checkpointsOf(session.joined.conversation.messages);
  const [which = "", confirm = "", ...more] = argument.split(/\s+/u);
  if (which === "") return checkpointsAnswer(checkpoints);
  const checkpoint =
    checkpoints.find(({ number, uuid }) => String(number) === which || uuid === which) ?? checkpointByUuid(which);
  if (checkpoint === undefined)
    return refusal(`There is no message ${oneLine(which, 60)} here; /rewind lists those there are.`);
  if (more.length > 0 || !["", "confirm", dryRunFlag].includes(confirm))
    return refusal(
      `After the message /rewind takes the word confirm (and on a terminal conversation, or both), not "${oneLine(argument, 60)}".`,
    );
  const dryRun = confirm !== "confirm";
  const result = await session.rewindFiles(checkpoint.uuid, { dryRun });
  if (!result.canRewind) return refusal(result.error ?? "Nothing can be put back.");
  const next = confirm === dryRunFlag ? "Without --dry-run it is done." : undefined;
  return {
    text: rewindResultText(checkpoint, result, dryRun, next),
    data: { ...result, message: checkpoint.uuid, dryRun },
  };
}

/** A message that a compaction removed from the conversation: the transcript may still have it, or reports that it does not. */
function checkpointByUuid(which: string): Checkpoint | undefined {
  return isSessionId(which) ? { uuid: which, text: "" } : undefined;
}

/** The user's messages, as far as the conversation still holds them. */
export function checkpointsOf(messages: readonly Message[]): Checkpoint[] {
  const prompts = messages.filter((message) => message.type === "user" && message.origin === "human");
  return prompts.map((message, at) => ({
    number: at + 1,
    uuid: message.uuid,
    text: message.type === "user" ? blockText(message.content, "\n") : "",
  }));
}

/** The latest messages with their numbers, and how many earlier ones there are. */
export function checkpointLines(checkpoints: readonly Checkpoint[]): string[] {
  const shown = checkpoints.slice(-maxListedCheckpoints);
  const width = String(checkpoints.length).length;
  const lines = shown.map(({ number = 0, text }) => `  ${String(number).padStart(width)}  ${oneLine(text, 70)}`);
  const earlier = checkpoints.length - shown.length;
  return earlier === 0 ? lines : [`  (and ${earlier} earlier)`, ...lines];
}

function checkpointsAnswer(checkpoints: readonly Checkpoint[]): CommandAnswer {
  if (checkpoints.length === 0) return { text: "Nothing was said yet: there is nothing to go back to.", data: [] };
  return {
    text: [
      "Files can be put back to what they were before one of these messages:",
      ...checkpointLines(checkpoints),
      "/rewind <number> says what would change; /rewind <number> confirm does it. The conversation stays as it is.",
      "On a terminal, /rewind <number> conversation takes back the conversation instead, and /rewind <number> both does both.",
    ].join("\n"),
    data: checkpoints.map(({ number, uuid, text }) => ({ number, uuid, text: oneLine(text, 200) })),
  };
}

/** For people. @param next how to do what is shown, if it was not requested by a slash command */
export function rewindResultText(
  { number, uuid, text }: Checkpoint,
  result: RewindFilesResult,
  dryRun: boolean,
  next?: string,
): string {
  const { filesChanged = [], foldersChanged = [], insertions = 0, deletions = 0, error } = result;
  const which = number ?? uuid;
  const before = number === undefined ? "before that message" : `before message ${number} (${oneLine(text, 50)})`;
  const more = [...(error === undefined ? [] : [error]), ...foreignChangesText(result, dryRun)];
  if (filesChanged.length + foldersChanged.length === 0)
    return [`No file differs from what it was ${before}.`, ...more].join("\n");
  const head = dryRun
    ? `These files would be put back to what they were ${before}`
    : `Put back to what they were ${before}`;
  const folders = foldersChanged.map((path) => (path.endsWith(sep) ? path : `${path}${sep}`));
  return [
    `${head}, +${insertions} −${deletions} lines:`,
    ...pathLines([...filesChanged, ...folders]),
    ...more,
    ...(dryRun ? [next ?? `/rewind ${which} confirm does it.`] : []),
  ].join("\n");
}

/** What happens to files that somebody else has changed. */
function foreignChangesText(
  { foreign = [], contested = [], asideFolder }: RewindFilesResult,
  dryRun: boolean,
): string[] {
  const aside = asideFolder === undefined ? "a folder beside the session's record" : quoteName(asideFolder);
  const kept = dryRun ? `what they hold now would be kept in ${aside}` : `what they held is in ${aside}`;
  return [
    ...(contested.length === 0
      ? []
      : [`Of these, somebody else has changed some since; ${kept}:`, ...pathLines(contested)]),
    ...(foreign.length === 0
      ? []
      : ["Left as they are, because only somebody else has changed them:", ...pathLines(foreign)]),
  ];
}

function pathLines(paths: readonly string[]): string[] {
  const names = paths.slice(0, maxListedFiles).map((path) => `  ${quoteName(path)}`);
  return paths.length > names.length ? [...names, `  and ${paths.length - names.length} more`] : names;
}
