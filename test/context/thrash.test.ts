// A window that is full again at once after each compaction: it is noticed, said, and ended.
import { describe, expect, test } from "vitest";
import type { AutoCompactTracking, FitResult, Message, NoticeMessage } from "../../src/protocol/index.ts";
import {
  assistant,
  drive,
  end,
  fixture,
  inputOf,
  namesOf,
  readLoop,
  result,
  use,
  type FixtureOptions,
} from "./support.ts";

const never = new AbortController().signal;

/** One user turn after another: each response is `size` tokens nearer to the limit, as the server counts. */
function session(options: FixtureOptions = {}) {
  const made = fixture(options);
  let messages: Message[] = [...readLoop(60, 3_000)];
  let tracking: AutoCompactTracking = { consecutiveFailures: 0 };
  let count = 0;
  const told: NoticeMessage[] = [];
  return {
    ...made,
    told,
    newTurn: () => (tracking = { consecutiveFailures: 0 }),
    /** Responses of a call with a result, the last counted at so many tokens. */
    respond(times: number, tokens: number) {
      for (let turn = 0; turn < times; turn++) {
        count++;
        messages.push(
          assistant(`x${count}`, `mx${count}`, [use(`cx${count}`, "Bash")]),
          end(`ex${count}`, `mx${count}`, turn === times - 1 ? tokens : 20_000, 0),
          result(`rx${count}`, `cx${count}`, "x y z ".repeat(300)),
        );
      }
    },
    async fit(): Promise<FitResult> {
      const input = inputOf(messages, { tracking, turnCount: count + 1, key: `t${count}` });
      const { value, events } = await drive(made.context.fit(input, never));
      tracking = value.tracking;
      told.push(...events.filter((event): event is NoticeMessage => event.type === "notice"));
      if (value.kind === "ready") messages = [...value.messages];
      return value;
    },
    compactions: () => made.requests.length,
    async byHand() {
      const { value } = await drive(made.context.compactManually(inputOf(messages, { tracking }), {}, never));
      if (value.kind === "shrunk") messages = [...value.messages];
    },
    async overflow() {
      const input = { ...inputOf(messages, { tracking, turnCount: count + 1 }), media: false, actualTokens: 110_000 };
      const { value, events } = await drive(made.context.compactReactively(input, never));
      told.push(...events.filter((event): event is NoticeMessage => event.type === "notice"));
      if (value.kind === "shrunk") {
        messages = [...value.messages];
        tracking = { ...tracking, lastCompactedTurn: count + 1 };
      }
      return value;
    },
  };
}

async function refill(running: ReturnType<typeof session>, times: number, turns = 2, tokens = 84_000) {
  for (let round = 0; round < times; round++) {
    running.respond(turns, tokens);
    await running.fit();
  }
}

const thrashed = (running: ReturnType<typeof session>) =>
  running.told.filter(({ name }) => name === "compaction_thrashing");

describe("three refills in a row", () => {
  test("stop compaction with one notice that names what fills the window, while the work continues", async () => {
    const running = session();
    await refill(running, 3);
    expect(running.compactions()).toBe(3);
    await refill(running, 1);
    expect(running.compactions()).toBe(3);
    expect(thrashed(running)).toHaveLength(1);
    const [notice] = thrashed(running);
    expect(notice).toMatchObject({ level: "warning", text: expect.stringContaining("results of Bash (about ") });
    expect(await running.fit()).toMatchObject({ kind: "ready", tracking: { isThrashing: true } });
    expect(thrashed(running)).toHaveLength(1);
  });

  test("end the turn once the window is full, with a reason and advice", async () => {
    const running = session();
    await refill(running, 3);
    running.respond(1, 98_000);
    expect(await running.fit()).toMatchObject({ kind: "full", why: expect.stringContaining("full again") });
    expect(thrashed(running)).toHaveLength(1);
  });

  test("also stop compaction after an overflow, which makes no progress", async () => {
    const running = session();
    await refill(running, 3);
    running.respond(1, 84_000);
    expect(await running.overflow()).toEqual({ kind: "no_progress", why: "compaction no longer gains anything" });
    expect(thrashed(running)).toHaveLength(1);
  });

  test("can also happen after overflows", async () => {
    const running = session();
    const kinds: string[] = [];
    for (let round = 0; round < 4; round++) {
      running.respond(1, 98_000);
      kinds.push((await running.overflow()).kind);
    }
    expect(kinds).toEqual(["shrunk", "shrunk", "shrunk", "no_progress"]);
    expect(thrashed(running)).toHaveLength(1);
  });

  test("leave one more compaction to the next prompt", async () => {
    const running = session();
    await refill(running, 4);
    running.newTurn();
    await refill(running, 1);
    expect(running.compactions()).toBe(4);
    await refill(running, 1);
    expect(running.compactions()).toBe(4);
    expect(thrashed(running)).toHaveLength(2);
  });

  test("of earlier prompts do not prevent the first compaction of a new prompt", async () => {
    const running = session();
    await refill(running, 3);
    running.newTurn();
    running.respond(1, 98_000);
    expect((await running.overflow()).kind).toBe("shrunk");
    expect(running.compactions()).toBe(4);
    expect(thrashed(running)).toEqual([]);
  });

  test.each([3, 4])("are forgotten after a manual compaction, after %d refills", async (times) => {
    const running = session();
    await refill(running, times);
    await running.byHand();
    running.newTurn();
    const before = running.compactions();
    await refill(running, 3);
    expect(running.compactions()).toBe(before + 3);
  });
});

test("windows that last longer than two responses are compacted as often as needed", async () => {
  const running = session();
  await refill(running, 12, 3);
  expect(running.compactions()).toBe(12);
  expect(thrashed(running)).toEqual([]);
});

test("a window that lasts resets the count of refills", async () => {
  const running = session();
  for (let round = 0; round < 4; round++) {
    await refill(running, 2);
    await refill(running, 1, 3);
  }
  expect(running.compactions()).toBe(12);
  expect(namesOf(running.told)).not.toContain("compaction_thrashing");
});

test("a failed compaction does not count as refilled", async () => {
  const running = session({ says: Array(20).fill({ fail: {} }), policy: { failuresUntilStop: 100 } });
  await refill(running, 6);
  expect(running.compactions()).toBeGreaterThanOrEqual(6);
  expect(thrashed(running)).toEqual([]);
});
