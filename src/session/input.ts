/** Input and news that arrive while the loop is busy, and which of the input is a command for the session itself. */
import { actsAsSubagent } from "./options/acts-as-subagent.ts";
import type { Attachment, ContentBlock } from "../protocol/message.ts";
import { agentIdsByToolUse } from "./agents/agent-facts.ts";
import { createCommandReader } from "./commands/run-command.ts";
import { createDateReminders } from "./context/date-reminder.ts";
import type { InputRooms, Joined } from "./joined.ts";
import { builtInPromptText } from "./knowledge/built-in-prompts.ts";
import { startsSkillOrServerPrompt, startsBuiltInPrompt } from "./knowledge/typed-prompt.ts";
import { InputQueue } from "./intake/queue.ts";
import { createDiskNews } from "./tools/disk-news.ts";
import { createEndedTasks } from "./tools/ended-tasks.ts";
import { folderAfterGap, folderNews } from "./tools/left-folder.ts";
import { createLeftProcesses } from "./tools/left-processes.ts";

type RoomsWithNews = Pick<
  Joined,
  | "options"
  | "around"
  | "occasions"
  | "memory"
  | "skills"
  | "agentNews"
  | "mailbox"
  | "mcp"
  | "store"
  | "plan"
  | "openingTexts"
  | "tools"
  | "conversation"
>;

export function createInput(rooms: RoomsWithNews): InputRooms {
  const { options, around, occasions, memory, skills, agentNews, mailbox, mcp, store, plan, openingTexts } = rooms;
  const { tools, conversation } = rooms;
  const isVerbatim = options.verbatimPrompts === true;
  const isPrompt = (name: string): boolean =>
    builtInPromptText(name, "") !== undefined || (mcp.desk !== undefined && name.startsWith("mcp__"));
  const isSkillName = (name: string): boolean => skills.findForUser(name) !== undefined;
  const isSkillOrPrompt = (name: string): boolean => isSkillName(name) || isPrompt(name);
  const commandOf = isVerbatim
    ? () => undefined
    : createCommandReader(around.machine.paths, isSkillOrPrompt, isSkillName);
  const beginsCommand = (prompt: ContentBlock[]): boolean =>
    startsBuiltInPrompt(prompt) || startsSkillOrServerPrompt(prompt, skills, mcp.desk);
  const { readState, background, cwd } = tools.shared;
  const openingState = () => ({ folder: cwd.get(), system: openingTexts.system, carriesOver: cwd.carriesOver });
  const isToldAnew = conversation.messages.length === 0 || actsAsSubagent(options);
  const folderChanges = isToldAnew ? [] : folderNews(conversation.messages, openingState());
  const leftProcesses = actsAsSubagent(options) ? () => [] : createLeftProcesses(store, conversation.messages, around);
  const dayNews = createDateReminders(conversation.messages, around);
  const endedTasks = createEndedTasks(background, () => agentIdsByToolUse({ store, around }), conversation.messages);
  const takeActed = (): boolean => {
    const hasActed = tools.mayHaveActed;
    tools.mayHaveActed = false;
    return hasActed;
  };
  const outputPaths = () => new Set(background.list().map(({ outputPath }) => outputPath));
  const diskNewsOptions = { readState, clock: around.clock, takeActed, messages: conversation.messages };
  const outputFolders = [store.spillDirectory, ...store.spilledBefore];
  const changes = createDiskNews({ ...diskNewsOptions, growing: outputPaths, outputFolders });
  const collectNews = (): Attachment[] => [
    ...endedTasks(),
    ...leftProcesses(mailbox?.hasCutOff() === true),
    ...folderChanges.splice(0),
    ...(conversation.takeGaps() ? folderAfterGap(conversation.messages, cwd) : []),
    ...dayNews(),
    ...agentNews.splice(0),
    ...occasions.takeLateOutput(),
    ...skills.news(),
    ...memory.news(),
    ...(mcp.desk?.news() ?? []),
  ];
  let offeredNews: Attachment[] = [];
  const news = (isInTurn: boolean): Attachment[] => {
    // News that could not be recorded, for example on a full disk, is offered again.
    offeredNews = [...offeredNews.filter((each) => !conversation.hasAttached(each)), ...collectNews()];
    return [...(plan?.news(isInTurn) ?? []), ...offeredNews, ...(mailbox?.take() ?? [])];
  };
  const queue = new InputQueue({
    collectNews: () => [...news(true), ...changes(true)],
    isRecorded: (uuid) => conversation.hasTaken(uuid),
    isCommand: (prompt) => commandOf(prompt) !== undefined || (!isVerbatim && beginsCommand(prompt)),
  });
  return {
    commandOf,
    newsForPrompt: () => news(false),
    endedCommands: endedTasks,
    changedFiles: () => changes(false),
    queue,
  };
}
