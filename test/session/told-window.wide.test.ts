// A server whose window is smaller than the catalogue says is believed, also by a resume.
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Part, Rule, ScriptedModel } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  linesOf,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const window = 20_000;
const summary: Rule = { when: { lastUserText: "the conversation is about to be shortened" }, reply: "They worked." };
const local = {
  clock: impatientClock,
  maxTurns: 100,
  model: "local",
  env: {
    ANTHROPIC_BASE_URL: "http://user:secret@127.0.0.1:8080/v1",
    DISABLE_MICROCOMPACT: "1",
    DISABLE_CONTEXT_COLLAPSE: "1",
  },
  settings: JSON.stringify({
    models: { local: { contextWindow: 128_000, maxOutputTokens: 2_000, prices: { input: 0, output: 0 } } },
  }),
} satisfies EngineOptions;

const roomy = JSON.stringify({
  models: { local: { contextWindow: 128_000, maxOutputTokens: 8_000, prices: { input: 0, output: 0 } } },
});
const reasonsOf = (messages: readonly SDKMessage[]) =>
  messages.flatMap((message) =>
    message.type === "system" && message.subtype === "transition" ? [message.transition.reason] : [],
  );

/** Reads a page a turn, `turns` of them a prompt. */
function reader(ground: Ground, turns = 40): ScriptedModel {
  const path = ground.file("book.txt", "some words of a page, and some more\n".repeat(5_000));
  let made = 0;
  return scripted({
    window,
    models: { local: {} },
    rules: [summary],
    fallback: () => {
      const page: Part = { tool: "Read", input: { file_path: path, offset: made * 100 + 1, limit: 100 } };
      return ++made % turns === 0 ? "Done." : { content: [page] };
    },
  });
}

const refused = (model: ScriptedModel) => calls(model).filter(({ status }) => status === 400);
const options = { ...local, permissionMode: "bypassPermissions" } satisfies EngineOptions;

test("learns the window from one refusal, also for a resume, unless the server is another one", async () => {
  const ground = layGround();
  const model = reader(ground);
  const engine = await openOn(ground, model, options);
  const first = await turn(engine, "Write.");
  expect(first.result.subtype).toBe("success");
  expect(refused(model)).toHaveLength(1);
  const kept = linesOf(engine).filter(({ type }) => type === "windows");
  expect(kept).toMatchObject([{ data: { endpoint: "http://127.0.0.1:8080/v1", windows: { local: window } } }]);
  expect(JSON.stringify(kept)).not.toContain("secret");
  await engine.dispose();

  const again = reader(ground);
  const resumed = await openOn(ground, again, { ...options, resume: engine.getSessionId() });
  expect((await turn(resumed, "Write more.")).result.subtype).toBe("success");
  expect(refused(again)).toEqual([]);
  await resumed.dispose();

  const elsewhere = reader(ground);
  const env = { ...local.env, ANTHROPIC_BASE_URL: "http://127.0.0.1:9090" };
  const other = await openOn(ground, elsewhere, { ...options, env, resume: engine.getSessionId(), forkSession: true });
  // So long that the window ends amid a page: if it ends right after a page, the answer is cut, and nothing is refused.
  const more = `And more. ${"Words. ".repeat(150)}`;
  expect((await turn(other, more)).result.subtype).toBe("success");
  expect(refused(elsewhere)).toHaveLength(1);
});

test("learns the window from other servers' wording, and from the limit alone", async () => {
  for (const message of [
    "This model's maximum context length is 20000 tokens. However, you requested 20500 tokens.",
    "the request exceeds the available context size; n_ctx: 20000",
  ]) {
    let isTold = false;
    const ground = layGround();
    const model = reader(ground);
    const engine = await openOn(ground, model, {
      ...options,
      async transport(exchange) {
        const answer = await model.handle(exchange);
        if (answer.status !== 400) return answer;
        isTold = true;
        const body = JSON.stringify({ error: { message, type: "invalid_request_error", code: 400 } });
        return { ...answer, body: single(body) };
      },
    });
    expect((await turn(engine, "Write.")).result.subtype).toBe("success");
    expect(isTold).toBe(true);
    expect(refused(model)).toHaveLength(1);
  }
});

