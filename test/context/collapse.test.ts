/** Layer 3: finished work is summarised in the background; what is summarised, when, by whom, and what where it fails. */
import { expect, test } from "vitest";
import { contextPolicy } from "../../src/context/index.ts";
import {
  collapseInput,
  collapsing,
  finished,
  fit,
  high,
  low,
  never,
  stageAll,
  staged,
  userTurn,
} from "./collapse-support.ts";
import { drive, fixture, leftOut, modelInfo, unsigned, user } from "./support.ts";

test("from 70 % of the window on, finished spans are summarised one by one without delaying requests", async () => {
  const told: number[] = [];
  const made = collapsing({ onStaged: (all) => told.push(all.length) });
  const messages = finished(low);
  const first = await fit(made, messages);
  expect(first).toMatchObject({ messages, records: [], applied: [] });
  expect(made.requests).toHaveLength(1);
  await stageAll(made, messages);
  expect(
    made.collapses.places(messages).map(({ start, end }) => [messages[start]!.uuid, messages[end - 1]!.uuid]),
  ).toEqual([
    ["one-a0", "one-r16"],
    ["one-a17", "one-a"],
    ["two-a0", "two-r16"],
    ["two-a17", "two-a"],
    ["three-a0", "three-r16"],
    ["three-a17", "three-a"],
  ]);
  expect(told).toEqual([1, 2, 3, 4, 5, 6]);
  expect(made.ledger).toEqual(Array.from({ length: 6 }, () => "usage 1000 true"));
});

test("a span is sent with its prompt only, without thinking and without cache breakpoints", async () => {
  const made = collapsing();
  await fit(made, finished(low));
  await made.collapses.settled();
  const [request] = made.requests;
  expect(request).toMatchObject({
    ...made.deps.requestBase(request!.model),
    querySource: "compaction",
    cacheBreakpoints: [],
    maxTokens: 8_000,
  });
  const text = JSON.stringify(request!.messages);
  expect(request!.messages[0]).toMatchObject({ role: "user", content: [{ text: "prompt one" }] });
  expect(text).toContain("one-c0");
  expect(text).toContain("one-c16");
  expect(text).not.toContain("one-c17");
  expect(text).not.toContain("thought");
  expect(text).not.toContain("memory");
  expect(request!.messages.at(-1)).toMatchObject({ role: "user" });
  expect(text).toContain("The work above is finished");
});

test("a span is sent without the kinds of blocks that the server does not take back", async () => {
  const messages = finished(low).map((message) =>
    message.type === "assistant"
      ? { ...message, content: [{ type: "opaque" as const, wire: { type: "novelty" } }, ...message.content] }
      : message,
  );
  for (const [notices, isSent] of [
    [[], true],
    [[leftOut("novelty")], false],
  ] as const) {
    const made = collapsing();
    await fit(made, [...messages.slice(0, -1), ...notices, ...messages.slice(-1)]);
    await made.collapses.settled();
    expect(JSON.stringify(made.requests[0]!.messages).includes("novelty")).toBe(isSent);
  }
});

