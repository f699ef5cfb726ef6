// The model's side fails: what is withheld, what is retried, what falls back, what is repaired, and what is shown in the end.
import { describe, expect, test } from "vitest";
import type { ContextInput, ShrinkResult } from "../../src/protocol/context.ts";
import type { ModelFailure } from "../../src/protocol/model.ts";
import { expectSound } from "./support/after.ts";
import { fold } from "./support/checks.ts";
import {
  cancelAfter,
  createHarness,
  errorsShown,
  noticeNames,
  ofType,
  reasons,
  runWith,
  type HarnessOptions,
} from "./support/harness.ts";
import { call, cut, fail, failure, reply, say, textBlock, thinkingBlock, toolUse, usageOf } from "./support/script.ts";

/** A compaction that says what it saved and changes nothing else. */
function shrunk(input: ContextInput, beforeTokens = 9, afterTokens = 1): ShrinkResult {
  return { kind: "shrunk", messages: input.messages, records: [], beforeTokens, afterTokens, committed: 1 };
}

describe("withheld errors", () => {
  test.each([
    ["a retry", { model: [fail("server_error"), cut([textBlock("half")]), say("Done.")] }],
    ["a fallback", { model: [fail("model_not_found"), say("Done.")], config: { fallbackModels: ["model-b"] } }],
    ["a repair of thinking", { model: [fail("thinking_rejected"), say("Done.")] }],
    [
      "an overflow",
      {
        model: [fail("prompt_too_long"), say("Done.")],
        context: { compact: (input) => shrunk(input) },
      },
    ],
    [
      "a refused image",
      {
        model: [fail("media"), say("Done.")],
        context: { compact: (input) => shrunk(input) },
      },
    ],
    ["a truncation", { model: [say("a", { stopReason: "max_tokens" }), say("Done.")] }],
  ] as [string, HarnessOptions][])("%s that succeeds leaves no error in the stream", async (_name, options) => {
    const ran = await runWith(options);
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(errorsShown(ran.events)).toEqual([]);
    expect(JSON.stringify(ran.transcript.records)).not.toContain("apiError");
    expectSound(ran);
  });

  test("an error that no recovery solved is shown once", async () => {
    const ran = await runWith({ model: [fail("prompt_too_long")] });
    expect(ran.terminal).toEqual({ reason: "prompt_too_long" });
    expect(errorsShown(ran.events)).toEqual(["prompt_too_long"]);
    expectSound(ran);
  });

  test("a window size stated by the server is used, and its prompt count passed on, except for rate limits", async () => {
    const passedOn = async (tokens: ModelFailure["tokens"]): Promise<unknown> => {
      const model = [fail("prompt_too_long", { status: 413, tokens }), say("Done.")];
      const { context } = await runWith({ model, context: { compact: (input) => shrunk(input) } });
      expect(context.windows).toEqual([{ model: "model-a", tokens: 10_000 }]);
      return context.inputs.find(({ kind }) => kind === "compact")?.input;
    };
    const figures = { actual: 17_500, maximum: 10_000 };
    expect(await passedOn(figures)).toMatchObject({ actualTokens: 17_500, refusal: {} });
    expect(await passedOn({ ...figures, answer: 8_000 })).toMatchObject({ actualTokens: 9_500 });
    expect(await passedOn({ ...figures, answer: 8_000, isRate: true })).not.toHaveProperty("actualTokens");
  });

  test("if the requested answer does not fit beside the prompt, a shorter one is requested once", async () => {
    const full = fail("prompt_too_long", { tokens: { actual: 12_000, maximum: 10_000, answer: 8_000 } });
    const ran = await runWith({ model: [full, say("Done.")], context: { compact: (input) => shrunk(input) } });
    expect(ran.model.requests.map((request) => request.maxTokens)).toEqual([8_000, 6_000]);
    expect([ran.terminal, errorsShown(ran.events), reasons(ran.events)]).toEqual([{ reason: "completed" }, [], []]);
    expectSound(ran);
    const twice = await runWith({ model: [full, full, say("Done.")], context: { compact: (input) => shrunk(input) } });
    expect(twice.model.requests.map((request) => request.maxTokens)).toEqual([8_000, 6_000, 8_000]);
    expect(reasons(twice.events)).toEqual(["reactive_compact_retry"]);
    const crowded = fail("prompt_too_long", { tokens: { actual: 17_500, maximum: 10_000, answer: 8_000 } });
    expect((await runWith({ model: [crowded] })).model.requests).toHaveLength(1);
  });

  test("an answer limit stated by the server applies from then on", async () => {
    const long = fail("invalid_request", { recovery: "output", answerLimit: 4_096 });
    const ran = await runWith({ model: [long, call(toolUse("Read")), say("Done.")] });
    expect(ran.model.requests.map((request) => request.maxTokens)).toEqual([8_000, 4_096, 4_096]);
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
    const again = await runWith({ model: [long, long] });
    expect(again.terminal).toMatchObject({ reason: "model_error", error: { kind: "invalid_request" } });
  });

  test("a server that allows a little less each time is asked at most six times", async () => {
    const less = Array.from({ length: 20 }, (_, at) =>
      fail("invalid_request", { recovery: "output", answerLimit: 4_096 - at }),
    );
    const ran = await runWith({ model: less });
    expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "invalid_request" } });
    expect(ran.model.requests).toHaveLength(6);
  });

  test("the compaction gets the server's words, and the task budget loses what it removed", async () => {
    const refused = fail("media", { status: 400, detail: "messages.0.content.1: Could not process image" });
    const ran = await runWith({
      model: [refused, call(toolUse("Read")), fail("prompt_too_long"), say("Done.")],
      context: { compact: (input, at) => ({ ...shrunk(input), taskTokensLost: [300, 40][at] ?? 0 }) as ShrinkResult },
      config: { taskBudget: { total: 20_000 } },
    });
    const [first] = ran.context.inputs.filter(({ kind }) => kind === "compact");
    const refusal = { status: 400, detail: "messages.0.content.1: Could not process image" };
    expect(first?.input).toMatchObject({ media: true, refusal });
    expect(ran.model.requests.map(({ taskBudget }) => taskBudget)).toEqual([
      { total: 20_000 },
      { total: 20_000, remaining: 19_700 },
      { total: 20_000, remaining: 19_700 },
      { total: 20_000, remaining: 19_660 },
    ]);
    expectSound(ran);
  });

  test("a recovery that did not shrink the prompt does not lead to a retry", async () => {
    const ran = await runWith({
      model: [fail("prompt_too_long"), say("never")],
      context: {
        drain: (input) => shrunk(input, 5, 5),
        compact: (input) => shrunk(input, 5, 6),
      },
    });
    expect(ran.terminal).toEqual({ reason: "prompt_too_long" });
    expect(ran.model.requests).toHaveLength(1);
  });

  test("a compaction that hangs is abandoned, and the original error is shown", async () => {
    const ran = await runWith({
      model: [fail("prompt_too_long")],
      context: { compact: () => new Promise(() => {}) },
    });
    expect(ran.terminal).toEqual({ reason: "prompt_too_long" });
    expect(ofType(ran.events, "waiting")).toMatchObject([
      { key: "t1.compact", on: "compaction", name: "compact", limitMs: 600_000 },
    ]);
    expect(ran.clock.pending).toBe(0);
  });
});

