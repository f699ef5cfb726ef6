// Agents below a session: what they are given, what they may, what they cost and how they end.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Reply, RequestView, Script, ScriptedModel } from "../../src/testing/index.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  lastUserTexts,
  layGround,
  openSession,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

const agent = (prompt: string, more: Record<string, unknown> = {}) => ({
  tool: "Agent",
  input: { description: "a small task", prompt, ...more },
});

type Play = (request: RequestView) => Reply | string;

/** The session's own replies by number of its turns so far; what agents say is decided by `below`. */
function play(own: readonly (Reply | string)[], below: Play): Script {
  const reply: Play = (request) => (isAgent(request) ? below(request) : (own[request.turns] ?? "Done."));
  return { rules: [{ when: {}, reply }] };
}

function isAgent({ systemText }: RequestView): boolean {
  return systemText.includes("another agent has given a task") || systemText.includes("SPECIALIST");
}

function subtypes(messages: readonly SDKMessage[]): string[] {
  return messages.flatMap((message) => (message.type === "system" ? [message.subtype] : []));
}

function transcripts(engine: QueryEngine): string[] {
  const folder = join(engine.getTranscriptPath()!.replace(/\.jsonl$/u, ""), "subagents");
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".jsonl")) : [];
  return names.map((name) => join(folder, name));
}

function specialist(ground: Ground, frontMatter: string): void {
  mkdirSync(join(ground.work, ".claude", "agents"), { recursive: true });
  const text = `---\nname: specialist\ndescription: knows\n${frontMatter}---\nYou are the SPECIALIST.\n`;
  writeFileSync(join(ground.work, ".claude", "agents", "specialist.md"), text);
}

function problems(model: ScriptedModel): string[] {
  return model.requests.flatMap(({ violations }) => violations.map(({ message }) => message));
}

function tasksOf(messages: readonly SDKMessage[]): SDKMessage[] {
  return messages.filter((message) => message.type === "system" && message.subtype.startsWith("task_"));
}

/** What the model was told of its calls, in the session's own conversation. */
function lastResults(model: { requests: readonly { body?: unknown }[] }): string {
  return JSON.stringify(model.requests.at(-1)?.body);
}

