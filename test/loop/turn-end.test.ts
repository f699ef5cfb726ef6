// The end of a turn: its steps in their order, whose they are, and that a broken one hurts nobody.
import { describe, expect, test } from "vitest";
import type { TurnEndParts } from "../../src/hooks/turn-end.ts";
import { Pending } from "../../src/lib/steps.ts";
import { lastAnswerText } from "../../src/protocol/answers.ts";
import type { AssistantMessage, ContentBlock } from "../../src/protocol/message.ts";
import { turnEndPass, type TurnEnd } from "../../src/protocol/turn-end.ts";
import { expectSound } from "./support/after.ts";
import { cancelAt, noticeNames, ofType, reasons, runWith, type HarnessOptions } from "./support/harness.ts";
import { call, fail, say, textBlock, thinkingBlock, toolUse } from "./support/script.ts";
import { never } from "./support/virtual-clock.ts";

function* hanging() {
  yield new Pending(never());
  return turnEndPass;
}

/** Steps that only say that they were there. */
function watched() {
  const steps: string[] = [];
  const ends: TurnEnd[] = [];
  const parts: Partial<TurnEndParts> = {
    keepSnapshot: (end) => void ends.push(end),
    judgeJob: async () => undefined,
    startForks: () => undefined,
    disposers: { register: () => undefined, release: () => null },
    trace: (step) => steps.push(step),
  };
  return { steps, ends, parts };
}

const stop = { Stop: () => ({}), SubagentStop: () => ({}), TaskCompleted: () => ({}), TeammateIdle: () => ({}) };
const main = ["snapshot", "job", "forks", "release", "Stop"];
const tasks = [
  { id: "1", subject: "Tests", description: "All of them." },
  { id: "2", subject: "Docs" },
];
const teammate = { name: "ada", teamName: "birds", tasksInProgress: () => tasks };

