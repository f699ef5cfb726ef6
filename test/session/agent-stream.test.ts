// What a client is told of agents: where each begins and ends, also of those in the background and those below others.
import { afterAll, expect, test } from "vitest";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

const agent = (prompt: string, more = {}) => ({
  content: [{ tool: "Agent", input: { description: prompt, prompt, ...more } }],
});
const tasks = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === "system" && (message.subtype === "task_started" || message.subtype === "task_notification")
      ? [message]
      : [],
  );

test("one in the background is told where it begins, and its end with what it used", async () => {
  const rules = [{ when: { system: "another agent" }, reply: "found" }];
  const steps = [agent("look", { run_in_background: true }), "It runs."];
  const { engine } = await openSession({ rules, steps, fallback: "Done." });
  const first = tasks((await turn(engine, "Go.")).messages);
  expect(first[0]).toMatchObject({
    subtype: "task_started",
    is_backgrounded: true,
    description: "look",
    spawn_depth: 1,
  });
  await engine.whenAgentsEnd();
  const all = [...first, ...tasks((await turn(engine, "Well?")).messages)];
  expect(all.map(({ subtype }) => subtype)).toEqual(["task_started", "task_notification"]);
  expect(all[1]).toMatchObject({ task_id: all[0]?.task_id, status: "completed", usage: { tool_uses: 0 } });
  expect(all[1]).toHaveProperty(
    "usage.total_tokens",
    expect.toSatisfy((count: number) => count > 0),
  );
});

test("one below another is told with who began it, and its end too", async () => {
  const steps = [agent("outer"), agent("inner"), "inner is done", "outer is done", "Done."];
  const { engine } = await openSession({ steps });
  const told = tasks((await turn(engine, "Go.")).messages);
  const named = told.map((each) => [each.subtype, each.subtype === "task_started" ? each.description : each.summary]);
  expect(named).toEqual([
    ["task_started", "outer"],
    ["task_started", "inner"],
    ["task_notification", "inner"],
    ["task_notification", "outer"],
  ]);
  expect(told[1]).toMatchObject({ spawn_depth: 2, parent_task_id: told[0]?.task_id });
  expect(told[0]).not.toHaveProperty("parent_task_id");
});
