import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { SessionCollapseStore, layers, type CollapseStore } from "../../src/context/index.ts";
import { drive, assistant, end, fixture, inputOf, readLoop, user } from "./support.ts";

const never = new AbortController().signal;
const long = readLoop(100, 3_000);
const counted = (tokens: number): Message[] => [
  ...long,
  assistant("z", "mz", [{ type: "text", text: "done" }]),
  end("ze", "mz", tokens, 0),
  user("q", "go on"),
];

test("the layers are in order, and each states what it saves and costs", () => {
  expect(layers.map(({ number, name, at }) => `${number} ${name} ${at}`)).toEqual([
    "0 media_fit source",
    "0 tool_result_budget source",
    "0 media_limit prepare",
    "1 snip prepare",
    "2 microcompact prepare",
    "3 context_collapse prepare",
    "4 auto_compact prepare",
    "5 collapse_drain overflow",
    "6 reactive_compact overflow",
    "7 blocking_limit gate",
  ]);
  for (const { saves, costs } of layers) expect(`${saves} ${costs}`.length).toBeGreaterThan(40);
});

test.each<[string, object, number, "ready" | "full"]>([
  ["every layer may shrink it", {}, 95_000, "ready"],
  ["only reactive compaction may", { autoCompact: false }, 95_000, "ready"],
  ["only auto-compact may", { reactiveCompact: false }, 95_000, "ready"],
  ["no layer may shrink it", { autoCompact: false, reactiveCompact: false }, 95_000, "full"],
  [
    "no layer may shrink it and the blocking limit is off",
    { autoCompact: false, reactiveCompact: false, blockingLimit: false },
    95_000,
    "ready",
  ],
  ["no layer may shrink it but there is room", { autoCompact: false, reactiveCompact: false }, 85_000, "ready"],
])("a nearly full window gives the right result if %s", async (_name, policy, tokens, kind) => {
  const { value } = await drive(fixture({ policy }).context.fit(inputOf(counted(tokens)), never));
  expect(value.kind).toBe(kind);
  if (value.kind === "full") expect(value).toMatchObject({ limitTokens: 89_000 });
});

test("does not block a request directly after a compaction", async () => {
  const { context } = fixture({ policy: { autoCompact: false, reactiveCompact: false } });
  const { value } = await drive(
    context.fit(
      inputOf(counted(95_000), { turnCount: 4, tracking: { lastCompactedTurn: 4, consecutiveFailures: 0 } }),
      never,
    ),
  );
  expect(value.kind).toBe("ready");
});

test("staged spans of this conversation prevent blocking", async () => {
  const span = { from: "a0", to: "r90", count: 182, summary: "span" };
  const policy = { autoCompact: false, reactiveCompact: false };
  const kindOf = async (more: object, messages = counted(95_000)) => {
    const collapse = new SessionCollapseStore({ restored: [span] });
    const { context } = fixture({ deps: { collapse }, policy: { ...policy, ...more } });
    return (await drive(context.fit(inputOf(messages), never))).value.kind;
  };
  expect(await kindOf({})).toBe("ready");
  // What layer 3 commits by itself needs no gate.
  expect(await kindOf({ collapseRoom: 1, minimumDrain: 1 })).toBe("ready");
  expect(await kindOf({ collapseRoom: 1, minimumDrain: 1, collapseDrain: false })).toBe("full");
  expect(await kindOf({ contextCollapse: false })).toBe("full");
  expect(await kindOf({}, counted(95_000).slice(3))).toBe("full");
});

test("a collapse store that throws counts as a failed layer", async () => {
  const broken: CollapseStore = {
    places: () => {
      throw new Error("a defect");
    },
    stage: () => undefined,
  };
  const { value, events } = await drive(fixture({ deps: { collapse: broken } }).context.drain(inputOf(long), never));
  expect(value).toEqual({ kind: "no_progress", why: "collapse_drain failed" });
  expect(events).toMatchObject([{ name: "context_layer_failed", text: expect.stringContaining("a defect") as string }]);
});

test("warns once each time the threshold is crossed", async () => {
  const { context } = fixture({ policy: { autoCompact: false } });
  const given: number[] = [];
  for (const tokens of [70_000, 80_000, 81_000, 40_000, 80_000]) {
    const { events } = await drive(context.fit(inputOf(counted(tokens)), never));
    given.push(events.length);
  }
  expect(given).toEqual([0, 1, 0, 0, 1]);
});

test("fitting a hundred times as many messages takes less than a millisecond and at most ten times as long", async () => {
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
    // The least of several rounds, by the processor's time: what runs beside it has no part in it.
    const rounds: number[] = [];
    while (rounds.length < 5) {
      const start = process.cpuUsage();
      for (let run = 0; run < 200; run++) await drive(context.fit(input, never));
      rounds.push(process.cpuUsage(start).user / 1_000 / 200);
    }
    return Math.min(...rounds);
  };
  const [small, large] = [await time(50), await time(5_000)];
  expect(large).toBeLessThan(1);
  expect(large).toBeLessThan(small * 10 + 0.05);
});
