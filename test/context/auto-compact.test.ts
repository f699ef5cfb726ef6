import fc from "fast-check";
import { expect, test } from "vitest";
import type {
  ContentBlock,
  AttachmentMessage,
  CompactBoundaryMessage,
  FitResult,
  Message,
  UserMessage,
} from "../../src/protocol/index.ts";
import { hasThinking } from "../../src/protocol/thinking.ts";
import { foldMessage } from "../../src/transcript/index.ts";
import { wholeTokens } from "../../src/context/measure.ts";
import {
  assistant,
  conversation,
  drive,
  end,
  fixture,
  inputOf,
  modelInfo,
  namesOf,
  readLoop,
  requestProblems,
  thinking,
  timestamp,
  unboundModel,
  use,
  user,
  type FixtureOptions,
} from "./support.ts";

const never = new AbortController().signal;
/** About 95,000 tokens by estimate: over the threshold of a window of 100,000, under its blocking limit of 89,000 when counted so. */
const long = readLoop(100, 3_000);
const counted = (tokens: number, messages: Message[] = long): Message[] => [
  ...messages,
  assistant("z", "mz", [{ type: "text", text: "done" }]),
  end("ze", "mz", tokens, 0),
  user("q", "go on"),
];

const fitOnce = async (messages: readonly Message[], options: FixtureOptions = {}, more: object = {}) => {
  const made = fixture(options);
  const driven = await drive(made.context.fit(inputOf(messages, more), never));
  return { ...made, ...driven };
};

function ready(value: FitResult): Extract<FitResult, { kind: "ready" }> {
  if (value.kind !== "ready") throw new Error("full");
  return value;
}

const textsOf = (messages: readonly Message[]) =>
  messages.map((message) =>
    message.type === "user" ? message.content.map((block) => (block.type === "text" ? block.text : "")).join("") : "",
  );
const attach = (name: string, size: number): { label: string; message: AttachmentMessage } => ({
  label: name,
  message: {
    type: "attachment",
    uuid: name,
    timestamp,
    attachment: { kind: "reminder", name, text: "x".repeat(size) },
  },
});
const uuidsOf = (messages: readonly Message[]) => messages.map((message) => message.uuid);

test("below the threshold, nothing is changed and no summary is requested", async () => {
  const messages = counted(80_000);
  const { value, events, requests } = await fitOnce(messages);
  expect(ready(value)).toMatchObject({ records: [], applied: [], tracking: { consecutiveFailures: 0 } });
  expect(ready(value).messages).toBe(messages);
  expect(namesOf(events)).toEqual(["context_low"]);
  // Near where it is compacted, at 90 %.
  const said = events.flatMap((event) => (event.type === "notice" ? [event.text] : [])).join("");
  expect(Number(/fills (\d+) %/u.exec(said)?.[1])).toBeGreaterThanOrEqual(80);
  expect(Number(/fills (\d+) %/u.exec(said)?.[1])).toBeLessThan(90);
  expect(requests).toEqual([]);
});

test("above the threshold, the older part becomes a summary, whose request begins like the conversation", async () => {
  const messages = counted(84_000);
  const { value, events, requests, ledger, deps } = await fitOnce(messages);
  const result = ready(value);
  expect(namesOf(events)).toEqual(["compacting", "waiting"]);
  expect(requests).toHaveLength(1);
  const [request] = requests;
  const whole = deps.toApi(messages, { model: modelInfo }).messages;
  expect(JSON.stringify(request!.messages.slice(0, -1))).toBe(
    JSON.stringify(whole.slice(0, request!.messages.length - 1)),
  );
  expect(request).toMatchObject({
    model: modelInfo.id,
    system: [{ text: "system" }],
    querySource: "compaction",
    key: "t1.compact.0",
    thinking: { type: "auto" },
  });
  expect(request!.maxTokens).toBe(20_000);
  expect(JSON.stringify(request!.messages.at(-1))).toMatch(/Do not call any tool/);
  expect(ledger).toEqual(["usage 1000 true"]);
  expect(result.tracking).toEqual({ lastCompactedTurn: 1, consecutiveFailures: 0 });
  expect(result.applied).toMatchObject([{ layer: "auto_compact" }]);
  expect(result.applied[0]!.savedTokens).toBeGreaterThan(60_000);
  expect(result.estimatedTokens).toBeLessThan(30_000);
  expect(requestProblems(result.messages, { boundThinkingFrom: 0 })).toEqual([]);
});