describe("retries", () => {
  test("each retry is reported with its delay and obeys retry-after", async () => {
    const ran = await runWith({
      model: [
        fail("rate_limit", { status: 429, retryAfterMs: 7_000, requestId: "req_1" }),
        fail("server_error", { status: 500 }),
        say("Done."),
      ],
    });
    expect(ofType(ran.events, "api_retry")).toEqual([
      {
        type: "api_retry",
        attempt: 1,
        maxRetries: 10,
        delayMs: 7_000,
        status: 429,
        kind: "rate_limit",
        message: "The model's side said: rate_limit.",
        requestId: "req_1",
      },
      {
        type: "api_retry",
        attempt: 2,
        maxRetries: 10,
        delayMs: 2_000,
        status: 500,
        kind: "server_error",
        message: "The model's side said: server_error.",
      },
    ]);
    expect(reasons(ran.events)).toEqual([]);
    expect(new Set(ran.model.requests.map((request) => request.key))).toEqual(new Set(["t1.model"]));
    expectSound(ran);
  });

  test("when the retries are used up, the failure is shown and its calls are not billed", async () => {
    const ran = await runWith({
      model: [fail("server_error", { status: 500 }), fail("server_error", { status: 500 })],
      maxRetries: 1,
    });
    expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "server_error" } });
    expect(ran.budget.settled.map((entry) => entry.outcome)).toEqual([{ notBilled: true }, { notBilled: true }]);
    expectSound(ran);
  });

  test("an abort ends the wait for the next retry", async () => {
    const ran = await runWith({ model: [fail("rate_limit", { retryAfterMs: 60_000 })] }, (harness) =>
      cancelAfter(harness, 500, "user"),
    );
    expect(ran.terminal).toEqual({ reason: "aborted_streaming" });
    expect(ran.clock.now() - Date.UTC(2026, 0, 1)).toBe(500);
    expect(ran.model.requests).toHaveLength(1);
    expectSound(ran);
  });

  test("an answer cut after text is taken back and requested again", async () => {
    const ran = await runWith({ model: [cut([thinkingBlock("hm"), textBlock("half an")]), say("A whole answer.")] });
    const shown = ofType(ran.events, "assistant")
      .slice(0, 2)
      .map((message) => message.uuid);
    expect(ofType(ran.events, "tombstone")).toMatchObject([{ targets: shown, reason: "retry" }]);
    expect(JSON.stringify(ran.model.requests[1]?.messages)).not.toContain("half an");
    expect(JSON.stringify(fold(ran.transcript.records))).not.toContain("half an");
    expect(ran.budget.settled[0]?.outcome).toEqual({ usage: usageOf(7), final: false });
    expectSound(ran);
  });

  test("an answer cut after a tool started keeps its complete blocks, and the call never runs twice", async () => {
    const ran = await runWith({
      model: [cut([textBlock("I write."), toolUse("Write", { n: 1 }, "w")]), say("Done.")],
    });
    expect(ran.tools.records.map((record) => record.toolUseId)).toEqual(["w"]);
    expect(ofType(ran.events, "tombstone")).toEqual([]);
    expect(reasons(ran.events)).toEqual(["next_turn"]);
    expect(ran.model.requests[1]?.messages.at(-1)?.content).toMatchObject([{ type: "tool_result", tool_use_id: "w" }]);
    expect(noticeNames(ran.events)).toEqual(["answer_cut"]);
    expect(ofType(ran.events, "api_retry")).toEqual([]);
    expectSound(ran);
  });

  test("the request after an answer that an overload broke off waits as long as the retry policy says", async () => {
    const model = [cut([toolUse("Write")], "overloaded", { retryAfterMs: 60_000 }), say("Done.")];
    const ran = await runWith({ model });
    expect(ofType(ran.events, "api_retry")).toMatchObject([{ attempt: 1, kind: "overloaded" }]);
    expect(ran.clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThanOrEqual(60_000);
    expectSound(ran);
    const stopped = await runWith({ model: model.slice(0, 1) }, (harness) => cancelAfter(harness, 500, "user"));
    expect([stopped.terminal, stopped.model.requests.length]).toEqual([{ reason: "aborted_streaming" }, 1]);
    expectSound(stopped);
    const unasked = await runWith({ model, maxRetries: 0 });
    expect([unasked.terminal, ofType(unasked.events, "api_retry")]).toEqual([{ reason: "completed" }, []]);
  });

  test("a model that sends nothing is abandoned, however long the consumer took before", async () => {
    const options: HarnessOptions = {
      model: [reply([textBlock("a"), { do: "hang" }]), say("Done.")],
      limits: { modelSilenceMs: 1_000 },
    };
    const ran = await runWith(options, (harness) => async (_event, at) => {
      if (at === 1) await harness.clock.until(harness.clock.sleep(10_000));
    });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ofType(ran.events, "api_retry")).toMatchObject([{ kind: "stalled" }]);
    expectSound(ran);
  });

  test("pings count as a sign of life once the answer has begun", async () => {
    const ping = { do: "raw", event: { type: "ping" } } as const;
    const begun = { do: "raw", event: { type: "content_block_start", index: 0 } } as const;
    const pings = Array.from({ length: 40 }, () => [{ do: "sleep", ms: 100 } as const, ping]).flat();
    const ran = await runWith({
      model: [reply([begun, ...pings, textBlock("late")])],
      limits: { modelSilenceMs: 1_000 },
    });
    expect(ofType(ran.events, "api_retry")).toEqual([]);
    expect(ran.terminal).toEqual({ reason: "completed" });
  });

  test("pings before the answer do not count as a sign of life", async () => {
    const ping = { do: "raw", event: { type: "ping" } } as const;
    const pings = Array.from({ length: 40 }, () => [{ do: "sleep", ms: 100 } as const, ping]).flat();
    const ran = await runWith({
      model: [reply([...pings, textBlock("late")]), say("Done.")],
      limits: { modelSilenceMs: 1_000 },
    });
    expect(ofType(ran.events, "api_retry")).toMatchObject([{ kind: "stalled" }]);
    expect(ran.terminal).toEqual({ reason: "completed" });
    expectSound(ran);
  });

  test("a slow consumer is not taken for a silent model", async () => {
    const steps = [
      textBlock("a"),
      { do: "sleep", ms: 900 } as const,
      textBlock("b"),
      { do: "sleep", ms: 900 } as const,
      textBlock("c"),
    ];
    const ran = await runWith({ model: [reply(steps)], limits: { modelSilenceMs: 1_000 } }, (harness) => async () => {
      await harness.clock.until(harness.clock.sleep(5_000));
    });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ofType(ran.events, "assistant")).toHaveLength(3);
    expectSound(ran);
  });

  test.each(["model.stream", "model.next", "model.end"])(
    "an adapter that throws at %s leads to a model_error",
    async (name) => {
      const counted = await runWith({ model: [say("Hello.")] });
      const at = counted.world.calls.find((entry) => entry.name === name)!.at;
      const ran = await runWith({ model: () => say("Hello."), fault: { at, kind: "throw" } });
      expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "internal" } });
      expectSound(ran);
    },
  );
});

