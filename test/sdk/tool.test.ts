// Tools of the caller's own: how they run, and what becomes of whatever they do.
import { afterEach, describe, expect, test } from "vitest";
import { createSdkMcpServer, tool, type EngineOptions } from "../../src/index.ts";
import type { Tool, ToolContext, ToolInput, ToolResult } from "../../src/protocol/tool.ts";
import { readSession } from "../../src/transcript/index.ts";
import type { Part, ToolResultView } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const anything = { type: "object" } as const;

/** Calls the tools once, side by side in one message, and gives back what the model was told. */
async function call(customTools: Tool[], content: Part[], options: EngineOptions = {}): Promise<ToolResultView[]> {
  const told: ToolResultView[] = [];
  const ground = layGround();
  const model = scripted({
    steps: [
      { content },
      (request) => {
        told.push(...request.lastToolResults);
        return "Done.";
      },
    ],
  });
  const allowedTools = customTools.map(({ name }) => name);
  const engine = await openOn(ground, model, { customTools, allowedTools, ...options });
  const { result } = await turn(engine, "Go.");
  expect(result.subtype).toBe("success");
  expect(model.violations).toEqual([]);
  expect(readSession(engine.getTranscriptPath()!).messages).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
  return told;
}

/** Frozen to its last property. */
function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) frozen(inner);
  return Object.freeze(value);
}

