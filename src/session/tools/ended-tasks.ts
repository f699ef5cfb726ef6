/** Background commands that have ended: news for the model and for clients, reported once, at the next border. */
import { oneLine } from "../../lib/sanitize.ts";
import type { Attachment, EndedTask, Message } from "../../protocol/message.ts";
import type { BackgroundTask, BackgroundTasks } from "../../tools/shell/background.ts";
import { leftTaskReminders, type StartedAgents } from "./left-tasks.ts";

/** More than this only accumulate if nobody prompts for long; then the last ones are reported. */
const maxWaiting = 50;

/** In a resumed session, the tasks that were open at its end come first. */
export function createEndedTasks(
  background: Pick<BackgroundTasks, "onSettled">,
  startedAgents: StartedAgents = () => new Map(),
  messages: readonly Message[] = [],
): () => Attachment[] {
  const first = leftTaskReminders(messages, startedAgents);
  const waiting: BackgroundTask[] = [];
  background.onSettled((task) => {
    waiting.push(task);
    if (waiting.length > maxWaiting) waiting.shift();
  });
  return () => [...first.splice(0), ...waiting.splice(0).map(taskReminder)];
}

function taskReminder(task: BackgroundTask): Attachment {
  return { kind: "reminder", name: "task_ended", text: endedTaskText(task), task: endedTask(task) };
}

function endedTaskText({ id, command, status, exitCode, outputPath, overrun }: BackgroundTask): string {
  const why = overrun === undefined ? "" : `: ${overrun}`;
  const end = status === "killed" ? `was stopped${why}` : `has ended with exit code ${exitCode ?? "unknown"}`;
  const where = outputPath === null ? "Its output was not kept." : `Its output is in ${outputPath}`;
  return `The background command ${id} (${oneLine(command, 200)}) ${end}. ${where}`;
}

export function endedTask({
  id,
  toolUseId,
  command,
  description,
  status,
  exitCode,
  outputPath,
  overrun,
}: BackgroundTask): EndedTask {
  return {
    taskId: id,
    ...(toolUseId === undefined ? {} : { toolUseId }),
    status: status === "killed" && overrun === undefined ? "stopped" : status === "completed" ? "completed" : "failed",
    exitCode,
    outputFile: outputPath,
    // Readers of the summary have no exit code.
    summary: [description ?? oneLine(command, 200), ...(overrun === undefined ? [] : [overrun])].join(": "),
  };
}
