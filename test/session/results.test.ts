// One user turn from the outside: prompt recorded, init, messages, exactly one result. A row for every Terminal.
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import type { TerminalReason } from "../../src/protocol/stop.ts";
import { tool } from "../../src/session/tools/custom-tool.ts";
import type { Fault, Reply, Script } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  linesOf,
  openSession,
  turn,
  type Opened,
  type Turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** Answers only when it is told to end. */
const waiting = tool(
  "Wait",
  "Waits.",
  { type: "object" },
  (_input, context) =>
    new Promise((resolve) =>
      context.signal.addEventListener("abort", () => resolve({ content: "ended", isError: true }), { once: true }),
    ),
  { readOnlyHint: true },
);

const quick = tool("Quick", "Answers.", { type: "object" }, async () => "42", { readOnlyHint: true });

const smallWindow = JSON.stringify({
  models: { small: { contextWindow: 6_000, maxOutputTokens: 1_000, prices: { input: 1, output: 5 } } },
});

const image: Fault = {
  kind: "bad_request",
  message: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 5400000 bytes > 5242880 bytes",
};

interface Case {
  script: Script;
  options?: EngineOptions;
  prompt?: Parameters<Opened["engine"]["submitMessage"]>[0];
  onMessage?: (opened: Opened) => (message: SDKMessage) => void;
  subtype: SDKResultMessage["subtype"];
  isError: boolean;
  /** On the wire; the Terminal's own name unless said. */
  terminalReason?: string;
  turns: number;
  stopReason: string | null;
  errors?: RegExp[];
  check?: (ran: Turn, opened: Opened) => void;
}

const interruptAt =
  (type: SDKMessage["type"]) =>
  ({ engine }: Opened) =>
  (message: SDKMessage) => {
    if (message.type === type) engine.interrupt();
  };

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const terminals: Record<TerminalReason, Case> = {
  completed: {
    script: { steps: [{ content: ["One moment.", { tool: "Quick" }] }, { content: ["Two ", "parts."] }] },
    options: { customTools: [quick] },
    subtype: "success",
    isError: false,
    turns: 2,
    stopReason: "end_turn",
    check: ({ result }) => expect(result).toMatchObject({ result: "Two parts." }),
  },
  max_turns: {
    script: { fallback: { content: ["Again.", { tool: "Quick" }] } },
    options: { customTools: [quick], maxTurns: 3 },
    subtype: "error_max_turns",
    isError: true,
    turns: 3,
    stopReason: "tool_use",
    errors: [/^Reached maximum number of turns \(3\)$/],
    check: (_ran, { model }) => expect(calls(model)).toHaveLength(3),
  },
  aborted_streaming: {
    script: { steps: [{ content: ["Here it comes.", "And more."], fault: { kind: "stall", at: "mid_last_block" } }] },
    onMessage: interruptAt("assistant"),
    subtype: "error_during_execution",
    isError: true,
    turns: 1,
    stopReason: null,
    errors: [/interrupted/i],
  },
  aborted_tools: {
    script: { steps: [{ content: ["Waiting.", { tool: "Wait" }] }] },
    options: { customTools: [waiting] },
    onMessage: ({ engine, model }) => {
      return (message) => {
        const isCall = message.type === "assistant" && message.message.content[0]?.type === "tool_use";
        // The response is over by now, or will be: what is waited for is the tool.
        if (isCall) setImmediate(() => calls(model)[0]?.outcome === "complete" && engine.interrupt());
      };
    },
    subtype: "error_during_execution",
    isError: true,
    turns: 1,
    stopReason: "tool_use",
    errors: [/interrupted/i],
    check: ({ messages }) => expect(JSON.stringify(messages)).toContain("interrupted this while the tool was running"),
  },
  blocking_limit: {
    script: {},
    options: { model: "small", settings: smallWindow, env: { DISABLE_COMPACT: "1" } },
    prompt: "word ".repeat(6_000),
    subtype: "error_during_execution",
    isError: true,
    turns: 1,
    stopReason: null,
    errors: [/too long/i],
    check: (_ran, { model }) => expect(calls(model)).toHaveLength(0),
  },
  stop_hook_prevented: {
    script: { steps: ["Done."] },
    options: { hooks: { Stop: [{ callback: async () => ({ continue: false, stopReason: "Enough for today." }) }] } },
    subtype: "success",
    isError: false,
    turns: 1,
    stopReason: "end_turn",
    check: ({ result, messages }) => {
      expect(result).toMatchObject({ result: "Done." });
      expect(JSON.stringify(messages)).toContain("Enough for today.");
    },
  },
  hook_stopped: {
    script: { steps: [{ content: ["Asking.", { tool: "Quick" }] }] },
    options: {
      customTools: [quick],
      hooks: { PostToolUse: [{ callback: async () => ({ continue: false, stopReason: "That will do." }) }] },
    },
    subtype: "success",
    isError: false,
    turns: 1,
    stopReason: "tool_use",
    check: ({ messages }) => {
      expect(JSON.stringify(messages)).toContain("That will do.");
      expect(JSON.stringify(messages)).toContain("42");
    },
  },
  prompt_too_long: {
    script: { fallback: { fault: "prompt_too_long" } },
    subtype: "error_during_execution",
    isError: true,
    turns: 1,
    stopReason: null,
    errors: [/too long/i],
    check: namesRequest,
  },
  image_error: {
    script: { fallback: { fault: image } },
    prompt: [
      { type: "text", text: "What is this?" },
      { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } },
    ],
    subtype: "error_during_execution",
    isError: true,
    turns: 1,
    stopReason: null,
    errors: [/image/i],
    check: namesRequest,
  },
  max_budget_usd: {
    script: { fallback: "Never asked." },
    options: { maxBudgetUsd: 0.000_01 },
    subtype: "error_max_budget_usd",
    isError: true,
    terminalReason: "budget_exhausted",
    turns: 1,
    stopReason: null,
    errors: [/^Reached maximum budget \(\$0\.00001\)$/],
    check: (_ran, { model }) => expect(calls(model)).toHaveLength(0),
  },
  model_error: {
    script: { steps: [{ content: ["First.", { tool: "Quick" }] }, { fault: "billing" }] },
    options: { customTools: [quick] },
    subtype: "error_during_execution",
    isError: true,
    turns: 2,
    stopReason: "tool_use",
    errors: [/credit balance/i],
    check: ({ result, messages }) => {
      expect(result.api_error_status).toBe(402);
      expect(result).toMatchObject({ failure: { status: 402, request_id: expect.stringMatching(/^req_/u) as string } });
      const shown = messages.find((message) => message.type === "assistant" && message.error !== undefined);
      expect(shown).toMatchObject({ error: "billing_error" });
    },
  },
};

