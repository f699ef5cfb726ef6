import fc from "fast-check";
import { expect, test } from "vitest";
import { leftOutKinds } from "../../src/protocol/left-out-kinds.ts";
import type { Message, SnipBoundaryMessage } from "../../src/protocol/index.ts";
import { requestTokens } from "../../src/context/measure.ts";
import { contextPolicy } from "../../src/context/policy.ts";
import { judgeSpan } from "../../src/context/snip-span.ts";
import type { SnipRequest } from "../../src/context/layer.ts";
import { snipReplay } from "../../src/context/snip-replay.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { bound, counted, fixedTokens, history, priced } from "./rewrites-support.ts";
import {
  assistant,
  conversation,
  drive,
  end,
  fixture,
  inputOf,
  leftOut,
  namesOf,
  thinking,
  timestamp,
  use,
  user,
} from "./support.ts";

const never = new AbortController().signal;

/** Two user turns of two calls each, and a third prompt. */
const twoTurns: Message[] = [
  ...counted([{ result: 9_000 }, { result: 9_000 }], "x"),
  assistant("xz", "xmz", [{ type: "text", text: "done with x" }]),
  end("xze", "xmz", 9_000, 10),
  user("yp", "Now y"),
  ...counted([{ result: 9_000, thinking: 100 }, { result: 9_000 }], "y").slice(2),
  assistant("yz", "ymz", [{ type: "text", text: "done with y" }]),
  end("yze", "ymz", 16_000, 10),
  user("zp", "Now z"),
];
const uuids = (messages: readonly Message[]): string[] => messages.map(({ uuid }) => uuid);

async function fitted(messages: readonly Message[], snips: SnipRequest[], model = priced, policy = {}) {
  const double = history({ snips: [...snips] });
  const { context } = fixture({
    deps: { history: double },
    policy: { autoCompact: false, microcompact: false, ...policy },
  });
  const { value, events } = await drive(context.fit(inputOf(messages, { model, fixedTokens }), never));
  if (value.kind !== "ready") throw new Error("The window is full.");
  return { ...value, events, double, boundary: value.records.find((record) => record.type === "snip_boundary") };
}

test("takes out a span of whole trajectories, keeps the rest verbatim, and records what and why", async () => {
  const span: SnipRequest = { fromUuid: "yp", toUuid: "yz", reason: "another topic", by: "user" };
  const { messages, records, boundary, applied, estimatedTokens, double } = await fitted(twoTurns, [span]);
  expect(records).toHaveLength(1);
  expect(boundary).toMatchObject({ fromUuid: "yp", toUuid: "yze", by: "user", reason: "another topic" });
  const left = twoTurns.filter(({ uuid }) => !uuid.startsWith("y") && !/^[aemrc]+y/.test(uuid));
  expect(messages.slice(0, -1)).toEqual(left);
  expect(messages.at(-1)).toBe(boundary);
  const saved = requestTokens(twoTurns, fixedTokens, 1) - estimatedTokens;
  expect(saved).toBeGreaterThan(6_000);
  expect(applied).toEqual([{ layer: "snip", savedTokens: saved }]);
  expect(double.forgotten).toBe(1);
});

test("keeps the notice that the server does not take back some kind of block", async () => {
  const at = twoTurns.findIndex(({ uuid }) => uuid === "yz");
  const messages = twoTurns.toSpliced(at, 0, leftOut("novelty"));
  const { messages: left, boundary } = await fitted(messages, [{ fromUuid: "yp", toUuid: "yz" }]);
  expect(boundary).toBeDefined();
  expect([...leftOutKinds(left)]).toEqual(["novelty"]);
  expect(uuids(left)).not.toContain("yz");
});

test("takes out a step in the middle of a turn with its results", async () => {
  const { messages, boundary } = await fitted(twoTurns, [{ fromUuid: "ax1", toUuid: "rcx1" }]);
  expect(boundary).toBeDefined();
  expect(uuids(messages)).not.toEqual(expect.arrayContaining(["ax1"]));
  expect(uuids(messages).slice(0, 6)).toEqual(["xctx", "xp", "ax0", "ex0", "rcx0", "xz"]);
});

