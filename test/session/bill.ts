// One random session under a budget, against the scripted model in this process: its bill is the server's, not ours.
import fc from "fast-check";
import { createEngine, type EngineOptions } from "../../src/index.ts";
import { createScriptedModel, type FaultKind, type Part, type Script } from "../../src/testing/index.ts";

export interface Purchase {
  budget: number;
  model: string;
  /** USD per million tokens; `step` is where a dearer tier begins. */
  price: { input: number; output: number; step: number; factor: number };
  prompts: number;
  steps: { text: number; calls: number; fault: FaultKind | null }[];
  sessions: number;
  cap: number | null;
}

const faults: readonly FaultKind[] = [
  "overloaded",
  "rate_limit",
  "server_error",
  "reset",
  "truncate",
  "error_event",
  "max_tokens_in_tool",
  "refusal",
  "pause_turn",
  "invalid_tool_json",
];

export const purchases: fc.Arbitrary<Purchase> = fc.record({
  budget: fc.double({ min: 0.0005, max: 0.2, noNaN: true }),
  model: fc.constantFrom("claude-sonnet-5-5", "claude-haiku-5-5", "my-own-model"),
  price: fc.record({
    input: fc.double({ min: 0.01, max: 30, noNaN: true }),
    output: fc.double({ min: 0.01, max: 100, noNaN: true }),
    step: fc.integer({ min: 500, max: 20_000 }),
    factor: fc.double({ min: 1, max: 6, noNaN: true }),
  }),
  prompts: fc.integer({ min: 1, max: 2 }),
  steps: fc.array(
    fc.record({
      text: fc.constantFrom(1, 40, 2_000, 40_000),
      calls: fc.integer({ min: 0, max: 3 }),
      fault: fc.option(fc.constantFrom(...faults), { freq: 2 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  sessions: fc.integer({ min: 1, max: 2 }),
  cap: fc.option(fc.integer({ min: 1, max: 20_000 }), { freq: 3 }),
});

const ratesOf = ({ input, output }: Purchase["price"], factor: number) => ({
  input: input * factor,
  output: output * factor,
  cacheWrite5m: input * factor * 1.25,
  cacheWrite1h: input * factor * 2,
  cacheRead: input * factor * 0.1,
});

function scriptOf({ steps, model, price }: Purchase): Script {
  return {
    fallback(request) {
      const step = steps[(request.call - 1) % steps.length]!;
      const last = request.call > steps.length * 3;
      const content: Part[] = [{ text: "word ".repeat(step.text) }];
      for (let call = 0; call < step.calls && !last; call++)
        content.push({ tool: "Glob", input: { pattern: `*.none${call}` } });
      return step.fault === null ? { content } : { content, fault: step.fault };
    },
    models: { [model]: {} },
    prices: {
      [model]: { ...ratesOf(price, 1), above: { promptTokens: price.step, rates: ratesOf(price, price.factor) } },
    },
  };
}

function settingsOf({ model, price }: Purchase): string {
  const prices = [{ ...ratesOf(price, 1), upToInputTokens: price.step }, ratesOf(price, price.factor)];
  return JSON.stringify({ models: { [model]: { contextWindow: 200_000, maxOutputTokens: 64_000, prices } } });
}

export interface Paid {
  billedUsd: number;
  calls: number;
  violations: readonly unknown[];
  endings: string[];
}

/** Nothing waits for real: the clock of retries jumps. */
export async function spend(purchase: Purchase, cwd: string): Promise<Paid[]> {
  return Promise.all(Array.from({ length: purchase.sessions }, () => spendOnce(purchase, cwd)));
}

async function spendOnce(purchase: Purchase, cwd: string): Promise<Paid> {
  const model = createScriptedModel(scriptOf(purchase), { sleep: async () => undefined });
  const options: EngineOptions = {
    cwd,
    home: cwd,
    env: { ANTHROPIC_API_KEY: "scripted", PAWL_HOME: `${cwd}/.none`, CLAUDE_CODE_MAX_RETRIES: "2" },
    model: purchase.model,
    settings: settingsOf(purchase),
    maxBudgetUsd: purchase.budget,
    persistSession: false,
    tools: ["Glob"],
    maxTurns: 12,
    headless: true,
    transport: (exchange) => model.handle(exchange),
    clock: {
      now: () => Date.now(),
      elapsed: () => performance.now(),
      timestamp: () => new Date().toISOString(),
      timer: quickTimer,
    },
    ...(purchase.cap === null ? {} : { maxOutputTokens: purchase.cap }),
  };
  const engine = await createEngine(options);
  const endings: string[] = [];
  try {
    for (let prompt = 0; prompt < purchase.prompts; prompt++) {
      for await (const message of engine.submitMessage(`prompt ${prompt}`))
        if (message.type === "result") endings.push(message.terminal_reason);
    }
  } finally {
    await engine.dispose();
  }
  return { billedUsd: model.bill.totalUsd, calls: model.bill.billedCalls, violations: model.violations, endings };
}

/** Waits of a minute and less (retries) fire at once; longer ones are limits that nothing here reaches. */
function quickTimer(ms: number, onFire: () => void): () => void {
  if (ms >= 60_000) return () => undefined;
  const handle = setImmediate(onFire);
  return () => clearImmediate(handle);
}
