import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { layers, type CollapseStore } from "../../src/context/index.ts";
import { fold } from "../../src/transcript/index.ts";
import { drive, assistant, end, fixture, inputOf, namesOf, readLoop, requestProblems, user } from "./support.ts";

const never = new AbortController().signal;
const long = readLoop(100, 3_000);
const counted = (tokens: number): Message[] => [
  ...long,
  assistant("z", "mz", [{ type: "text", text: "done" }]),
  end("ze", "mz", tokens, 0),
  user("q", "go on"),
];

test("the eight layers stand in their order, and each says what it saves and costs", () => {
  expect(layers.map(({ number, name, at }) => `${number} ${name} ${at}`)).toEqual([
    "0 tool_result_budget source",
    "1 snip prepare",
    "2 microcompact prepare",
    "3 context_collapse prepare",
    "4 auto_compact prepare",
    "5 collapse_drain overflow",
    "6 reactive_compact overflow",
    "7 blocking_limit gate",
  ]);
  for (const { saves, costs } of layers) expect(`${saves} ${costs}`.length).toBeGreaterThan(40);
  expect(layers.filter(({ apply }) => apply === undefined).map(({ number }) => number)).toEqual([3]);
});

test.each<[string, object, number, "ready" | "full"]>([
  ["all may shrink it", {}, 95_000, "ready"],
  ["only reactive compaction may", { autoCompact: false }, 95_000, "ready"],
  ["only auto-compact may", { reactiveCompact: false }, 95_000, "ready"],
  ["nothing may", { autoCompact: false, reactiveCompact: false }, 95_000, "full"],
  [
    "nothing may, and the gate is off",
    { autoCompact: false, reactiveCompact: false, blockingLimit: false },
    95_000,
    "ready",
  ],
  ["nothing may, but there is room", { autoCompact: false, reactiveCompact: false }, 85_000, "ready"],
])("a window nearly full where %s", async (_name, policy, tokens, kind) => {
  const { value } = await drive(fixture({ policy }).context.fit(inputOf(counted(tokens)), never));
  expect(value.kind).toBe(kind);
  if (value.kind === "full") expect(value).toMatchObject({ limitTokens: 89_000 });
});

test("right after a compaction the gate stays open", async () => {
  const { context } = fixture({ policy: { autoCompact: false, reactiveCompact: false } });
  const { value } = await drive(
    context.fit(
      inputOf(counted(95_000), { turnCount: 4, tracking: { lastCompactedTurn: 4, consecutiveFailures: 0 } }),
      never,
    ),
  );
  expect(value.kind).toBe("ready");
});

/** One staged span: everything but the last three messages. */
function store(summary = "span"): CollapseStore & { staged: boolean } {
  return {
    staged: true,
    canDrain() {
      return this.staged;
    },
    async drain(messages) {
      this.staged = false;
      return { messages: [user("span", summary, { isMeta: true }), ...messages.slice(-3)], committed: 1 };
    },
  };
}

test("staged collapses are committed through the port, recorded, and judged by progress", async () => {
  const collapse = store();
  const { context } = fixture({ deps: { collapse } });
  expect(context.canDrain()).toBe(true);
  const messages = counted(95_000);
  const { value, events } = await drive(context.drain(inputOf(messages), never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  expect(value).toMatchObject({ committed: 1, records: [{ type: "compact_boundary", trigger: "reactive" }] });
  expect(value.afterTokens).toBeLessThan(value.beforeTokens);
  expect(fold(messages, value.records[0]!)).toEqual(value.messages);
  expect(requestProblems(value.messages)).toEqual([]);
  expect(namesOf(events)).toEqual(["compacting"]);
  expect(context.canDrain()).toBe(false);
  expect((await drive(context.drain(inputOf(messages), never))).value).toMatchObject({ kind: "no_progress" });
});

test("collapses that save nothing are no progress, and without a store there are none", async () => {
  const idle = fixture({ deps: { collapse: store("x ".repeat(400_000)) } });
  expect((await drive(idle.context.drain(inputOf(counted(95_000)), never))).value).toMatchObject({
    kind: "no_progress",
    why: expect.stringContaining("less than 5 %") as string,
  });
  const none = fixture();
  expect(none.context.canDrain()).toBe(false);
  expect((await drive(none.context.drain(inputOf(long), never))).value).toMatchObject({
    kind: "no_progress",
    why: "no collapse was staged",
  });
  const off = fixture({ deps: { collapse: store() }, policy: { collapseDrain: false } });
  expect(off.context.canDrain()).toBe(false);
  expect((await drive(off.context.drain(inputOf(long), never))).value).toMatchObject({
    why: "collapse_drain is switched off",
  });
});

test("staged collapses keep the gate open", async () => {
  const { context } = fixture({ deps: { collapse: store() }, policy: { autoCompact: false, reactiveCompact: false } });
  expect((await drive(context.fit(inputOf(counted(95_000)), never))).value.kind).toBe("ready");
});

test("a store that throws is a failed layer", async () => {
  const broken: CollapseStore = { canDrain: () => true, drain: async () => Promise.reject(new Error("a defect")) };
  const { value, events } = await drive(fixture({ deps: { collapse: broken } }).context.drain(inputOf(long), never));
  expect(value).toEqual({ kind: "no_progress", why: "collapse_drain failed" });
  expect(events).toMatchObject([{ name: "context_layer_failed", text: expect.stringContaining("a defect") as string }]);
});

test("the warning is given once each time the threshold is crossed", async () => {
  const { context } = fixture({ policy: { autoCompact: false } });
  const given: number[] = [];
  for (const tokens of [70_000, 80_000, 81_000, 40_000, 80_000]) {
    const { events } = await drive(context.fit(inputOf(counted(tokens)), never));
    given.push(events.length);
  }
  expect(given).toEqual([0, 1, 0, 0, 1]);
});

test("fitting ten thousand messages costs microseconds and does not grow with them", async () => {
  const time = async (turns: number) => {
    const { context } = fixture();
    const messages = [
      ...readLoop(turns, 100),
      assistant("z", "mz", [{ type: "text", text: "x" }]),
      end("ze", "mz", 50_000),
      user("q", "go on"),
    ];
    const input = inputOf(messages);
    for (let warm = 0; warm < 200; warm++) await drive(context.fit(input, never));
    const start = performance.now();
    for (let run = 0; run < 500; run++) await drive(context.fit(input, never));
    return (performance.now() - start) / 500;
  };
  const [small, large] = [await time(50), await time(5_000)];
  expect(large).toBeLessThan(1);
  expect(large).toBeLessThan(small * 10 + 0.05);
});