test("a compaction leaves the context, a reference to the first prompt, the summary, the tail and a mark", async () => {
  const { value } = await fitOnce(counted(84_000));
  const { messages, records } = ready(value);
  const texts = textsOf(messages);
  expect(messages[0]).toMatchObject({ uuid: "ctx" });
  expect(texts[1]).toBe("<first_user_message>\nFind the bug\n</first_user_message>");
  expect(messages[2]).toMatchObject({ isMeta: true, isCompactSummary: true, origin: "compaction" });
  expect(texts[2]).toContain("<summary>\nsummary 1\n</summary>");
  expect(uuidsOf(messages).slice(-3)).toEqual(["z", "q", messages.at(-1)!.uuid]);
  expect(messages.at(-1)).toMatchObject({ type: "thinking_stripped", reason: "rewritten" });
  expect(records).toHaveLength(1);
  const boundary = records[0] as CompactBoundaryMessage;
  expect(boundary).toMatchObject({ type: "compact_boundary", trigger: "auto" });
  expect(boundary.preTokens).toBeGreaterThan(84_000);
  expect(boundary.preTokens).toBeLessThan(84_030);
  expect(boundary.lastSummarizedUuid).toMatch(/^r\d+$/);
  expect(boundary.postTokens).toBeLessThan(boundary.preTokens);
  expect(foldMessage(long, boundary)).toEqual(messages);
});

test("no mark is added if no thinking is bound to the prefix, even in the middle of a turn", async () => {
  const messages = counted(84_000, [
    ...long,
    user("p1", "Now this"),
    assistant("t", "mt", [thinking("x"), { type: "text", text: "yes" }]),
  ]);
  const shortTail = { policy: { keepRecent: { tokens: 100, share: 1 } } };
  const stays = await fitOnce(messages, shortTail, { model: unboundModel });
  expect(ready(stays.value).messages.some((message) => message.type === "thinking_stripped")).toBe(false);
  const another = await fitOnce(messages, shortTail, { model: { ...unboundModel, id: "another" } });
  expect(ready(another.value).messages.at(-1)?.type).toBe("thinking_stripped");
  const unknown = await fitOnce(messages, shortTail, { model: { ...unboundModel, known: false } });
  expect(ready(unknown.value).messages.at(-1)?.type).toBe("thinking_stripped");
  const unsigned = messages.map((message) =>
    message.type === "assistant" ? { ...message, content: message.content.map(withoutSignature) } : message,
  );
  const signsNone = await fitOnce(unsigned, shortTail, {
    model: { ...unboundModel, known: false, unsignedThinking: true },
  });
  expect(ready(signsNone.value).messages.some((message) => message.type === "thinking_stripped")).toBe(false);
  // What answers by a known name may be another one, whose server wants back what it has not signed.
  for (const model of [modelInfo, { ...modelInfo, id: "another" }]) {
    const gateway = await fitOnce(unsigned, shortTail, { model });
    expect(ready(gateway.value).messages.some((message) => message.type === "thinking_stripped")).toBe(false);
  }
  const amidWork = await fitOnce(counted(84_000), {}, { model: unboundModel });
  expect(hasThinking(ready(amidWork.value).messages)).toBe(true);
  expect(ready(amidWork.value).messages.some((message) => message.type === "thinking_stripped")).toBe(false);
});

function withoutSignature(block: ContentBlock): ContentBlock {
  return block.type === "thinking" ? { type: "thinking", thinking: block.thinking } : block;
}

test("a second compaction keeps the first prompt and summarises the first summary", async () => {
  const once = ready((await fitOnce(counted(84_000))).value).messages;
  const more = [
    ...once,
    ...readLoop(100, 3_000)
      .slice(2)
      .map((message) => ({ ...message, uuid: `again-${message.uuid}` })),
  ] as Message[];
  const { value, requests } = await fitOnce(counted(84_000, more));
  expect(textsOf(ready(value).messages)[1]).toContain("Find the bug");
  expect(JSON.stringify(requests[0]!.messages)).toContain("summary 1");
  expect(ready(value).messages.filter((message) => message.type === "user" && message.isCompactSummary)).toHaveLength(
    1,
  );
});

