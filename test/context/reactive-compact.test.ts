import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type {
  UserMessage,
  ContentBlock,
  ContextInput,
  DocumentBlock,
  ImageBlock,
  Message,
  ShrinkResult,
} from "../../src/protocol/index.ts";
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
  result,
  thinking,
  use,
  user,
  type FixtureOptions,
} from "./support.ts";

const never = new AbortController().signal;
const image: ImageBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(40_000) },
};
const pdf: DocumentBlock = {
  type: "document",
  title: "spec.pdf",
  source: { type: "url", url: "https://example.com/spec.pdf" },
};

async function react(
  messages: readonly Message[],
  options: FixtureOptions = {},
  more: Partial<ContextInput> & { media?: boolean; actualTokens?: number } = {},
) {
  const made = fixture(options);
  const driven = await drive(made.context.compactReactively({ ...inputOf(messages), media: false, ...more }, never));
  return { ...made, ...driven };
}

function shrunk(value: ShrinkResult): Extract<ShrinkResult, { kind: "shrunk" }> {
  if (value.kind !== "shrunk") throw new Error(value.why);
  return value;
}

const long = readLoop(140, 3_000);

test("after an overflow a summary makes the request fit half of the window", async () => {
  const { value, requests, events } = await react(long, {}, { actualTokens: 120_000 });
  const { messages, records, beforeTokens, afterTokens } = shrunk(value);
  expect(namesOf(events)).toEqual(["compacting", "waiting"]);
  expect(records).toMatchObject([{ type: "compact_boundary", trigger: "reactive" }]);
  expect(beforeTokens).toBe(120_000);
  expect(afterTokens).toBeLessThan(60_000);
  expect(foldMessage(long, records[0]!)).toEqual(messages);
  expect(requestProblems(messages, { boundThinkingFrom: 0 })).toEqual([]);
  expect(requests).toHaveLength(1);
});

test("a conversation that began without a prompt gets no reference to the first prompt", async () => {
  const [context, prompt, ...work] = long as [Message, UserMessage, ...Message[]];
  for (const isMeta of [false, true]) {
    const begun: Message = isMeta ? { ...prompt, isMeta } : prompt;
    const { value } = await react([context, begun, ...work], {}, { actualTokens: 120_000 });
    expect(JSON.stringify(shrunk(value).messages).includes("<first_user_message>")).toBe(!isMeta);
  }
});

test("images are left out of the summary request", async () => {
  const messages = [
    user("p0", "look", {}),
    user("i", [image, { type: "text", text: "what is this?" }]),
    ...readLoop(140, 3_000).slice(2),
  ];
  const { requests } = await react(messages, {}, { actualTokens: 120_000 });
  expect(JSON.stringify(requests[0]!.messages)).not.toContain("AAAA");
  expect(JSON.stringify(requests[0]!.messages)).toContain(
    "[An image (image/png, 30 KB) was here; it was left out: only its summary is kept.]",
  );
});

test("thinking after a removed image is left out with it", async () => {
  const picture = user("i", [image, { type: "text", text: "what is this?" }]);
  const asked = async (messages: Message[]) => {
    const { requests } = await react(messages, {}, { actualTokens: 120_000 });
    return JSON.stringify(requests[0]!.messages);
  };
  const work = readLoop(140, 3_000);
  expect(await asked([...work.slice(0, 1), picture, ...work.slice(1)])).not.toContain('"thinking"');
  expect(await asked(work)).toContain('"thinking"');
});

test("the local trim makes room if no summary can be made", async () => {
  const { value, events } = await react(long, { says: [{ fail: {} }] }, { actualTokens: 120_000 });
  expect(namesOf(events)).toContain("compacted_without_summary");
  expect(shrunk(value).afterTokens).toBeLessThan(47_000);
  expect(requestProblems(shrunk(value).messages, { boundThinkingFrom: 0 })).toEqual([]);
});

test("the local trim makes room if the summary is as long as what it replaces", async () => {
  const { value, events } = await react(long, { says: ["They worked. ".repeat(40_000)] }, { actualTokens: 120_000 });
  expect(namesOf(events)).toContain("compacted_without_summary");
  expect(shrunk(value).afterTokens).toBeLessThan(47_000);
  expect(requestProblems(shrunk(value).messages, { boundThinkingFrom: 0 })).toEqual([]);
});