test("below 70 % of the window nothing is examined", async () => {
  const made = collapsing({ policy: { microcompact: false, snip: false } });
  const messages = finished(64_000);
  let touched = 0;
  const watched = new Proxy(messages, {
    get(target, key, receiver) {
      if (typeof key === "string" && /^\d+$/.test(key) && Number(key) < 160) touched++;
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
  // Once each message is looked at for its images.
  await fit(made, messages);
  await fit(made, watched);
  expect([touched, made.requests.length]).toEqual([0, 0]);
});

test("a lower auto-compact threshold lowers the staging threshold", async () => {
  const made = collapsing({ policy: { autoCompactPercent: 45 } });
  await fit(made, finished(32_000));
  expect(made.requests).toHaveLength(0);
  await fit(made, finished(33_000));
  expect(made.requests).toHaveLength(1);
});

test("does not wait for a summary that is still being made", async () => {
  const messages = finished(low);
  const made = collapsing({ hangs: true });
  await fit(made, messages);
  await fit(made, messages);
  expect(made.requests).toHaveLength(1);
  expect(made.context.canDrain(messages)).toBe(false);
  expect((await drive(made.context.drain(collapseInput(messages), never))).value.kind).toBe("no_progress");
  await made.collapses.close();
});

test("closing aborts the running call, settles it, and starts no more", async () => {
  const told: unknown[] = [];
  const made = collapsing({ hangs: true, onStaged: (all) => told.push(all) });
  await fit(made, finished(low));
  await made.collapses.close();
  expect(made.timers).toEqual([]);
  expect([told, made.ledger]).toEqual([[], ["unknown"]]);
  await fit(made, finished(low));
  expect(made.requests).toHaveLength(1);
});

test("a summary that takes too long is given up, and the span is tried once more", async () => {
  const made = collapsing({ hangs: true });
  const messages = finished(low);
  for (const expected of [1, 2]) {
    await fit(made, messages);
    expect(made.timers.map(({ ms }) => ms)).toEqual([300_000]);
    made.timers[0]!.fire();
    await made.collapses.settled();
    expect(made.requests).toHaveLength(expected);
  }
  expect(made.context.canDrain(messages)).toBe(true);
});

test("a summary that was ended from outside is no failure and is started again", async () => {
  const made = collapsing({ hangs: true });
  const messages = finished(low);
  for (const expected of [1, 2, 3]) {
    await fit(made, messages);
    expect(made.requests).toHaveLength(expected);
    if (expected < 3) made.collapses.end();
    else made.timers[0]!.fire();
    await made.collapses.settled();
  }
  // The first failure: a second one would have the span digested here.
  expect(made.context.canDrain(messages)).toBe(false);
});

test("after a server missed thinking, the span summary is requested without thinking", async () => {
  const missed = { fail: { recovery: "thinking", kind: "thinking_rejected", thinkingMissed: true } } as const;
  const made = collapsing({ says: [missed, "what was done"] });
  for (let time = 0; time < 2; time++) {
    await fit(made, finished(low));
    await made.collapses.settled();
  }
  expect(made.requests.map(({ thinking }) => thinking.type)).toEqual(["auto", "disabled"]);
  expect(made.context.canDrain(finished(low))).toBe(true);
});

// Seen: the summary was requested without thinking, as was everything after it, and a server that thinks anyway made no summary.
test("a server that misses unsigned thinking gets it back with the span", async () => {
  const missed = { fail: { recovery: "thinking", kind: "thinking_rejected", thinkingMissed: true } } as const;
  const made = collapsing({ says: [missed, "what was done"] });
  const messages = finished(low).map(unsigned);
  for (let time = 0; time < 2; time++) {
    await fit(made, messages);
    await made.collapses.settled();
  }
  expect(made.requests.map(({ thinking }) => thinking.type)).toEqual(["auto", "auto"]);
  expect(made.requests.map((request) => JSON.stringify(request.messages).includes("thought "))).toEqual([false, true]);
  expect(made.context.canDrain(messages)).toBe(true);
});

test("a span summary is requested without a thinking budget, which would require thinking before its calls", async () => {
  const { deps } = fixture();
  const thinking = { type: "enabled", budgetTokens: 4_000 } as const;
  const made = collapsing({ deps: { requestBase: (model) => ({ ...deps.requestBase(model), thinking }) } });
  await fit(made, finished(low));
  await made.collapses.settled();
  expect(made.requests[0]).toMatchObject({ thinking: { type: "disabled" }, maxTokens: 8_000 });
});

const failing: [string, Parameters<typeof collapsing>[0]][] = [
  ["the call fails", { says: [{ fail: {} }, { fail: {} }] }],
  [
    "the model refuses",
    {
      says: [
        { text: "no", stopReason: "refusal" },
        { text: "no", stopReason: "refusal" },
      ],
    },
  ],
  [
    "the summary is cut at max_tokens",
    {
      says: [
        { text: "a", stopReason: "max_tokens" },
        { text: "a", stopReason: "max_tokens" },
      ],
    },
  ],
  [
    "the model calls a tool instead of summarising",
    {
      says: [
        { text: "a", stopReason: "tool_use" },
        { text: "a", stopReason: "tool_use" },
      ],
    },
  ],
  ["the summary is empty", { says: ["", ""] }],
  ["the summary is too long", { says: ["word ".repeat(8_000), "word ".repeat(4_000)] }],
];

test.each(failing)("a local digest is used if %s twice", async (_name, options) => {
  const made = collapsing(options);
  const messages = finished(low);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.context.canDrain(messages)).toBe(false);
  await fit(made, messages);
  await made.collapses.settled();
  const [place] = made.collapses.places(messages);
  expect(place!.staged.summary).toContain("No summary could be made.");
  expect(place!.staged.summary).toContain('- Read {"file_path":"/src/16.ts"}');
  expect(made.requests).toHaveLength(2);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.collapses.places(messages)[1]!.staged.summary).toBe("summary 3");
});

test("a summary longer than half of its span is not used", async () => {
  const turns = Array.from({ length: 22 }, (_, at) => userTurn(`t${at}`, 1, 10_000)).flat();
  const made = collapsing({ says: ["word ".repeat(1_300), "word ".repeat(1_000)] });
  const messages = [...turns, user("q", "go on")];
  for (const expected of [0, 1]) {
    await fit(made, messages);
    await made.collapses.settled();
    expect(made.collapses.places(messages)).toHaveLength(expected);
  }
});

test("makes no call without spare budget, and the local digest costs nothing", async () => {
  const made = collapsing({ refuseBudget: true });
  const messages = finished(low);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.collapses.places(messages)).toEqual([]);
  await fit(made, messages);
  await made.collapses.settled();
  expect(made.collapses.places(messages)).toHaveLength(1);
  expect([made.requests, made.ledger]).toEqual([[], []]);
});

