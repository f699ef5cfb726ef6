// How teammates end, are kept, and go on: interrupts, stops, closed sessions, processes that died.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EngineOptions, QueryEngine } from "../../../src/index.ts";
import { tool } from "../../../src/session/tools/custom-tool.ts";
import type { PostState } from "../../../src/session/team/mail.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "../support.ts";
import { cast, count, create, mine, on, send, teammate, textsTo, untilQuiet, type Call } from "./cast.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

/** A tool that a teammate waits in, until it is let go or told to end. */
function gate() {
  const { promise: entered, resolve: enter } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const wait = tool(
    "Wait",
    "Waits.",
    { type: "object" },
    async (_input, { signal }) => {
      enter();
      const { promise: aborted, resolve } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      await Promise.race([opened, aborted]);
      return signal.aborted ? "aborted" : "waited";
    },
    { readOnlyHint: true },
  );
  return { wait, entered, open };
}

const waits: Call = { tool: "Wait", input: {} };
const postOf = (engine: QueryEngine): PostState =>
  JSON.parse(
    readFileSync(join(engine.getTranscriptPath()!.replace(/\.jsonl$/u, ""), "team.json"), "utf8"),
  ) as PostState;

describe("an interrupt", () => {
  test("ends the turn of a teammate but not the teammate", async () => {
    const { wait, entered } = gate();
    const script = cast({
      lead: [[teammate("ada", "Wait.")], "Waiting.", [send("ada", "Again.")], "Waiting."],
      ada: [[waits], "Here again."],
    });
    const { engine } = await openSession(script, { ...on, customTools: [wait] });
    await turn(engine, "Go.");
    await entered;
    engine.interrupt("user");
    await engine.whenAgentsEnd();
    // Who has stopped everything does not want it to go on by itself.
    expect(engine.openAgents).toBe(0);
    await untilQuiet(engine, "And now?");
    expect(mine(engine)).toContain("The teammate ada is idle (Interrupted by user)");
    expect(mine(engine)).toContain("Here again.");
  });

  test("of the call that waits for a first answer ends the teammate's turn", async () => {
    const { wait, entered } = gate();
    const script = cast({ lead: [[teammate("ada", "Wait.", { run_in_background: false })]], ada: [[waits]] });
    const { engine } = await openSession(script, { ...on, customTools: [wait] });
    const going = turn(engine, "Go.");
    await entered;
    engine.interrupt("user");
    const { result } = await going;
    expect(result.terminal_reason).toBe("aborted_tools");
    expect(engine.openAgents).toBe(0);
  });
});

test("answers the call with the first answer when run_in_background is false, and keeps the teammate", async () => {
  const script = cast({
    lead: [[teammate("ada", "Count.", { run_in_background: false })], [send("ada", "Again.")], "Waiting."],
    ada: ["It is 7.", "Still 7."],
  });
  const { engine } = await openSession(script, on);
  const messages = await untilQuiet(engine, "Go.");
  expect(mine(engine)).toContain("agentId:");
  expect(mine(engine)).toContain("Still 7.");
  expect(messages.some((message) => message.type === "system" && message.subtype === "task_started")).toBe(true);
});

test("reports a long answer with its beginning and its end, and says that the middle is left out", async () => {
  const script = cast({ lead: [[teammate("ada", "Tell.")], "Waiting."], ada: [`first ${"and ".repeat(8_000)}last`] });
  const { engine } = await openSession(script, on);
  await untilQuiet(engine, "Go.");
  expect(mine(engine)).toMatch(/first and .*the middle is left out.* and last/u);
});

test("stops a teammate by name, and a later message wakes it with its conversation intact", async () => {
  const { wait, entered } = gate();
  const script = cast({
    lead: [
      [teammate("ada", "Wait.")],
      "Waiting.",
      [{ tool: "TaskStop", input: { task_id: "ada" } }],
      [send("ada", "Go on.")],
      "Waiting.",
    ],
    ada: [[waits], "I was stopped."],
  });
  const { engine, model } = await openSession(script, { ...on, customTools: [wait] });
  await turn(engine, "Go.");
  await entered;
  await untilQuiet(engine, "Stop it.");
  expect(mine(engine)).toContain("The teammate ada has ended (it was stopped)");
  expect(mine(engine)).toContain("I was stopped.");
  expect(textsTo(model, "ada")).toContain("Wait.");
});

