// Ports of somebody's own that answer what is no answer, or throw where they are only told: the run has an end with a name all the same.
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createState,
  plainConfig,
  plainModel,
  plainPorts,
  query,
  type LoopPorts,
  type ModelOutcome,
  type Terminal,
} from "../../src/loop/index.ts";

const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
const overloaded: ModelOutcome = {
  ok: false,
  failure: { kind: "overloaded", message: "busy", recovery: "retry", overload: true },
};
const failed: ModelOutcome = { ok: false, failure: { kind: "server_error", message: "down", recovery: "none" } };

/** One turn, which the model ends like this. Throws where it has more to tell than such a turn can have. */
async function ran(own: Partial<LoopPorts>, outcome?: ModelOutcome): Promise<Terminal> {
  const model = plainModel(async function* () {
    if (outcome !== undefined) return outcome;
    yield { type: "start", messageId: "m1", usage };
    yield { type: "block", index: 0, block: { type: "text", text: "Done." } };
    return { ok: true, stopReason: "end_turn", usage };
  });
  let id = 0;
  const ids = { uuid: () => `id-${++id}`, random: () => 0 };
  const timer = (ms: number, fire: () => void) => {
    const handle = ms < 60_000 ? setImmediate(fire) : undefined;
    return () => clearImmediate(handle);
  };
  const clock = { now: () => 0, elapsed: () => 0, timestamp: () => "2026-01-01T00:00:00.000Z", timer };
  const prompt = {
    type: "user" as const,
    uuid: "p",
    timestamp: "t",
    content: [{ type: "text" as const, text: "Go." }],
  };
  const run = query({
    state: createState({ messages: [prompt], model: "mine" }),
    config: plainConfig("Be brief."),
    ports: plainPorts({ model, tools: [], clock, ids }, own),
  });
  for (let told = 0; told < 100; told++) {
    const step = await run.next();
    if (step.done === true) return step.value;
  }
  throw new Error("It never ends.");
}

let unhandled: unknown[] = [];
const hear = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", hear);
});
afterEach(() => {
  process.off("unhandledRejection", hear);
});

test.each([undefined, 7, {}, Promise.resolve(), Promise.resolve({})])(
  "a transcript that answers %j has written nothing, which ends the run",
  async (answer) => {
    const terminal = await ran({ transcript: { append: () => answer as never } });
    expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "transcript" } });
  },
);

test.each([{}, { retry: false }, Promise.resolve({ retry: true })])(
  "advice on a retry that is none (%j) leaves the model's failure as the end",
  async (advice) => {
    const terminal = await ran({ retry: { advise: () => advice as never } }, overloaded);
    expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "overloaded", message: "busy" } });
  },
);

test("the end of a turn that is judged by an async generator is passed over, and the run ends", async () => {
  const steps = async function* () {
    yield { type: "waiting" };
    return { prevented: null, blocking: [] };
  };
  expect(await ran({ turnEnd: { steps: steps as never, register: () => undefined } })).toEqual({ reason: "completed" });
});

test.each([
  [
    "throws",
    () => {
      throw new Error("gone");
    },
  ],
  ["rejects", () => Promise.reject(new Error("gone")) as never],
] as [string, () => never][])("a port that %s where it is only told something changes no end", async (_how, told) => {
  let waiting = [{ uuid: "q", prompt: [{ type: "text" as const, text: "More." }] }];
  const take = () => waiting.splice(0);
  const own: Partial<LoopPorts> = {
    trace: { spanStart: told, spanEnd: told },
    transcript: { append: () => ({ ok: true }), note: told },
    queue: { take, news: () => [], settle: told },
    hooks: {
      has: () => true,
      run: async () => ({ blocking: [], additionalContext: [], notices: [] }),
      runDetached: told,
    },
  };
  expect(await ran(own)).toEqual({ reason: "completed" });
  waiting = [{ uuid: "q", prompt: [{ type: "text", text: "More." }] }];
  expect(await ran(own, failed)).toMatchObject({ reason: "model_error", error: { message: "down" } });
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