test("no compaction follows directly after another one", async () => {
  const { value, requests } = await fitOnce(
    counted(84_000),
    {},
    { tracking: { lastCompactedTurn: 1, consecutiveFailures: 0 } },
  );
  expect(ready(value).records).toEqual([]);
  expect(requests).toEqual([]);
});

test("does nothing if the layer is switched off", async () => {
  const { value, requests, events } = await fitOnce(counted(84_000), { policy: { autoCompact: false } });
  expect(ready(value).records).toEqual([]);
  expect(requests).toEqual([]);
  expect(events).toMatchObject([
    { level: "warning", text: expect.stringContaining("Automatic compaction is off") as string },
  ]);
});

test("hooks add instructions before a compaction, get the summary after it, and add context", async () => {
  const { value, hooked, requests } = await fitOnce(counted(84_000), {
    hooks: (input) => ({
      additionalContext:
        input.hook_event_name === "PreCompact"
          ? ["Keep the ticket number."]
          : input.hook_event_name === "SessionStart"
            ? ["Branch is main."]
            : [],
    }),
  });
  expect(hooked.map((input) => input.hook_event_name)).toEqual(["PreCompact", "PostCompact", "SessionStart"]);
  expect(hooked[0]).toMatchObject({ trigger: "auto", custom_instructions: null });
  expect(hooked[1]).toMatchObject({ trigger: "auto", compact_summary: expect.stringContaining("summary 1") as string });
  expect(hooked[2]).toMatchObject({ source: "compact" });
  expect(JSON.stringify(requests[0]!.messages.at(-1))).toContain("Keep the ticket number.");
  expect(ready(value).messages.at(-1)).toMatchObject({
    type: "attachment",
    attachment: { kind: "hook_context", text: "Branch is main." },
  });
});

test("cuts the context of a SessionStart hook that would fill the freed room again", async () => {
  const { value, events } = await fitOnce(counted(84_000), {
    hooks: (input) => ({
      additionalContext: input.hook_event_name === "SessionStart" ? ["first ".repeat(100_000), "Branch is main."] : [],
    }),
  });
  const [boundary] = ready(value).records;
  if (boundary?.type !== "compact_boundary") throw new Error("nothing was compacted");
  expect(boundary.postTokens).toBeLessThan(84_000 * 0.75);
  const said = ready(value).messages.flatMap((message) => (message.type === "attachment" ? [message.attachment] : []));
  const [cut] = said.filter(({ kind }) => kind === "hook_context") as { text: string }[];
  expect(cut?.text).toMatch(/^first .*\n\[… cut …\]\n.*first $/s);
  expect(namesOf(events)).toContain("hook_context_cut");
});

test("a PreCompact hook can block the compaction, which does not count as a failure", async () => {
  const { value, requests, events } = await fitOnce(counted(84_000), { hooks: () => ({ blocking: ["not now"] }) });
  expect(ready(value)).toMatchObject({ records: [], tracking: { consecutiveFailures: 0 } });
  expect(requests).toEqual([]);
  expect(namesOf(events)).toContain("compaction_blocked");
});

test("reattaches files and lists as far as they fit, as messages of the loop", async () => {
  const todo: UserMessage = user("todo", "the list");
  const items = [
    attach("small", 3_500),
    attach("huge", 350_000),
    { label: "todo", message: todo },
    { label: "/never.ts" },
  ];
  const { value } = await fitOnce(counted(84_000), { deps: { reattach: async () => items } });
  const { messages } = ready(value);
  expect(uuidsOf(messages).slice(-3, -1)).toEqual(["small", "todo"]);
  expect(messages.at(-2)).toMatchObject({ isMeta: true, origin: "compaction" });
  expect(messages.at(-1)).toMatchObject({
    attachment: { name: "not_reattached", text: expect.stringContaining("for want of room: huge; /never.ts.") },
  });
});

