// A command of the background that ends: the model is told at the next border, and so is the client, once.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { tool } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { commandTask } from "../../src/session/desk/desk-tasks.ts";
import { createEndedTasks } from "../../src/session/tools/ended-tasks.ts";
import { leftTaskReminders } from "../../src/session/tools/left-tasks.ts";
import type { Part, Reply, RequestView, Script } from "../../src/testing/index.ts";
import type { BackgroundTask } from "../../src/tools/shell/background.ts";
import {
  calls,
  clearGroundsAfterwards,
  compact,
  disposeAll,
  impatientClock,
  lastUserTexts,
  layGround,
  openOn,
  openSession,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function fake() {
  const listeners: ((task: BackgroundTask) => void)[] = [];
  const ended = createEndedTasks({ onSettled: (listener) => (listeners.push(listener), () => undefined) });
  const end = (task: Partial<BackgroundTask>): void => {
    const whole: BackgroundTask = {
      id: "b1",
      command: "npm run build",
      status: "completed",
      exitCode: 0,
      outputPath: "/out/b1.txt",
      outputBytes: 1,
      ...task,
    };
    for (const listener of listeners) listener(whole);
  };
  return { ended, end };
}

test("the description of a long command is not cut inside a character", () => {
  const command = `x${"😀".repeat(200)}`;
  const { description } = commandTask({
    id: "b1",
    command,
    status: "running",
    exitCode: null,
    outputPath: null,
    outputBytes: 0,
  });
  expect(description).toBe(`x${"😀".repeat(99)}`);
});

describe("the news of ended tasks", () => {
  test.each<[Partial<BackgroundTask>, string, object]>([
    [
      {},
      "The background command b1 (npm run build) has ended with exit code 0. Its output is in /out/b1.txt",
      { status: "completed", exitCode: 0, outputFile: "/out/b1.txt", summary: "npm run build" },
    ],
    [
      { status: "failed", exitCode: 3, description: "Build it", toolUseId: "t1" },
      "The background command b1 (npm run build) has ended with exit code 3. Its output is in /out/b1.txt",
      { status: "failed", exitCode: 3, summary: "Build it", toolUseId: "t1" },
    ],
    [
      { status: "killed", exitCode: null, outputPath: null },
      "The background command b1 (npm run build) was stopped. Its output was not kept.",
      { status: "stopped", exitCode: null, outputFile: null },
    ],
    [
      { status: "killed", exitCode: null, overrun: "its time was up (1800 s)" },
      "The background command b1 (npm run build) was stopped: its time was up (1800 s). Its output is in /out/b1.txt",
      // Nobody asked for that end, so it is news to who waits for it.
      { status: "failed", exitCode: null, summary: "npm run build: its time was up (1800 s)" },
    ],
  ])("describes %j once", (task, text, told) => {
    const { ended, end } = fake();
    end(task);
    expect(ended()).toMatchObject([{ kind: "reminder", name: "task_ended", text, task: told }]);
    expect(ended()).toEqual([]);
  });

  test("is limited to the last fifty", () => {
    const { ended, end } = fake();
    for (let number = 0; number < 60; number++) end({ id: `b${number}` });
    const told = ended();
    expect(told).toHaveLength(50);
    expect(told.at(-1)).toMatchObject({ task: { taskId: "b59" } });
  });
});

test("a command that ended between two turns is reported to the model and the client once", async () => {
  const input = { command: "echo from behind; exit 3", run_in_background: true, description: "Work behind" };
  const { engine, model } = await openSession(
    { steps: [{ content: [{ tool: "Bash", input, id: "toolu_behind" }] }], fallback: "." },
    { allowedTools: ["Bash"] },
  );
  const messages: SDKMessage[] = (await turn(engine, "Begin.")).messages;
  const told = (): SDKMessage[] =>
    messages.filter((message) => message.type === "system" && message.subtype === "task_notification");
  // The command ends when it ends: a turn is asked for until it has.
  for (let tries = 0; tries < 500 && told().length === 0; tries++) {
    await new Promise((resolve) => setImmediate(resolve));
    messages.push(...(await turn(engine, "And now?")).messages);
  }
  messages.push(...(await turn(engine, "Again.")).messages);
  expect(told()).toMatchObject([
    { tool_use_id: "toolu_behind", status: "failed", exit_code: 3, summary: "Work behind" },
  ]);
  const [notification] = told();
  const file =
    notification?.type === "system" && notification.subtype === "task_notification" ? notification.output_file : "";
  expect(existsSync(file) && readFileSync(file, "utf8")).toBe("from behind\n");
  const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
  expect(sent.match(/has ended with exit code 3\. Its output is in /gu)).toHaveLength(1);
  expect(model.violations).toEqual([]);
});

describe("a resumed session", () => {
  const behind = { tool: "Bash", input: { command: "sleep 60", run_in_background: true }, id: "toolu_behind" };
  const agent = {
    tool: "Agent",
    input: { description: "look around", prompt: "LOOK", run_in_background: true },
    id: "toolu_agent",
  };
  /** The five seconds that a command has at the end are no time at all. */
  const hasty = {
    ...impatientClock,
    timer: (ms: number, fire: () => void) => impatientClock.timer(ms === 5_000 ? 4_999 : ms, fire),
  };
  const waits = { when: { lastUserText: "LOOK" }, reply: { fault: { kind: "stall" as const } } };

  // Seen for an agent after a compaction, which lists working agents: its end was never reported.
  test.each(["", ", also behind a compaction"])("reports once what ran in the background before%s", async (where) => {
    const ground = layGround();
    const options = { allowedTools: ["Bash", "Agent"] };
    const sums = { when: { compacts: true as const }, reply: "They worked." };
    const steps = [{ content: [behind, agent] }, "Both go on."];
    const first = scripted({ rules: [sums, waits], steps, fallback: "Done. ".repeat(300) });
    const before = await openOn(ground, first, { ...options, clock: hasty });
    await turn(before, "Begin.");
    if (where !== "") {
      await turn(before, `Work. ${"words ".repeat(2_000)}`);
      await compact(before);
    }
    await before.dispose();

    const second = scripted({ fallback: "." });
    const after = await openOn(ground, second, { ...options, resume: before.getSessionId() });
    const { messages } = await turn(after, "And now?");
    const told = lastUserTexts(calls(second).at(-1)!).join("\n");
    expect(told).toMatch(
      /background command b\w+ \(sleep 60\) was begun by an earlier run .* TaskStop does not reach it/u,
    );
    expect(told).toMatch(/background agent \w{16} \(look around\) was begun by an earlier run .* Agent with resume/u);
    const ends = messages.filter((each) => each.type === "system" && each.subtype === "task_notification");
    expect(ends).toMatchObject([{ status: "stopped" }, { status: "stopped" }]);
    await after.dispose();

    const third = scripted({ fallback: "." });
    const last = await openOn(ground, third, { ...options, resume: before.getSessionId() });
    await turn(last, "Again.");
    expect(lastUserTexts(calls(third).at(-1)!).join("\n")).not.toContain("earlier run");
  });

  test("reports once an agent whose call was cut off, with the id for resuming it", async () => {
    const ground = layGround();
    const options = { allowedTools: ["Agent"] };
    const said = { ...agent, input: { ...agent.input, run_in_background: false } };
    const before = await openOn(ground, scripted({ rules: [waits], steps: [{ content: [said] }] }), options);
    const path = before.getTranscriptPath()!;
    const going = turn(before, "Begin.");
    const agents = join(path.replace(/\.jsonl$/u, ""), "subagents");
    await expect.poll(() => existsSync(agents) && readdirSync(agents).length > 0).toBe(true);
    const [file = ""] = readdirSync(agents);
    const left = readFileSync(path);
    before.interrupt();
    await going;
    await before.dispose();
    // As kill -9 would have left it: the call without its result.
    writeFileSync(path, left);

    for (const times of [1, 1, 1]) {
      const model = scripted({ fallback: "." });
      const after = await openOn(ground, model, { ...options, resume: before.getSessionId() });
      await turn(after, "And now?");
      const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
      const id = file.replace(/^agent-|\.jsonl$/gu, "");
      expect(sent.split(`The agent ${id} (look around) was begun by an earlier run`)).toHaveLength(1 + times);
      await after.dispose();
    }
  });

  test("does not report tasks that had ended or were stopped", () => {
    const called = (id: string, output: unknown) => [
      {
        type: "user" as const,
        uuid: `u-${id}`,
        timestamp: "",
        content: [{ type: "tool_result" as const, tool_use_id: id, content: "" }],
        toolUseResult: output,
      },
    ];
    const task = { taskId: "b1", status: "completed" as const, exitCode: 0, outputFile: null, summary: "" };
    const ended = { kind: "reminder" as const, name: "task_ended", text: "", task };
    const listed = {
      kind: "reminder" as const,
      name: "background",
      text: "Running:\n- b3: npm run dev; Read /x for its output",
    };
    const own = { uuid: "a", timestamp: "" };
    const messages = [
      ...called("t1", { stdout: "", backgroundTaskId: "b1" }),
      ...called("t2", { stdout: "", backgroundTaskId: "b2" }),
      { type: "attachment" as const, ...own, attachment: ended },
      ...called("t3", { message: "Stopped task b2.", task_id: "b2" }),
      { type: "attachment" as const, ...own, attachment: listed },
      ...called("t4", { status: "async_launched", agentId: "0123456789abcdef", name: "ann", description: "" }),
    ];
    expect(leftTaskReminders(messages, () => new Map())).toMatchObject([
      { task: { taskId: "b3", summary: "npm run dev" } },
    ]);
  });
});

test("a host's listener that throws does not keep others from learning of an end, nor the session from closing", async () => {
  const background: Part = { tool: "Bash", input: { command: "sleep 60", run_in_background: true } };
  const { engine } = await openSession(
    { steps: [{ content: [background] }], fallback: "." },
    { allowedTools: ["Bash"] },
  );
  const { desk } = engine;
  desk.onTaskEnd(() => {
    throw new Error("nobody listens");
  });
  const heard: SDKMessage[] = [];
  desk.onTaskEnd((message) => void heard.push(message));
  await turn(engine, "Go.");
  for (const { task_id: id } of desk.tasks()) await desk.stopTask(id);
  expect(heard).toMatchObject([{ subtype: "task_notification", status: "stopped" }]);
  await engine.dispose();
});

describe("a reader that leaves at the first of several task ends", () => {
  const background = (name: string): Part => ({
    tool: "Bash",
    input: { command: `sleep 60; : ${name}`, run_in_background: true },
  });
  const stops: Part = { tool: "StopAll", input: {} };
  const isEnd = (message: SDKMessage): boolean => message.type === "system" && message.subtype === "task_notification";

  test.each<[string, Part[]]>([
    ["with the next prompt", []],
    ["at a border", [stops]],
  ])("%s does not keep the others from the model", async (_name, more) => {
    const stop = async (): Promise<string> => {
      for (const { task_id: id } of engine.desk.tasks()) await engine.desk.stopTask(id);
      return "Stopped.";
    };
    const customTools = [tool("StopAll", "Stops all.", { type: "object" }, stop)];
    const steps = [{ content: [background("one"), background("two")] }, { content: ["So.", ...more] }];
    const options = { allowedTools: ["Bash", "StopAll"], customTools };
    const { engine, model } = await openSession({ steps, fallback: "." }, options);
    if (more.length === 0) {
      await turn(engine, "Go.");
      await stop();
    }
    for await (const message of engine.submitMessage("Go.")) if (isEnd(message)) break;
    await turn(engine, "Well?");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent.match(/The background command/gu)).toHaveLength(2);
  });
});