describe("the end of the session", () => {
  test("ends working and idle teammates and leaves nothing open", async () => {
    const { wait, entered } = gate();
    const heard: string[] = [];
    const hooks: EngineOptions["hooks"] = {
      SubagentStart: [{ callback: () => Promise.resolve(void heard.push("start")) }],
      SubagentStop: [{ callback: () => Promise.resolve(void heard.push("stop")) }],
    };
    const script = cast({
      lead: [[teammate("ada", "Wait."), teammate("bob", "Rest.")], "Waiting."],
      ada: [[waits]],
      bob: ["Resting."],
    });
    const { engine } = await openSession(script, { ...on, hooks, customTools: [wait] });
    await turn(engine, "Go.");
    await entered;
    await engine.whenAgentsEnd();
    await engine.dispose();
    expect(heard.toSorted()).toEqual(["start", "start", "stop", "stop"]);
    expect(postOf(engine).members.map(({ name, isWorking }) => [name, isWorking])).toEqual([
      ["ada", true],
      ["bob", false],
    ]);
  });

  test("by /clear starts a new team", async () => {
    const script = cast({ lead: [[teammate("ada", "Rest.")], "Waiting.", "Waiting."], ada: ["Resting."] });
    const { engine } = await openSession(script, on);
    await untilQuiet(engine, "Go.");
    await engine.clear();
    expect(engine.openAgents).toBe(0);
    await untilQuiet(engine, "Go.");
    expect(mine(engine)).not.toContain("There is a teammate ada already");
  });
});

describe("a resumed session", () => {
  async function resumed(ground: Ground, before: QueryEngine, roles: Parameters<typeof cast>[0]) {
    const resume = before.getSessionId();
    await before.dispose();
    return await openSession(cast(roles), { ...on, resume }, ground);
  }

  test("wakes teammates with their conversations and reports those that were cut off", async () => {
    const ground = layGround();
    const { wait, entered } = gate();
    const first = cast({
      lead: [[teammate("ada", "Remember 42."), teammate("bob", "Wait.")], "Waiting."],
      ada: ["I keep it."],
      bob: [[waits]],
    });
    const { engine } = await openSession(first, { ...on, customTools: [wait] }, ground);
    await turn(engine, "Go.");
    await entered;
    await engine.whenAgentsEnd();
    const again = await resumed(ground, engine, {
      lead: [[], [], [send("ada", "What was it?")], "Waiting."],
      ada: [[], "It was 42."],
    });
    await untilQuiet(again.engine, "Ask ada.");
    const said = mine(again.engine);
    expect(count(said, "The teammate bob is idle (cut off in the middle of its work")).toBe(1);
    expect(said).toContain("It was 42.");
    const told = textsTo(again.model, "ada");
    expect(told).toContain("Remember 42.");
    expect(count(told, "What was it?")).toBe(1);
    expect(again.model.requests.flatMap(({ violations }) => violations)).toEqual([]);
  });

  test("delivers undelivered messages once", async () => {
    const ground = layGround();
    const first = cast({
      lead: [[teammate("ada", "Write.")], "Waiting."],
      ada: [[send("team-lead", "a word")], "Done."],
    });
    const { engine } = await openSession(first, on, ground);
    await turn(engine, "Go.");
    while (postOf(engine).mail.length < 2) await engine.whenAgentsEnd();
    expect(postOf(engine).mail.map(({ kind }) => kind)).toEqual(["message", "idle"]);
    const again = await resumed(ground, engine, { lead: [] });
    await turn(again.engine, "Hello.");
    const third = await resumed(ground, again.engine, { lead: [] });
    await turn(third.engine, "Hello.");
    expect(count(mine(third.engine), "a word")).toBe(1);
    expect(count(mine(third.engine), "The teammate ada is idle")).toBe(1);
    expect(postOf(third.engine).mail).toEqual([]);
  });
});

test("shows the task list and the teammates to /tasks and the host, which may stop one", async () => {
  const { wait, entered } = gate();
  const script = cast({
    lead: [[create("Parser"), teammate("ada", "Wait."), teammate("bob", "Rest.")], "Waiting."],
    ada: [[waits]],
    bob: ["Resting."],
  });
  const { engine } = await openSession(script, { ...on, customTools: [wait] });
  await turn(engine, "Go.");
  await entered;
  await engine.whenAgentsEnd();
  const { result } = await turn(engine, "/tasks");
  expect(result).toMatchObject({
    result: ["  #1 [pending] Parser", "  teammate ada [running] ada's work", "  teammate bob [idle] bob's work"].join(
      "\n",
    ),
    local_command_output: {
      data: { tasks: [{ id: "1", blocks: [] }], background: [{ name: "ada" }, { status: "paused" }] },
    },
  });
  expect(await engine.desk.stopTask("ada")).toMatchObject({ task_type: "teammate", status: "killed" });
  expect(await engine.desk.stopTask("nobody")).toBeUndefined();
  expect(engine.desk.tasks()).toMatchObject([{ name: "bob" }]);
  expect((await turn(engine, "/tasks all")).result).toMatchObject({ is_error: true });
});
