// `abortController`: ends what runs with its one result, and nothing is asked for after it.
import { getEventListeners } from "node:events";
import { afterEach, describe, expect, test } from "vitest";
import { query } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Reply } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openSession,
  optionsFor,
  scripted,
  turn,
} from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const stalled: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };
const resultsOf = (messages: readonly SDKMessage[]) => messages.filter((message) => message.type === "result");

describe("query()", () => {
  test("aborted in the middle of an answer ends with a result that says so", async () => {
    const abortController = new AbortController();
    const model = scripted({ steps: [stalled] });
    const all: SDKMessage[] = [];
    for await (const message of query({
      prompt: "Go.",
      options: optionsFor(layGround(), model, { abortController }),
    })) {
      all.push(message);
      if (message.type === "assistant") abortController.abort();
    }
    expect(resultsOf(all)).toMatchObject([{ terminal_reason: "aborted_streaming", is_error: true }]);
    expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
  });

  test("aborted before it begins sends no request", async () => {
    const abortController = new AbortController();
    abortController.abort();
    const model = scripted({ steps: [] });
    const all: SDKMessage[] = [];
    for await (const message of query({
      prompt: "Go.",
      options: optionsFor(layGround(), model, { abortController }),
    }))
      all.push(message);
    expect(resultsOf(all)).toMatchObject([{ terminal_reason: "aborted_streaming" }]);
    expect(calls(model)).toHaveLength(0);
  });

  test("aborted while it waits for the next prompt ends at once and closes the prompts", async () => {
    const abortController = new AbortController();
    let isLeft = false;
    const never = Promise.withResolvers<void>();
    async function* prompts() {
      try {
        yield "one";
        await never.promise;
        yield "two";
      } finally {
        isLeft = true;
      }
    }
    const model = scripted({ fallback: "Answer." });
    const all: SDKMessage[] = [];
    for await (const message of query({
      prompt: prompts(),
      options: optionsFor(layGround(), model, { abortController }),
    })) {
      all.push(message);
      if (message.type === "result") setImmediate(() => abortController.abort());
    }
    expect(resultsOf(all)).toHaveLength(1);
    expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
    never.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    expect(isLeft).toBe(true);
  });
});

test("an abort ends the turn of a session, and every later turn", async () => {
  const abortController = new AbortController();
  const { engine, model } = await openSession({ steps: [stalled], fallback: "never" }, { abortController });
  const { result } = await turn(engine, "Go.", {
    onMessage: (message) => message.type === "assistant" && abortController.abort(),
  });
  expect(result.terminal_reason).toBe("aborted_streaming");
  expect((await turn(engine, "Again.")).result.terminal_reason).toBe("aborted_streaming");
  expect(calls(model)).toHaveLength(1);
});

test("many turns leave no listener on the signal", async () => {
  const abortController = new AbortController();
  const { engine } = await openSession({ fallback: "." }, { abortController });
  for (let count = 0; count < 20; count++) await turn(engine, "Hi.");
  expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
});
