// The tools of the task list in a session: what the model gets, what hooks hear, what is kept.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../../src/index.ts";
import type { Reply, Script } from "../../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../support.ts";
import { isAgent } from "../../support/is-agent.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

const on: EngineOptions = { env: { CLAUDE_CODE_ENABLE_TASKS: "1" } };
type Input = Record<string, string | string[] | Record<string, number>>;
type Call = { tool: string; input: Input };
const create = (subject: string, more = {}): Call => ({
  tool: "TaskCreate",
  input: { subject, description: "", ...more },
});
const update = (taskId: string, more: Input): Call => ({
  tool: "TaskUpdate",
  input: { taskId, ...more },
});

function playing(...steps: Call[][]): Script {
  const reply = ({ turns }: { turns: number }): Reply | string =>
    steps[turns] === undefined ? "Done." : { content: steps[turns] };
  return { rules: [{ when: {}, reply }] };
}

/** What the model was told of its calls. */
function results(engine: QueryEngine): { text: string; isError: boolean; output: unknown }[] {
  return engine.getMessages().flatMap((message) => {
    if (message.type !== "user") return [];
    return message.content.flatMap((block) =>
      block.type === "tool_result"
        ? [
            {
              text: typeof block.content === "string" ? block.content : "",
              isError: block.is_error === true,
              output: message.toolUseResult,
            },
          ]
        : [],
    );
  });
}

const listPath = (engine: QueryEngine): string => engine.getTranscriptPath()!.replace(/\.jsonl$/u, "/tasks.json");

test("creates, changes, shows and keeps a task list, and continues it when the session is resumed", async () => {
  const ground = layGround();
  const script = playing(
    [create("Write", { metadata: { size: 1 } }), create("Test", { activeForm: "Testing" })],
    [
      update("#2", { addBlockedBy: ["1"] }),
      update("2", { status: "in_progress" }),
      update("1", { status: "in_progress" }),
    ],
    [
      update("1", { status: "completed" }),
      { tool: "TaskList", input: {} },
      { tool: "TaskGet", input: { taskId: "2" } },
    ],
  );
  const { engine } = await openSession(script, on, ground);
  await turn(engine, "Go.");
  const told = results(engine);
  expect(told.map(({ text }) => text)).toEqual([
    "Task #1 is in the list: Write",
    "Task #2 is in the list: Test",
    "Task #2: blockedBy.",
    "Task #2 waits for #1: those have to be completed first.",
    "Task #1: in_progress (team-lead).",
    "Task #1: completed (team-lead).\nNothing holds these back any more: #2 Test",
    "#1 [completed] Write (team-lead)\n#2 [pending] Test",
    expect.stringContaining('"blockedBy": [\n  "1"\n ]'),
  ]);
  expect(told[0]?.output).toEqual({ task: { id: "1", subject: "Write" } });
  expect(told[3]?.output).toMatchObject({ success: false, taskId: "2", updatedFields: [] });
  expect(told[5]?.output).toMatchObject({ success: true, statusChange: { from: "in_progress", to: "completed" } });
  expect(told[6]?.output).toMatchObject({
    tasks: [
      { id: "1", blocks: ["2"] },
      { id: "2", blockedBy: ["1"] },
    ],
  });
  expect(JSON.parse(readFileSync(listPath(engine), "utf8"))).toMatchObject({ nextId: 3 });
  const resume = engine.getSessionId();
  await engine.dispose();
  const again = await openSession(playing([], [], [], [], [create("Ship")]), { ...on, resume }, ground);
  await turn(again.engine, "Go on.");
  expect(JSON.parse(readFileSync(listPath(again.engine), "utf8"))).toMatchObject({ nextId: 4 });
});

