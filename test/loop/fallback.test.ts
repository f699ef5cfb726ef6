// The fallback model: when it takes over, what it is sent and asked for, and which counts it resets.
import { expect, test } from "vitest";
import { expectSound } from "./support/after.ts";
import { createHarness, noticeNames, ofType, runWith } from "./support/harness.ts";
import { call, cut, fail, reply, say, textBlock, thinkingBlock, toolUse } from "./support/script.ts";

const fallback = { fallbackModels: ["model-b", "model-c"] };

test("the fallback model takes over after three overloads in a row, with a notice", async () => {
  const ran = await runWith({
    model: [fail("overloaded"), fail("overloaded"), cut([textBlock("half")], "overloaded"), say("Done.")],
    config: fallback,
  });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-a", "model-a", "model-b"]);
  expect(ofType(ran.events, "notice")).toMatchObject([
    { name: "model_fallback", data: { from: "model-a", to: "model-b" } },
  ]);
  expect(ofType(ran.events, "tombstone")).toMatchObject([{ reason: "fallback" }]);
  expect(ofType(ran.events, "api_retry")).toHaveLength(2);
  expectSound(ran);
});

test("the fallback model takes over when an overload is not retried or its retries are used up", async () => {
  const overloads = Array.from({ length: 2 }, () => fail("overloaded"));
  const ran = await runWith({ model: [...overloads, say("Done.")], config: fallback, maxRetries: 1 });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-a", "model-b"]);
  expect(noticeNames(ran.events)).toEqual(["model_fallback"]);
  expect(ran.terminal).toEqual({ reason: "completed" });
  // A server that says with its overload that it is not to be asked again.
  const asked = await runWith({ model: [fail("overloaded", { recovery: "none" }), say("Done.")], config: fallback });
  expect([noticeNames(asked.events), asked.terminal]).toEqual([["model_fallback"], { reason: "completed" }]);
  const other = await runWith({ model: [fail("server_error"), say("Done.")], config: fallback, maxRetries: 0 });
  expect(other.terminal).toMatchObject({ reason: "model_error", error: { kind: "server_error" } });
  const alone = await runWith({ model: [fail("overloaded"), say("Done.")], maxRetries: 0 });
  expect(alone.terminal).toMatchObject({ reason: "model_error", error: { kind: "overloaded" } });
  expectSound(ran);
});

test("a fallback model that is in use already does not stand in for itself: the next one does", async () => {
  const overloads = Array.from({ length: 3 }, () => fail("overloaded"));
  const config = { fallbackModels: ["model-a", "model-b"] };
  const ran = await runWith({ model: [...overloads, say("Done.")], config });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-a", "model-a", "model-b"]);
  const alone = await runWith({ model: [...overloads, say("Done.")], config: { fallbackModels: ["model-a"] } });
  expect([noticeNames(alone.events), alone.terminal]).toEqual([[], { reason: "completed" }]);
  expectSound(ran);
});

test("another failure in between restarts the overload count", async () => {
  const ran = await runWith({
    model: [
      fail("overloaded"),
      fail("overloaded"),
      fail("server_error"),
      fail("overloaded"),
      fail("overloaded"),
      say("Done."),
    ],
    config: fallback,
  });
  expect(ran.model.requests.map((request) => request.model)).toEqual(Array(6).fill("model-a"));
  expectSound(ran);
});

test("an answer in between restarts the overload count, even a paused one", async () => {
  const paused = say("I search.", { stopReason: "pause_turn" });
  const ran = await runWith({
    model: [fail("overloaded"), fail("overloaded"), paused, fail("overloaded"), say(" Done.")],
    config: fallback,
  });
  expect(ran.model.requests.map((request) => request.model)).toEqual(Array.from({ length: 5 }, () => "model-a"));
  expectSound(ran);
});

test("the next fallback model takes over at once when a model does not exist", async () => {
  const ran = await runWith({
    model: [fail("model_not_found"), fail("model_not_found"), call(toolUse("Read")), say("Done.")],
    config: fallback,
  });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-b", "model-c", "model-c"]);
  expectSound(ran);
});

test("the failure is shown when no fallback model is left", async () => {
  const ran = await runWith({
    model: [fail("model_not_found"), fail("model_not_found", { status: 404 })],
    config: { fallbackModels: ["model-b"] },
  });
  expect(ran.terminal).toMatchObject({ reason: "model_error", error: { kind: "model_not_found", status: 404 } });
  expectSound(ran);
});

test("the fallback model takes over in the next turn if a tool has already started", async () => {
  const overload = { recovery: "fallback" as const };
  const ran = await runWith({
    model: [cut([toolUse("Write", {}, "w")], "model_not_found", overload), say("Done.")],
    config: fallback,
  });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-b"]);
  expect(ran.tools.records).toHaveLength(1);
  expect(ofType(ran.events, "tombstone")).toEqual([]);
  expect(noticeNames(ran.events)).toEqual(["model_fallback"]);
  expectSound(ran);
});

test("an answer of the fallback model that breaks off after its calls is reported like any other", async () => {
  const broken = cut([textBlock("I call."), toolUse("Write", {}, "w")], "connection");
  const ran = await runWith({ model: [fail("model_not_found"), broken, say("Done.")], config: fallback });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-b", "model-b"]);
  expect(noticeNames(ran.events)).toEqual(["model_fallback", "answer_cut"]);
  expectSound(ran);
});

test("the fallback model is not sent the thinking of the model before", async () => {
  const ran = await runWith({
    model: [reply([thinkingBlock("of a"), toolUse("Read")]), fail("model_not_found"), say("Done.")],
    config: fallback,
  });
  expect(JSON.stringify(ran.model.requests[1]?.messages)).toContain("of a");
  expect(JSON.stringify(ran.model.requests[2]?.messages)).not.toContain("of a");
  expectSound(ran);
});