describe("an agent", () => {
  test("works in its own context and returns its last message", async () => {
    const ground = layGround();
    ground.file("a.txt", "the answer is 42\n");
    const script = play([{ content: [agent("Find the answer in a.txt.")] }, "It is 42."], ({ turns }) =>
      turns === 0
        ? { content: [{ tool: "Read", input: { file_path: join(ground.work, "a.txt") } }] }
        : "a.txt:1 says 42",
    );
    const { engine, model } = await openSession(script, {}, ground);
    const { messages, result } = await turn(engine, "What is the answer?");
    expect(result).toMatchObject({ subtype: "success", result: "It is 42.", num_turns: 2 });
    const bodies = calls(model).map(({ body }) => JSON.stringify(body));
    expect(bodies).toHaveLength(4);
    expect(bodies[1]).not.toContain("What is the answer?");
    expect(bodies[1]).toContain("Find the answer in a.txt.");
    expect(bodies[3]).toContain("a.txt:1 says 42");
    const below = messages.filter((message) => "parent_tool_use_id" in message && message.parent_tool_use_id !== null);
    expect(below.map(({ type }) => type)).toEqual(["assistant", "user"]);
    expect(subtypes(messages).filter((name) => name.startsWith("task_"))).toEqual([
      "task_started",
      "task_progress",
      "task_notification",
    ]);
    const [file] = transcripts(engine);
    expect(file).toMatch(/agent-[0-9a-f]{16}\.jsonl$/u);
    expect(readFileSync(file!, "utf8")).toContain("a.txt:1 says 42");
    expect(result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
    expect(problems(model)).toEqual([]);
  });

  test("reports its token usage while it works, not only at its end", async () => {
    const script = play([{ content: [agent("Look twice.")] }], ({ turns }) =>
      turns < 2 ? { content: [{ tool: "Glob", input: { pattern: "*.none" } }] } : "nothing",
    );
    const { engine } = await openSession(script);
    const { messages } = await turn(engine, "Go.");
    const spent = messages.flatMap((message) =>
      message.type === "system" && (message.subtype === "task_progress" || message.subtype === "task_notification")
        ? [message.usage?.total_tokens ?? 0]
        : [],
    );
    expect(spent).toHaveLength(3);
    const [first = 0, second = 0, last = 0] = spent;
    expect([first > 0, second > first, last > second]).toEqual([true, true, true]);
  });

  test.each([false, true])(
    "reports its denied calls as its own, and in the session's result (background: %s)",
    async (isBackground) => {
      const input = { file_path: "no.txt", content: "x" };
      const script = play([{ content: [agent("Write.", { run_in_background: isBackground })] }], ({ turns }) =>
        turns === 0 ? { content: [{ tool: "Write", input }] } : "I was not allowed.",
      );
      const { engine } = await openSession(script);
      const { messages, result } = await turn(engine, "Go.");
      await engine.whenAgentsEnd();
      const next = await turn(engine, "And?");
      // One of the background may end in the turn that began it, or after it.
      const denials = [...result.permission_denials, ...(isBackground ? next.result.permission_denials : [])];
      expect(denials).toEqual([{ tool_name: "Write", tool_use_id: expect.any(String), tool_input: input }]);
      const told = messages.filter((message) => message.type === "system" && message.subtype === "permission_denied");
      if (!isBackground)
        expect(told).toMatchObject([{ tool_name: "Write", agent_id: expect.stringMatching(/^[0-9a-f]{16}$/u) }]);
      expect((await turn(engine, "And now?")).result.permission_denials).toEqual([]);
    },
  );

  test("runs side by side with others", async () => {
    let waiting = 0;
    const { promise: all, resolve } = Promise.withResolvers<void>();
    const meet = tool(
      "Meet",
      "Waits for the others.",
      { type: "object" },
      async () => {
        if (++waiting === 3) resolve();
        await all;
        return "met";
      },
      { readOnlyHint: true },
    );
    const script = play([{ content: ["a", "b", "c"].map((name) => agent(`Task ${name}`)) }], ({ turns }) =>
      turns === 0 ? { content: [{ tool: "Meet", input: {} }] } : "met the others",
    );
    const { engine, model } = await openSession(script, { customTools: [meet] });
    const { result } = await turn(engine, "Go.");
    expect(result.subtype).toBe("success");
    expect(lastResults(model).match(/met the others/gu)).toHaveLength(3);
    expect(transcripts(engine)).toHaveLength(3);
  });

  test("cannot start agents below the depth limit and is not offered the tool there", async () => {
    const script = play([{ content: [agent("down")] }], ({ turns, tools }) =>
      turns === 0 && tools.includes("Agent") ? { content: [agent("down")] } : "at the bottom",
    );
    const { engine, model } = await openSession(script);
    await turn(engine, "Go.");
    expect(calls(model)).toHaveLength(2 + 2 + 2 + 1);
    expect(problems(model)).toEqual([]);
  });

  test("is refused if its type is unknown or it would have no tools", async () => {
    const ground = layGround();
    specialist(ground, "tools: Nonsense\n");
    const own = [{ content: [agent("x", { subagent_type: "wizard" }), agent("y", { subagent_type: "specialist" })] }];
    const { engine, model } = await openSession(
      play(own, () => "never"),
      {},
      ground,
    );
    await turn(engine, "Go.");
    const said = lastResults(model);
    expect(said).toContain('There is no agent type \\"wizard\\"');
    expect(said).toContain("would have no tools: its definition names Nonsense, and none of them is available here");
    expect(transcripts(engine)).toEqual([]);
  });

  test("runs without tools if its definition has an empty tools list", async () => {
    const ground = layGround();
    specialist(ground, "tools: []\n");
    const own = [{ content: [agent("y", { subagent_type: "specialist" })] }];
    const { engine, model } = await openSession(
      play(own, ({ tools }) => `has ${tools.length} tools`),
      {},
      ground,
    );
    await turn(engine, "Go.");
    expect(lastResults(model)).toContain("has 0 tools");
    expect(problems(model)).toEqual([]);
  });
});

describe("the rights of an agent", () => {
  const written = (ground: Ground) => existsSync(join(ground.work, "new.txt"));
  const writes: Play = ({ turns }) =>
    turns === 0 ? { content: [{ tool: "Write", input: { file_path: "new.txt", content: "x" } }] } : "tried";

  async function tries(frontMatter: string, options: EngineOptions): Promise<boolean> {
    const ground = layGround();
    specialist(ground, frontMatter);
    const own = [{ content: [agent("write", { subagent_type: "specialist" })] }];
    const below: Play = (request) => {
      const reply = writes(request) as { content?: { input: { file_path: string } }[] };
      for (const block of reply.content ?? []) block.input.file_path = join(ground.work, "new.txt");
      return reply as Reply;
    };
    const { engine } = await openSession(play(own, below), options, ground);
    await turn(engine, "Go.");
    return written(ground);
  }

  test("include no looser permission mode than its parent's, whatever its file says", async () => {
    expect(await tries("permissionMode: bypassPermissions\n", { permissionMode: "default", trust: true })).toBe(false);
    expect(await tries("permissionMode: acceptEdits\n", { permissionMode: "plan", trust: true })).toBe(false);
    expect(await tries("permissionMode: acceptEdits\n", { permissionMode: "acceptEdits", trust: true })).toBe(true);
    expect(await tries("permissionMode: plan\n", { permissionMode: "bypassPermissions", trust: true })).toBe(false);
  });

  test("are limited by the session's rules, which can also deny an agent type", async () => {
    expect(await tries("", { permissionMode: "bypassPermissions", disallowedTools: ["Write(/**)"] })).toBe(false);
    expect(await tries("", { permissionMode: "bypassPermissions", disallowedTools: ["Agent(specialist)"] })).toBe(
      false,
    );
    expect(await tries("disallowedTools: Write\n", { permissionMode: "bypassPermissions" })).toBe(false);
  });

  test('are asked about with the agent\'s id, and an "always" answer counts for the session', async () => {
    const asked: (string | undefined)[] = [];
    const ask: EngineOptions["ask"] = (question) => {
      asked.push(question.agentId);
      return Promise.resolve({ behavior: "allow", rule: "Write" });
    };
    const ground = layGround();
    const path = join(ground.work, "new.txt");
    const input = { file_path: path, content: "x" };
    const own: (Reply | string)[] = [
      { content: [agent("write")] },
      { content: [{ tool: "Write", input: { ...input, content: "y" } }] },
    ];
    const below: Play = ({ turns }) => (turns === 0 ? { content: [{ tool: "Write", input }] } : "written");
    const { engine } = await openSession(play(own, below), { ask, headless: false }, ground);
    await turn(engine, "Go.");
    expect(asked).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/u)]);
  });

  test.each([
    ["the session's turn", false, { depth: 1 }],
    ["the turns of the session and of the agent between them", false, { depth: 2 }],
    ["only the agent's own turn if it is in the background", true, { depth: 1 }],
  ])("are refused by a person who ends the turn, which ends %s", async (_whose, isBackground, agentLimits) => {
    const ask: EngineOptions["ask"] = () => Promise.resolve({ behavior: "deny", message: "Stop.", interrupt: true });
    const ground = layGround();
    const input = { file_path: join(ground.work, "new.txt"), content: "x" };
    const own: Reply[] = [{ content: [agent("first", { run_in_background: isBackground })] }];
    let wentOn = 0;
    const below: Play = ({ turns, tools }) => {
      wentOn += Math.min(1, turns);
      return tools.includes("Agent") ? { content: [agent("second")] } : { content: [{ tool: "Write", input }] };
    };
    const { engine, model } = await openSession(play(own, below), { ask, agentLimits, headless: false }, ground);
    const { result } = await turn(engine, "Go.");
    if (isBackground) expect(result).toMatchObject({ subtype: "success", result: "Done." });
    else expect(result.terminal_reason).toBe("aborted_tools");
    if (!isBackground) expect(result.permission_denials).toMatchObject([{ tool_name: "Write" }]);
    expect(wentOn).toBe(0);
    expect(problems(model)).toEqual([]);
  });
});

