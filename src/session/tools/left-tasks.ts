/** Of a session that goes on: what it was doing beside its turns when it was left, and was not told the end of. */
import { isRecord } from "../../lib/is-record.ts";
import { oneLine } from "../../lib/sanitize.ts";
import type { Attachment, Message, ToolResultBlock, ToolUseBlock } from "../../protocol/message.ts";
import { reminderIn } from "../../protocol/reminders.ts";
import { isRepair } from "../../transcript/index.ts";

interface Left {
  what: "background command" | "background agent" | "agent";
  toolUseId?: string;
  summary: string;
}

const longestSummary = 200;
const agentTools: ReadonlySet<string> = new Set(["Agent", "Task"]);

/** Ids of agents by the call that began each. Asked where such a call was cut off. */
export type AgentsBegun = () => ReadonlyMap<string, string>;

/** One piece of news each: to the conversation they still run, or nobody knows what became of them. */
export function tasksLeft(messages: readonly Message[], agentsBegun: AgentsBegun): Attachment[] {
  const calls = new Map<string, ToolUseBlock>();
  const left = new Map<string, Left>();
  let begun: ReadonlyMap<string, string> | undefined;
  for (const message of messages) {
    if (message.type === "assistant") {
      for (const block of message.content) if (block.type === "tool_use") calls.set(block.id, block);
    } else if (message.type === "user") {
      const results = message.content.filter((block): block is ToolResultBlock => block.type === "tool_result");
      takeOutput(left, message.toolUseResult, calls.get(results[0]?.tool_use_id ?? ""));
      for (const result of results) {
        const call = calls.get(result.tool_use_id);
        if (call === undefined || !agentTools.has(call.name) || !isRepair(result)) continue;
        takeCutOff(left, call, (begun ??= agentsBegun()));
      }
    } else {
      const { name, text = "", task } = reminderIn(message) ?? {};
      if (task !== undefined) left.delete(task.taskId);
      if (name === "background") takeListed(left, "background command", text.matchAll(/^- (\w+): (.*); /gmu));
      if (name === "agents") takeListed(left, "background agent", text.matchAll(/^- (\w+): .*?: (.*)$/gmu));
    }
  }
  return Array.from(left, ([id, each]) => newsOf(id, each));
}

function takeOutput(left: Map<string, Left>, output: unknown, call: ToolUseBlock | undefined): void {
  if (!isRecord(output)) return;
  const of = call === undefined ? {} : { toolUseId: call.id };
  const { backgroundTaskId, status, agentId, task_id: stopped } = output;
  if (typeof backgroundTaskId === "string") {
    const { description, command } = call?.input ?? {};
    left.set(backgroundTaskId, { what: "background command", ...of, summary: summaryOf(description ?? command) });
  } else if (status === "async_launched" && typeof agentId === "string" && output["name"] === undefined) {
    // Teammates have a name, and tell of themselves.
    left.set(agentId, { what: "background agent", ...of, summary: summaryOf(output["description"]) });
  } else if (typeof stopped === "string") left.delete(stopped);
}

function takeCutOff(left: Map<string, Left>, { id, input }: ToolUseBlock, begun: ReadonlyMap<string, string>): void {
  const agentId = typeof input["resume"] === "string" ? input["resume"] : begun.get(id);
  // One without a conversation had not begun.
  if (agentId === undefined) return;
  left.set(agentId, { what: "agent", toolUseId: id, summary: summaryOf(input["description"]) });
}

/** A compaction keeps of them what it lists: `- id: command; …` a line, or `- id: type: description`. */
function takeListed(left: Map<string, Left>, what: Left["what"], lines: Iterable<RegExpExecArray>): void {
  for (const [, id = "", said] of lines) left.set(id, { what, summary: summaryOf(said) });
}

function summaryOf(text: unknown): string {
  return oneLine(typeof text === "string" ? text : "", longestSummary);
}

function newsOf(taskId: string, { what, toolUseId, summary }: Left): Attachment {
  const begun = `The ${what} ${taskId} (${summary}) was begun by an earlier run of the program`;
  const text =
    what === "background command"
      ? `${begun} and ended with it, unless that run was killed or still goes on: TaskStop does not reach it. See whether it is there before you rely on it or start it again.`
      : `${begun} and ended with it: you will hear no more of it. Agent with resume has it go on, or say what it found.`;
  const of = toolUseId === undefined ? {} : { toolUseId };
  const task = { taskId, ...of, status: "stopped" as const, exitCode: null, outputFile: null, summary };
  return { kind: "reminder", name: "task_ended", text, task };
}
