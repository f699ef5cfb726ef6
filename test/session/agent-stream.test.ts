// What a client is told of agents: where each begins and ends, also of those in the background and those below others.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { clearGroundsAfterwards, disposeAll, impatientClock, layGround, openSession, turn } from "./support.ts";

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

test("a background agent is reported when it starts, and when it ends with its usage", async () => {
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

test("an agent below another is reported with its parent's id, at its start and its end", async () => {
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

test("an agent's API retries and model fallbacks are reported, also for agents below other agents", async () => {
  const busy = { fault: { kind: "rate_limit", retryAfter: 30 } } as const;
  const overloads = [{ fault: "overloaded" }, { fault: "overloaded" }, { fault: "overloaded" }] as const;
  const steps = [agent("outer"), agent("inner"), busy, ...overloads, "inner is done", "outer is done", "Done."];
  const fallbackModel = "claude-opus-4-8";
  const { engine } = await openSession({ steps }, { clock: impatientClock, fallbackModel });
  const { messages } = await turn(engine, "Go.");
  const begun = tasks(messages).filter(({ subtype }) => subtype === "task_started");
  const waits = messages.filter((message) => message.type === "tool_progress");
  expect(waits.map((message) => message.subagent_retry)).toMatchObject([
    {
      agent_id: begun[1]?.task_id,
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: expect.any(Number) as number,
      error_status: 429,
      error_category: "rate_limit",
    },
    { attempt: 2, error_status: 529, error_category: "overloaded" },
    { attempt: 3 },
  ]);
  expect(waits[0]).toMatchObject({ tool_name: "Agent", subagent_type: "general-purpose" });
  expect(waits[0]?.tool_use_id).toBe(begun[1]?.tool_use_id);
  const said = messages.flatMap((message) =>
    message.type === "system" && message.subtype === "informational" && message.tag === "model_fallback"
      ? [message.content]
      : [],
  );
  expect(said).toMatchObject([expect.stringMatching(/^Agent general-purpose: .*claude-opus-4-8/u) as string]);
});

describe("a hook that fails or stops something inside an agent is reported to people", () => {
  const rules = [{ when: { system: "another agent" }, reply: "found" }];
  const saying = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const guarded = (hooks: object) => ({
    settings: JSON.stringify({ hooks }),
    env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "1" },
  });

  test.each([
    ["hook", { SubagentStop: saying("echo broken >&2; exit 1") }, "broken"],
    ["hook", { SubagentStart: saying("/no/such/guard") }, "/no/such/guard"],
    ["stop_hook_cap", { SubagentStop: saying("exit 2") }, "1 time"],
    [
      "prompt_blocked",
      { SubagentStart: saying(`echo '{"continue": false, "stopReason": "Not now."}'`) },
      "hook stopped the agent: Not now.",
    ],
    [
      "hook_stopped_continuation",
      { SubagentStop: saying(`echo '{"continue": false, "stopReason": "Enough."}'`) },
      "Enough.",
    ],
  ])("as a notice with the tag %s, for hooks %j", async (tag, hooks, said) => {
    const { engine } = await openSession({ rules, steps: [agent("look"), "Done."] }, guarded(hooks));
    const { messages } = await turn(engine, "Go.");
    const told = messages.filter((message) => message.type === "system" && message.subtype === "informational");
    const own = told.filter((message) => message.tag === tag);
    expect(own).toMatchObject([{ agent_id: expect.any(String) as string }]);
    expect(own[0]?.content).toMatch(/^Agent general-purpose: /u);
    expect(own[0]?.content).toContain(said);
  });

  test("outside the stream if the agent runs in the background", async () => {
    const notices: string[] = [];
    const hooks = guarded({ SubagentStop: saying("echo broken >&2; exit 1") });
    const steps = [agent("look", { run_in_background: true }), "It runs."];
    const options = { ...hooks, onNotice: (text: string) => void notices.push(text) };
    const { engine } = await openSession({ rules, steps, fallback: "Done." }, options);
    await turn(engine, "Go.");
    await engine.whenAgentsEnd();
    expect(
      notices.filter((text) => text.startsWith("Agent general-purpose: ") && text.includes("broken")),
    ).toHaveLength(1);
  });
});

test("a hook that ends after its agent's last message is still reported when the agent ends", async () => {
  const ground = layGround();
  ground.file("CLAUDE.md", "Use tabs.");
  const run = (command: string) => [{ hooks: [{ type: "command", command }] }];
  const waiting = "if grep -q agent_id; then until [ -e go ]; do sleep 0.02; done; fi";
  const hooks = { InstructionsLoaded: run(waiting), SubagentStop: run("touch stopped") };
  const rules = [{ when: { system: "another agent" }, reply: "found" }];
  const clock = {
    ...impatientClock,
    timer(ms: number, fire: () => void) {
      // The agent is being closed: this is the limit of the hooks that nobody waited for.
      if (ms === 5_000 && existsSync(join(ground.work, "stopped"))) ground.file("go", "");
      return impatientClock.timer(ms, fire);
    },
  };
  const options = { settings: JSON.stringify({ hooks }), includeHookEvents: true, clock };
  const { engine } = await openSession({ rules, steps: [agent("look"), "Done."] }, options, ground);
  const { messages } = await turn(engine, "Go.");
  const told = messages.flatMap((message) =>
    message.type === "system" && "hook_event" in message && message.hook_event === "InstructionsLoaded"
      ? [message]
      : [],
  );
  const started = told.filter(({ subtype }) => subtype === "hook_started");
  expect(started).toHaveLength(2);
  const ofAgent = told.filter(({ hook_id: id }) => id === started[1]?.hook_id);
  expect(ofAgent.map(({ subtype }) => subtype)).toEqual(["hook_started", "hook_response"]);
});