describe("the limits of agents", () => {
  test("stop forty parallel agents at the budget", async () => {
    const budget = 0.5;
    const own: (Reply | string)[] = [{ content: Array.from({ length: 40 }, (_, at) => agent(`Task ${at}`)) }];
    const below: Play = ({ turns }) =>
      turns < 6
        ? { content: ["thinking aloud ".repeat(200), { tool: "Glob", input: { pattern: `*.${turns}` } }] }
        : "done";
    const { engine, model } = await openSession(play(own, below), { maxBudgetUsd: budget });
    const { result } = await turn(engine, "Go.");
    expect(model.bill.totalUsd).toBeLessThanOrEqual(budget);
    expect(model.bill.totalUsd).toBeGreaterThan(budget * 0.5);
    expect(result.subtype).toBe("error_max_budget_usd");
    expect(result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 9);
    expect(problems(model)).toEqual([]);
  });

  test("apply to agents running at once and to agents in total", async () => {
    const own: (Reply | string)[] = [
      { content: [1, 2, 3].map((at) => agent(`Task ${at}`)) },
      { content: [agent("one more")] },
    ];
    const { engine, model } = await openSession(
      play(own, () => "done"),
      { agentLimits: { concurrent: 2, count: 2 } },
    );
    await turn(engine, "Go.");
    const said = lastResults(model);
    expect(said).toContain("Concurrent subagent limit reached");
    expect(said).toContain("Subagent limit reached");
  });

  test("apply to responses per definition and for the whole tree", async () => {
    const ground = layGround();
    specialist(ground, "maxTurns: 2\n");
    const below: Play = ({ turns }) => ({ content: [{ tool: "Glob", input: { pattern: `*.${turns}` } }] });
    const own: (Reply | string)[] = [
      { content: [agent("x", { subagent_type: "specialist" })] },
      { content: [agent("y")] },
      { content: [agent("z")] },
    ];
    const { engine, model } = await openSession(play(own, below), { agentLimits: { turns: 5 } }, ground);
    await turn(engine, "Go.");
    expect(calls(model)).toHaveLength(4 + 2 + 3);
    expect(lastResults(model)).toContain("Subagent turn limit reached");
  });
});