test.each<[string, string, string, string, RegExp]>([
  ["an unknown message", "nobody", "yz", "unknown_message", /"nobody"/],
  ["its end before its beginning", "yz", "yp", "reversed", /comes before/],
  ["the memory files", "xctx", "xz", "holds_head", /pinned head/],
  ["the user's first prompt", "xp", "xz", "holds_head", /first asked for/],
  ["a call without its result", "ay0", "ay0", "not_whole", /from "ay0" to "rcy0"/],
  ["a result without its call", "rcy0", "ry1", "unknown_message", /"ry1"/],
  ["half a trajectory", "rcy0", "rcy1", "not_whole", /from "ay0" to "rcy1"/],
  ["a prompt without its answer", "yp", "yp", "not_whole", /Begin with a prompt/],
  ["the prompt that is being answered", "zp", "zp", "holds_end", /being answered/],
])("refuses a span with %s", (_name, fromUuid, toUuid, code, text) => {
  const verdict = judgeSpan(twoTurns, { fromUuid, toUuid }, true);
  expect(verdict).toMatchObject({ ok: false, code });
  if (!verdict.ok) expect(verdict.message).toMatch(text);
});

test("pins the reference to the first prompt that a compaction left, but not its summary", () => {
  const ours = { isMeta: true as const, origin: "compaction" as const };
  const first = { ...user("ref", "<first_user_message>\nGo\n</first_user_message>"), ...ours };
  const summary = { ...user("sum", "They worked."), ...ours, isCompactSummary: true as const };
  const messages = [first, summary, ...twoTurns.slice(twoTurns.findIndex(({ uuid }) => uuid === "yp"))];
  const judged = (fromUuid: string) => judgeSpan(messages, { fromUuid, toUuid: "yz" }, true);
  expect(judged("ref")).toMatchObject({ ok: false, code: "holds_head" });
  expect(judged("yp")).toMatchObject({ ok: true });
});

test("reports a span that is refused before a request, and the turn continues unchanged", async () => {
  const { messages, records, events } = await fitted(twoTurns, [{ fromUuid: "ay0", toUuid: "ay0" }]);
  expect(messages).toBe(twoTurns);
  expect(records).toEqual([]);
  expect(namesOf(events)).toEqual(["snip_refused"]);
});

test("takes out two spans before one request, the second from what the first left", async () => {
  const spans = [
    { fromUuid: "yp", toUuid: "yz" },
    { fromUuid: "ax0", toUuid: "rcx1" },
  ];
  const { messages, records } = await fitted(twoTurns, spans);
  expect(records.map(({ type }) => type)).toEqual(["snip_boundary", "snip_boundary"]);
  expect(uuids(messages)).toEqual(["xctx", "xp", "xz", "xze", "zp", ...uuids(records)]);
  const overlapping = await fitted(twoTurns, [spans[0]!, spans[0]!]);
  expect(overlapping.records).toHaveLength(1);
  expect(namesOf(overlapping.events)).toEqual(["snip_refused"]);
});

test("takes out nothing if it is switched off or no callback executes it", async () => {
  const span = { fromUuid: "yp", toUuid: "yz" };
  expect((await fitted(twoTurns, [span], priced, contextPolicy({ snipEnabled: false }))).messages).toBe(twoTurns);
  expect((await fitted(twoTurns, [span], priced, contextPolicy({}, { DISABLE_SNIP: "1" }))).messages).toBe(twoTurns);
  const { context } = fixture({
    deps: { history: history({ snips: [span], fold: (messages, record) => foldMessage(messages, record) }) },
  });
  const { value, events } = await drive(context.fit(inputOf(twoTurns, { model: priced }), never));
  expect(value).toMatchObject({ messages: twoTurns, records: [] });
  expect(namesOf(events)).toEqual(["snip_refused"]);
});

