/** Runs rich enough that every way of writing to disk occurs in one of them. */
import type { JsonObject } from "../../../src/testing/wire/types.ts";
import type { Goal, Task } from "./task.ts";
import { testSessionId, usualArguments, type Scenario } from "./world.ts";

const look = (tool: string, input: JsonObject): Goal => ({ do: "look", tool, input });
const mark = (name: string, extra = ""): Goal => ({ do: "mark", mark: name, extra });
const write = (file: string, text: string): Goal => ({ do: "write", file, text });
const edit = (file: string, from: string, to: string): Goal => ({ do: "edit", file, from, to });

const todos = (status: string): Goal =>
  look("TodoWrite", { todos: [{ content: "Work", status, activeForm: "Working" }] });

const tools: Task = [
  [look("Glob", { pattern: "*" }), mark("a1"), mark("a2"), todos("in_progress")],
  [write("one.txt", "first\nline one\n"), write("deep/er/two.txt", "second\nline two\n")],
  [edit("one.txt", "line one", "line 1"), mark("b1", "; seq 1 7500"), look("Grep", { pattern: "line" })],
  [edit("one.txt", "line 1", "line eins"), edit("deep/er/two.txt", "line two", "line zwei")],
  [mark("c1", "; exit 3"), look("Read", { file_path: "none.txt" }), look("Bash", { command: "pwd" })],
  [todos("completed"), mark("d1")],
];

const long = "wide ".repeat(700);
const compacting: Task = [
  [mark("a1"), look("Bash", { command: `echo ${long}` })],
  [write("one.txt", "first\nline one\n"), look("Bash", { command: `echo 2 ${long}` })],
  [mark("b1"), look("Bash", { command: `echo 3 ${long}` })],
  [edit("one.txt", "line one", "line 1"), look("Bash", { command: `echo 4 ${long}` })],
  [mark("c1")],
];

const lines = (...prompts: string[]): string =>
  prompts.map((content) => `${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`).join("");

const pause = (said: string): Goal => ({ do: "pause", text: said });
const first: Task = [[mark("a1")], [write("one.txt", "first\nline one\n"), edit("notes.txt", "a note", "a new note")]];
const second: Task = [
  ...first,
  [pause("The first part is done.")],
  [edit("one.txt", "line one", "line 1"), mark("b1")],
];
const flags = [...usualArguments, "--session-id", testSessionId];

export const toolRun: Scenario = {
  name: "tools",
  writes: ["tool_started", "file_change", "todos"],
  task: tools,
  args: [...flags, "--", "go"],
};

/** A shortening in the middle: what is resumed begins at a boundary. */
export const compactRun: Scenario = {
  name: "shortening",
  writes: ["compact_boundary"],
  task: compacting,
  args: [...flags, "--", "go"],
  options: { env: { CLAUDE_CODE_MAX_CONTEXT_TOKENS: "9000" } },
};

/** Several prompts in one process. */
export const promptsRun: Scenario = {
  name: "prompts",
  task: second,
  args: ["--input-format", "stream-json", ...flags],
  options: { input: lines("one", "two", "three") },
};

/** A session that was killed in the middle of a call, with a torn last line: the repair itself is cut. */
export const repairRun: Scenario = {
  name: "repair",
  task: second,
  prepare: async (world) => {
    const plan = { sockets: true, die: { at: deathInTools, how: { torn: -7 } } } as const;
    await world.startFaulty([...flags, "--", "go"], plan).ended;
  },
  args: [...usualArguments, "--resume", testSessionId, "--", "go on"],
};
const deathInTools = 22;

/** The copy of a session; the original must not feel it. */
export const forkRun: Scenario = {
  name: "fork",
  task: first,
  prepare: async (world) => {
    await world.run([...flags, "--", "go"]);
  },
  args: [...usualArguments, "--resume", testSessionId, "--fork-session", "--", "go on"],
};

export const killScenarios: readonly Scenario[] = [toolRun, compactRun, promptsRun, repairRun, forkRun];

/** Few writes of every kind, for faults that come in many kinds. */
export const shortRun: Scenario = { name: "short", task: first, args: [...flags, "--", "go"] };

/** Long enough in every phase to be caught in it: an answer that drips, commands that sleep and print. */
export const slowRun: Scenario = {
  name: "slow",
  task: [
    [mark("a1", "; sleep 0.3"), look("Bash", { command: "for i in 1 2 3; do echo $i; sleep 0.1; done" })],
    [write("one.txt", "first\nline one\n"), mark("a2", "; sleep 0.2 | sleep 0.3")],
    [edit("notes.txt", "a note", "a new note"), mark("a3", "; sleep 0.2")],
  ],
  pace: { deltaCharacters: 8, delayMs: 5 },
  args: [...flags, "--", "go"],
};

/** Goes on once a file called `released` lies beside its folder. */
export const heldRun: Scenario = {
  name: "held",
  task: [[mark("a1", "; until [ -e ../released ]; do sleep 0.05; done")]],
  args: [...flags, "--", "go"],
};
