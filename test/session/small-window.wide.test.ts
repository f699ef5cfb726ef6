// A sample of test/long/window.long.test.ts: the whole product in a window of 20,000 tokens finishes, or stops for the right reason.
import { afterEach, expect, test } from "vitest";
import { contextPolicy, layers } from "../../src/context/index.ts";
import { allBut, expectLawful, layerNames, noticesOf, work, type Job } from "./small-window.ts";
import { clearGroundsAfterwards, disposeAll, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test.each<[string, Partial<Job>]>([
  ["every layer on", {}],
  ["every layer on and a catalogue that lists a million tokens", { told: false }],
  ["no auto-compact", { off: ["auto_compact"] }],
  ["only auto-compact, by our own summary", { off: allBut("auto_compact") }],
  ["no summary ever made", { noSummaries: true, told: false }],
  ["files that would fill the window", { lines: 700 }],
  ["files larger than the window", { lines: 1_500 }],
])("the job is completed in a small window with %s", async (_name, job) => {
  const ran = await work({ turns: 30, ...job });
  expectLawful(ran);
  expect(ran.results.at(-1)?.terminal_reason).toBe("completed");
  expect(ran.done()).toBe(30);
});

test("with only the limit check, the turn stops with a reason, and works after a compaction by hand", async () => {
  const ran = await work({ turns: 30, off: allBut("blocking_limit") });
  expectLawful(ran);
  expect(ran.results.at(-1)).toMatchObject({ subtype: "error_during_execution", terminal_reason: "blocking_limit" });
  const before = ran.done();
  for await (const message of ran.engine.compact()) expect(message).toBeDefined();
  const { result } = await turn(ran.engine, "Go on.");
  expect(result.subtype).toBe("success");
  expect(ran.done()).toBeGreaterThan(before);
});

test("stops after three refills and one notice when each call can fill the window", async () => {
  const ran = await work({ turns: 30, lines: 700, off: ["tool_result_budget"] });
  expectLawful(ran);
  expect(ran.results.at(-1)?.terminal_reason).toBe("blocking_limit");
  expect(noticesOf(ran, "compaction_thrashing")).toHaveLength(1);
});

test.each([[["tool_result_budget"]], [["tool_result_budget", "auto_compact"]]])(
  "stops at a step that may exceed the window, and the next prompt works: without %j",
  async (off) => {
    const ran = await work({ turns: 30, lines: 1_500, off });
    expectLawful(ran);
    expect(ran.results.at(-1)?.terminal_reason).toBe("prompt_too_long");
    const before = ran.done();
    const next = await turn(ran.engine, "Go on.");
    expect(next.result.num_turns).toBeGreaterThan(0);
    expect(ran.done()).toBeGreaterThan(before);
    for (const { message } of ran.model.violations) expect(message).toContain("prompt is too long");
  },
);

test("every layer can be switched off except the two that keep the request valid", () => {
  const policy = contextPolicy({}, { PAWL_LAYERS_OFF: ` ${layerNames.join(" , ")},nonsense,` });
  expect(layers.filter((layer) => layer.enabled(policy)).map(({ name }) => name)).toEqual(["media_fit", "media_limit"]);
  expect(policy.signedSummaries).toBe(false);
  for (const name of layerNames) {
    const without = contextPolicy({}, { PAWL_LAYERS_OFF: name });
    const off = layers.filter((layer) => layer.enabled(contextPolicy()) && !layer.enabled(without));
    // Draining needs what collapsing staged, and signed summaries are a means of layer 4.
    const expected = { context_collapse: ["context_collapse", "collapse_drain"], signed_summaries: [] as string[] };
    expect(off.map((layer) => layer.name)).toEqual(name in expected ? expected[name as keyof typeof expected] : [name]);
  }
});
