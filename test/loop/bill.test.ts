// What a run's calls are booked as, and what of them is on record.
import { expect, test } from "vitest";
import type { AdmissionRequest } from "../../src/protocol/money.ts";
import { noUsage } from "../../src/protocol/usage.ts";
import { expectSound } from "./support/after.ts";
import { runWith } from "./support/harness.ts";
import { admitAll } from "./support/ports.ts";
import { cut, fail, reply, say, textBlock } from "./support/script.ts";

test("refused and unsent requests are not billed; a request that broke off without usage is booked as unknown", async () => {
  const ran = await runWith({
    model: [
      fail("server_error", { status: 500 }),
      fail("thinking_rejected", { status: 400 }),
      {
        steps: [],
        outcome: { ok: false, failure: { kind: "connection", message: "", recovery: "retry", neverSent: true } },
      },
      { steps: [], outcome: { ok: false, failure: { kind: "stalled", message: "", recovery: "retry" } } },
      say("Done."),
    ],
  });
  const [first, second, third, fourth, last] = ran.budget.settled.map(({ outcome }) => outcome);
  expect([first, second, third]).toEqual([{ notBilled: true }, { notBilled: true }, { notBilled: true }]);
  expect(fourth).toEqual({ unknown: true });
  expect(last).toMatchObject({ final: true });
  expectSound(ran);
});

test("the usage of a broken-off answer is booked and recorded although its text is taken back", async () => {
  const ran = await runWith({ model: [cut([textBlock("half")]), say("Done.")] });
  expect(ran.budget.settled.map(({ outcome }) => outcome)).toMatchObject([
    { usage: { outputTokens: 7 }, final: false },
    { usage: { outputTokens: 20 }, final: true },
  ]);
  const ends = ran.transcript.records.filter(({ type }) => type === "response_end");
  expect(ends).toMatchObject([
    { usage: { outputTokens: 7 }, stopReason: null },
    { usage: { outputTokens: 20 }, stopReason: "end_turn" },
  ]);
  expectSound(ran);
});

test("the usage at the start of an answer is booked when the adapter throws or is abandoned", async () => {
  const { outcome } = say("unused");
  const broken = await runWith({ model: [{ steps: [{ do: "start" }, { do: "throw", message: "defect" }], outcome }] });
  const silent = await runWith({
    model: [{ steps: [{ do: "start" }, { do: "hang" }], outcome }, say("Done.")],
    limits: { modelSilenceMs: 1_000 },
  });
  for (const ran of [broken, silent]) {
    expect(ran.budget.settled[0]?.outcome).toEqual({ usage: noUsage, final: false });
    expect(ran.transcript.records.find(({ type }) => type === "response_end")).toMatchObject({ stopReason: null });
    expectSound(ran);
  }
});

test("an answer without an output token count is booked as such", async () => {
  const ran = await runWith({ model: [say("Done.", { outputUntold: true })] });
  expect(ran.budget.settled.map(({ outcome }) => outcome)).toMatchObject([{ final: true, outputUntold: true }]);
});

test("a refusal before the first block is free, a later one is not", async () => {
  const free = await runWith({ model: [reply([], { stopReason: "refusal", unbilled: true })] });
  expect(free.budget.settled.map(({ outcome }) => outcome)).toEqual([{ notBilled: true }]);
  const billed = await runWith({ model: [reply([], { stopReason: "refusal" })] });
  expect(billed.budget.settled.map(({ outcome }) => outcome)).toMatchObject([{ final: true }]);
});

test("the admission request and the model request both state the requested speed", async () => {
  for (const speed of ["fast", undefined] as const) {
    const asked: AdmissionRequest[] = [];
    const ran = await runWith({
      model: [say("Done.")],
      config: speed === undefined ? {} : { speed },
      admit: (request, at) => {
        asked.push(request);
        return admitAll(request, at);
      },
    });
    expect([asked[0]?.speed, ran.model.requests[0]?.speed]).toEqual([speed, speed]);
  }
});