describe("tool()", () => {
  test("takes a frozen schema", async () => {
    const schema = frozen({ type: "object", properties: { a: { type: "array", items: { type: "number" } } } } as const);
    const sum = tool("Sum", "Adds.", schema, async ({ a }) =>
      String((a as number[]).reduce((one, other) => one + other)),
    );
    expect(await call([sum], [{ tool: "Sum", input: { a: [1, 2] } }])).toMatchObject([{ text: "3", isError: false }]);
  });

  test("takes a schema of an older draft", async () => {
    const properties = { at: { type: "array", items: [{ type: "number" }, { type: "string" }] } };
    const echo = tool("Echo", "Echoes.", frozen({ type: "object", properties } as const), async ({ at }) => String(at));
    const inputs = [[1, "a"], ["a"]];
    const content = inputs.map((at) => ({ tool: "Echo", input: { at } }));
    expect(await call([echo], content)).toMatchObject([{ text: "1,a", isError: false }, { isError: true }]);
  });

  test("ignores undefined fields in its schema", async () => {
    const properties = { a: { type: "string" }, b: undefined };
    const echo = tool("Echo", "Echoes.", { type: "object", properties, required: undefined }, async ({ a }) =>
      String(a),
    );
    expect(await call([echo], [{ tool: "Echo", input: { a: "x" } }])).toMatchObject([{ text: "x", isError: false }]);
  });

  test("is offered with its schema, called with checked input, and answers with text", async () => {
    const inputs: ToolInput[] = [];
    const add = tool(
      "Add",
      "Adds two numbers.",
      { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
      async (input) => {
        inputs.push(input);
        return String(Number(input["a"]) + Number(input["b"]));
      },
    );
    const told = await call(
      [add],
      [
        { tool: "Add", input: { a: 1, b: 2 } },
        { tool: "Add", input: { a: "one" } },
      ],
    );
    expect(inputs).toEqual([{ a: 1, b: 2 }]);
    expect(told[0]).toMatchObject({ text: "3", isError: false });
    expect(told[1]).toMatchObject({ isError: true, text: expect.stringContaining("InputValidationError") });
  });

  test("runs in parallel if it only reads, and otherwise alone and in order", async () => {
    for (const readOnlyHint of [true, false]) {
      let running = 0;
      let most = 0;
      const order: unknown[] = [];
      const slow = tool(
        "Slow",
        "Takes a while.",
        anything,
        async (input) => {
          running++;
          most = Math.max(most, running);
          order.push(input["n"]);
          for (let tick = 0; tick < 20; tick++) await new Promise((resolve) => setImmediate(resolve));
          running--;
          return `${String(input["n"])}`;
        },
        { readOnlyHint },
      );
      const told = await call(
        [slow],
        [1, 2, 3, 4].map((n) => ({ tool: "Slow", input: { n } })),
      );
      expect(most).toBe(readOnlyHint ? 4 : 1);
      expect(order).toEqual([1, 2, 3, 4]);
      expect(told.map(({ text }) => text)).toEqual(["1", "2", "3", "4"]);
    }
  });

  test("gets its folder, its call id and a signal", async () => {
    const contexts: ToolContext[] = [];
    const where = tool("Where", "Looks around.", anything, async (_input, context) => {
      contexts.push(context);
      return context.cwd;
    });
    const [told] = await call([where], [{ tool: "Where" }]);
    expect(contexts).toMatchObject([{ cwd: told!.text, toolUseId: told!.id, key: "t1.tool.0" }]);
    expect(contexts[0]!.signal).toBeInstanceOf(AbortSignal);
  });

  test("gives the model an error result if it throws", async () => {
    const broken = tool("Broken", "Fails.", anything, () => Promise.reject(new Error("the coffee is cold")));
    const sync = tool("Sync", "Fails.", anything, () => {
      throw new Error("at once");
    });
    const told = await call([broken, sync], [{ tool: "Broken" }, { tool: "Sync" }]);
    expect(told.map(({ isError }) => isError)).toEqual([true, true]);
    expect(told.map(({ text }) => text).join()).toMatch(/the coffee is cold.*at once/s);
  });

  test("gives the model an error result if it returns something that cannot be recorded or sent", async () => {
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const answers: unknown[] = [
      { content: "x", output: 10n },
      { content: "x", output: circular },
      { content: [{ type: "video", data: "…" }] },
      { content: [{ type: "image", source: { type: "base64", media_type: "image/png" } }] },
      { content: 7 },
      { content: "x", followUp: "and then" },
      { content: "x", followUp: [null] },
      { content: "x", followUp: [{ type: "tool_use", id: "toolu_own", name: "Odd", input: {} }] },
      {},
      null,
      7,
      undefined,
    ];
    const odd = tool("Odd", "Answers oddly.", anything, async (input) => answers[Number(input["n"])] as ToolResult, {
      readOnlyHint: true,
    });
    const told = await call(
      [odd],
      answers.map((_answer, n) => ({ tool: "Odd", input: { n } })),
    );
    expect(told.map(({ isError }) => isError)).toEqual(answers.map(() => true));
    for (const { text } of told) expect(text).toMatch(/Odd returned something that/);
  });

  test("gives an error result if it returns no result within a server of functions", async () => {
    const answers: unknown[] = [{ content: 7 }, { content: [{ type: "video" }] }, {}, null, 7];
    const odd = tool("Odd", "Answers oddly.", anything, async (input) => answers[Number(input["n"])] as ToolResult);
    const mcpServers = { s: createSdkMcpServer({ name: "s", tools: [odd] }) };
    const content = answers.map((_answer, n) => ({ tool: "mcp__s__Odd", input: { n } }));
    const told = await call([], content, { mcpServers, allowedTools: ["mcp__s"] });
    for (const { text, isError } of told)
      expect([isError, text]).toEqual([true, expect.stringMatching(/^Odd returned/)]);
  });

  test("may answer with blocks, structured output and a follow-up", async () => {
    const rich = tool("Rich", "Answers richly.", anything, async () => ({
      content: [{ type: "text", text: "a text" }],
      output: { at: new Date(0), nothing: undefined },
      followUp: [{ type: "text", text: "and then" }],
    }));
    const [told] = await call([rich], [{ tool: "Rich" }]);
    expect(told).toMatchObject({ text: "a text", isError: false });
  });

  test("is stopped after its time limit", async () => {
    let aborted = false;
    const forever = tool(
      "Forever",
      "Never ends.",
      anything,
      (_input, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener(
            "abort",
            () => {
              aborted = true;
              reject(new Error("told to end"));
            },
            { once: true },
          ),
        ),
      { timeLimitMs: 20 },
    );
    const [told] = await call([forever], [{ tool: "Forever" }]);
    expect(aborted).toBe(true);
    expect(told).toMatchObject({ isError: true, text: expect.stringContaining("stopped after its limit of 0.02 s") });
  });

  test("has a long answer saved to a file that the model may read", async () => {
    const long = tool("Long", "Says a lot.", anything, async () => "line\n".repeat(5_000), {
      maxResultSizeChars: 1_000,
    });
    const [told] = await call([long], [{ tool: "Long" }]);
    expect(told!.text.length).toBeLessThan(10_000);
    expect(told!.text).toMatch(/tool-results/);
  });
});

describe("tool() in a server of functions", () => {
  const within = { allowedTools: ["mcp__s"] };
  const serverOf = (...tools: Tool[]) => ({ mcpServers: { s: createSdkMcpServer({ name: "s", tools }) } });

  test("gets the session, its folder, and the end of the turn", async () => {
    const contexts: ToolContext[] = [];
    const order: string[] = [];
    const where = tool("Where", "Looks around.", anything, async (_input, context) => {
      contexts.push(context);
      context.registerTurnEnd("held", () => order.push("let go"));
      return context.cwd;
    });
    const after = tool("After", "Comes after.", anything, async () => {
      order.push("after");
      return "after";
    });
    const calls = [{ tool: "mcp__s__Where" }, { tool: "mcp__s__After" }];
    const [told] = await call([], calls, { ...serverOf(where, after), ...within });
    expect(contexts).toMatchObject([{ cwd: told!.text, toolUseId: told!.id, key: "t1.tool.0" }]);
    expect(contexts[0]!.cwd).not.toBe(process.cwd());
    expect(contexts[0]!.sessionId).toMatch(/^[\da-f-]{36}$/u);
    expect(order).toEqual(["after", "let go"]);
  });

  test("is stopped after its time limit, with the reason in its signal", async () => {
    let why: unknown;
    const forever = tool(
      "Forever",
      "Never ends.",
      anything,
      (_input, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error(String((why = signal.reason)))), { once: true }),
        ),
      { timeLimitMs: 20 },
    );
    const [told] = await call([], [{ tool: "mcp__s__Forever" }], { ...serverOf(forever), ...within });
    expect(told).toMatchObject({ isError: true, text: expect.stringContaining("stopped after its limit") });
    expect(why).toBe("timeout");
  });

  test.each([
    ["fewer", 1_000, true],
    ["more", 200_000, false],
  ])("gives the model %s characters of its result if it says so", async (_which, maxResultSizeChars, isSpilled) => {
    const long = tool("Long", "Says a lot.", anything, async () => "line\n".repeat(isSpilled ? 5_000 : 30_000), {
      maxResultSizeChars,
    });
    const [told] = await call([], [{ tool: "mcp__s__Long" }], { ...serverOf(long), ...within });
    expect(/tool-results/u.test(told!.text)).toBe(isSpilled);
  });
});

test("a tool that is an instance of a class keeps its methods and private fields", async () => {
  class Counter implements Tool {
    readonly name = "Counter";
    readonly description = "Counts.";
    readonly inputSchema = anything;
    readonly replay = "never";
    readonly maxResultSizeChars = 1_000;
    #count = 0;
    isConcurrencySafe(): boolean {
      return this.#count >= 0;
    }
    isReadOnly(): boolean {
      return this.#count >= 0;
    }
    describe(): string {
      return `Count ${this.#count}`;
    }
    async call(): Promise<ToolResult> {
      return { content: String(++this.#count) };
    }
  }
  const told = await call([new Counter()], [{ tool: "Counter" }, { tool: "Counter" }]);
  expect(told.map(({ text }) => text)).toEqual(["1", "2"]);
});
