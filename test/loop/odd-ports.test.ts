// Ports of somebody's own that answer what is no answer, or throw where they are only told: the run has an end with a name all the same.
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createState,
  plainConfig,
  plainModel,
  plainPorts,
  plainTool,
  query,
  type LoopPorts,
  type ModelOutcome,
  type Terminal,
  type Tool,
} from "../../src/loop/index.ts";

/** Of money and context only members: the rest is as it plainly is. */
type Own = Partial<Omit<LoopPorts, "budget" | "context">> & {
  [Port in "budget" | "context"]?: Partial<LoopPorts[Port]>;
};

const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
const overloaded: ModelOutcome = {
  ok: false,
  failure: { kind: "overloaded", message: "busy", recovery: "retry", overload: true },
};
const failed: ModelOutcome = { ok: false, failure: { kind: "server_error", message: "down", recovery: "none" } };

const tooLong: ModelOutcome = {
  ok: false,
  failure: { kind: "prompt_too_long", message: "long", recovery: "overflow" },
};
const toldWindow: ModelOutcome = {
  ok: false,
  failure: { kind: "prompt_too_long", message: "long", recovery: "overflow", tokens: { maximum: 1_000 } },
};

/** One turn, which the model ends like this. Throws where it has more to tell than such a turn can have. */
async function ran(own: Own, outcome?: ModelOutcome, tool?: Tool): Promise<Terminal> {
  let calls = tool === undefined ? 0 : 1;
  const model = plainModel(async function* () {
    if (outcome !== undefined) return outcome;
    yield { type: "start", messageId: `m${calls}`, usage };
    if (tool !== undefined && calls-- > 0) {
      yield { type: "block", index: 0, block: { type: "tool_use", id: "t1", name: tool.name, input: {} } };
      return { ok: true, stopReason: "tool_use", usage };
    }
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
  const plain = plainPorts({ model, tools: tool === undefined ? [] : [tool], clock, ids });
  const ports = {
    ...plain,
    ...own,
    budget: { ...plain.budget, ...own.budget },
    context: { ...plain.context, ...own.context },
  };
  const run = query({
    state: createState({ messages: [prompt], model: "mine" }),
    config: plainConfig("Be brief."),
    ports,
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
  "a transcript port that answers %j ends the run, because nothing was written",
  async (answer) => {
    const terminal = await ran({ transcript: { append: () => answer as never } });
    expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "transcript" } });
  },
);

test.each([{}, { retry: false }, Promise.resolve({ retry: true })])(
  "invalid retry advice (%j) ends the run with the model's failure",
  async (advice) => {
    const terminal = await ran({ retry: { advise: () => advice as never } }, overloaded);
    expect(terminal).toMatchObject({ reason: "model_error", error: { kind: "overloaded", message: "busy" } });
  },
);

test("a model port that throws before it returns a stream is not billed", async () => {
  const stream = (): never => {
    throw new Error("no key");
  };
  const settled: unknown[] = [];
  const settle = (_ticket: string, outcome: unknown): number => settled.push(outcome);
  const terminal = await ran({ model: { ...plainModel(stream), stream }, budget: { settle } });
  expect(terminal).toMatchObject({ reason: "model_error", error: { message: expect.stringContaining("no key") } });
  expect(settled).toEqual([{ notBilled: true }]);
});

test("a turn-end port that is an async generator is ignored, and the run completes", async () => {
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
] as [string, () => never][])(
  "a port that %s at a notification does not change the end of the run",
  async (_how, told) => {
    let waiting = [{ uuid: "q", prompt: [{ type: "text" as const, text: "More." }] }];
    const take = () => waiting.splice(0);
    const own: Own = {
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
  },
);

test("a rejecting budget or window port leaves no unhandled rejection; a budget port that throws ends the run", async () => {
  const rejects = (): never => Promise.reject(new Error("gone")) as never;
  const own: Own = { budget: { begun: rejects }, context: { setWindow: rejects, guessWindow: rejects } };
  expect(await ran(own)).toEqual({ reason: "completed" });
  for (const refused of [tooLong, toldWindow])
    expect(await ran(own, refused)).toMatchObject({ reason: "prompt_too_long" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
  const begun = (): never => {
    throw new Error("gone");
  };
  expect(await ran({ budget: { begun } })).toMatchObject({ reason: "model_error", error: { kind: "internal" } });
});

test("a window is guessed when the tokens were refused, not when the body was too large", async () => {
  const guessed: string[] = [];
  const own: Own = { context: { guessWindow: (model) => void guessed.push(model) } };
  const { failure } = tooLong as Extract<ModelOutcome, { ok: false }>;
  await ran(own, { ok: false, failure: { ...failure, status: 413 } });
  await ran(own, { ok: false, failure: { ...failure, recovery: "media" } });
  await ran(own, toldWindow);
  expect(guessed).toEqual([]);
  await ran(own, { ok: false, failure: { ...failure, status: 400 } });
  expect(guessed).toEqual(["mine"]);
});

test("a port that returns a rejecting promise leaves no unhandled rejection", async () => {
  const rejects = (): never => Promise.reject(new Error("gone")) as never;
  const hooks = { has: rejects, run: rejects, runDetached: rejects };
  expect(await ran({ budget: { settle: rejects }, hooks }, failed)).toMatchObject({ reason: "model_error" });
  const turnEnd = { register: rejects, steps: rejects };
  let isHeld = false;
  const plain = plainTool({
    name: "Hold",
    description: "Holds something for the turn.",
    inputSchema: { type: "object" },
    readOnly: true,
    call: async () => "",
  });
  const tool: Tool = {
    ...plain,
    async call(_input, { registerTurnEnd }) {
      registerTurnEnd("held", () => undefined);
      isHeld = true;
      return { content: "Held." };
    },
  };
  expect(await ran({ hooks, turnEnd }, undefined, tool)).toEqual({ reason: "completed" });
  expect(isHeld).toBe(true);
  expect(await ran({ context: { fit: rejects } })).toMatchObject({ reason: "model_error" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
