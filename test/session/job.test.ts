// A session that is a job in the background: state.json from the start of a turn to its end, whatever the end.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { tool, type EngineOptions } from "../../src/index.ts";
import type { JobRecord } from "../../src/session/job/job-file.ts";
import type { Rule, Script } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const judged = (text: string): Rule => ({ name: "judge", when: { model: /haiku/ }, reply: text });
const silent: Rule = { name: "judge", when: { model: /haiku/ }, reply: { fault: "not_found" } };

function job(script: Script, extra: EngineOptions = {}) {
  const ground = layGround();
  const folder = join(ground.home, "jobs", "one");
  const model = scripted(script);
  const state = (): JobRecord => JSON.parse(readFileSync(join(folder, "state.json"), "utf8")) as JobRecord;
  const { env, ...rest } = extra;
  const open = () => openOn(ground, model, { clock: impatientClock, ...rest, env: { PAWL_JOB_DIR: folder, ...env } });
  return { ground, folder, model, state, open };
}

describe("a job's state at the end of a turn", () => {
  test("is what the small model says about the whole turn", async () => {
    const glob = { content: ["I look.", { tool: "Glob", input: { pattern: "*.toml" } }] };
    const { model, state, open } = job({
      rules: [judged('Sure: {"state": "needs_input", "detail": "Which port\\nshall it be?"}')],
      steps: [glob, "There are two."],
    });
    const engine = await open();
    await turn(engine, "Set the port.");
    expect(state()).toMatchObject({
      version: 1,
      state: "needs_input",
      detail: "Which port shall it be?",
      sessionId: engine.getSessionId(),
      pid: process.pid,
    });
    expect(Number.isNaN(Date.parse(state().updatedAt))).toBe(false);
    const seen = JSON.stringify(calls(model).find(({ source }) => source === 'rule "judge"')?.body?.messages);
    for (const part of ["user: Set the port.", "assistant: I look.", "call Glob", "result ", "There are two."])
      expect(seen).toContain(part);
    expect(Object.keys(engine.getCost().modelUsage)).toContain("claude-haiku-5-5");
  });

  test.each<[string, string, string]>([
    ["Done: the port is 9090.\nTests pass.", "done", "Done: the port is 9090."],
    ["I found two.\n\nWhich one do you mean?", "needs_input", "Which one do you mean?"],
  ])("is decided by plain signs without a model: %j", async (answer, state, detail) => {
    const { state: read, open } = job({ rules: [silent], steps: [answer] });
    await turn(await open(), "Set the port.");
    expect(read()).toMatchObject({ state, detail });
  });

  test("is blocked if the last calls all failed", async () => {
    const touch = { content: [{ tool: "Bash", input: { command: "touch a" } }] };
    const { state, open } = job({ rules: [silent], steps: [touch, "I may not."] });
    await turn(await open(), "Touch it.");
    expect(state()).toMatchObject({ state: "blocked", detail: "I may not." });
  });

  test.each(["no JSON at all", '{"state": "asleep", "detail": "x"}', '{"state": "done"}', '{"state": '])(
    "ignores an invalid answer of the model: %s",
    async (text) => {
      const { state, open } = job({ rules: [judged(text)], steps: ["It is done."] });
      await turn(await open(), "Go.");
      expect(state()).toMatchObject({ state: "done", detail: "It is done." });
    },
  );

  test("waits at most a minute for the model", async () => {
    const hangs: Rule = { name: "judge", when: { model: /haiku/ }, reply: { fault: { kind: "stall", at: "headers" } } };
    // The model's own limits are longer here: what fires is the minute.
    const env = { PAWL_FIRST_BYTE_TIMEOUT_MS: "120000", PAWL_IDLE_TIMEOUT_MS: "120000" };
    let minutes = 0;
    const clock: NonNullable<EngineOptions["clock"]> = {
      ...impatientClock,
      timer(ms, onFire) {
        if (ms !== 60_000) return impatientClock.timer(ms, onFire);
        minutes++;
        const handle = setImmediate(onFire);
        return () => clearImmediate(handle);
      },
    };
    const { state, open } = job({ rules: [hangs], steps: ["It is done."] }, { clock, env });
    await turn(await open(), "Go.");
    expect(minutes).toBe(1);
    expect(state()).toMatchObject({ state: "done", detail: "It is done." });
  });

  test("is decided without a model if the budget cannot spare one", async () => {
    const { model, state, open } = job(
      { rules: [judged('{"state": "failed", "detail": "x"}')], steps: ["It is done."] },
      { maxBudgetUsd: 1, env: { ANTHROPIC_DEFAULT_HAIKU_MODEL: "haiku-without-a-price" } },
    );
    await turn(await open(), "Go.");
    expect(state()).toMatchObject({ state: "done" });
    expect(calls(model)).toHaveLength(1);
  });
});

