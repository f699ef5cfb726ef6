// Agents in the background that outlast the turn of a query: what they find is not lost with it.
import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { query } from "../../src/index.ts";
import type { Query } from "../../src/session/query/query-types.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Reply, Script } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, optionsFor, scripted } from "../session/support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const begins: Reply = {
  content: [{ tool: "Agent", input: { description: "look", prompt: "Look.", run_in_background: true } }],
};
const stalled: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };

/** The session's own replies by number of its turns, and what its agents say. */
function play(own: readonly (Reply | string)[], below: Reply | string): Script {
  return {
    rules: [
      {
        when: {},
        reply: ({ systemText, turns }) => (isAgent({ systemText }) ? below : (own[turns] ?? "Nothing more.")),
      },
    ],
  };
}

const answers = (messages: readonly SDKMessage[]): unknown[] =>
  messages.flatMap((message) => (message.type === "result" && message.subtype === "success" ? [message.result] : []));

async function untilFirstResult(running: Query): Promise<void> {
  for (;;) {
    const { value } = await running.next();
    if (value?.type === "result") return;
  }
}

test("the result of a background agent reaches the model in an extra turn", async () => {
  const model = scripted(play([begins, "Wait for it.", "It is 42."], "The answer is 42."));
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: "Go.", options: optionsFor(layGround(), model) })) messages.push(message);
  expect(answers(messages)).toEqual(["Wait for it.", "It is 42."]);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The answer is 42.");
  expect(messages.filter((message) => message.type === "result").at(-1)).toMatchObject({
    origin: { kind: "task-notification" },
  });
});

test("the result of an agent is reported while the next prompt is awaited, and the prompt follows", async () => {
  const model = scripted(play([begins, "Wait for it.", "It is 42.", "You are welcome."], "The answer is 42."));
  const told = Promise.withResolvers<void>();
  async function* prompts() {
    yield "Go.";
    await told.promise;
    yield "Thanks.";
  }
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: prompts(), options: optionsFor(layGround(), model) })) {
    messages.push(message);
    if (message.type === "result" && answers(messages).includes("It is 42.")) told.resolve();
  }
  expect(answers(messages)).toEqual(["Wait for it.", "It is 42.", "You are welcome."]);
});

test("a prompt that is ready comes before an agent's result, and takes it along", async () => {
  const model = scripted(play([begins, "Wait for it.", "It is 42."], "The answer is 42."));
  const messages: SDKMessage[] = [];
  async function* prompts() {
    yield "Go.";
    yield "And?";
  }
  for await (const message of query({ prompt: prompts(), options: optionsFor(layGround(), model) }))
    messages.push(message);
  expect(answers(messages).slice(0, 2)).toEqual(["Wait for it.", "It is 42."]);
  const [, , second] = model.requests.filter(({ body }) => !JSON.stringify(body).includes("another agent has given"));
  expect(JSON.stringify(second?.body)).toContain("And?");
});

test("an extra turn that failed is not repeated", async () => {
  const fails: Reply = { content: [], fault: { kind: "unauthenticated" } };
  const model = scripted(play([begins, "Wait for it.", fails, fails], "The answer is 42."));
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: "Go.", options: optionsFor(layGround(), model) })) messages.push(message);
  expect(messages.filter((message) => message.type === "result")).toHaveLength(2);
});

test("the end of an agent that the query no longer waits for is reported", async () => {
  const model = scripted(play([begins, "Wait for it."], stalled));
  const options = optionsFor(layGround(), model);
  const env = { ...options.env, CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: "1" };
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: "Go.", options: { ...options, env } })) messages.push(message);
  const started = messages.find((message) => message.type === "system" && message.subtype === "task_started");
  expect(started).toHaveProperty("task_id");
  const { task_id } = started as { task_id: string };
  expect(messages.at(-1)).toMatchObject({ subtype: "task_notification", status: "stopped", task_id });
});

test("a query whose turn reached its limit ends its agents and says so, without a turn for their reports", async () => {
  const model = scripted(play([begins, begins, "It is 42."], stalled));
  const messages: SDKMessage[] = [];
  for await (const message of query({ prompt: "Go.", options: optionsFor(layGround(), model, { maxTurns: 1 }) }))
    messages.push(message);
  expect(messages.filter(({ type }) => type === "result")).toMatchObject([{ subtype: "error_max_turns" }]);
  expect(messages.at(-1)).toMatchObject({ subtype: "task_notification", status: "stopped" });
});

describe("an agent that does not end does not keep a query open", () => {
  const opened = (abortController?: AbortController): Query => {
    const model = scripted(play([begins, "Wait for it.", "Next."], stalled));
    return query({ prompt: "Go.", options: optionsFor(layGround(), model, { abortController }) });
  };

  test("after an interrupt", async () => {
    const running = opened();
    await untilFirstResult(running);
    let isOver = false;
    const rest = running.next().finally(() => (isOver = true));
    while (!isOver) {
      await running.interrupt();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await rest).done).toBe(true);
  });

  test("after an interrupt in the middle of its turn", async () => {
    const model = scripted(play([begins, stalled], stalled));
    const running = query({ prompt: "Go.", options: optionsFor(layGround(), model, { includePartialMessages: true }) });
    const results: string[] = [];
    let pieces = 0;
    for await (const message of running) {
      if (message.type === "stream_event") pieces += JSON.stringify(message.event).includes("One.") ? 1 : 0;
      if (message.type === "stream_event" && pieces === 1) await running.interrupt();
      if (message.type === "result") results.push(message.subtype);
    }
    expect(results).toEqual(["error_during_execution"]);
  });

  test("after close()", async () => {
    const running = opened();
    await untilFirstResult(running);
    const rest = running.next();
    await running.close();
    expect((await rest).done).toBe(true);
  });

  test("after an abort", async () => {
    const abortController = new AbortController();
    const running = opened(abortController);
    await untilFirstResult(running);
    const rest = running.next();
    abortController.abort();
    expect((await rest).done).toBe(true);
    expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
  });

  test("for its next prompt", async () => {
    const running = opened();
    await untilFirstResult(running);
    const rest = untilFirstResult(running);
    async function* prompts() {
      yield "And now?";
    }
    const taken = running.streamInput(prompts());
    await rest;
    const more = running.next();
    await taken;
    await running.close();
    expect((await more).done).toBe(true);
  });
});