test("does not reattach what is still in view, and passes the kept messages to the session", async () => {
  const { message } = attach("small", 100);
  const messages = [...counted(84_000), message!];
  const asked: (readonly Message[])[] = [];
  const reattach = async (kept: readonly Message[]) => {
    asked.push(kept);
    return [attach("small", 100)];
  };
  const { value } = await fitOnce(messages, { deps: { reattach } });
  const { messages: next } = ready(value);
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain(message);
  expect(next.filter((each) => each.uuid === "small")).toHaveLength(1);
});

test("an abort ends the compaction at once without a change, and the call is settled", async () => {
  const { context, ledger, timers } = fixture({ hangs: true });
  const controller = new AbortController();
  const messages = counted(84_000);
  const driven = drive(
    context.fit(inputOf(messages), controller.signal),
    (event) => event.type === "waiting" && queueMicrotask(() => controller.abort("user")),
  );
  const { value } = await driven;
  expect(ready(value)).toMatchObject({ records: [], tracking: { consecutiveFailures: 0 } });
  expect(ready(value).messages).toBe(messages);
  expect(timers).toEqual([]);
  expect(ledger.length).toBeLessThanOrEqual(1);
});

test("gives up a summary after its time limit, and counts it as a failure", async () => {
  const { context, timers, ledger } = fixture({ hangs: true });
  const driving = drive(context.fit(inputOf(counted(84_000)), never));
  await new Promise((resolve) => setImmediate(resolve));
  expect(timers.map(({ ms }) => ms)).toEqual([300_000]);
  timers[0]!.fire();
  const { value } = await driving;
  expect(ready(value)).toMatchObject({ records: [], tracking: { consecutiveFailures: 1 } });
  expect(ledger).toEqual(["unknown"]);
});

test("a consumer that leaves causes the call to be settled, and leaves no timer behind", async () => {
  const { context, timers, ledger } = fixture({ says: [{ fail: { recovery: "retry" } }, "late"] });
  const generator = context.fit(inputOf(counted(84_000)), never);
  for (let step = await generator.next(); step.done !== true; step = await generator.next()) {
    if (step.value.type === "waiting" && step.value.on === "retry") break;
  }
  await generator.return(undefined as never);
  expect(timers).toEqual([]);
  expect(ledger).toEqual(["notBilled"]);
});

test("three failures in a row stop automatic compaction for the session, with one warning", async () => {
  const { context, requests } = fixture({ says: Array.from({ length: 9 }, () => ({ fail: {} })) });
  const seen: string[] = [];
  let tracking: { lastCompactedTurn?: number; consecutiveFailures: number } = { consecutiveFailures: 0 };
  for (let turnCount = 1; turnCount <= 6; turnCount++) {
    const { value, events } = await drive(context.fit(inputOf(counted(84_000), { turnCount, tracking }), never));
    tracking = ready(value).tracking;
    seen.push(...namesOf(events).filter((name) => name === "auto_compact_stopped"));
  }
  expect(requests).toHaveLength(3);
  expect(seen).toHaveLength(1);
  expect(tracking.consecutiveFailures).toBe(3);
  const { value } = await drive(context.fit(inputOf(counted(84_000)), never));
  expect(ready(value).records, "a new user turn does not close the breaker").toEqual([]);
  expect(requests).toHaveLength(3);
});

test("after three failures a full window is still trimmed without the model", async () => {
  const { context, requests } = fixture();
  const { value, events } = await drive(
    context.fit(inputOf(counted(91_000), { tracking: { consecutiveFailures: 3 } }), never),
  );
  expect(requests).toEqual([]);
  expect(namesOf(events)).toContain("compacting");
  expect(ready(value).records).toHaveLength(1);
  expect(ready(value).estimatedTokens).toBeLessThan(50_000);
  expect(requestProblems(ready(value).messages, { boundThinkingFrom: 0 })).toEqual([]);
});

test("the local trim takes over if the summary fails and the window is nearly full", async () => {
  const { value, events } = await fitOnce(counted(91_000), { says: [{ fail: { message: "Overloaded" } }] });
  expect(namesOf(events)).toContain("compacted_without_summary");
  const text = textsOf(ready(value).messages)[2]!;
  expect(text).toContain("left out to make room, without a summary");
  expect(text).toMatch(/- Read \{"file_path":"\/src\/\d+\.ts"\} → ok, 3000 characters/);
  expect(ready(value).tracking).toEqual({ lastCompactedTurn: 1, consecutiveFailures: 1 });
  expect(ready(value).messages.at(-2)).toMatchObject({ uuid: "q" });
});