test.each([
  ["too long", "They worked. ".repeat(40_000), "less than 10 %"],
  ["not there", { fail: { message: "Overloaded" } }, "Overloaded"],
])("a manual compaction changes nothing in a conversation that fits if the summary is %s", async (_, says, why) => {
  const { context } = fixture({ says: [says] });
  const { value } = await drive(context.compactManually(inputOf(readLoop(20, 3_000)), {}, never));
  expect(value).toMatchObject({ kind: "no_progress", why: expect.stringContaining(why) as string });
});

test("a manual compaction trims a full window if the summary fails", async () => {
  const { context } = fixture({ says: [{ fail: {} }] });
  const { value, events } = await drive(context.compactManually(inputOf(long), {}, never));
  expect(namesOf(events)).toContain("compacted_without_summary");
  expect(shrunk(value).afterTokens).toBeLessThan(50_000);
});

test("the local trim needs no budget", async () => {
  const { value, requests } = await react(long, { refuseBudget: true }, { actualTokens: 120_000 });
  expect(shrunk(value).afterTokens).toBeLessThan(47_000);
  expect(requests).toEqual([]);
});

test("after three failures no summary is requested, and the trim makes room", async () => {
  const { value, requests } = await react(long, {}, { tracking: { consecutiveFailures: 3 } });
  expect(shrunk(value).afterTokens).toBeLessThan(47_000);
  expect(requests).toEqual([]);
});

test("failures in a row are counted across overflows, and a summary resets the count", async () => {
  const made = fixture({
    says: [{ fail: {} }, { fail: {} }, "They worked.", { fail: {} }, { fail: {} }, { fail: {} }],
  });
  const asked: number[] = [];
  for (let overflow = 0; overflow < 7; overflow++) {
    const input = { ...inputOf(long), media: false, actualTokens: 120_000 };
    shrunk((await drive(made.context.compactReactively(input, never))).value);
    asked.push(made.requests.length);
  }
  expect(asked).toEqual([1, 2, 3, 4, 5, 6, 6]);
});

test("an overflow far below the known window still shrinks the conversation by about half", async () => {
  const small = readLoop(20, 3_000);
  const { value } = await react(small);
  expect(shrunk(value).afterTokens).toBeLessThan(shrunk(value).beforeTokens * 0.6);
});

test("the server's token count corrects later estimates", async () => {
  const { context, value } = await react(long, {}, { actualTokens: 240_000 });
  const fit = await drive(
    context.fit(inputOf(shrunk(value).messages, { tracking: { lastCompactedTurn: 1, consecutiveFailures: 0 } }), never),
  );
  expect(fit.value).toMatchObject({ kind: "ready", records: [] });
  expect(fit.value.estimatedTokens).toBeGreaterThan(wholeTokens(shrunk(value).messages, 2_000) * 1.5);
});

test("a window stated by the server is used from then on", async () => {
  const { context } = fixture();
  expect(context.windowOf(modelInfo, 8_000).window).toBe(100_000);
  context.setWindow(modelInfo.id, 32_000);
  expect(context.windowOf(modelInfo, 8_000)).toMatchObject({ window: 32_000, effective: 24_000 });
  for (const odd of [0, -1, Number.NaN, 1.5]) context.setWindow(modelInfo.id, odd);
  expect(context.windowOf(modelInfo, 8_000).window).toBe(32_000);
  const { value } = await drive(context.fit(inputOf(readLoop(25, 3_000)), never));
  expect(value).toMatchObject({ kind: "ready", applied: [{ layer: "auto_compact" }] });
});

test("an account's limit applies beside the window and is not remembered with it", () => {
  const told: [string, number][][] = [];
  const { context } = fixture({ deps: { onWindow: (windows) => void told.push([...windows]) } });
  context.setWindow(modelInfo.id, 16_000, true);
  expect(context.windowOf(modelInfo, 8_000).window).toBe(16_000);
  context.setWindow(modelInfo.id, 32_000);
  expect(context.windowOf(modelInfo, 8_000).window).toBe(16_000);
  context.setWindow(modelInfo.id, 64_000, true);
  expect(context.windowOf(modelInfo, 8_000).window).toBe(32_000);
  expect(told).toEqual([[[modelInfo.id, 32_000]]]);
});