test("copies the task list with the session, after which the two lists are independent", async () => {
  const ground = layGround();
  const { engine } = await openSession(playing([create("Write")]), on, ground);
  await turn(engine, "Go.");
  await engine.dispose();
  const copy: EngineOptions = { ...on, resume: engine.getSessionId(), forkSession: true };
  const fork = await openSession(playing(), copy, ground);
  await turn(fork.engine, "Hello.");
  await fork.engine.dispose();
  const later = { ...on, resume: fork.engine.getSessionId() };
  const again = await openSession(playing([], [], [], [create("Test")]), later, ground);
  await turn(again.engine, "Go on.");
  expect(JSON.parse(readFileSync(listPath(again.engine), "utf8"))).toMatchObject({
    tasks: [{ subject: "Write" }, { id: "2", subject: "Test" }],
  });
  expect(JSON.parse(readFileSync(listPath(engine), "utf8"))).toMatchObject({ nextId: 2 });
});

describe("offers the task tools", () => {
  const offered = async (options: EngineOptions): Promise<string[]> => {
    const { engine, model } = await openSession(playing(), options);
    await turn(engine, "Hello.");
    return (calls(model)[0]?.body?.tools ?? []).map(({ name }) => String(name));
  };
  test("in place of TodoWrite when the variable is set", async () => {
    expect(await offered({})).toContain("TodoWrite");
    expect(await offered({})).not.toContain("TaskCreate");
    const names = await offered(on);
    expect(names).toEqual(expect.arrayContaining(["TaskCreate", "TaskGet", "TaskList", "TaskUpdate", "TaskStop"]));
    expect(names).not.toContain("TodoWrite");
  });

  test("when they are allowed by name", async () => {
    expect(await offered({ allowedTools: ["TaskList"] })).toContain("TaskList");
  });

  test("when they are listed by name", async () => {
    expect(await offered({ tools: ["TaskCreate", "TodoWrite", "TaskList"] })).toEqual([
      "TaskCreate",
      "TaskList",
      "TodoWrite",
    ]);
  });
});

describe("a hook", () => {
  function listening(
    answers: Partial<Record<"TaskCreated" | "TaskCompleted", (id: string) => Record<string, unknown>>>,
  ) {
    const heard: Record<string, unknown>[] = [];
    const callback = (event: "TaskCreated" | "TaskCompleted") => (input: Record<string, unknown>) => {
      heard.push(input);
      return Promise.resolve(answers[event]?.(String(input["task_id"])) ?? {});
    };
    const hooks: EngineOptions["hooks"] = {
      TaskCreated: [{ callback: callback("TaskCreated") }],
      TaskCompleted: [{ callback: callback("TaskCompleted") }],
    };
    return { heard, options: { ...on, hooks } };
  }

  test("is told once when a task is created and once when it is completed", async () => {
    const { heard, options } = listening({});
    const script = playing(
      [create("Write", { description: "All of it." })],
      [
        update("1", { status: "in_progress" }),
        update("1", { status: "completed" }),
        update("1", { status: "completed" }),
      ],
    );
    const { engine } = await openSession(script, options);
    await turn(engine, "Go.");
    const about = { task_id: "1", task_subject: "Write", task_description: "All of it." };
    expect(heard).toMatchObject([
      { hook_event_name: "TaskCreated", ...about },
      { hook_event_name: "TaskCompleted", ...about },
    ]);
    expect(heard).toHaveLength(2);
    expect(heard[0]).not.toHaveProperty("teammate_name");
  });

  test("can refuse a new task, whose id is then unused, and a completion, with a reason for the model", async () => {
    const { options } = listening({
      TaskCreated: (id) => (id === "1" ? { decision: "block", reason: "Too vague." } : {}),
      TaskCompleted: () => ({ decision: "block", reason: "The tests fail." }),
    });
    const script = playing(
      [create("Do it")],
      [create("Write the parser")],
      [update("2", { status: "completed" }), { tool: "TaskList", input: {} }],
    );
    const { engine } = await openSession(script, options);
    const { result } = await turn(engine, "Go.");
    expect(results(engine)).toMatchObject([
      { text: expect.stringContaining("The task was not created: Too vague.") as string, isError: true },
      { text: "Task #2 is in the list: Write the parser", isError: false },
      { text: expect.stringContaining("The task is not completed: The tests fail.") as string, isError: true },
      { text: "#2 [pending] Write the parser" },
    ]);
    expect(result.subtype).toBe("success");
  });

  test("that is a command refuses with exit code 2 and its output as the reason", async () => {
    const command = 'grep -q \'"task_subject":"Parser"\' && echo "Write the tests first." >&2 && exit 2';
    const handlers = { TaskCompleted: [{ hooks: [{ type: "command", command }] }] };
    const script = playing(
      [create("Parser"), create("Docs")],
      [update("1", { status: "completed" })],
      [update("2", { status: "completed" })],
    );
    const { engine } = await openSession(script, { ...on, settings: JSON.stringify({ hooks: handlers }) });
    await turn(engine, "Go.");
    expect(results(engine).slice(2)).toMatchObject([
      { text: expect.stringContaining("The task is not completed: Write the tests first.") as string, isError: true },
      { text: "Task #2: completed.", isError: false },
    ]);
  });

  test("that stops the run leaves the task uncompleted, whatever Stop hooks say", async () => {
    const { options } = listening({ TaskCompleted: () => ({ continue: false, stopReason: "Enough." }) });
    const Stop = [{ callback: async () => ({ decision: "block", reason: "Go on." }) }];
    const script = playing(
      [create("Write")],
      [update("1", { status: "completed" })],
      [{ tool: "TaskList", input: {} }],
    );
    const { engine, model } = await openSession(script, { ...options, hooks: { ...options.hooks, Stop } });
    const { result, messages } = await turn(engine, "Go.");
    expect(calls(model)).toHaveLength(2);
    expect(result).toMatchObject({ subtype: "success", terminal_reason: "hook_stopped" });
    expect(messages).toContainEqual(
      expect.objectContaining({
        subtype: "informational",
        content: "TaskCompleted hook stopped the run: Enough.",
        prevent_continuation: true,
      }),
    );
    expect(readFileSync(listPath(engine), "utf8")).toContain('"pending"');
  });
});

