/**
 * A model with a task: goals in steps, each pursued until its result is in the conversation. It knows nothing but what it
 * is sent, so that a session cut anywhere goes on where it was; and it believes what it is told of a call that was cut.
 */
import type { Reply, RequestView, Script, ToolResultView } from "../../../src/testing/index.ts";
import type { JsonObject } from "../../../src/testing/wire/types.ts";

export type Goal =
  /** One line in `effects.log`, once. */
  | { do: "mark"; mark: string; extra?: string }
  | { do: "write"; file: string; text: string }
  | { do: "edit"; file: string; from: string; to: string }
  /** Without an effect: any result will do. */
  | { do: "look"; tool: string; input: JsonObject }
  /** The answer ends here, and the next prompt goes on; unless one says "go on": then it is ignored. */
  | { do: "pause"; text: string };

export type Task = readonly (readonly Goal[])[];

interface Call {
  tool: string;
  input: JsonObject;
}

export const neverRan =
  /has not run|had no effect|did not run|was not changed|could not be started|permission check failed|spawn [^ ]+ E[A-Z]+/;
export const outcomeUnknown = /outcome is unknown|may have had part/;

export function markCommand({ mark, extra = "" }: Extract<Goal, { do: "mark" }>): string {
  return `echo ${mark} >> effects.log${extra}`;
}

/** Absolute paths are the model's habit; `folder` is where the command works. */
export function taskScript(task: Task, folder: string): Script {
  return { fallback: (request) => answer(task, folder, request) };
}

const summaryRequest = /the conversation is about to be shortened/;

function answer(task: Task, folder: string, request: RequestView): Reply {
  const reached = goalsReached(request);
  const results = request.toolResults;
  const said = JSON.stringify(request.messages);
  const open = task.map((goals, step) =>
    goals.flatMap((goal, at) => {
      const id = `${step}.${at}`;
      const call = reached.has(id) ? null : nextCall(goal, folder, results, said);
      return call === null ? [] : [{ id, call }];
    }),
  );
  if (summaryRequest.test(request.lastUserText)) {
    const still = new Set(open.flat().map(({ id }) => id));
    const ids = task.flatMap((goals, step) => goals.map((_, at) => `${step}.${at}`)).filter((id) => !still.has(id));
    return { content: `What was done: REACHED=${ids.join(",")};` };
  }
  const step = open.findIndex((calls) => calls.length > 0);
  if (step < 0) return { content: "All of it is done." };
  const calls = (open[step] ?? []).map(({ call }) => call);
  const pause = calls.find((call) => typeof call === "string");
  if (pause !== undefined) return { content: pause };
  const thought = step % 2 === 0 ? [{ thinking: `Step ${step} is next. 🤔` }] : [];
  return { content: [...thought, `Step ${step}: ünïcödé 😀.`, ...calls] };
}

/** Goals a summary calls reached: their results are no longer in the conversation. */
function goalsReached(request: RequestView): Set<string> {
  const text = JSON.stringify(request.messages);
  const found = new Set<string>();
  for (const [, ids = ""] of text.matchAll(/REACHED=([\d.,]*);/g)) for (const id of ids.split(",")) found.add(id);
  return found;
}

/** The call that brings the goal on; null: it is reached. */
function nextCall(
  goal: Goal,
  folder: string,
  results: readonly ToolResultView[],
  lastText: string,
): Call | string | null {
  switch (goal.do) {
    case "pause":
      return lastText.includes(goal.text) || lastText.includes("go on") ? null : goal.text;
    case "look":
      return nextLookCall(goal, results);
    case "mark":
      return nextMarkCall(goal, results);
    case "write":
    case "edit":
      return nextFileCall(goal, folder, results);
    default:
      return goal satisfies never;
  }
}

function nextLookCall({ tool, input }: Extract<Goal, { do: "look" }>, results: readonly ToolResultView[]): Call | null {
  const wanted = JSON.stringify(input);
  const last = results.findLast((result) => result.tool === tool && JSON.stringify(result.input) === wanted);
  const isOver = last !== undefined && !(last.isError && (neverRan.test(last.text) || outcomeUnknown.test(last.text)));
  return isOver ? null : { tool, input };
}

/** A mark whose outcome is unknown is left alone: that it is there at most once is what is being proved. */
function nextMarkCall(goal: Extract<Goal, { do: "mark" }>, results: readonly ToolResultView[]): Call | null {
  const command = markCommand(goal);
  const last = results.findLast(({ tool, input }) => tool === "Bash" && commandOf(input) === command);
  const isOver = last !== undefined && !(last.isError && neverRan.test(last.text));
  return isOver ? null : { tool: "Bash", input: { command, description: `Mark ${goal.mark}` } };
}

export function commandOf(input: unknown): string {
  return String((input as Record<string, unknown>)["command"]);
}

function nextFileCall(
  goal: Extract<Goal, { do: "write" | "edit" }>,
  folder: string,
  results: readonly ToolResultView[],
): Call | null {
  const path = `${folder}/${goal.file}`;
  const change: Call =
    goal.do === "write"
      ? { tool: "Write", input: { file_path: path, content: goal.text } }
      : { tool: "Edit", input: { file_path: path, old_string: goal.from, new_string: goal.to } };
  const wanted = JSON.stringify(change.input);
  const at = results.findLastIndex(({ tool, input }) => tool === change.tool && JSON.stringify(input) === wanted);
  const tried = results[at];
  if (tried === undefined) return change;
  if (!tried.isError) return null;
  if (neverRan.test(tried.text) && !/has not been read|has changed since/.test(tried.text)) return change;
  // How far it came is unknown, or it was refused: a look at the file tells.
  const look = results.findLastIndex(({ tool, input }) => tool === "Read" && pathOf(input) === path);
  const seen = results[look];
  if (look < at || seen === undefined || (seen.isError && neverRan.test(seen.text)))
    return { tool: "Read", input: { file_path: path } };
  const isThere = goal.do === "write" ? seen.text.includes(firstLine(goal.text)) : seen.text.includes(goal.to);
  return isThere && !seen.isError ? null : change;
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}

function pathOf(input: unknown): unknown {
  return (input as Record<string, unknown>)["file_path"];
}