test("a summary as long as what it replaces counts as a failure", async () => {
  const { value } = await fitOnce(counted(84_000), { says: ["blah ".repeat(80_000)] });
  expect(ready(value)).toMatchObject({ records: [], tracking: { consecutiveFailures: 1 } });
});

test("a summary that reached its last heading counts, although a tool call follows", async () => {
  const text = "1. Request: count.\n6. Next step: go on counting.";
  const { value } = await fitOnce(counted(91_000), { says: [{ text, stopReason: "tool_use" }] });
  expect(textsOf(ready(value).messages).some((each) => each?.includes("go on counting"))).toBe(true);
});

test.each<[string, Parameters<typeof fixture>[0], number]>([
  ["an empty summary", { says: ["", "unused"] }, 1],
  ["a refusal", { says: [{ text: "no", stopReason: "refusal" }] }, 1],
  ["a tool call with text before it", { says: [{ text: "First I read the file.", stopReason: "tool_use" }] }, 1],
  [
    "a tool call with a text that announces the next step before it",
    { says: [{ text: "The next step is to run the tests.\nNext step: I run them.", stopReason: "tool_use" }] },
    1,
  ],
  ["a failure without a recovery", { says: [{ fail: { recovery: "none" } }] }, 1],
  ["a missing model", { says: [{ fail: { recovery: "fallback" } }] }, 1],
])("%s counts as a failure and is not retried", async (_name, options, calls) => {
  const { value, requests } = await fitOnce(counted(84_000), options);
  expect(ready(value).tracking.consecutiveFailures).toBe(1);
  expect(requests).toHaveLength(calls);
});

test("an overflow of the summary request drops the oldest turns and retries a limited number of times", async () => {
  const overflow = {
    fail: { recovery: "overflow", kind: "prompt_too_long", tokens: { actual: 100_000, maximum: 90_000 } },
  } as const;
  const { value, requests, context } = await fitOnce(counted(84_000), { says: [overflow, "made it"] });
  expect(ready(value).records).toHaveLength(1);
  expect(requests[1]!.messages.length).toBeLessThan(requests[0]!.messages.length);
  expect(JSON.stringify(requests[1]!.messages)).toContain("oldest part of the conversation was left out");
  expect(JSON.stringify(requests[1]!.messages)).not.toContain('"thinking"');
  expect(context.windowOf(modelInfo, 8_000).window, "the server is believed").toBe(90_000);
  const always = await fitOnce(counted(84_000), { says: Array.from({ length: 20 }, () => overflow) });
  expect(always.requests).toHaveLength(4);
  expect(ready(always.value).tracking.consecutiveFailures).toBe(1);
});

test("a temporary failure is retried after a short wait", async () => {
  const { context, requests, timers } = fixture({
    says: [{ fail: { recovery: "retry", retryAfterMs: 2_000 } }, "made it"],
  });
  const driving = drive(context.fit(inputOf(counted(84_000)), never));
  await new Promise((resolve) => setImmediate(resolve));
  expect(timers.map(({ ms }) => ms)).toEqual([300_000, 2_000]);
  timers[1]!.fire();
  const { value, events } = await driving;
  expect(events).toContainEqual({ type: "waiting", key: "t1.compact.0", on: "retry", name: "summary", limitMs: 2_000 });
  expect(requests.map(({ key }) => key)).toEqual(["t1.compact.0", "t1.compact.1"]);
  expect(ready(value).records).toHaveLength(1);
  const long = await fitOnce(counted(84_000), { says: [{ fail: { recovery: "retry", retryAfterMs: 600_000 } }] });
  expect(long.requests).toHaveLength(1);
});

