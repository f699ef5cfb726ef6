// A command of the background that ends: the model is told at the next border, and so is the client, once.
import { existsSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { createEndedTasks } from "../../src/session/tools/ended-tasks.ts";
import type { BackgroundTask } from "../../src/tools/shell/background.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

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
      startedAt: 0,
      ...task,
    };
    for (const listener of listeners) listener(whole);
  };
  return { ended, end };
}

describe("ended tasks", () => {
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
  ])("%j", (task, text, told) => {
    const { ended, end } = fake();
    end(task);
    expect(ended()).toMatchObject([{ kind: "reminder", name: "task_ended", text, task: told }]);
    expect(ended()).toEqual([]);
  });

  test("are told no more than fifty at a time: the last ones", () => {
    const { ended, end } = fake();
    for (let number = 0; number < 60; number++) end({ id: `b${number}` });
    const told = ended();
    expect(told).toHaveLength(50);
    expect(told.at(-1)).toMatchObject({ task: { taskId: "b59" } });
  });
});

test("a session tells model and client of a command that ended between two turns, once", async () => {
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