test("the fallback model gets no thinking budget in a turn that began with another model's thinking", async () => {
  const model = [
    reply([thinkingBlock("of a"), toolUse("Read")]),
    fail("model_not_found"),
    reply([toolUse("Read")]),
    say("Done."),
  ];
  const thinking = { type: "enabled", budgetTokens: 2_000 } as const;
  const asked = async (form: "adaptive" | "adaptive_or_disabled") => {
    const infos = { "model-a": { thinking: form }, "model-b": { thinking: form } };
    const ran = await runWith({ model, config: { ...fallback, thinking }, infos });
    return ran.model.requests.map((request) => request.thinking.type);
  };
  expect(await asked("adaptive")).toEqual(["enabled", "enabled", "disabled", "disabled"]);
  expect(await asked("adaptive_or_disabled")).toEqual(["enabled", "enabled", "enabled", "enabled"]);
});

test("a fallback model is asked as the port says, and as the model before it where the port says nothing", async () => {
  const config = { ...fallback, thinking: { type: "adaptive" }, effort: "high" } as const;
  const model = [fail("model_not_found"), call(toolUse("Read")), fail("model_not_found"), say("Done.")];
  const harness = createHarness({ model, config });
  harness.ports.modelSettings = (name) => (name === "model-b" ? { thinking: { type: "disabled" } } : undefined);
  const driven = await harness.run();
  const asked = harness.model.requests.map((request) => [request.model, request.thinking.type, request.effort]);
  expect(asked).toEqual([
    ["model-a", "adaptive", "high"],
    ["model-b", "disabled", undefined],
    ["model-b", "disabled", undefined],
    ["model-c", "disabled", undefined],
  ]);
  expectSound({ ...harness, ...driven, harness, transcriptFailed: false });
});

test("the request to the fallback model asks for no more output than that model gives", async () => {
  const ran = await runWith({
    model: [fail("model_not_found"), say("Done.")],
    config: fallback,
    infos: { "model-b": { maxOutputTokens: 4_000 } },
  });
  expect(ran.model.requests.map((request) => request.maxTokens)).toEqual([8_000, 4_000]);
});

test("each fallback model starts with its own overload count, retries and answer room", async () => {
  const full = fail("prompt_too_long", { tokens: { actual: 12_000, maximum: 10_000, answer: 8_000 } });
  const overloads = Array.from({ length: 3 }, () => fail("overloaded"));
  const errors = Array.from({ length: 10 }, () => fail("server_error"));
  const ran = await runWith({ model: [full, ...overloads, ...overloads, ...errors, say("Done.")], config: fallback });
  const asked = ran.model.requests.map(({ model, maxTokens }) => `${model} ${maxTokens}`);
  expect(asked).toEqual([
    "model-a 8000",
    ...overloads.map(() => "model-a 6000"),
    ...overloads.map(() => "model-b 8000"),
    ...errors.map(() => "model-c 8000"),
    "model-c 8000",
  ]);
  expect(ran.terminal).toEqual({ reason: "completed" });
  expectSound(ran);
});

test("the fallback model takes over after overloads broke off three answers in a row after their calls", async () => {
  const cuts = ["w1", "w2", "w3"].map((id) => cut([toolUse("Write", {}, id)], "overloaded"));
  const ran = await runWith({ model: [...cuts, say("Done.")], config: fallback });
  expect(ran.model.requests.map((request) => request.model)).toEqual(["model-a", "model-a", "model-a", "model-b"]);
  expect(noticeNames(ran.events)).toEqual(["answer_cut", "answer_cut", "model_fallback"]);
  expect(ofType(ran.events, "api_retry").map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(ran.tools.records.map(({ name }) => name)).toEqual(["Write", "Write", "Write"]);
  expectSound(ran);
});

test("overloads with and without started calls count together, and an answer restarts the count", async () => {
  const behind = (id: string) => cut([toolUse("Write", {}, id)], "overloaded");
  const together = await runWith({
    model: [behind("w1"), fail("overloaded"), fail("overloaded"), say("Done.")],
    config: fallback,
  });
  expect(together.model.requests.map((request) => request.model)).toEqual(["model-a", "model-a", "model-a", "model-b"]);
  expectSound(together);
  const apart = [behind("w1"), behind("w2"), call(toolUse("Read")), behind("w3"), behind("w4"), say("Done.")];
  const ran = await runWith({ model: apart, config: fallback });
  expect(ran.model.requests.map((request) => request.model)).toEqual(apart.map(() => "model-a"));
  expect(ofType(ran.events, "api_retry").map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2]);
  expectSound(ran);
});

test("every answer that an overload broke off is followed by a pause, even beyond the number of retries", async () => {
  const broken = (count: number) => Array.from({ length: count }, () => cut([toolUse("Read")], "overloaded"));
  const few = await runWith({ model: [...broken(4), say("Done.")], maxRetries: 2 });
  const told = ofType(few.events, "api_retry").map(({ attempt, maxRetries }) => `${attempt} of ${maxRetries}`);
  expect(told).toEqual(["1 of 2", "2 of 2", "2 of 2", "2 of 2"]);
  expectSound(few);
  const many = await runWith({ model: [...broken(12), say("Done.")] });
  const pauses = ofType(many.events, "api_retry");
  expect([pauses.length, pauses.filter(({ attempt, maxRetries }) => attempt > maxRetries)]).toEqual([12, []]);
  expectSound(many);
});