test("a server that misses thinking gets summary requests without thinking, and nothing is left out", async () => {
  const missed = { fail: { recovery: "thinking", kind: "thinking_rejected", thinkingMissed: true } } as const;
  const made = fixture({ says: [missed, "made it", "and again"] });
  const first = await drive(made.context.fit(inputOf(counted(84_000)), never));
  expect(ready(first.value).records).toHaveLength(1);
  await drive(made.context.fit(inputOf(counted(84_000)), never));
  expect(made.requests.map(({ thinking }) => thinking.type)).toEqual(["auto", "disabled", "disabled"]);
  expect(made.requests[1]!.messages).toEqual(made.requests[0]!.messages);
});

test("removing unknown request fields does not use up attempts, a limited number of times", async () => {
  const unknown = (["cache_control", "thinking", "output_config"] as const).map((field) => ({
    fail: { recovery: "field" as const, field },
  }));
  const { value, requests } = await fitOnce(counted(84_000), { says: [...unknown, "made it"] });
  expect(requests).toHaveLength(4);
  expect(ready(value).records).toHaveLength(1);
  const always = await fitOnce(counted(84_000), { says: Array.from({ length: 20 }, () => unknown[0]!) });
  expect(always.requests).toHaveLength(4);
});

test("refused thinking is left out of the next attempt", async () => {
  const { value, requests } = await fitOnce(counted(84_000), { says: [{ fail: { recovery: "thinking" } }, "made it"] });
  expect(JSON.stringify(requests[0]!.messages)).toContain('"thinking"');
  expect(JSON.stringify(requests[1]!.messages)).not.toContain('"thinking"');
  expect(ready(value).records).toHaveLength(1);
});

test("a budget that does not cover the summary changes nothing and is no failure", async () => {
  const { value, requests } = await fitOnce(counted(84_000), { refuseBudget: true });
  expect(ready(value)).toMatchObject({ records: [], tracking: { consecutiveFailures: 0 } });
  expect(requests).toEqual([]);
});

test("a defect in a layer disables the layer, not the turn", async () => {
  const broken = () => {
    throw new Error("a defect");
  };
  const { value, events } = await fitOnce(counted(84_000), { deps: { requestBase: broken } });
  expect(ready(value).records).toEqual([]);
  expect(namesOf(events)).toContain("context_layer_failed");
});

test("keeps the last turn even if it is larger than the tail may be", async () => {
  const messages = [
    ...readLoop(60, 3_000),
    assistant("big", "mbig", [use("cbig")]),
    user("rbig", [{ type: "tool_result", tool_use_id: "cbig", content: "x ".repeat(60_000) }]),
  ];
  const { value } = await fitOnce(messages);
  expect(uuidsOf(ready(value).messages)).toEqual(expect.arrayContaining(["big", "rbig"]));
});

test("any fit is no larger, is a valid request, matches its records, and needs no second fit", async () => {
  const options = fc.record({
    window: fc.integer({ min: 8_000, max: 60_000 }),
    says: fc.array(
      fc.oneof(fc.constant("short summary"), fc.constant({ fail: {} }), fc.constant("long ".repeat(3_000))),
    ),
    failures: fc.nat(3),
  });
  await fc.assert(
    fc.asyncProperty(conversation, options, async (messages, { window, says, failures }) => {
      const { context } = fixture({ says });
      const model = { ...modelInfo, contextWindow: window };
      const input = inputOf(messages, { model, fixedTokens: 500, tracking: { consecutiveFailures: failures } });
      const first = ready((await drive(context.fit(input, never))).value);
      expect(wholeTokens(first.messages, 500)).toBeLessThanOrEqual(wholeTokens(messages, 500));
      expect(first.records.reduce<Message[]>((folded, record) => foldMessage(folded, record), [...messages])).toEqual(
        first.messages,
      );
      expect(first.applied.length).toBe(first.records.length);
      if (first.records.length > 0) expect(requestProblems(first.messages, { boundThinkingFrom: 0 })).toEqual([]);
      else expect(first.messages).toBe(messages);
      const { context: fresh } = fixture({ says: ["unasked"] });
      const again = await drive(fresh.fit({ ...input, messages: first.messages, tracking: first.tracking }, never));
      if (first.records.length > 0 && first.estimatedTokens < context.windowOf(model, 8_000).blockAt) {
        expect(ready(again.value).messages).toBe(first.messages);
      }
    }),
    { numRuns: 300 },
  );
});