/** Seen: of a prompt that was too long and of a refused picture the result knew neither. */
function namesRequest({ result }: Turn): void {
  const failure = { status: 400, request_id: expect.stringMatching(/^req_/u) as string };
  expect(result).toMatchObject({ failure, api_error_status: 400 });
}

describe("every end of a user turn", () => {
  for (const [reason, row] of Object.entries(terminals)) {
    test(`for ${reason}: has init first and exactly one result last, with that reason`, async () => {
      const opened = await openSession(row.script, { clock: impatientClock, ...row.options });
      const ran = await turn(opened.engine, row.prompt ?? "Go.", {
        onMessage: row.onMessage?.(opened) ?? (() => undefined),
      });
      const { result } = ran;
      expect(result).toMatchObject({
        subtype: row.subtype,
        is_error: row.isError,
        terminal_reason: row.terminalReason ?? reason,
        num_turns: row.turns,
        stop_reason: row.stopReason,
        session_id: opened.engine.getSessionId(),
      });
      if (row.isError) {
        const errors = "errors" in result ? result.errors : [];
        expect(errors).toHaveLength(row.errors?.length ?? -1);
        for (const [at, pattern] of row.errors!.entries()) expect(errors[at]).toMatch(pattern);
      } else expect(result).not.toHaveProperty("errors");
      expectFigures(ran, opened);
      row.check?.(ran, opened);
      expect(opened.model.violations).toEqual([]);
    });
  }
});

