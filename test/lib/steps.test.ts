import { describe, expect, test } from "vitest";
import {
  runSteps,
  toAsyncGenerator,
  stepsFromGenerator,
  rethrowIfLeft,
  mapEvents,
  waitFor,
  type Steps,
} from "../../src/lib/steps.ts";

const log: string[] = [];
const soon = (text: string): Promise<string> => Promise.resolve(text);
const broken = (): Promise<never> => Promise.reject(new Error("broken"));

/** Tells, waits, tells; what it does on the way out has to be waited for too. */
function* work(): Steps<string, string> {
  try {
    yield "first";
    const heard = yield* waitFor(soon("heard"));
    yield heard;
    return "done";
  } finally {
    log.push(yield* waitFor(soon("closed")));
  }
}

async function all<E, R>(events: AsyncGenerator<E, R>): Promise<{ told: E[]; end: R }> {
  const told: E[] = [];
  for (;;) {
    const step = await events.next();
    if (step.done === true) return { told, end: step.value };
    told.push(step.value);
  }
}

describe("steps", () => {
  test("yield events to the consumer, and wait through the driver", async () => {
    expect(await all(toAsyncGenerator(work()))).toEqual({ told: ["first", "heard"], end: "done" });
  });

  test("are thrown the error of what they waited for", async () => {
    function* careful(): Steps<never, string> {
      try {
        return yield* waitFor(broken());
      } catch (error) {
        return error instanceof Error ? error.message : "";
      }
    }
    expect(await runSteps(careful())).toBe("broken");
    expect((await all(toAsyncGenerator(careful()))).end).toBe("broken");
  });

  test("end with an error that nobody catches", async () => {
    await expect(runSteps(waitFor(broken()))).rejects.toThrow("broken");
    await expect(toAsyncGenerator(waitFor(broken())).next()).rejects.toThrow("broken");
  });

  test("are closed when the consumer leaves, and the driver waits for that", async () => {
    log.length = 0;
    const events = toAsyncGenerator(work());
    await events.next();
    await events.return("left");
    expect(log).toEqual(["closed"]);
  });

  test("can have their events converted, and are closed together with the conversion", async () => {
    const upper = (text: string): string | null => (text === "heard" ? null : text.toUpperCase());
    expect(await all(toAsyncGenerator(mapEvents(work(), upper)))).toEqual({ told: ["FIRST"], end: "done" });
    log.length = 0;
    const left = toAsyncGenerator(mapEvents(work(), upper));
    await left.next();
    await left.return("left");
    expect(log).toEqual(["closed"]);
  });

  test("only run their finally blocks after the consumer has left, at every level", async () => {
    const seen: string[] = [];
    function* level(inner: Steps<string, string>, name: string): Steps<string, string> {
      try {
        yield* inner;
        seen.push(`${name} went on`);
        return name;
      } catch (error) {
        rethrowIfLeft(error);
        seen.push(`${name} failed`);
        return name;
      } finally {
        yield* waitFor(soon(""));
        seen.push(`${name} closed`);
      }
    }
    const events = toAsyncGenerator(
      level(
        mapEvents(level(work(), "inner"), (text) => text),
        "outer",
      ),
    );
    await events.next();
    await events.return("left");
    expect(seen).toEqual(["inner closed", "outer closed"]);
  });

  test("pass on the events of an async generator, and close it", async () => {
    async function* source(): AsyncGenerator<number, string> {
      try {
        yield 1;
        yield 2;
        return "end";
      } finally {
        log.push("source closed");
      }
    }
    expect(await all(toAsyncGenerator(stepsFromGenerator(source())))).toEqual({ told: [1, 2], end: "end" });
    log.length = 0;
    const left = toAsyncGenerator(stepsFromGenerator(source()));
    await left.next();
    await left.return("left");
    expect(log).toEqual(["source closed"]);
  });

  test("ask nothing more of an async generator after an abort", async () => {
    const controller = new AbortController();
    async function* source(): AsyncGenerator<number, string> {
      yield 1;
      log.push("asked");
      return "end";
    }
    log.length = 0;
    const events = toAsyncGenerator(stepsFromGenerator(source(), controller.signal));
    expect(await events.next()).toEqual({ done: false, value: 1 });
    controller.abort(new Error("no longer wanted"));
    await expect(events.next()).rejects.toThrow("no longer wanted");
    expect(log).toEqual([]);
  });
});
