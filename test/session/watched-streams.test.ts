// What watches the answers of a model leaves events that are already there to be taken without a wait.
import { describe, expect, test } from "vitest";
import type { Catalog } from "../../src/model/catalog.ts";
import type { ModelEvent, ModelOutcome, ModelPort, ModelRequest, ModelStream } from "../../src/protocol/model.ts";
import { noUsage } from "../../src/protocol/usage.ts";
import { watchCache } from "../../src/model/cache-watch.ts";
import { mapModelSteps, withStream } from "../../src/model/with-stream.ts";
import { Actor } from "../../src/session/telemetry/actor.ts";
import { watchModel } from "../../src/session/telemetry/model-watch.ts";
import type { TelemetryReporter } from "../../src/session/telemetry/telemetry-reporter.ts";

type Step = IteratorResult<ModelEvent, ModelOutcome>;

const request = { model: "m", messages: [], querySource: "main" } as unknown as ModelRequest;
const steps: Step[] = [
  ...Array.from({ length: 100 }, (): Step => ({
    done: false,
    value: { type: "start", messageId: "m", usage: noUsage },
  })),
  {
    done: true,
    value: { ok: true, stopReason: "end_turn", usage: { ...noUsage, cacheCreationInputTokens: 5_000 } },
  },
];

/** All of an answer arrives at once, after it was awaited. */
class ArrivedAnswer implements ModelStream {
  awaited = 0;
  #at = 0;

  ready(): Step | undefined {
    return this.#at === 0 ? undefined : steps[this.#at++];
  }

  async next(): Promise<Step> {
    this.awaited++;
    return steps[this.#at++]!;
  }

  async return(): Promise<Step> {
    return { done: true, value: undefined as never };
  }

  throw(error: unknown): Promise<Step> {
    return Promise.reject(error as Error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

function portOf(answers: ModelStream[]): ModelPort {
  return { stream: () => answers.shift()!, measure: () => ({ bytes: 0 }), info: () => ({}) as never };
}

const open = (model: ModelPort): ModelStream => model.stream(request, new AbortController().signal);

/** Takes all steps as the loop does. */
async function takeAll(stream: ModelStream): Promise<number> {
  for (let taken = 1; ; taken++) if ((stream.ready?.() ?? (await stream.next())).done === true) return taken;
}

function withTelemetry(model: ModelPort, seen: string[]): ModelPort {
  const watch = {
    telemetry: {
      hasTraces: true,
      plan: { content: { rawBodies: false } },
      span: () => ({ end: ({ error = "ended" }: { error?: string }) => seen.push(`span ${error}`) }),
    },
    elapsed: () => 0,
    common: () => ({}),
    count: () => undefined,
    event: (name: string) => seen.push(name),
    guarded: (work: () => void) => work(),
  } as unknown as TelemetryReporter;
  const catalog = { costOf: () => ({ usd: 0 }) } as unknown as Catalog;
  return watchModel(model, { watch, catalog, actor: new Actor(undefined, undefined) });
}

function withCacheReports(model: ModelPort, seen: string[]): ModelPort {
  const clock = { elapsed: () => 0 };
  return watchCache(model, { clock, ttl: "5m", reportMiss: ({ reason }) => seen.push(reason) });
}

describe("an answer of which all has arrived", () => {
  test("is awaited once although its cache use and its telemetry are watched", async () => {
    const answers = [new ArrivedAnswer(), new ArrivedAnswer()];
    const seen: string[] = [];
    const model = withTelemetry(withCacheReports(portOf([...answers]), seen), seen);
    for (const answer of answers) {
      expect(await takeAll(open(model))).toBe(steps.length);
      expect(answer.awaited).toBe(1);
    }
    expect(seen).toEqual(["api_request", "span ended", "unknown", "api_request", "span ended"]);
  });
});

describe("a watched answer", () => {
  test("is reported once as left by a reader that does not wait for its end", async () => {
    const [answer, seen] = [new ArrivedAnswer(), [] as string[]];
    const stream = open(withTelemetry(portOf([answer]), seen));
    await stream.next();
    await stream.return(undefined as never);
    await stream.return(undefined as never);
    expect(seen).toEqual(["span left"]);
  });

  test("is reported as left if its stream throws", async () => {
    const [answer, seen] = [new ArrivedAnswer(), [] as string[]];
    answer.next = () => Promise.reject(new Error("broken"));
    await expect(open(withTelemetry(portOf([answer]), seen)).next()).rejects.toThrow("broken");
    expect(seen).toEqual(["span left"]);
  });

  test("is watched no more after its reader has left", async () => {
    const mapped: Step[] = [];
    const map = (step: Step): Step => (mapped.push(step), step);
    const stream = open(withStream(portOf([]), () => mapModelSteps(new ArrivedAnswer(), map)));
    const pending = stream.next();
    await stream.return(undefined as never);
    expect(await pending).toBe(steps[0]);
    expect(mapped).toEqual([]);
  });
});