/** What the turn's calls used, as the server reported it for those whose end was seen. */
function expectFigures({ result }: Turn, { model, engine }: Opened): void {
  const sum = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  for (const call of calls(model)) {
    if (call.outcome !== "complete") continue;
    for (const key of Object.keys(sum) as (keyof typeof sum)[]) sum[key] += Number(call.usage?.[key] ?? 0);
  }
  if (calls(model).every((call) => call.outcome !== "cut")) {
    expect(result.usage).toMatchObject(sum);
    expect(result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
  }
  const costs = Object.values(result.modelUsage).map((usage) => usage.costUSD);
  expect(costs.reduce((total, cost) => total + cost, 0)).toBeCloseTo(result.total_cost_usd, 10);
  expect(engine.getCost().totalUsd).toBe(result.total_cost_usd);
  expect(result.duration_api_ms).toBeLessThanOrEqual(result.duration_ms);
}

describe("a user turn", () => {
  test("records the prompt before the model is asked", async () => {
    const seen: string[][] = [];
    const opened = await openSession({
      fallback: () => {
        seen.push(linesOf(opened.engine).map((line) => line.type));
        return "Hello.";
      },
    });
    await turn(opened.engine, "Remember this.");
    expect(seen[0]!.filter((type) => type === "user")).toHaveLength(2);
    const recorded = linesOf(opened.engine).filter((line) => line.type === "user");
    expect(JSON.stringify(recorded.at(-1))).toContain("Remember this.");
  });

  test("has the prompt on disk when init is sent", async () => {
    const { engine } = await openSession({ steps: ["Hello."] });
    const run = engine.submitMessage("Remember this.");
    await run.next();
    expect(JSON.stringify(linesOf(engine))).toContain("Remember this.");
    await run.return();
  });

  test("that is told to terminate gives no result, but records the interrupt", async () => {
    const { engine } = await openSession({
      steps: [{ content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } }],
    });
    const seen: string[] = [];
    for await (const message of engine.submitMessage("Go.")) {
      seen.push(message.type);
      if (message.type === "assistant") expect(engine.interrupt("terminate")).toBe(true);
    }
    expect(seen).not.toContain("result");
    expect(JSON.stringify(linesOf(engine))).toContain("[Request interrupted by user]");
    expect(linesOf(engine).at(-1)?.type).not.toBe("transition");
  });

  test.each(["return", "throw"] as const)("ends when another caller than the waiting one calls %s()", async (leave) => {
    const asked = Promise.withResolvers<void>();
    const stalled = (): Reply => {
      asked.resolve();
      return { content: "Never.", fault: { kind: "stall", at: "headers" } };
    };
    const { engine } = await openSession({ steps: [stalled] });
    const run = engine.submitMessage("Go.");
    const read = (async () => {
      for await (const _ of run) continue;
    })();
    await asked.promise;
    const gone = new Error("The client has gone.");
    if (leave === "return") await run.return();
    else await expect(run.throw(gone)).rejects.toBe(gone);
    await read;
    expect(JSON.stringify(linesOf(engine))).toContain("[Request interrupted by user");
    expect(engine.interrupt()).toBe(false);
  });

  test("that is left in the middle of an answer keeps the text so far and its cost", async () => {
    const { engine, model } = await openSession(
      { steps: [{ content: "A long story. ".repeat(20), fault: { kind: "stall", at: "mid_block" } }, "Well."] },
      { includePartialMessages: true },
    );
    for await (const message of engine.submitMessage("Tell me a story."))
      if (message.type === "stream_event" && message.event.type === "content_block_delta") break;
    const left = engine.getCost().totalUsd;
    expect(left).toBeGreaterThan(0);
    expect((await turn(engine, "And?")).result.total_cost_usd).toBeGreaterThan(left);
    expect(JSON.stringify(calls(model).at(-1)!.body!.messages)).toContain('"text":"A long story. ');
  });

  test("sends nothing after its result", async () => {
    const { engine } = await openSession({ steps: ["Hello."] });
    const run = engine.submitMessage("Hi.");
    let last: SDKMessage | undefined;
    for (let step = await run.next(); step.done !== true; step = await run.next()) last = step.value;
    expect(last?.type).toBe("result");
    expect(await run.next()).toEqual({ done: true, value: undefined });
  });

  test("counts its own turns, and the cost of the whole session", async () => {
    const { engine, model } = await openSession(
      { steps: [{ content: [{ tool: "Quick" }] }, "One.", "Two."] },
      {
        customTools: [quick],
      },
    );
    const first = await turn(engine, "One?");
    const second = await turn(engine, "Two?");
    expect([first.result.num_turns, second.result.num_turns]).toEqual([2, 1]);
    expect([first.result.num_user_messages, second.result.num_user_messages]).toEqual([1, 0]);
    const own = calls(model)[2]!.usage!;
    expect(second.result.usage.output_tokens).toBe(own.output_tokens);
    expect(second.result.total_cost_usd).toBeCloseTo(model.bill.totalUsd, 10);
    expect(second.result.total_cost_usd).toBeGreaterThan(first.result.total_cost_usd);
    expect(first.result.uuid).not.toBe(second.result.uuid);
  });

  test("whose answer was continued past the output limit has all pieces in its result", async () => {
    const { engine, model } = await openSession(
      { steps: [`${"first ".repeat(400)}`, "and second."], models: {} },
      { maxOutputTokens: 300, clock: impatientClock },
    );
    const { result } = await turn(engine, "Tell a long story.");
    expect(calls(model)).toHaveLength(2);
    const [begin] = calls(model);
    expect(begin?.stopReason).toBe("max_tokens");
    expect(result).toMatchObject({ subtype: "success" });
    expect(result.subtype === "success" && result.result).toMatch(/^first first .*and second\.$/s);
  });

  test.each<[string, Reply["content"]]>([
    ["thoughts alone", [{ thinking: "Nothing to add." }]],
    ["blanks", ["\n\n"]],
    ["nothing", []],
  ])("whose last response is %s has the text before it as its result", async (_name, silent) => {
    const steps = [{ content: ["The cause is a typo.", { tool: "Quick" }] }, { content: silent }];
    const { engine } = await openSession({ steps }, { customTools: [quick] });
    const { result } = await turn(engine, "Why?");
    expect(result).toMatchObject({ subtype: "success", result: "The cause is a typo." });
  });

  test("an empty prompt is refused by a result, and nothing is sent or recorded", async () => {
    for (const prompt of ["", " \n\t", [], [{ type: "text" as const, text: " " }]]) {
      const { engine, model } = await openSession({});
      const { result } = await turn(engine, prompt);
      expect(result).toMatchObject({ subtype: "error_during_execution", terminal_reason: "model_error" });
      expect("errors" in result && result.errors[0]).toMatch(/empty/);
      expect(calls(model)).toHaveLength(0);
      expect(engine.getMessages()).toEqual([]);
    }
  });
});