describe("a named task list", () => {
  test("is shared by sessions and outlasts them", async () => {
    const ground = layGround();
    const shared: EngineOptions = { env: { ...on.env, CLAUDE_CODE_TASK_LIST_ID: "release-1" } };
    const one = await openSession(playing([create("Write")]), shared, ground);
    await turn(one.engine, "Go.");
    const other = await openSession(
      playing([{ tool: "TaskList", input: {} }]),
      { ...shared, persistSession: false },
      ground,
    );
    await turn(other.engine, "Go.");
    expect(results(other.engine)).toMatchObject([{ text: "#1 [pending] Write" }]);
    expect(existsSync(join(ground.pawlHome, "tasks", "release-1.json"))).toBe(true);
  });

  test("is refused with a reason when its name leads outside the folder", async () => {
    const { engine } = await openSession(playing([create("Write")]), {
      env: { ...on.env, CLAUDE_CODE_TASK_LIST_ID: "../x" },
    });
    await turn(engine, "Go.");
    expect(results(engine)[0]?.text).toContain('which "../x" is not');
  });
});

test("agents share the session's task list, and only one of them gets a task", async () => {
  const agent = (prompt: string): Call => ({ tool: "Agent", input: { description: "work", prompt } });
  const take = update("1", { status: "in_progress" });
  const script: Script = {
    rules: [
      {
        when: {},
        reply: ({ systemText, turns }) => {
          const steps = isAgent({ systemText }) ? [[take]] : [[create("Write")], [agent("a"), agent("b")]];
          return steps[turns] === undefined ? "Done." : { content: steps[turns] };
        },
      },
    ],
  };
  const { engine, model } = await openSession(script, on);
  await turn(engine, "Go.");
  const list = JSON.parse(readFileSync(listPath(engine), "utf8")) as { tasks: { owner: string; status: string }[] };
  expect(list.tasks).toMatchObject([
    { status: "in_progress", owner: expect.stringMatching(/^[0-9a-f]{16}$/u) as string },
  ]);
  const refusals = calls(model).filter(({ body }) => JSON.stringify(body).includes("Task #1 belongs to"));
  expect(refusals).toHaveLength(1);
});