describe("a job's state during a turn and after a failure", () => {
  test("is working from the start of each turn, also after a Stop hook blocked", async () => {
    const seen: string[] = [];
    const { state, open } = job(
      { rules: [silent], steps: [{ content: [{ tool: "Look", input: {} }] }, "One.", "Two."], fallback: "Three." },
      {
        customTools: [tool("Look", "Looks.", { type: "object" }, async () => `${seen.push(state().state)}`)],
        allowedTools: ["Look"],
        hooks: {
          Stop: [
            {
              callback: async ({ stop_hook_active: isActive }) => {
                seen.push(state().state);
                return isActive === true ? {} : { decision: "block", reason: "more" };
              },
            },
          ],
        },
      },
    );
    const engine = await open();
    await turn(engine, "Set the port.", {
      onMessage: (message) =>
        message.type === "system" && message.subtype === "status" ? void seen.push(`asks ${state().state}`) : undefined,
    });
    expect(seen.filter((entry) => !entry.startsWith("asks"))).toEqual(["working", "done", "done"]);
    expect(state().state).toBe("done");
    await turn(engine, "Again.", {
      onMessage: (message) => {
        if (message.type === "system" && message.subtype === "init")
          expect(state()).toMatchObject({ state: "working", detail: "Again." });
      },
    });
  });

  test("is failed after an API error", async () => {
    const { state, open } = job({ steps: [{ fault: "bad_request" }] });
    await turn(await open(), "Go.");
    expect(state()).toMatchObject({ state: "failed" });
    expect(state().detail.length).toBeGreaterThan(5);
  });

  test("is blocked after a limit, and needs input after an interrupt", async () => {
    const glob = { content: [{ tool: "Glob", input: { pattern: "*" } }] };
    const limited = job({ fallback: glob }, { maxTurns: 2 });
    await turn(await limited.open(), "Go.");
    expect(limited.state()).toMatchObject({ state: "blocked", detail: "Reached the maximum number of turns (2)." });
    const stopped = job({ fallback: glob });
    const engine = await stopped.open();
    await turn(engine, "Go.", { onMessage: (message) => message.type === "assistant" && engine.interrupt() });
    expect(stopped.state()).toMatchObject({ state: "needs_input", detail: "It was interrupted." });
  });

  test("is blocked if a hook refuses the prompt", async () => {
    const { state, open } = job(
      { fallback: "No." },
      { hooks: { UserPromptSubmit: [{ callback: async () => ({ decision: "block", reason: "no" }) }] } },
    );
    await turn(await open(), "Go.");
    expect(state()).toMatchObject({ state: "blocked" });
  });

  test("is not left as working by a reader that leaves", async () => {
    const { state, open } = job({ fallback: "Long." });
    for await (const message of (await open()).submitMessage("Go.")) if (message.type === "assistant") break;
    expect(state().state).not.toBe("working");
  });
});

test("a job folder that cannot be written is reported once, and the turns succeed", async () => {
  const notices: string[] = [];
  const { ground, folder, open } = job(
    { rules: [silent], fallback: "Done." },
    { onNotice: (text) => notices.push(text) },
  );
  mkdirSync(join(ground.home, "jobs"));
  writeFileSync(folder, "a file");
  const engine = await open();
  for (const prompt of ["One.", "Two."]) expect((await turn(engine, prompt)).result.subtype).toBe("success");
  expect(notices.filter((text) => text.includes("PAWL_JOB_DIR"))).toHaveLength(1);
});

test("no job state is written without the variable, by a subagent, or by a command's own sessions", async () => {
  const shown: string[] = [];
  const env = { content: [{ tool: "Bash", input: { command: "echo dir=$PAWL_JOB_DIR." } }] };
  const plain = job({ rules: [silent], steps: ["Done."] }, { env: { PAWL_JOB_DIR: "" } });
  await turn(await plain.open(), "Go.");
  const sub = job(
    { rules: [silent], steps: [env, "Done."] },
    {
      subagent: { agentId: "a", agentType: "b" },
      allowedTools: ["Bash"],
    },
  );
  const { messages } = await turn(await sub.open(), "Go.");
  for (const message of messages) if (message.type === "user") shown.push(JSON.stringify(message.message.content));
  expect(shown.join()).toContain("dir=.");
  for (const { folder } of [plain, sub]) expect(existsSync(folder)).toBe(false);
});