test("a prompt with a tool_result block is refused", async () => {
  const { engine, model } = await openSession({ fallback: "Hi." });
  const late = [{ type: "tool_result" as const, tool_use_id: "toolu_1", content: "late" }];
  const { result } = await turn(engine, late);
  expect("errors" in result && result.errors[0]).toContain("it has a tool_result block");
  expect(() => engine.append(late)).toThrow("it has a tool_result block");
  expect(calls(model)).toHaveLength(0);
  expect(engine.getMessages()).toEqual([]);
});

test("the debug log has one line for each result", async () => {
  const lines: string[] = [];
  const { engine } = await openSession({ fallback: "Hi." }, { debug: (line) => lines.push(line) });
  await turn(engine, "1");
  expect(lines.filter((line) => line.startsWith("result "))).toEqual([
    expect.stringMatching(/^result success reason=completed turns=1 usd=0\.\d+$/),
  ]);
});

test("the debug log reports misplaced fields in a hook's answer, and people are not told", async () => {
  const lines: string[] = [];
  const hooks = { UserPromptSubmit: [{ callback: async () => ({ additionalContext: "Mind the gap." }) }] };
  const { engine } = await openSession({ fallback: "Hi." }, { hooks, debug: (line) => lines.push(line) });
  const { messages } = await turn(engine, "1");
  expect(JSON.stringify(messages)).not.toContain("outside");
  expect(lines.join("\n")).toContain("(outside of hookSpecificOutput these fields have no effect: additionalContext)");
});

const told = {
  input_tokens: 100,
  output_tokens: 20,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 5,
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
  server_tool_use: { web_search_requests: 2, web_fetch_requests: 1 },
  service_tier: "priority",
};

test("the usage in a result has every field that clients read, even if nothing was counted", async () => {
  const { engine } = await openSession({ steps: [{ content: "counted", usage: told }] });
  const { result } = await turn(engine, "count");
  expect(result.usage).toEqual({
    ...told,
    output_tokens_details: { thinking_tokens: 0 },
    iterations: [],
    speed: "standard",
    inference_geo: "",
  });
  expect((await turn(engine, "/cost")).result.usage).toEqual({
    input_tokens: 0,
    output_tokens: 0,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    output_tokens_details: { thinking_tokens: 0 },
    iterations: [],
    service_tier: "standard",
    speed: "standard",
    inference_geo: "",
  });
});