describe("earlier thinking", () => {
  test("is sent back byte for byte over several turns", async () => {
    const odd = thinkingBlock("a\u0000b Ünï 🙂 \\n", "sig+/==");
    const ran = await runWith({
      model: [
        reply([odd, toolUse("Read")]),
        reply([thinkingBlock("", "sig2"), textBlock("x"), toolUse("Read")]),
        say("Done."),
      ],
    });
    const last = ran.model.requests[2]!.messages;
    expect(last[1]?.content[0]).toBe(odd);
    expect(last[3]?.content[0]).toEqual({ type: "thinking", thinking: "", signature: "sig2" });
    expectSound(ran);
  });

  test("that the API refused is stripped once with a notice, and later thinking is kept", async () => {
    const ran = await runWith({
      model: [
        reply([thinkingBlock("one"), toolUse("Read")]),
        fail("thinking_rejected", { detail: "bound to a different conversation" }),
        reply([thinkingBlock("two"), toolUse("Read")]),
        say("Done."),
      ],
    });
    const sent = ran.model.requests.map((request) => JSON.stringify(request.messages));
    expect(sent.map((text) => text.includes("sig:one"))).toEqual([false, true, false, false]);
    expect(sent[3]).toContain("sig:two");
    expect(ofType(ran.events, "thinking_stripped")).toMatchObject([{ reason: "rejected" }]);
    expect(noticeNames(ran.events)).toEqual(["thinking_repaired"]);
    expectSound(ran);
  });

  test("is repaired without using up a retry", async () => {
    const ran = await runWith({ model: [fail("thinking_rejected"), fail("overloaded"), say("Done.")] });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ofType(ran.events, "api_retry")).toMatchObject([{ attempt: 1 }]);
    expectSound(ran);
  });

  test("that is refused again ends the run with the failure", async () => {
    const ran = await runWith({ model: [fail("thinking_rejected"), fail("thinking_rejected")] });
    expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "thinking_rejected" } });
    expect(ran.model.requests).toHaveLength(2);
    expectSound(ran);
  });

  test("and other fields that the server does not know are left out once, with a notice and without a retry", async () => {
    const unknown = fail("invalid_request", { recovery: "field", field: "thinking" });
    const other = fail("invalid_request", { recovery: "field", field: "cache_control" });
    const ran = await runWith({ model: [unknown, other, fail("overloaded"), say("Done.")] });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(noticeNames(ran.events)).toEqual(["field_left_out", "field_left_out"]);
    expect(ofType(ran.events, "api_retry")).toMatchObject([{ attempt: 1 }]);
    expectSound(ran);
    const refused = await runWith({ model: [unknown, unknown] });
    expect(refused.terminal).toMatchObject({ reason: "model_error", error: { kind: "invalid_request" } });
    expect(refused.model.requests).toHaveLength(2);
  });

  test("and other unknown fields are also left out for the fallback model", async () => {
    const unknown = fail("invalid_request", { recovery: "field", field: "cache_control" });
    const model = [unknown, fail("model_not_found"), unknown, say("Done.")];
    const ran = await runWith({ model, config: { fallbackModels: ["model-b"] } });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(noticeNames(ran.events)).toEqual(["field_left_out", "model_fallback", "field_left_out"]);
    expectSound(ran);
  });

  test("that a server misses leads to thinking being disabled for the conversation", async () => {
    const ran = await runWith({
      model: [
        reply([thinkingBlock("one"), toolUse("Read")]),
        fail("thinking_rejected", { thinkingMissed: true }),
        reply([toolUse("Read")]),
        say("Done."),
      ],
    });
    const asked = ran.model.requests.map(({ thinking }) => thinking.type);
    expect(asked).toEqual(["adaptive", "adaptive", "disabled", "disabled"]);
    expect(JSON.stringify(ran.model.requests[3]?.messages)).toContain("sig:one");
    expect(ofType(ran.events, "thinking_stripped")).toEqual([]);
    expect(noticeNames(ran.events)).toEqual(["thinking_repaired"]);
    expectSound(ran);
  });

  test("that a server misses after it was stripped leads to thinking being disabled", async () => {
    const missed = fail("thinking_rejected", { thinkingMissed: true });
    const ran = await runWith({
      model: [reply([thinkingBlock("one"), toolUse("Read")]), fail("thinking_rejected"), missed, say("Done.")],
    });
    expect(ran.terminal).toEqual({ reason: "completed" });
    expect(ran.model.requests.at(-1)?.thinking.type).toBe("disabled");
    expectSound(ran);
    const again = await runWith({ model: [missed, missed] });
    expect(again.terminal).toMatchObject({ reason: "model_error", error: { kind: "thinking_rejected" } });
    expect(again.model.requests).toHaveLength(2);
  });

  test("is not sent when thinking is disabled, unless the model always thinks", async () => {
    const model = [reply([thinkingBlock("one"), toolUse("Read")]), say("Done.")];
    const off = await runWith({ model, config: { thinking: { type: "disabled" } } });
    expect(JSON.stringify(off.model.requests[1]?.messages)).not.toContain("sig:one");
    const always = await runWith({
      model,
      config: { thinking: { type: "disabled" } },
      infos: { "model-a": { thinking: "adaptive_always" } },
    });
    expect(JSON.stringify(always.model.requests[1]?.messages)).toContain("sig:one");
  });
});

