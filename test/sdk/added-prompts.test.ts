// Prompts that a host adds to a query that runs: where it awaits that, and where its own prompts go on.
import { getEventListeners } from "node:events";
import { afterEach, expect, test } from "vitest";
import { query, type PromptInput, type Query, type SDKMessage } from "../../src/index.ts";
import type { Reply } from "../../src/testing/index.ts";
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

const withPriority = (content: string, priority: "now" | "next"): AsyncGenerator<PromptInput> =>
  (async function* () {
    yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null, priority, uuid: content };
  })();

/** Runs a query; `steer` is called at the first message that `isMoment` accepts. Returns results with the prompts that they answer. */
async function steered(
  options: Parameters<typeof query>[0]["options"],
  isMoment: (message: SDKMessage) => boolean,
  steer: (running: Query) => Promise<void>,
): Promise<unknown[]> {
  const running = query({ prompt: "one", options });
  const results: unknown[] = [];
  let isSteered = false;
  for await (const message of running) {
    if (message.type === "result") results.push([message.terminal_reason, message.user_message_uuids ?? []]);
    if (isSteered || !isMoment(message)) continue;
    isSteered = true;
    await steer(running);
  }
  return results;
}

// Seen: streamInput() put each prompt behind the turn, whatever its priority, so a program could not steer a turn.
test("an added prompt of the priority next joins the running turn at its next step", async () => {
  const model = scripted({ steps: [{ content: [{ tool: "Glob", input: { pattern: "*" } }] }, "Both."] });
  const results = await steered(
    optionsFor(layGround(), model),
    ({ type }) => type === "assistant",
    (running) => running.streamInput(withPriority("two", "next")),
  );
  expect(results).toEqual([["completed", ["two"]]]);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("two");
});

// Seen: the receipt was always empty.
test("the receipt of an interrupt names the prompts that wait, those that would have joined the turn too", async () => {
  const stall: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };
  const model = scripted({ steps: [stall, "A.", "B.", "C."] });
  const receipts: unknown[] = [];
  const results = await steered(
    optionsFor(layGround(), model),
    ({ type }) => type === "assistant",
    async (running) => {
      await running.streamInput(prompts("without a uuid"));
      await running.streamInput(withPriority("joining", "next"));
      const waiting: PromptInput = { type: "user", message: { role: "user", content: "w" }, parent_tool_use_id: null };
      await running.streamInput(
        (async function* () {
          yield { ...waiting, uuid: "waiting" };
        })(),
      );
      receipts.push(await running.interrupt());
    },
  );
  expect(receipts).toEqual([{ still_queued: ["joining", "waiting"] }]);
  expect(results).toEqual([
    ["aborted_streaming", []],
    ["completed", ["joining"]],
    ["completed", []],
    ["completed", ["waiting"]],
  ]);
});

test("the receipt of an interrupt before the first turn leaves out the prompt whose turn it ends", async () => {
  const added = (...uuids: string[]) =>
    (async function* (): AsyncGenerator<PromptInput> {
      for (const uuid of uuids)
        yield { type: "user", message: { role: "user", content: uuid }, parent_tool_use_id: null, uuid };
    })();
  const running = query({ prompt: prompts(), options: three() });
  await running.streamInput(added("a", "b"));
  expect(await running.interrupt()).toEqual({ still_queued: ["b"] });
  await running.close();
  const second = query({ prompt: "one", options: three() });
  await second.streamInput(added("a", "b"));
  expect(await second.interrupt()).toEqual({ still_queued: ["a", "b"] });
  await second.close();
});

// Seen: it was rejected, because a prompt that had waited to join the turn could not be put back.
test("an interrupt after the end of a query names no prompts, since none will be asked", async () => {
  const stall: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };
  const running = query({ prompt: "one", options: optionsFor(layGround(), scripted({ steps: [stall] })) });
  for (;;) if ((await running.next()).value?.type === "assistant") break;
  await running.streamInput(withPriority("joining", "next"));
  await running.streamInput(prompts("later"));
  await running.close();
  expect(await running.interrupt()).toEqual({ still_queued: [] });
});

test("an added prompt of the priority next that comes too late has a turn of its own", async () => {
  const results = await steered(
    three(),
    ({ type }) => type === "result",
    (running) => running.streamInput(withPriority("two", "next")),
  );
  const late = await steered(
    three(),
    ({ type }) => type === "assistant",
    (running) => running.streamInput(withPriority("two", "next")),
  );
  for (const each of [results, late])
    expect(each).toEqual([
      ["completed", []],
      ["completed", ["two"]],
    ]);
});

test("an added prompt of the priority now ends the running turn and is answered before other added prompts", async () => {
  const stall: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };
  const model = scripted({ steps: [stall, "Now.", "Later."] });
  const results = await steered(
    optionsFor(layGround(), model),
    ({ type }) => type === "assistant",
    async (running) => {
      await running.streamInput(prompts("three"));
      await running.streamInput(withPriority("two", "now"));
    },
  );
  expect(results).toEqual([
    ["aborted_streaming", []],
    ["completed", ["two"]],
    ["completed", []],
  ]);
});

// Seen: the last of them came first, and prompts of the query's own and those that had missed the turn came before all of them.
test("added prompts of the priority now keep their order, before prompts that missed the turn and those of the query", async () => {
  const stall: Reply = { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } };
  const model = scripted({ steps: [stall, "A.", "B.", "C.", "D."] });
  const running = query({ prompt: prompts("one", "own"), options: optionsFor(layGround(), model) });
  const results: unknown[] = [];
  let isSteered = false;
  for await (const message of running) {
    if (message.type === "result") results.push(message.user_message_uuids ?? []);
    if (isSteered || message.type !== "assistant") continue;
    isSteered = true;
    await running.streamInput(withPriority("missed", "next"));
    await running.streamInput(withPriority("first", "now"));
    await running.streamInput(withPriority("second", "now"));
  }
  expect(results).toEqual([[], ["first"], ["second"], ["missed"], []]);
});

test("an abort drops a prompt that no step of the turn took", async () => {
  const abortController = new AbortController();
  const options = { ...three(), abortController };
  const results = await steered(
    options,
    ({ type }) => type === "assistant",
    async (running) => {
      await running.streamInput(withPriority("two", "next"));
      abortController.abort();
    },
  );
  expect(results).toHaveLength(1);
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