describe("a window guessed from a refusal", () => {
  const answered = (inputTokens: number, model = modelInfo.id) => {
    const response = { ...end("e", "m", inputTokens), model };
    return [user("p", "short"), assistant("a", "m", [{ type: "text", text: "So." }]), response];
  };
  const guessed = () => {
    const { context } = fixture();
    context.guessWindow(modelInfo.id, 40_000);
    const windowAfter = async (...input: Parameters<typeof inputOf>) => {
      await drive(context.fit(inputOf(...input), never));
      return context.windowOf(modelInfo, 8_000).window;
    };
    return { context, windowAfter };
  };

  test("is nine tenths of the refused size if only smaller requests were answered", async () => {
    expect(await guessed().windowAfter(answered(20_000))).toBe(36_000);
  });

  test("grows with the requests that the same model answers", async () => {
    const { windowAfter } = guessed();
    expect(await windowAfter(answered(38_000, "another"))).toBe(36_000);
    expect(await windowAfter(answered(38_000))).toBeGreaterThanOrEqual(38_000);
    expect(await windowAfter(answered(20_000))).toBeGreaterThanOrEqual(38_000);
  });

  test("is dropped once if a larger request was answered, and only grows after that", async () => {
    const { context, windowAfter } = guessed();
    expect(await windowAfter(answered(41_000))).toBe(100_000);
    context.guessWindow(modelInfo.id, 30_000);
    expect(await windowAfter(answered(20_000))).toBe(27_000);
    const grown = await windowAfter(answered(41_000));
    expect(grown).toBeGreaterThanOrEqual(41_000);
    expect(grown).toBeLessThan(50_000);
  });

  test("is dropped on a change of model, and for a window stated by the server", async () => {
    const { context, windowAfter } = guessed();
    expect(await windowAfter(answered(20_000))).toBe(36_000);
    await windowAfter(answered(20_000), { model: { ...modelInfo, id: "another" } });
    expect(await windowAfter(answered(20_000))).toBe(100_000);
    context.guessWindow(modelInfo.id, 40_000);
    context.setWindow(modelInfo.id, 64_000);
    expect(await windowAfter(answered(20_000))).toBe(64_000);
    context.guessWindow(modelInfo.id, 40_000);
    expect(await windowAfter(answered(20_000))).toBe(36_000);
    for (const odd of [0, -1, Number.NaN]) context.guessWindow(modelInfo.id, odd);
    expect(await windowAfter(answered(20_000))).toBe(36_000);
  });
});

test("a single turn cannot be made smaller, and the result says why", async () => {
  const { value, requests } = await react([user("p", "x ".repeat(400_000))]);
  expect(value).toEqual({ kind: "no_progress", why: "there is nothing to leave out but the last turn" });
  expect(requests).toEqual([]);
});

test("saving less than a tenth counts as no progress", async () => {
  const messages = [user("p", "short"), assistant("a", "m", [use("c")]), result("r", "c", "x ".repeat(200_000))];
  expect((await react(messages, { policy: { toolResultBudget: false } })).value).toMatchObject({
    kind: "no_progress",
    why: expect.stringContaining("less than 10 %") as string,
  });
});

test("unseen results go to files if they alone are too large for a window that was stated late", async () => {
  const [first, second] = ["x ".repeat(50_000), "y ".repeat(200)];
  const asked = [user("p", "short"), assistant("a", "m", [use("c"), use("d")]), end("e", "m", 900)];
  const messages = [...asked, result("r", "c", first), result("s", "d", second)];
  const { context, requests, spilled } = fixture({ says: [] });
  context.setWindow?.(modelInfo.id, 16_000);
  const { value } = await drive(context.compactReactively({ ...inputOf(messages), media: false }, never));
  const { messages: next, records, afterTokens } = shrunk(value);
  expect(requests).toEqual([]);
  expect(afterTokens).toBeLessThan(8_000);
  expect(next.slice(0, 3)).toEqual(asked);
  expect(JSON.stringify(next[3])).toMatch(/This result of Read has 100000 characters, more than fits here/);
  expect(next[4]).toBe(messages[4]);
  expect([...spilled.values()]).toEqual([first]);
  expect(foldMessage(messages, records[0] as Parameters<typeof foldMessage>[1])).toEqual(next);
});

test("makes no progress if it is switched off or blocked by a hook", async () => {
  expect((await react(long, { policy: { reactiveCompact: false } })).value).toMatchObject({
    kind: "no_progress",
    why: "reactive_compact is switched off",
  });
  expect((await react(long, { hooks: () => ({ blocking: ["no"] }) })).value).toMatchObject({
    kind: "no_progress",
    why: expect.stringContaining("PreCompact") as string,
  });
});