test("asks the budget for spare money only", async () => {
  const asked: unknown[] = [];
  const { budget } = fixture().deps;
  const admit: typeof budget.admit = async (request) => (asked.push(request.spare), budget.admit(request));
  const made = collapsing({ deps: { budget: { ...budget, admit } } });
  await fit(made, finished(low));
  await made.collapses.settled();
  expect(asked).toEqual([true]);
});

test("drops a summary whose span was rewritten meanwhile", async () => {
  const made = collapsing();
  const messages = finished(low);
  await fit(made, messages);
  const rewritten = messages.filter(({ uuid }) => uuid !== "one-a3" && uuid !== "one-r3");
  await made.collapses.settled();
  expect(made.context.canDrain(messages)).toBe(true);
  expect(made.context.canDrain(rewritten)).toBe(false);
  await stageAll(made, rewritten);
  const places = made.collapses.places(rewritten);
  expect(rewritten[places[0]!.start]!.uuid).toBe("one-a0");
  expect(made.collapses.places(messages).map(({ staged: { from } }) => from)).not.toContain("one-a0");
});

test("does not pay again for what an earlier process staged", async () => {
  const messages = finished(low);
  const before = collapsing();
  await stageAll(before, messages);
  const kept = before.collapses.places(messages).map(({ staged: each }) => each);
  const resumed = collapsing({ restored: JSON.parse(JSON.stringify(kept)) as unknown });
  await stageAll(resumed, messages);
  expect(resumed.requests).toEqual([]);
  expect((await fit(resumed, finished(high))).records).toHaveLength(2);
});

test("summarises no span twice after a change of model moved the borders of spans", async () => {
  const made = collapsing();
  const messages = finished(low);
  await stageAll(made, messages);
  const before = made.requests.length;
  const model = { ...modelInfo, contextWindow: 90_000 };
  for (let round = 0; round < 4; round++) {
    await fit(made, messages, { model });
    await made.collapses.settled();
  }
  const shown = made.requests.slice(before).map((request) => JSON.stringify(request.messages));
  const places = made.collapses.places(messages);
  expect(places).toHaveLength(before + shown.length);
  for (const text of shown) expect(text).not.toMatch(/"(one|two|three)-c/);
});

test("stages no more summaries at once than the policy allows", async () => {
  const made = collapsing({ policy: { stagedCollapses: 2 } });
  await stageAll(made, finished(low));
  expect(made.requests).toHaveLength(2);
});

test.each<[string, object, object, object]>([
  ["by default", {}, {}, { contextCollapse: true, collapsePercent: 70 }],
  ["off by setting", { contextCollapseEnabled: false }, {}, { contextCollapse: false }],
  ["off by environment", {}, { DISABLE_CONTEXT_COLLAPSE: "1" }, { contextCollapse: false }],
  ["off with all compaction", {}, { DISABLE_COMPACT: "1" }, { contextCollapse: false }],
  ["without auto-compact", { autoCompactEnabled: false }, {}, { contextCollapse: true }],
  ["with another percentage", { contextCollapsePercent: 50 }, {}, { collapsePercent: 50 }],
  ["environment over setting", { contextCollapsePercent: 50 }, { PAWL_COLLAPSE_PCT: "60" }, { collapsePercent: 60 }],
  ["an invalid percentage", {}, { PAWL_COLLAPSE_PCT: "0" }, { collapsePercent: 70 }],
])("the collapse policy is right: %s", (_name, settings, environment, expected) => {
  const given = environment as Record<string, string>;
  expect(contextPolicy(settings, given)).toMatchObject(expected);
});

test.each([
  [undefined, true],
  ["", true],
  [" https://api.anthropic.com/ ", true],
  ["https://anthropic.com", true],
  ["https://api.anthropic.com.proxy.test/", false],
  ["https://notanthropic.com", false],
  ["http://127.0.0.1:8080", false],
  ["no address", false],
])("signed summaries are requested only from Anthropic's own servers: %s", (baseUrl, isTheirs) => {
  const environment = baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl };
  expect(contextPolicy({}, environment).signedSummaries).toBe(isTheirs);
  expect(contextPolicy({}, { ...environment, PAWL_SIGNED_SUMMARIES: "1" }).signedSummaries).toBe(true);
});

test("an abort changes nothing and makes no call", async () => {
  const messages = finished(low);
  const made = collapsing({ restored: [staged(messages, "one-a0", "one-a")] });
  const aborted = AbortSignal.abort();
  expect((await drive(made.context.drain(collapseInput(messages), aborted))).value.kind).toBe("no_progress");
  await drive(made.context.fit(collapseInput(messages), aborted));
  expect(made.requests).toEqual([]);
});

test("long results are cut in the middle for the summary", async () => {
  const turns = ["one", "two", "three"].flatMap((name) => userTurn(name, 1, 80_000));
  const made = collapsing();
  const { value } = await drive(made.context.fit(collapseInput([...turns, user("q", "?")]), never));
  expect(value.kind).toBe("ready");
  await made.collapses.settled();
  const sent = JSON.stringify(made.requests[0]!.messages);
  expect(sent.length).toBeLessThan(70_000);
  expect(sent).toContain(" … ");
});
