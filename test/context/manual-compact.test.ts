import { expect, test } from "vitest";
import type { Message } from "../../src/protocol/index.ts";
import { spanTokens } from "../../src/context/measure.ts";
import { createNormalizer } from "../../src/loop/normalize.ts";
import { leftOutKinds } from "../../src/protocol/left-out-kinds.ts";
import {
  assistant,
  drive,
  fixture,
  inputOf,
  leftOut,
  namesOf,
  readLoop,
  timestamp,
  unboundModel,
  unsigned,
  user,
} from "./support.ts";

const never = new AbortController().signal;
const fails = { fail: { recovery: "none" } } as const;

test("a manual compaction keeps at most a quarter of the conversation verbatim, however empty the window is", async () => {
  const messages = [...readLoop(40, 2_000), user("q", "go on")];
  const { context } = fixture();
  const { value } = await drive(context.compactManually(inputOf(messages), {}, never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  const kept = value.messages.filter((message) => messages.includes(message));
  expect(spanTokens(kept)).toBeLessThanOrEqual(spanTokens(messages) / 4);
  expect(spanTokens(kept)).toBeGreaterThan(spanTokens(messages) / 6);
});

test("a manual compaction asks for a summary despite earlier failures, and resets their count", async () => {
  const full = readLoop(100, 3_000);
  const { context, requests } = fixture({ says: [fails, fails, fails, "by hand", fails, fails, fails] });
  const stops: number[] = [];
  const automatic = async (consecutiveFailures = 0) => {
    const { events } = await drive(context.fit(inputOf(full, { tracking: { consecutiveFailures } }), never));
    if (namesOf(events).includes("auto_compact_stopped")) stops.push(requests.length);
  };
  for (const failures of [0, 1, 2, 3]) await automatic(failures);
  expect([requests.length, stops]).toEqual([3, [3]]);
  const { value } = await drive(
    context.compactManually(inputOf(full, { tracking: { consecutiveFailures: 3 } }), {}, never),
  );
  expect([value.kind, requests.length]).toEqual(["shrunk", 4]);
  for (const failures of [0, 1, 2, 3]) await automatic(failures);
  expect([requests.length, stops]).toEqual([7, [3, 7]]);
});

test("a manual compaction adds no request to continue, because the next prompt ends the conversation", async () => {
  const said = assistant("z", "mz", [{ type: "text", text: "done" }]);
  const { context } = fixture({ says: [fails] });
  const { value, events } = await drive(context.compactManually(inputOf([...readLoop(110, 3_000), said]), {}, never));
  if (value.kind !== "shrunk") throw new Error(value.why);
  expect(namesOf(events)).toContain("compacted_without_summary");
  expect(value.messages.findLast(({ type }) => type === "user" || type === "assistant")).toBe(said);
});

test("a compaction remembers which kinds of blocks the server does not take back", async () => {
  const novelty = { type: "opaque" as const, wire: { type: "novelty" } };
  const work = readLoop(40, 2_000).map((message) =>
    message.type === "assistant" ? { ...message, content: [novelty, ...message.content] } : message,
  );
  const last = user("q", "go on");
  for (const messages of [
    [...work.slice(0, 3), leftOut("novelty"), ...work.slice(3), last],
    [...work, leftOut("novelty"), last],
  ]) {
    const { context, requests } = fixture();
    const { value } = await drive(context.compactManually(inputOf(messages), {}, never));
    if (value.kind !== "shrunk") throw new Error(value.why);
    expect([...leftOutKinds(value.messages)]).toEqual(["novelty"]);
    expect(JSON.stringify(requests[0]!.messages)).not.toContain('"type":"novelty"');
  }
});

test("after a compaction, a server that has refused unsigned thinking still gets none", async () => {
  const rejected: Message = { type: "thinking_stripped", uuid: "no", timestamp, reason: "rejected" };
  const work = readLoop(40, 2_000).map(unsigned);
  for (const [mark, isSent] of [
    [[], true],
    [[rejected], false],
  ] as const) {
    const { context } = fixture();
    const messages = [...work.slice(0, 3), ...mark, ...work.slice(3), user("q", "go on")];
    const { value } = await drive(context.compactManually(inputOf(messages, { model: unboundModel }), {}, never));
    if (value.kind !== "shrunk") throw new Error(value.why);
    const options = { model: unboundModel.id, thinking: true, unsignedThinking: true, maxImages: 100 };
    const sent = createNormalizer()(value.messages, options).messages;
    expect(sent.some(({ content }) => content.some(({ type }) => type === "thinking"))).toBe(isSent);
  }
});