test("a reply that was cut by the window is followed by a recorded request to continue", async () => {
  const cut = [...long, assistant("cut", "mcut", [{ type: "text", text: "And so I" }]), end("ecut", "mcut", 99_000)];
  const { messages } = shrunk((await react(cut)).value);
  expect(messages.at(-2)).toMatchObject({ type: "user", isMeta: true, origin: "compaction" });
  expect(requestProblems(messages, { boundThinkingFrom: 0 })).toEqual([]);
});

test("an abort changes nothing", async () => {
  const controller = new AbortController();
  const asked: string[] = [];
  const { context } = fixture({ hangs: true, hooks: (input) => (asked.push(input.hook_event_name), {}) });
  const driving = drive(context.compactReactively({ ...inputOf(long), media: false }, controller.signal));
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort("user");
  expect((await driving).value).toMatchObject({ kind: "no_progress", why: "interrupted" });
  expect(asked).toEqual(["PreCompact"]);
});

test("a refused image is replaced by text in place, and everything before it stays unchanged", async () => {
  const before: Message[] = [
    user("p", [image, { type: "text", text: "old" }]),
    assistant("a", "m", [thinking("t"), use("c")]),
    end("e", "m", 900),
  ];
  const messages = [
    ...before,
    user("r", [{ type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: "shot" }, image] }]),
    user("d", [pdf]),
  ];
  const { value, requests } = await react(messages, {}, { media: true });
  const done = shrunk(value);
  expect(requests).toEqual([]);
  expect(done.messages.slice(0, 3)).toEqual(before);
  expect(done.messages).toHaveLength(5);
  const texts = JSON.stringify(done.messages.slice(3));
  expect(texts).toContain("[An image (image/png, 30 KB) was here; it was left out: the API refused it.]");
  expect(texts).toContain('[A document \\"spec.pdf\\" was here');
  expect(texts).toContain('"text":"shot"');
  expect(done.afterTokens).toBeLessThan(done.beforeTokens);
  expect(foldMessage(messages, done.records[0]!)).toEqual(done.messages);
});

test("if no media are new, all of them are replaced, and the thinking after them is stripped", async () => {
  const messages = [
    user("p", [image]),
    assistant("a", "m", [thinking("t"), { type: "text", text: "x" }]),
    end("e", "m", 900),
    user("q", "go on"),
  ];
  const done = shrunk((await react(messages, {}, { media: true })).value);
  expect(JSON.stringify(done.messages)).not.toContain('"image"');
  // What was counted with the picture says nothing of the next request.
  expect(done.messages.some(({ type }) => type === "response_end")).toBe(false);
  expect(done.messages.at(-1)).toMatchObject({ type: "thinking_stripped", reason: "rewritten" });
  expect((await react(done.messages, {}, { media: true })).value).toMatchObject({ kind: "no_progress" });
});

test("the image of a queued prompt is replaced too", async () => {
  const prompt: ContentBlock[] = [image];
  const queued: Message = {
    type: "attachment",
    uuid: "x",
    timestamp: "",
    attachment: { kind: "queued_command", prompt, sourceUuid: "s" },
  };
  const done = shrunk((await react([user("p", "hi"), queued], {}, { media: true })).value);
  expect(done.messages[1]).toMatchObject({ attachment: { kind: "queued_command", prompt: [{ type: "text" }] } });
});

test("any result is smaller or states a reason, is a valid request, and matches its record", async () => {
  const said = fc.array(
    fc.oneof(fc.constant("short"), fc.constant({ fail: {} }), fc.constant({ fail: { recovery: "overflow" as const } })),
    { maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(
      conversation,
      said,
      fc.option(fc.integer({ min: 1_000, max: 100_000 }), { nil: undefined }),
      async (messages, says, actualTokens) => {
        const { value } = await react(messages, { says }, { actualTokens, fixedTokens: 300 });
        if (value.kind === "no_progress") {
          expect(value.why).not.toBe("");
          return;
        }
        expect(value.afterTokens).toBeLessThanOrEqual(value.beforeTokens * 0.9);
        expect(foldMessage(messages, value.records[0]!)).toEqual(value.messages);
        expect(requestProblems(value.messages, { boundThinkingFrom: 0 })).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});