test("lastText returns the whole last answer in order, however it was recorded, without API errors after it", () => {
  const said = (
    messageId: string,
    content: ContentBlock[],
    more: Partial<AssistantMessage> = {},
  ): AssistantMessage => ({
    type: "assistant",
    uuid: `${messageId}-${content.length}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    messageId,
    model: "model-a",
    content,
    ...more,
  });
  const messages = [
    said("m1", [textBlock("Looking.")]),
    said("m2", [textBlock("One. "), textBlock("Two. ")]),
    said("m2", [thinkingBlock("hm"), toolUse("Read")]),
    said("m2", [textBlock("Three.")]),
    said("m3", [textBlock("The server is overloaded.")], { apiError: { kind: "overloaded" } }),
  ];
  expect(lastAnswerText(messages)).toBe("One. Two. Three.");
});

describe("the steps at the end of a turn", () => {
  test("run in order on the main thread, once an answer has no tool call", async () => {
    const { steps, ends, parts } = watched();
    const ran = await runWith({ model: [call(toolUse("Read")), say("Done.")], hooks: stop, turnEnd: parts });
    expect(steps).toEqual(main);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ model: "model-a", agentId: null, lastAssistantMessage: "Done." });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });

  test("run again after a block", async () => {
    const { steps, ends, parts } = watched();
    const hooks = { Stop: (_input: unknown, _signal: unknown, at: number) => (at === 0 ? { blocking: ["more"] } : {}) };
    const ran = await runWith({ model: [say("Done."), say("Done.")], hooks, turnEnd: parts });
    expect(steps).toEqual([...main, ...main]);
    expect(ends.map((end) => end.stopHookActive)).toEqual([false, true]);
    expect(reasons(ran.events)).toEqual(["stop_hook_blocking"]);
  });

  test("are only the SubagentStop hooks for a subagent, with its identity", async () => {
    const { steps, parts } = watched();
    const subagent = { agentId: "agent-1", agentType: "reviewer", transcriptPath: "/t/agent-1.jsonl" };
    const ran = await runWith({
      model: [say("Done.")],
      agentId: "agent-1",
      hooks: stop,
      turnEnd: { ...parts, subagent },
    });
    expect(steps).toEqual(["SubagentStop"]);
    expect(ran.hooks.inputs).toEqual([
      {
        hook_event_name: "SubagentStop",
        stop_hook_active: false,
        last_assistant_message: "Done.",
        agent_id: "agent-1",
        agent_type: "reviewer",
        agent_transcript_path: "/t/agent-1.jsonl",
      },
    ]);
  });

  test("go on with TaskCompleted hooks and TeammateIdle for a teammate", async () => {
    const { steps, parts } = watched();
    const ran = await runWith({ model: [say("Done.")], hooks: stop, turnEnd: { ...parts, teammate } });
    expect(steps).toEqual([...main, "tasks", "TaskCompleted", "TaskCompleted", "TeammateIdle"]);
    const whose = { teammate_name: "ada", team_name: "birds" };
    expect(ran.hooks.inputs.slice(1)).toEqual([
      {
        hook_event_name: "TaskCompleted",
        task_id: "1",
        task_subject: "Tests",
        task_description: "All of them.",
        ...whose,
      },
      { hook_event_name: "TaskCompleted", task_id: "2", task_subject: "Docs", ...whose },
      { hook_event_name: "TeammateIdle", ...whose },
    ]);
    expectSound(ran);
  });

  test("do not run after an API error or an interrupt", async () => {
    const { steps, parts } = watched();
    await runWith({ model: [fail("billing_error")], hooks: stop, turnEnd: parts });
    await runWith({ model: [say("Done.")], hooks: stop, turnEnd: parts }, (harness) =>
      cancelAt(harness, (event) => event.type === "assistant", "user"),
    );
    expect(steps).toEqual([]);
  });
});

describe("a teammate's hooks", () => {
  async function blockedBy(event: "Stop" | "TaskCompleted" | "TeammateIdle", answer: object) {
    const hooks: HarnessOptions["hooks"] = { ...stop };
    hooks[event] = (_input, _signal, at) => (at === 0 ? answer : {});
    return await runWith({ model: [say("One."), say("Two.")], hooks, turnEnd: { teammate } });
  }

  test.each(["TaskCompleted", "TeammateIdle"] as const)("of %s block under their own name", async (event) => {
    const ran = await blockedBy(event, { blocking: ["not yet"] });
    expect(reasons(ran.events)).toEqual(["stop_hook_blocking"]);
    expect(JSON.stringify(ran.model.requests[1]?.messages.at(-1))).toContain(`${event} hook feedback:\\nnot yet`);
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });

  test("after a TaskCompleted hook that ends the run are skipped", async () => {
    const ran = await blockedBy("TaskCompleted", { preventContinuation: "enough" });
    expect(ran.terminal).toEqual({ reason: "stop_hook_prevented" });
    expect(ran.hooks.inputs.map((input) => input.hook_event_name)).toEqual(["Stop", "TaskCompleted"]);
    expect(ofType(ran.events, "attachment")).toMatchObject([
      { attachment: { kind: "hook_stopped_continuation", event: "TaskCompleted", message: "enough" } },
    ]);
  });

  test("run only once the Stop hooks have passed", async () => {
    const ran = await blockedBy("Stop", { blocking: ["no"] });
    const asked = ran.hooks.inputs.map((input) => input.hook_event_name);
    expect(asked).toEqual(["Stop", "Stop", "TaskCompleted", "TaskCompleted", "TeammateIdle"]);
  });

  test("of TaskCompleted are skipped with a warning when the task list cannot be read", async () => {
    const broken = { name: "ada", tasksInProgress: () => Promise.reject(new Error("no list")) };
    const ran = await runWith({ model: [say("Done.")], hooks: stop, turnEnd: { teammate: broken } });
    expect(ran.hooks.inputs.map((input) => input.hook_event_name)).toEqual(["Stop", "TeammateIdle"]);
    expect(noticeNames(ran.events)).toEqual(["turn_end_failed"]);
    expect(ran.terminal).toEqual({ reason: "completed" });
  });
});

describe("a turn-end step that fails", () => {
  const broken = (): never => {
    throw new Error("broken");
  };
  test.each<[string, Partial<TurnEndParts>]>([
    ["snapshot", { keepSnapshot: broken }],
    ["job", { judgeJob: () => Promise.reject(new Error("broken")) }],
    ["job", { judgeJob: broken }],
    ["forks", { startForks: broken }],
    ["release", { disposers: { register: () => undefined, release: () => Promise.reject(new Error("broken")) } }],
  ])("leads to a warning for people only, and the Stop hooks still run: %s", async (step, parts) => {
    const hooks: HarnessOptions["hooks"] = { Stop: (_input, _signal, at) => (at === 0 ? { blocking: ["more"] } : {}) };
    const ran = await runWith({ model: [say("One."), say("Two.")], hooks, turnEnd: parts });
    const told = ofType(ran.events, "notice");
    expect(told.map(({ name, level }) => [name, level])).toEqual(Array(2).fill(["turn_end_failed", "warning"]));
    expect(told[0]?.text).toContain(`${step}: broken`);
    expect(JSON.stringify(ran.model.requests[1]?.messages)).not.toContain("broken");
    expect(ran.hooks.inputs).toHaveLength(2);
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });

  test("counts as passed, with a warning, when the whole pipeline throws or hangs", async () => {
    for (const steps of [broken, hanging]) {
      const ran = await runWith({
        model: [say("Done.")],
        hooks: stop,
        turnEndPort: { steps, register: () => undefined },
      });
      expect(noticeNames(ran.events)).toEqual(["hook_failed"]);
      expect(ran.terminal).toEqual({ reason: "completed" });
      expectSound(ran);
    }
  });

  test("is ended by an interrupt, which ends the turn as aborted", async () => {
    let reason: unknown;
    const judgeJob: TurnEndParts["judgeJob"] = (_end, signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          reason = signal.reason;
          resolve();
        });
      });
    const ran = await runWith({ model: [say("Done.")], hooks: stop, turnEnd: { judgeJob } }, (harness) =>
      cancelAt(harness, (event) => event.type === "waiting", "user"),
    );
    expect(reason).toBe("user");
    expect(ran.hooks.inputs).toEqual([]);
    expect(ran.terminal).toEqual({ reason: "aborted_streaming" });
    expectSound(ran);
  });
});
