// Prompts that a host adds to a query that runs: where it awaits that, and where its own prompts go on.
import { getEventListeners } from "node:events";
import { afterEach, expect, test } from "vitest";
import { query, type PromptInput, type Query } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, optionsFor, scripted } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function* prompts(...texts: string[]): AsyncGenerator<PromptInput> {
  yield* texts;
}

/** Says its texts, and then waits for ever. */
async function* staysOpen(...texts: string[]): AsyncGenerator<PromptInput> {
  yield* texts;
  await new Promise(() => {});
}

async function untilResults(running: Query, count: number): Promise<string[]> {
  const results: string[] = [];
  while (results.length < count) {
    const { value, done } = await running.next();
    if (done === true) break;
    if (value.type === "result" && value.subtype === "success") results.push(value.result);
  }
  return results;
}

const three = () => optionsFor(layGround(), scripted({ steps: ["One.", "Two.", "Three."] }));

test("streamInput() takes prompts before the query is read and between two messages", async () => {
  const running = query({ prompt: "one", options: three() });
  await running.streamInput(prompts("two"));
  const results: string[] = [];
  for await (const message of running) {
    if (message.type !== "result" || message.subtype !== "success") continue;
    results.push(message.result);
    if (results.length === 2) await running.streamInput(prompts("three"));
  }
  expect(results).toEqual(["One.", "Two.", "Three."]);
});

test("added prompts are asked before the query's own prompts end, after those that are ready", async () => {
  const options = three();
  const running = query({ prompt: staysOpen("one", "two"), options });
  await running.streamInput(prompts("three"));
  expect(await untilResults(running, 3)).toEqual(["One.", "Two.", "Three."]);
  await running.close();
});

test("an abort ends waiting for added prompts and leaves no listener", async () => {
  const abortController = new AbortController();
  const running = query({ prompt: "one", options: { ...three(), abortController } });
  const taken = running.streamInput(staysOpen("two"));
  expect(await untilResults(running, 2)).toEqual(["One.", "Two."]);
  const rest = running.next();
  abortController.abort();
  expect((await rest).done).toBe(true);
  await taken;
  expect(getEventListeners(abortController.signal, "abort")).toEqual([]);
});

test("close() ends a pending streamInput()", async () => {
  const running = query({ prompt: staysOpen(), options: three() });
  const taken = running.streamInput(staysOpen("one"));
  expect(await untilResults(running, 1)).toEqual(["One."]);
  await running.close();
  await taken;
});

test("null is refused as a prompt", async () => {
  async function* none(): AsyncGenerator<PromptInput> {
    yield null as never;
  }
  const model = scripted({ steps: [] });
  const running = query({ prompt: none(), options: optionsFor(layGround(), model) });
  await expect(running.next()).rejects.toThrow("must be an object, not null");
  expect(model.requests).toEqual([]);
});
