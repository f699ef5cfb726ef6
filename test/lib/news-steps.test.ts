import { expect, test } from "vitest";
import { Doorbell, rung } from "../../src/lib/doorbell.ts";
import { delayNews, withNews, type News } from "../../src/lib/news-steps.ts";
import { toAsyncGenerator, waitFor, type Steps } from "../../src/lib/steps.ts";

function newsOf(): News<string> & { tell(text: string): void } {
  const bell = new Doorbell();
  const held: string[] = [];
  return {
    bell,
    take: () => held.splice(0),
    tell(text) {
      held.push(text);
      bell.ring();
    },
  };
}

async function all<R>(steps: Steps<string, R>, news: News<string>): Promise<{ told: string[]; value: R }> {
  const told: string[] = [];
  const source = toAsyncGenerator(withNews(steps, news, () => undefined));
  for (;;) {
    const step = await source.next();
    if (step.done === true) return { told, value: step.value };
    told.push(step.value);
  }
}

test("news is yielded while the steps wait, and before their next event", async () => {
  const news = newsOf();
  const { promise, resolve } = Promise.withResolvers<number>();
  function* steps(): Steps<string, number> {
    news.tell("one");
    yield "a";
    setImmediate(() => {
      news.tell("two");
      setImmediate(() => resolve(7));
    });
    const value = yield* waitFor(promise);
    news.tell("three");
    yield "b";
    news.tell("left");
    return value;
  }
  expect(await all(steps(), news)).toEqual({ told: ["one", "a", "two", "three", "b"], value: 7 });
  expect(news.take()).toEqual(["left"]);
});

test("a wait that settles with the ring of another bell ends like any other wait", async () => {
  const inner = new Doorbell();
  inner.ring();
  function* steps(): Steps<string, unknown> {
    return yield* waitFor(inner.wait(new Promise(() => {})));
  }
  expect((await all(steps(), newsOf())).value).toBe(rung);
});

test("a wait that fails while news is yielded fails inside the steps that waited", async () => {
  const news = newsOf();
  function* steps(): Steps<string, string> {
    news.tell("one");
    try {
      yield* waitFor(Promise.reject(new Error("no")));
      return "";
    } catch (error) {
      return String(error);
    }
  }
  expect(await all(steps(), news)).toEqual({ told: ["one"], value: "Error: no" });
});

test("news that is held back is yielded once it is due", async () => {
  const news = newsOf();
  let isDue = false;
  function* steps(): Steps<string, void> {
    news.tell("one");
    yield* waitFor(Promise.resolve());
    yield "first";
    isDue = true;
    yield "second";
  }
  expect(
    await all(
      steps(),
      delayNews(news, () => isDue),
    ),
  ).toEqual({ told: ["first", "one", "second"] });
});

test("a consumer that leaves closes the steps", async () => {
  const news = newsOf();
  const order: string[] = [];
  function* steps(): Steps<string, void> {
    try {
      yield* waitFor(new Promise(() => news.tell("one")));
    } finally {
      order.push("closed");
    }
  }
  for await (const told of toAsyncGenerator(withNews(steps(), news, () => order.push("left")))) {
    expect(told).toBe("one");
    break;
  }
  expect(order).toEqual(["left", "closed"]);
});