test("an unsent request is not billed; a request whose fate is unknown stays charged", async () => {
  const sent = await runWith({
    model: [{ steps: [], outcome: { ok: false, failure: failure("connection", { recovery: "none" }) } }],
  });
  expect(sent.budget.settled[0]?.outcome).toEqual({ unknown: true });
  const never = await runWith({
    model: [
      { steps: [], outcome: { ok: false, failure: failure("connection", { recovery: "none", neverSent: true }) } },
    ],
  });
  expect(never.budget.settled[0]?.outcome).toEqual({ notBilled: true });
});

test("an admission that arrives too late reserves nothing", async () => {
  const harness = createHarness({
    model: [],
    admit: async (asked, at) => {
      await harness.clock.sleep(70_000);
      return { admitted: true, ticket: `late-${at}`, maxTokens: asked.maxTokens, lowered: false };
    },
  });
  const { terminal } = await harness.run();
  expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "internal" } });
  await harness.clock.until(harness.clock.sleep(70_000));
  expect(harness.budget.settled).toEqual([{ ticket: "late-0", outcome: { notBilled: true } }]);
  expect([harness.budget.open.size, harness.budget.wrong]).toEqual([0, 0]);
});

describe("when other calls hold the rest of the budget", () => {
  const refused = { admitted: false, message: "Reached maximum budget ($1)" } as const;
  const granted = { admitted: true, ticket: "t", maxTokens: 8_000, lowered: false } as const;

  test("the call waits for them, with a waiting event, and is then made", async () => {
    const harness = createHarness({
      model: [say("done")],
      admit: (asked, at) =>
        at === 0 && asked.patient === true ? { ...refused, freed: harness.clock.sleep(5_000) } : granted,
    });
    const ran = await harness.run();
    expect(ran.terminal).toEqual({ reason: "completed" });
    const waits = ran.events.filter((event) => event.type === "waiting");
    expect(waits).toMatchObject([{ on: "budget", name: "other calls" }]);
    expect([harness.budget.open.size, harness.budget.wrong]).toEqual([0, 0]);
  });

  test("the call is asked for once more without waiting, and refused, if they never end", async () => {
    const asked: (boolean | undefined)[] = [];
    const ran = await runWith({
      model: [],
      admit: ({ patient }) => {
        asked.push(patient);
        return patient === true ? { ...refused, freed: new Promise(() => {}) } : refused;
      },
    });
    expect(asked).toEqual([true, false]);
    expect(ran.terminal).toEqual({ reason: "max_budget_usd" });
    expectSound(ran);
  });

  test("a budget that always asks to wait is asked a limited number of times", async () => {
    let times = 0;
    const ran = await runWith({
      model: [],
      admit: () => ((times += 1), { ...refused, freed: Promise.resolve() }),
    });
    expect(ran.terminal).toEqual({ reason: "max_budget_usd" });
    expect(times).toBe(1_001);
  });
});

test("an answer cut at a limit that the ledger lowered ends the run with max_budget_usd", async () => {
  const ran = await runWith({
    model: [say("short", { stopReason: "max_tokens" })],
    admit: () => ({ admitted: true, ticket: "t", maxTokens: 1_500, lowered: true }),
  });
  expect(ran.model.requests[0]?.maxTokens).toBe(1_500);
  expect(ran.terminal).toEqual({ reason: "max_budget_usd" });
  expectSound(ran);
});
