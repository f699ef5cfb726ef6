// What the user might say next: a message after the result, from the cached prefix, that nobody is kept waiting for.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Rule, Script } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const suggests = (reply: Rule["reply"]): Rule => ({
  name: "suggestion",
  when: { lastUserText: "most likely say next" },
  reply,
});
const stalls = suggests({ fault: { kind: "stall", at: "headers" } });

async function run(rule: Rule, script: Script = { fallback: "Done." }, extra: EngineOptions = {}) {
  const { engine, model } = await openSession({ ...script, rules: [rule] }, { promptSuggestions: true, ...extra });
  const made = () => calls(model).filter(({ source }) => source === 'rule "suggestion"');
  return { engine, model, made };
}

async function taken(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

describe("after the result, a suggestion", () => {
  test("is one line and not part of the conversation", async () => {
    const { engine, model, made } = await run(suggests('"run the\u001b[31m tests"\nor not'));
    const all = await taken(engine.submitMessage("Set the port."));
    expect(all.at(-2)?.type).toBe("result");
    expect(all.at(-1)).toEqual({
      type: "prompt_suggestion",
      suggestion: "run the tests",
      uuid: expect.any(String) as string,
      session_id: engine.getSessionId(),
    });
    expect(made()[0]?.body?.tools).toEqual(calls(model)[0]?.body?.tools);
    expect(JSON.stringify(engine.getMessages())).not.toContain("run the tests");
    expect(engine.getCost().totalUsd).toBeCloseTo(model.bill.totalUsd, 10);
  });

  test.each<[string, Rule["reply"], EngineOptions]>([
    ["the model suggests nothing", "None.", {}],
    ["the suggestion is too long", "word ".repeat(100), {}],
    ["the model calls a tool", { content: [{ tool: "Glob", input: { pattern: "*" } }] }, {}],
    ["the request fails", { fault: "server_error" }, {}],
    ["the budget does not allow it", "run the tests", { maxBudgetUsd: 0.3 }],
    ["the session is bare", "run the tests", { env: { CLAUDE_CODE_SIMPLE: "1" } }],
    ["a subagent", "run the tests", { subagent: { agentId: "a", agentType: "b" } }],
    ["suggestions are off", "run the tests", { promptSuggestions: false }],
  ])("is not made: %s", async (_name, reply, extra) => {
    const { engine } = await run(suggests(reply), undefined, extra);
    const all = await taken(engine.submitMessage("Set the port."));
    expect(all.at(-1)).toMatchObject({ type: "result", subtype: "success" });
  });

  test("is not made for a turn that failed or was limited", async () => {
    const { engine, made } = await run(suggests("run the tests"), { steps: [{ fault: "bad_request" }] });
    expect((await taken(engine.submitMessage("Set the port."))).at(-1)?.type).toBe("result");
    expect(made()).toEqual([]);
  });
});

describe("nobody waits for a suggestion", () => {
  test("the next prompt, an interrupt, a command from the surface and a leaving reader end it", async () => {
    const { engine } = await run(stalls);
    for (const end of ["submit", "interrupt", "drop", "leave"] as const) {
      const messages = engine.submitMessage("Set the port.");
      for (let step = await messages.next(); step.value?.type !== "result"; step = await messages.next())
        expect(step.done).toBe(false);
      const rest = messages.next();
      if (end === "interrupt") engine.interrupt();
      else if (end === "drop") engine.background.dropSuggestion();
      else if (end === "submit") {
        const next = engine.submitMessage("And now?");
        await next.next();
        expect(await rest).toEqual({ done: true, value: undefined });
        await next.return();
        continue;
      } else {
        const left = messages.return();
        engine.background.dropSuggestion();
        await left;
      }
      expect(await rest).toEqual({ done: true, value: undefined });
    }
  });

  test("the end of the session does not wait for it", async () => {
    const { engine } = await run(stalls);
    const messages = engine.submitMessage("Set the port.");
    for (let step = await messages.next(); step.value?.type !== "result"; step = await messages.next());
    const begun = performance.now();
    await engine.dispose();
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(await messages.next()).toEqual({ done: true, value: undefined });
  });

  test("a turn that a hook continued gets one suggestion, at its end", async () => {
    const { engine, made } = await run(suggests("run the tests"), undefined, {
      hooks: {
        Stop: [
          {
            callback: async ({ stop_hook_active: isActive }) =>
              isActive === true ? {} : { decision: "block", reason: "more" },
          },
        ],
      },
    });
    const all = await taken(engine.submitMessage("Set the port."));
    expect(all.filter(({ type }) => type === "prompt_suggestion")).toHaveLength(1);
    expect(made().length).toBeLessThanOrEqual(2);
  });
});
