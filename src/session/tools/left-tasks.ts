/** Of a session that goes on: what it had in the background when it was left, and was not told the end of. */
import { isRecord } from "../../lib/is-record.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { Attachment, Message } from "../../protocol/message.ts";

interface Left {
  what: "command" | "agent";
  toolUseId?: string;
  summary: string;
}

const longestSummary = 200;

/** One piece of news each: to the conversation they still run. */
export function tasksLeft(messages: readonly Message[]): Attachment[] {
  const inputs = new Map<string, Record<string, unknown>>();
  const left = new Map<string, Left>();
  for (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content) if (block.type === "tool_use") inputs.set(block.id, block.input);
    } else if (message.type === "user") {
      const [result] = message.content;
      const toolUseId = result?.type === "tool_result" ? result.tool_use_id : undefined;
      takeOutput(left, message.toolUseResult, toolUseId, inputs.get(toolUseId ?? ""));
    } else if (message.type === "attachment" && message.attachment.kind === "reminder") {
      const { name, text, task } = message.attachment;
      if (task !== undefined) left.delete(task.taskId);
      if (name === "background") takeReattached(left, text);
    }
  }
  return Array.from(left, ([id, each]) => newsOf(id, each));
}

function takeOutput(
  left: Map<string, Left>,
  output: unknown,
  toolUseId: string | undefined,
  input: Record<string, unknown> | undefined,
): void {
  if (!isRecord(output)) return;
  const of = toolUseId === undefined ? {} : { toolUseId };
  const { backgroundTaskId, status, agentId, task_id: stopped } = output;
  if (typeof backgroundTaskId === "string") {
    const summary = oneLine(String(input?.["description"] ?? input?.["command"]), longestSummary);
    left.set(backgroundTaskId, { what: "command", ...of, summary });
  } else if (status === "async_launched" && typeof agentId === "string" && output["name"] === undefined) {
    // Teammates have a name, and tell of themselves.
    const summary = oneLine(String(output["description"]), longestSummary);
    left.set(agentId, { what: "agent", ...of, summary });
  } else if (typeof stopped === "string") left.delete(stopped);
}

/** A compaction keeps of them what it lists, `- id: command; …` a line. */
function takeReattached(left: Map<string, Left>, text: string): void {
  for (const [, id = "", command = ""] of text.matchAll(/^- (\w+): (.*); /gmu))
    left.set(id, { what: "command", summary: oneLine(command, longestSummary) });
}

function newsOf(taskId: string, { what, toolUseId, summary }: Left): Attachment {
  const begun = `The background ${what} ${taskId} (${summary}) was begun by an earlier run of the program`;
  const text =
    what === "agent"
      ? `${begun} and ended with it: you will hear no more of it. Agent with resume has it go on, or say what it found.`
      : `${begun} and ended with it, unless that run was killed or still goes on: TaskStop does not reach it. See whether it is there before you rely on it or start it again.`;
  const of = toolUseId === undefined ? {} : { toolUseId };
  const task = { taskId, ...of, status: "stopped" as const, exitCode: null, outputFile: null, summary };
  return { kind: "reminder", name: "task_ended", text, task };
}
