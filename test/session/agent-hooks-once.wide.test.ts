// SubagentStart and SubagentStop of each agent: once, whatever ends it.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { Reply, RequestView, Script } from "../../src/testing/index.ts";
import { serverOf } from "../mcp/support.ts";
import { withGrowingLimit } from "../support/growing-limit.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

const agent = (prompt: string, more: Record<string, unknown> = {}) => ({
  tool: "Agent",
  input: { description: "a task", prompt, ...more },
});

function play(own: Reply[], below: (request: RequestView) => Reply | string): Script {
  const reply = (request: RequestView): Reply | string =>
    isAgent(request) ? below(request) : (own[request.turns] ?? "Done.");
  return { rules: [{ when: {}, reply }] };
}

/** Hooks that count by the agent's id. */
function counting() {
  const told = new Map<string, string[]>();
  const lastWords: unknown[] = [];
  const note = (name: string) => [
    {
      callback: (input: Record<string, unknown>) => {
        const id = String(input["agent_id"]);
        told.set(id, [...(told.get(id) ?? []), name]);
        if (name === "stop") lastWords.push(input["last_assistant_message"]);
        return Promise.resolve(undefined);
      },
    },
  ];
  const hooks = { SubagentStart: note("start"), SubagentStop: note("stop") };
  return { told, lastWords, hooks, each: () => [...told.values()] };
}

const once = ["start", "stop"];
const hang: Reply = { content: [{ tool: "Hang", input: {} }] };

function hanging(times: number) {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  let left = times;
  const custom = tool(
    "Hang",
    "Hangs.",
    { type: "object" },
    async (_input, { signal }) => {
      left -= 1;
      if (left === 0) resolve();
      await new Promise((ended) => signal.addEventListener("abort", ended));
      return "ended";
    },
    { readOnlyHint: true },
  );
  return { custom, reached };
}

test("SubagentStart and SubagentStop run once per agent when several are interrupted or the session ends", async () => {
  const { hooks, each } = counting();
  const { custom, reached } = hanging(3);
  const calls = [agent("a"), agent("b"), agent("c", { run_in_background: true })];
  const { engine } = await openSession(
    play([{ content: calls }], () => hang),
    { hooks, customTools: [custom] },
  );
  const running = turn(engine, "Go.");
  await reached;
  engine.interrupt();
  await running;
  await engine.dispose();
  expect(each()).toEqual([once, once, once]);
});

test("no agent hooks run if the turn is interrupted while the agent still waits for its server", async () => {
  const { hooks, each } = counting();
  const silent = { description: "waits", prompt: "Wait.", mcpServers: [{ silent: serverOf({ hangs: true }) }] };
  const calls = [agent("a", { subagent_type: "waits" }), agent("b", { subagent_type: "waits" })];
  const { engine } = await openSession(
    play([{ content: calls }], () => "well"),
    { hooks, agents: { waits: silent } },
  );
  const { result } = await turn(engine, "Go.", {
    onMessage: (message) => message.type === "system" && message.subtype === "task_started" && engine.interrupt(),
  });
  await engine.dispose();
  expect(result.terminal_reason).toBe("aborted_tools");
  expect(each()).toEqual([]);
});

test("SubagentStop runs once when an agent ends by budget, by turn limit or by a model error", async () => {
  const { hooks, each } = counting();
  const below = ({ turns }: RequestView): Reply => ({
    content: ["thinking aloud ".repeat(300), { tool: "Glob", input: { pattern: `*.${turns}` } }],
  });
  const fan = { content: Array.from({ length: 6 }, (_, at) => agent(`Task ${at}`)) };
  const limited = await openSession(play([fan], below), { hooks, maxBudgetUsd: 0.4 });
  await turn(limited.engine, "Go.");
  expect(each().length).toBeGreaterThan(0);
  for (const told of each()) expect(told).toEqual(once);

  const more = counting();
  const own = [{ content: [agent("x")] }, { content: [agent("y")] }];
  const falling = (request: RequestView): Reply =>
    request.turns === 0 ? below(request) : { content: [{ tool: "Glob", input: { pattern: `*.${request.turns}` } }] };
  const short = await openSession(play(own, falling), { hooks: more.hooks, agentLimits: { turns: 3 } });
  await turn(short.engine, "Go.");
  expect(more.each()).toEqual([once]);
  // Seen: a hook that goes by what an agent said had nothing of one that came to its limit, whose last response called a tool without a word.
  expect(more.lastWords).toEqual(["thinking aloud ".repeat(300)]);

  const failing = counting();
  const broken = await openSession(
    play([{ content: [agent("x")] }], () => ({ fault: { kind: "bad_request" } })),
    { hooks: failing.hooks },
  );
  await turn(broken.engine, "Go.");
  expect(failing.each()).toEqual([once]);
});

test("a SubagentStop hook that hangs delays neither the agent nor its end", async () => {
  await withGrowingLimit(1_000, async (ms) => {
    const ground = layGround();
    const log = join(ground.work, "log");
    const command = (name: string) => [
      { hooks: [{ type: "command", command: `echo ${name} >> ${log}; sleep 60`, timeout: ms / 1_000 }] },
    ];
    const settings = JSON.stringify({ hooks: { SubagentStart: command("start"), SubagentStop: command("stop") } });
    const { engine } = await openSession(
      play([{ content: [agent("x")] }], () => "well"),
      { settings },
      ground,
    );
    const { result } = await turn(engine, "Go.");
    expect(result.subtype).toBe("success");
    return existsSync(log) && readFileSync(log, "utf8") === "start\nstop\n";
  });
});

test("the start and stop hooks run again when an agent is resumed, also in another process", async () => {
  const ground = layGround();
  const { told, hooks } = counting();
  const { engine } = await openSession(
    play([{ content: [agent("first task")] }], () => "well"),
    { hooks },
    ground,
  );
  await turn(engine, "Go.");
  const [id = ""] = told.keys();
  await engine.dispose();
  const own = [{ content: [] }, { content: [] }, { content: [agent("second task", { resume: id })] }];
  const options = { hooks, resume: engine.getSessionId() };
  const again = await openSession(
    play(own, () => "better"),
    options,
    ground,
  );
  await turn(again.engine, "Go on.");
  expect([...told]).toEqual([[id, [...once, ...once]]]);
  const bodies = JSON.stringify(again.model.requests.map(({ body }) => body?.messages));
  for (const words of ["first task", "second task", "better"]) expect(bodies).toContain(words);
});