describe("an agent that ends", () => {
  test("is ended by an interrupt of the session, leaving nothing running", async () => {
    const { promise: reached, resolve } = Promise.withResolvers<void>();
    let wasAborted = false;
    const hang = tool(
      "Hang",
      "Hangs.",
      { type: "object" },
      async (_input, { signal }) => {
        resolve();
        await new Promise((ended) => signal.addEventListener("abort", ended));
        wasAborted = true;
        return "ended";
      },
      { readOnlyHint: true },
    );
    const below: Play = () => ({ content: [{ tool: "Hang", input: {} }] });
    const { engine } = await openSession(play([{ content: [agent("hang")] }], below), { customTools: [hang] });
    const running = turn(engine, "Go.");
    await reached;
    engine.interrupt();
    const { result } = await running;
    expect(result.terminal_reason).toBe("aborted_tools");
    expect(wasAborted).toBe(true);
    const next = await turn(engine, "And now?");
    expect(next.result.subtype).toBe("success");
  });

  test("runs SubagentStart and SubagentStop hooks exactly once, however it ends", async () => {
    const told: string[] = [];
    const note = (name: string) => [
      {
        callback: (input: Record<string, unknown>) => {
          told.push(`${name} ${String(input["agent_type"])} ${typeof input["agent_id"]}`);
          return Promise.resolve(undefined);
        },
      },
    ];
    const hooks = {
      SubagentStart: note("start"),
      SubagentStop: note("stop"),
      SessionStart: note("session"),
      UserPromptSubmit: note("prompt"),
    };
    let asked = 0;
    const below: Play = () => (++asked === 1 ? "well" : { fault: { kind: "bad_request" } });
    const own: (Reply | string)[] = [{ content: [agent("one")] }, { content: [agent("two")] }];
    const { engine, model } = await openSession(play(own, below), { hooks });
    await turn(engine, "Go.");
    expect(told).toEqual([
      "session undefined undefined",
      "prompt undefined undefined",
      "start general-purpose string",
      "stop general-purpose string",
      "start general-purpose string",
      "stop general-purpose string",
    ]);
    expect(lastResults(model)).toContain("Agent terminated early");
    expect(lastResults(model)).not.toContain("last words");
  });

  test("in the background reports to the session later", async () => {
    const { promise: go, resolve } = Promise.withResolvers<void>();
    const wait = tool(
      "Wait",
      "Waits.",
      { type: "object" },
      async () => {
        await go;
        return "waited";
      },
      { readOnlyHint: true },
    );
    const below: Play = ({ turns }) => (turns === 0 ? { content: [{ tool: "Wait", input: {} }] } : "the late answer");
    const own: (Reply | string)[] = [{ content: [agent("slow", { run_in_background: true })] }, "It runs."];
    const { engine, model } = await openSession(play(own, below), { customTools: [wait] });
    const first = await turn(engine, "Go.");
    expect(first.result).toMatchObject({ result: "It runs." });
    const begun = { subtype: "task_started", task_type: "local_agent", is_backgrounded: true };
    expect(tasksOf(first.messages)).toMatchObject([begun]);
    resolve();
    await engine.whenAgentsEnd();
    const second = await turn(engine, "Well?");
    expect(lastResults(model)).toContain("the late answer");
    const ids = [...first.messages, ...second.messages].flatMap((each) => ("task_id" in each ? [each.task_id] : []));
    expect(tasksOf(second.messages)).toMatchObject([{ subtype: "task_notification", task_id: ids[0] }]);
  });

  test("when the process is terminated is reported with the id for resuming it", async () => {
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const wait = tool("Wait", "Waits.", { type: "object" }, async (_input, { signal }) => {
      enter();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "";
    });
    const below: Play = () => ({ content: ["Half is done.", { tool: "Wait", input: {} }] });
    const more = { customTools: [wait], allowedTools: ["Wait"] };
    const { engine } = await openSession(play([{ content: [agent("slow")] }], below), more);
    const going = (async () => {
      for await (const message of engine.submitMessage("Go.")) void message;
    })();
    await entered;
    engine.interrupt("terminate");
    await going;
    const said = JSON.stringify(engine.getMessages());
    expect(said).toMatch(/ended before it was done\..*Half is done\.\\nagentId: [0-9a-f]{16} /u);
  });

  test("is reported with its background commands, which end with it", async () => {
    const input = { command: "sleep 60", description: "Serve", run_in_background: true };
    const below: Play = ({ turns }) => (turns === 0 ? { content: [{ tool: "Bash", input }] } : "It serves.");
    const script = play([{ content: [agent("serve")] }, "Done."], below);
    const { engine, model } = await openSession(script, { allowedTools: ["Bash"] });
    await turn(engine, "Go.");
    expect(lastResults(model)).toMatch(/It serves\..*Its background commands ended with it: b\w+ \(Serve\)\./u);
  });

  test("because the host stops it does not affect other agents", async () => {
    const below: Play = ({ turns, firstUserText }) =>
      turns > 0 || firstUserText.includes("other") ? "said" : { content: [{ tool: "Wait", input: {} }] };
    const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
    const wait = tool("Wait", "Waits.", { type: "object" }, async (_input, { signal }) => {
      enter();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return "";
    });
    const script = play([{ content: [agent("slow"), agent("the other")] }, "Done."], below);
    const { engine, model } = await openSession(script, { customTools: [wait], allowedTools: ["Wait"] });
    const going = turn(engine, "Go.");
    await entered;
    expect(engine.desk.tasks()).toEqual([]);
    const [path] = transcripts(engine).filter((each) => readFileSync(each, "utf8").includes("slow"));
    const id = /agent-(\w+)\.jsonl/u.exec(path ?? "")?.[1] ?? "";
    expect(await engine.desk.stopTask(id)).toMatchObject({ task_id: id, task_type: "subagent", status: "killed" });
    expect((await going).result).toMatchObject({ subtype: "success", result: "Done." });
    expect(lastResults(model)).toMatch(/Agent terminated early: Interrupted by user.*"said"/u);
  });

  test("in the background with a long report is shown in part, with a file that holds all of it", async () => {
    const words = `first ${"and then ".repeat(5_000)}last`;
    const own: (Reply | string)[] = [{ content: [agent("slow", { run_in_background: true })] }, "It runs."];
    const { engine, model } = await openSession(play(own, () => words));
    await turn(engine, "Go.");
    await engine.whenAgentsEnd();
    await turn(engine, "Well?");
    const news = lastUserTexts(calls(model).at(-1)!).find((text) => text.includes("has ended: completed"));
    expect(news).toMatch(/Its last message:\nfirst and then/u);
    expect(news).toMatch(/and then last\nagentId: [0-9a-f]{16} \(to go on with it: resume\)/u);
    const file = /characters left out; all of it is in (\S+) …/u.exec(news ?? "")?.[1] ?? "";
    expect(readFileSync(file, "utf8")).toContain(words);
  });

  test("can be resumed with its conversation", async () => {
    let id = "";
    const own: Play = ({ turns, lastToolResults }) => {
      if (turns === 0) return { content: [agent("first task")] };
      id = /agentId: ([0-9a-f]{16})/u.exec(lastToolResults[0]?.text ?? "")?.[1] ?? id;
      return turns === 1 ? { content: [agent("second task", { resume: id })] } : "done";
    };
    const script: Script = {
      rules: [{ when: {}, reply: (request: RequestView) => (isAgent(request) ? "said" : own(request)) }],
    };
    // It is the same agent: it was counted as another one against the limit.
    const { engine, model } = await openSession(script, { agentLimits: { count: 1 } });
    await turn(engine, "Go.");
    const bodies = calls(model).map(({ body }) => JSON.stringify(body?.messages));
    expect(bodies.join("")).not.toContain("limit reached");
    expect(bodies[3]).toContain("first task");
    expect(bodies[3]).toContain("second task");
    expect(problems(model)).toEqual([]);
  });
});