test("strips thinking after the span only if it is bound to the span", async () => {
  const types = async (span: SnipRequest, model = bound) =>
    (await fitted(twoTurns, [span], model)).records.map(({ type }) => type);
  const marked = ["thinking_stripped", "snip_boundary"];
  expect(await types({ fromUuid: "ax1", toUuid: "xz" })).toEqual(marked);
  expect(await types({ fromUuid: "ax1", toUuid: "xz" }, priced)).toEqual(["snip_boundary"]);
  expect(await types({ fromUuid: "ax1", toUuid: "xz" }, { ...priced, id: "another" })).toEqual(marked);
  expect(await types({ fromUuid: "yp", toUuid: "yz" })).toEqual(["snip_boundary"]);
  const middle = [...twoTurns.slice(0, -1), user("q", "more"), assistant("qa", "qm", [thinking("t"), use("qc")])];
  const open = [...middle, user("qr", [{ type: "tool_result", tool_use_id: "qc", content: "x" }])];
  const cut = await fitted(open, [{ fromUuid: "yp", toUuid: "yz" }], priced);
  expect(cut.records.map(({ type }) => type)).toEqual(["snip_boundary"]);
  expect(await types({ fromUuid: "ax0", toUuid: "rcx0" }, priced)).toEqual(["snip_boundary"]);
});

test("corrects the count of a response that included the span, unless that response is taken out too", () => {
  const { context } = fixture({ deps: { history: history() } });
  const input = inputOf(twoTurns, { model: priced, fixedTokens });
  const inside = context.snip(input, { fromUuid: "ax0", toUuid: "rcx1" });
  expect(inside).toMatchObject({ ok: true, boundary: { counted: { responseEnd: "yze" } } });
  const tail = context.snip(inputOf(twoTurns.slice(0, -1), { model: priced, fixedTokens }), {
    fromUuid: "yp",
    toUuid: "yz",
  });
  expect(tail).toMatchObject({ ok: true, boundary: { counted: null, toUuid: "yze" } });
  if (tail.ok) expect(requestTokens(tail.messages, fixedTokens, 1)).toBe(9_010);
});

test("the standard callback ignores unknown spans and keeps marks about earlier messages", () => {
  const boundary = (fromUuid: string, toUuid: string): SnipBoundaryMessage => ({
    type: "snip_boundary",
    uuid: "s",
    timestamp,
    fromUuid,
    toUuid,
    by: "host",
    savedTokens: 0,
    counted: null,
  });
  expect(snipReplay(boundary("nobody", "yz"), twoTurns)).toBeUndefined();
  expect(snipReplay(boundary("yz", "yp"), twoTurns)).toBeUndefined();
  for (const odd of ["yz", {}, [1]]) expect(() => snipReplay(boundary("yz", "yp"), odd as never)).toThrow("a list");
  const mark: Message = { type: "thinking_stripped", uuid: "mark", timestamp, reason: "rewritten" };
  const at = twoTurns.findIndex(({ uuid }) => uuid === "yz");
  const marked = [...twoTurns.slice(0, at), mark, ...twoTurns.slice(at)];
  expect(uuids(snipReplay(boundary("yp", "yze"), marked)!)).toContain("mark");
});

test("what is left after any snip is a valid request and equals the fold of the records", () => {
  const { context } = fixture({ deps: { history: history() } });
  fc.assert(
    fc.property(conversation, fc.nat(), fc.nat(), fc.constantFrom(priced, bound), (messages, one, other, model) => {
      const [from, to] = [one % messages.length, other % messages.length].toSorted((a, b) => a - b);
      const span = { fromUuid: messages[from!]!.uuid, toUuid: messages[to!]!.uuid };
      const snipped = context.snip(inputOf(messages, { model }), span);
      if (!snipped.ok) {
        expect(snipped.message).not.toBe("");
        return;
      }
      const folded = snipped.records.reduce((left, record) => foldMessage(left, record, snipReplay), messages);
      expect(folded).toEqual(snipped.messages);
      const normalized = createNormalizer()(snipped.messages, { model: model.id, thinking: true, maxImages: 100 });
      expect([normalized.mended.missingResults, normalized.mended.strayResults]).toEqual([0, 0]);
      expect(normalized.messages[0]?.role).toBe("user");
      const kept = new Set(snipped.messages);
      for (const [at, message] of messages.entries())
        if (
          at < from! ||
          at >
            Math.max(
              to!,
              messages.findIndex(({ uuid }) => uuid === snipped.boundary.toUuid),
            )
        )
          expect(kept.has(message)).toBe(true);
    }),
    { numRuns: 300 },
  );
});