test("survives a page larger than the window within its turn, even if the server names no figure", async () => {
  for (const [message, kept] of [
    ["prompt is too long: 40000 tokens > 20000 maximum", 1],
    // A guess is no word of the server's.
    ["Input is too long for requested model.", 0],
  ] as const) {
    const ground = layGround();
    const path = ground.file("book.txt", "some words of a page, and some more\n".repeat(2_600));
    const model = scripted({
      window,
      models: { stranger: {} },
      rules: [summary],
      fallback: ({ lastToolResults }) =>
        lastToolResults.length > 0 ? "Done." : { content: [{ tool: "Read", input: { file_path: path } }] },
    });
    const engine = await openOn(ground, model, {
      ...options,
      model: "stranger",
      async transport(exchange) {
        const answer = await model.handle(exchange);
        if (answer.status !== 400) return answer;
        return { ...answer, body: single(JSON.stringify({ error: { message, code: 400 } })) };
      },
    });
    const { messages, result } = await turn(engine, "Read it.");
    expect(result).toMatchObject({ subtype: "success", result: "Done." });
    expect(refused(model)).toHaveLength(1);
    expect(reasonsOf(messages)).toEqual(["next_turn", "reactive_compact_retry"]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain("more than fits here");
    expect((await turn(engine, "And again.")).result.subtype).toBe("success");
    expect(linesOf(engine).filter(({ type }) => type === "windows")).toHaveLength(kept);
  }
});

test("shrinks a request above the account's tokens per minute, its answer first, and repeats none unchanged", async () => {
  const limit = 16_000;
  const ground = layGround();
  const path = ground.file("book.txt", "some words of a page, and some more\n".repeat(5_000));
  let made = 0;
  const model = scripted({
    window: 1_000_000,
    models: { local: {} },
    rules: [summary],
    fallback: () =>
      ++made % 24 === 0
        ? "Done."
        : { content: [{ tool: "Read", input: { file_path: path, offset: made * 100 + 1, limit: 100 } }] },
  });
  const asked: { prompt: number; answer: number; isRefused: boolean }[] = [];
  const engine = await openOn(ground, model, {
    ...options,
    settings: roomy,
    async transport(exchange) {
      const sent = Buffer.from(exchange.body);
      const { max_tokens: answer = 0 } = JSON.parse(sent.toString()) as { max_tokens?: number };
      const prompt = Math.round(sent.byteLength / 4);
      const isRefused = prompt + answer > limit;
      asked.push({ prompt, answer, isRefused });
      if (!isRefused) return await model.handle(exchange);
      const message = `Request too large for local on tokens per min (TPM): Limit ${limit}, Requested ${prompt + answer}. The input or output tokens must be reduced in order to run successfully.`;
      const body = JSON.stringify({ error: { message, type: "tokens", code: "rate_limit_exceeded" } });
      return { status: 429, headers: { "content-type": "application/json" }, body: single(body) };
    },
  });
  const { messages, result } = await turn(engine, "Read it.");
  expect(result).toMatchObject({ subtype: "success", result: "Done." });
  expect(messages.filter((message) => message.type === "system" && message.subtype === "api_retry")).toEqual([]);
  const first = asked.findIndex(({ isRefused }) => isRefused);
  expect(asked.filter(({ isRefused }) => isRefused)).toHaveLength(1);
  const { prompt, answer } = asked[first]!;
  expect(asked[first + 1]).toEqual({ prompt, answer: limit - prompt, isRefused: false });
  expect(linesOf(engine).filter(({ type }) => type === "windows")).toEqual([]);
  expect(answer).toBe(8_000);
});

async function* single(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

test("learns the window from an answer that ran into its end", async () => {
  const model = scripted({
    window: 8_000,
    models: { local: {} },
    rules: [summary],
    fallback: () => "some words of a page ".repeat(400),
  });
  const engine = await openOn(layGround(), model, { ...options, limits: { outputTokensRecoveries: 1 } });
  for (let prompt = 0; prompt < 6; prompt++) await turn(engine, "Write.");
  const told = linesOf(engine).filter(({ type }) => type === "windows");
  expect(told).toMatchObject([{ data: { windows: { local: 8_000 } } }]);
  // No refusal told it.
  expect(refused(model)).toEqual([]);
});

test("makes room when the end of the window cut off a call", async () => {
  let isWriting = false;
  const write: Part = { tool: "Write", input: { file_path: "a.txt", content: "some words of a page ".repeat(1_000) } };
  const model = scripted({
    window: 16_000,
    models: { local: {} },
    rules: [summary],
    fallback: ({ messages }) => {
      if (!isWriting || JSON.stringify(messages).includes("They worked.")) return "Noted.";
      return { content: ["I write.", write] };
    },
  });
  const engine = await openOn(layGround(), model, {
    ...options,
    maxOutputTokens: 8_000,
    settings: roomy,
    tools: ["Write"],
  });
  for (let prompt = 0; prompt < 2; prompt++) await turn(engine, "Much is to be said. ".repeat(1_000));
  isWriting = true;
  const { messages, result } = await turn(engine, "Write.");
  expect(result).toMatchObject({ terminal_reason: "completed", result: "Noted." });
  expect(reasonsOf(messages)).toEqual(["reactive_compact_retry"]);
});

test("learns no window from a server that counts no input tokens", async () => {
  const usage = { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 3, output_tokens: 40 };
  let isFull = false;
  const model = scripted({
    models: { local: {} },
    rules: [summary],
    fallback: () => ({
      content: "some words",
      usage,
      ...(isFull ? { stopReason: "model_context_window_exceeded" } : {}),
    }),
  });
  const engine = await openOn(layGround(), model, options);
  await turn(engine, `Write. ${"Much is to be said. ".repeat(200)}`);
  isFull = true;
  await turn(engine, "Write.", { onMessage: ({ type }) => (isFull &&= type !== "assistant") });
  const before = calls(model).length;
  expect((await turn(engine, "Write more.")).result.subtype).toBe("success");
  expect(linesOf(engine).filter(({ type }) => type === "windows")).toEqual([]);
  expect(calls(model).slice(before)).toMatchObject([{ body: { max_tokens: 2_000 } }]);
});

test("asks a fallback model for no more than fits its own window, and for as much as it can give", async () => {
  const figures = { maxOutputTokens: 16_000, prices: { input: 0, output: 0 } };
  const models = {
    gone: { ...figures, contextWindow: 200_000, maxOutputTokens: 1_000 },
    local: { ...figures, contextWindow: window },
  };
  const model = scripted({
    models: { gone: {}, local: {} },
    rules: [{ when: { model: "gone" }, reply: { fault: "not_found" } }],
    fallback: ({ body }) =>
      body.max_tokens + JSON.stringify(body.messages).length / 4 > window ? { fault: "prompt_too_long" } : "Done.",
  });
  const settings = JSON.stringify({ models });
  const extra = { ...options, model: "gone", fallbackModel: "local", settings };
  const engine = await openOn(layGround(), model, extra);
  for (const [prompt, least] of [
    ["Write.", 8_000],
    ["Much is to be said. ".repeat(2_800), 1_024],
  ] as const) {
    expect((await turn(engine, prompt)).result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
    expect(calls(model).at(-1)?.body?.max_tokens).toBeGreaterThanOrEqual(least);
  }
  expect(calls(model).filter(({ fault }) => fault === "prompt_too_long")).toEqual([]);
});

test("asks for shorter answers when the credit is too low, and for long ones again later", async () => {
  const ground = layGround();
  const steps = [{ content: [{ tool: "Glob", input: { pattern: "*" } }] }, "Done.", "Done."];
  const model = scripted({ steps });
  const asked: number[] = [];
  let credit = 3_000;
  const engine = await openOn(ground, model, {
    async transport(exchange) {
      const { max_tokens: most } = JSON.parse(Buffer.from(exchange.body).toString()) as { max_tokens: number };
      asked.push(most);
      if (most <= credit) return await model.handle(exchange);
      const message = `This request requires more credits, or fewer max_tokens. You requested up to ${most} tokens, but can only afford ${credit}.`;
      return { status: 402, headers: {}, body: single(JSON.stringify({ error: { message, code: 402 } })) };
    },
  });
  await turn(engine, "Look.");
  credit = 100_000;
  await turn(engine, "Again.");
  const [longest] = asked;
  expect(asked).toEqual([longest, 3_000, 3_000, longest]);
});