// Seen: clients that keep their side open while they know of an agent waited for ever.
test("/clear reports the ends of commands and agents before the conversation is reset", async () => {
  const work: Part[] = [
    { tool: "Agent", input: { description: "looks", prompt: "Look.", run_in_background: true } },
    { tool: "Bash", input: { command: "sleep 60", run_in_background: true } },
  ];
  const reply = ({ lastUserText, turns }: RequestView): Reply => {
    if (lastUserText.includes("Look.")) return { content: [{ tool: "Bash", input: { command: "sleep 60" } }] };
    return turns === 0 ? { content: work } : { content: ["They work."] };
  };
  const { engine } = await openSession({ rules: [{ when: {}, reply }] }, { allowedTools: ["Bash"] });
  const { messages } = await turn(engine, "Go.");
  const [agent] = messages.filter((message) => message.type === "system" && message.subtype === "task_started");
  const old = engine.getSessionId();
  const cleared = await turn(engine, "/clear");
  const told = cleared.messages.flatMap((message) =>
    message.type === "conversation_reset" || (message.type === "system" && message.subtype === "task_notification")
      ? [message]
      : [],
  );
  expect(told).toMatchObject([
    { subtype: "task_notification", status: "stopped", summary: "sleep 60", session_id: old },
    { subtype: "task_notification", status: "stopped", task_id: (agent as { task_id: string }).task_id },
    { type: "conversation_reset" },
  ]);
});

// Seen: a command that ended after the last request of a turn was reported only by the next turn, and after /clear there is none.
test("/clear reports once what ended before it", async () => {
  const input = { command: "until [ -e go ]; do sleep 0.02; done", run_in_background: true };
  const ground = layGround();
  const script: Script = { steps: [{ content: [{ tool: "Bash", input }] }], fallback: "." };
  const { engine } = await openSession(script, { allowedTools: ["Bash"] }, ground);
  await turn(engine, "Begin.");
  const { promise: ended, resolve } = Promise.withResolvers<unknown>();
  engine.desk.onTaskEnd(resolve);
  ground.file("go", "");
  await ended;
  const messages = [...(await turn(engine, "/clear")).messages, ...(await turn(engine, "Go.")).messages];
  const told = messages.filter((message) => message.type === "system" && message.subtype === "task_notification");
  expect(told).toMatchObject([{ status: "completed", exit_code: 0 }]);
});
