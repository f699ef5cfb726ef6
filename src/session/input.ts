/** Input and news that arrive while the loop is busy, and which of the input is a command for the session itself. */
import type { Attachment, ContentBlock } from "../protocol/message.ts";
import { agentsBegun } from "./agents/kept-facts.ts";
import { createCommandReader } from "./commands/run-command.ts";
import { createDayNews } from "./context/new-day.ts";
import type { Joined } from "./joined.ts";
import { ownPrompt } from "./knowledge/own-prompts.ts";
import { beginsMore, beginsOwn } from "./knowledge/typed.ts";
import { InputQueue } from "./intake/queue.ts";
import { createDiskNews } from "./tools/disk-news.ts";
import { createEndedTasks } from "./tools/ended-tasks.ts";
import { folderAfterGap, folderNews } from "./tools/left-folder.ts";
import { processesLeft } from "./tools/left-processes.ts";

type InputRooms = Pick<
  Joined,
  | "options"
  | "around"
  | "occasions"
  | "memory"
  | "skills"
  | "agentNews"
  | "letters"
  | "mcp"
  | "store"
  | "plan"
  | "system"
  | "tools"
  | "conversation"
>;

export function createInput(rooms: InputRooms) {
  const { options, around, occasions, memory, skills, agentNews, letters, mcp, store, plan, system } = rooms;
  const { tools, conversation } = rooms;
  const isVerbatim = options.verbatimPrompts === true;
  const isPrompt = (name: string): boolean =>
    ownPrompt(name, "") !== undefined || (mcp.desk !== undefined && name.startsWith("mcp__"));
  const isTaken = (name: string): boolean => skills.findForUser(name) !== undefined;
  const isSkill = (name: string): boolean => isTaken(name) || isPrompt(name);
  const commandOf = isVerbatim ? () => undefined : createCommandReader(around.machine.paths, isSkill, isTaken);
  const begins = (prompt: ContentBlock[]): boolean => beginsOwn(prompt) || beginsMore(prompt, skills, mcp.desk);
  const { readState, background, cwd } = tools.shared;
  const began = { folder: cwd.get(), system, carriesOver: cwd.carriesOver };
  const moved = options.subagent === undefined ? folderNews(conversation.messages, began) : [];
  const left = options.subagent === undefined ? processesLeft(store, conversation.messages, around) : [];
  const day = createDayNews(conversation.messages, around);
  const ended = createEndedTasks(background, () => agentsBegun({ store, around }), conversation.messages);
  const takeActed = (): boolean => {
    const hasActed = tools.mayHaveActed;
    tools.mayHaveActed = false;
    return hasActed;
  };
  const outputs = () => new Set(background.list().map(({ outputPath }) => outputPath));
  const looked = { readState, clock: around.clock, takeActed, messages: conversation.messages };
  const outputFolders = [store.spillDirectory, ...store.spilledBefore];
  const changes = createDiskNews({ ...looked, growing: outputs, outputFolders });
  const fresh = (): Attachment[] => [
    ...ended(),
    ...left.splice(0),
    ...moved.splice(0),
    ...(conversation.takeGaps() ? folderAfterGap(conversation.messages, cwd) : []),
    ...day(),
    ...agentNews.splice(0),
    ...occasions.late(),
    ...skills.news(),
    ...memory.news(),
    ...(mcp.desk?.news() ?? []),
  ];
  let handed: Attachment[] = [];
  const news = (isInTurn: boolean): Attachment[] => {
    // News that could not be recorded, for example on a full disk, is offered again.
    handed = [...handed.filter((each) => !conversation.hasAttached(each)), ...fresh()];
    return [...(plan?.news(isInTurn) ?? []), ...handed, ...(letters?.take() ?? [])];
  };
  const queue = new InputQueue({
    newsOf: () => [...news(true), ...changes(true)],
    isRecorded: (uuid) => conversation.hasTaken(uuid),
    isCommand: (prompt) => commandOf(prompt) !== undefined || (!isVerbatim && begins(prompt)),
  });
  return { commandOf, newsSince: () => news(false), endedCommands: ended, changedFiles: () => changes(false), queue };
}
