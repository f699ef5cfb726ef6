import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  createScriptedModel,
  startScriptedServer,
  type RequestView,
  type Rule,
  type Script,
} from "../../src/testing/index.ts";
import type { WireBlock, WireMessage } from "../../src/testing/wire/types.ts";
import { Conversation, errorText, messageOf, post, readTool, request, resultsFor, testModel } from "./support.ts";
import { byTestDepth } from "../support/test-depth.ts";

async function say(model: ReturnType<typeof testModel>["model"], text: string, changes: Record<string, unknown> = {}) {
  const messages = [{ role: "user", content: text }];
  const answer = await post(model, request({ messages, ...changes }));
  return answer.status === 200 ? (answer.json as { content: { text: string }[] }).content[0]?.text : errorText(answer);
}

describe("steps", () => {
  it("are used in order and then run out, with a message that describes the request", async () => {
    const { model } = testModel({ steps: ["one", "two"] });
    expect([await say(model, "a"), await say(model, "b")]).toEqual(["one", "two"]);
    expect(await say(model, "c")).toContain(
      'The script has no reply for this request (call 3, 1 message, last user text "c")',
    );
    expect(() => model.assertDone()).toThrow(/request 3: The script has no reply/);
  });

  it("show the end of a long user text in that message, too", async () => {
    const { model } = testModel({ steps: [] });
    const own = "What follows was gathered by the program for this session. ".repeat(9);
    expect(await say(model, `${own}Which port does app.toml set?`)).toMatch(
      /last user text "What follows was gathered by the program … .*Which port does app\.toml set\?"/u,
    );
  });

  it("that were not used are named", () => {
    const { model } = testModel({ steps: ["one", "two"] });
    expect(model.unusedSteps()).toEqual([
      { step: 1, conversation: "" },
      { step: 2, conversation: "" },
    ]);
    expect(() => model.assertDone()).toThrow("step 1 was not used");
  });

  it("are not used up by an invalid request, which assertDone reports instead", async () => {
    const { model } = testModel({ steps: ["one"] });
    await post(model, request({ messages: [] }));
    expect(model.violations).toEqual([
      { request: 1, status: 400, message: "messages: at least one message is required" },
    ]);
    expect(await say(model, "a")).toBe("one");
    expect(() => model.assertDone()).toThrow("request 1 is invalid (400): messages: at least one message is required");
  });

  it("run separately for each conversation if the script says so", async () => {
    const { model } = testModel({ steps: ["one", "two"], perConversation: true });
    const [a, b] = [new Conversation(model), new Conversation(model)];
    const texts = async (conversation: Conversation, text: string) =>
      ((await conversation.say(text)).message.content as WireBlock[])[0]?.["text"];
    expect(await Promise.all([texts(a, "task a"), texts(b, "task b")])).toEqual(["one", "one"]);
    expect(await texts(a, "on")).toBe("two");
    expect(model.unusedSteps()).toMatchObject([{ step: 2 }]);
    expect(await texts(b, "on")).toBe("two");
    model.assertDone();
  });

  it("run separately by a header's value", async () => {
    const { model } = testModel({ steps: ["one", "two"], perConversation: { header: "X-Session" } });
    const sent = (session: string) => ({
      headers: { "x-api-key": "k", "anthropic-version": "2023-06-01", "x-session": session },
    });
    for (const session of ["a", "b"]) {
      const answer = await post(model, request(), sent(session));
      expect(answer.json).toMatchObject({ content: [{ text: "one" }] });
    }
    expect(model.requests.map(({ conversation }) => conversation)).toEqual(["a", "b"]);
  });
});

describe("rules", () => {
  const first = async (when: Rule["when"], body: Record<string, unknown> = request()) => {
    const { model } = testModel({ rules: [{ when, reply: "yes" }], fallback: "no" });
    const answer = await post(model, body);
    expect(answer.status, answer.text).toBe(200);
    return (answer.json as { content: { text: string }[] }).content[0]?.text === "yes";
  };
  const round = (isError = false) =>
    request({
      tools: [readTool],
      system: "You are a tester",
      messages: [
        { role: "user", content: "read it" },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Read", input: {} }] },
        {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: "t1", content: "file text", is_error: isError }],
        },
      ],
    });

  it.each<[string, Rule["when"], boolean]>([
    ["the user's text contains", { lastUserText: "read" }, true],
    ["the user's text does not contain", { lastUserText: "write" }, false],
    ["the user's text matches", { lastUserText: /^READ/i }, true],
    ["the user's text matches a JSON expression", { lastUserText: { regex: "^READ", flags: "i" } }, true],
    ["the last result's tool", { lastToolResult: { tool: "View|Read" } }, true],
    ["the last result's text", { lastToolResult: { text: /file/ } }, true],
    ["the last result is no error", { lastToolResult: { isError: true } }, false],
    ["some result's other tool", { anyToolResult: { tool: ["Bash"] } }, false],
    ["the number of messages", { messages: 3 }, true],
    ["a range of messages", { messages: { min: 4 } }, false],
    ["the number of turns", { turns: { min: 1, max: 1 } }, true],
    ["the model", { model: "opus" }, true],
    ["the system prompt", { system: "tester" }, true],
    ["the call's number", { call: 2 }, false],
    ["a tool on offer", { hasTool: ["read_file", "Read"] }, true],
    ["tools at all", { offersTools: false }, false],
    ["a function", { test: (view: RequestView) => view.lastToolResults[0]?.text === "file text" }, true],
    ["all conditions at once", { lastUserText: "read", messages: 1 }, false],
    ["no condition", {}, true],
  ])("match by %s", async (_what, when, expected) => {
    expect(await first(when, round())).toBe(expected);
  });

  it("distinguish errors from results", async () => {
    expect(await first({ lastToolResult: { isError: true, tool: "Read" } }, round(true))).toBe(true);
  });

  it("come before steps, in order, and at most as often as `times` says", async () => {
    const { model } = testModel({
      rules: [
        { name: "twice", when: { lastUserText: "x" }, reply: "rule", times: 2 },
        { when: { lastUserText: "xx" }, reply: "never" },
      ],
      steps: ["step"],
      fallback: "fallback",
    });
    const texts = [];
    for (const text of ["x", "a", "xyz", "x"]) texts.push(await say(model, text));
    expect(texts).toEqual(["rule", "step", "rule", "fallback"]);
    expect(model.requests.map(({ source }) => source)).toEqual(['rule "twice"', "step 1", 'rule "twice"', "fallback"]);
    model.assertDone();
  });

  it("without a name go by their number, and a use that a fault kept from the client is given back", async () => {
    const { model } = testModel({
      rules: [{ when: {}, reply: "rule", times: 1 }],
      faults: { seed: 1, probability: 1, kinds: ["overloaded"], maxInARow: 2 },
    });
    for (let attempt = 0; attempt < 3; attempt++) await post(model, request());
    expect(model.requests.map(({ status }) => status)).toEqual([529, 529, 200]);
    expect(model.requests[2]?.source).toBe("rule 1");
    expect((await post(model, request())).status).toBe(400);
  });

  it("with a global regular expression match every time", async () => {
    const { model } = testModel({ rules: [{ when: { lastUserText: /x/g }, reply: "rule" }] });
    expect([await say(model, "x"), await say(model, "x")]).toEqual(["rule", "rule"]);
  });
});

describe("a conversation that is cut and resumed", () => {
  const work: Script = {
    rules: [
      { when: { lastToolResult: { text: "three" } }, reply: "All three read." },
      {
        when: { lastToolResult: { text: "two" } },
        reply: { content: ["third", { tool: "Read", input: { file_path: "three" } }] },
      },
      {
        when: { lastToolResult: { text: "one" } },
        reply: { content: [{ tool: "Read", input: { file_path: "two" } }] },
      },
      {
        when: { turns: 0 },
        reply: { content: [{ thinking: "start" }, { tool: "Read", input: { file_path: "one" } }] },
      },
    ],
  };
  const byTurn: Script = {
    stepBy: "turns",
    steps: [
      { content: [{ thinking: "start" }, { tool: "Read", input: { file_path: "one" } }] },
      { content: [{ tool: "Read", input: { file_path: "two" } }] },
      { content: ["third", { tool: "Read", input: { file_path: "three" } }] },
      "All three read.",
    ],
  };

  async function run(script: Script, messages: WireMessage[], seed: number): Promise<WireMessage[]> {
    const { model } = testModel(script, { seed });
    const conversation = new Conversation(model, { model: "claude-opus-5-5" });
    conversation.messages.push(...messages);
    for (;;) {
      const { message, status, text } = await conversation.resend();
      expect(status, text).toBe(200);
      const results = resultsFor(message, (block) => (block["input"] as { file_path: string }).file_path);
      if (results.content.length === 0) return conversation.messages;
      conversation.messages.push(results);
    }
  }

  it.each([
    ["rules", work],
    ["steps by turn", byTurn],
  ])("continues in the same way from every message on a fresh server, by %s", async (_how, script) => {
    const start: WireMessage[] = [{ role: "user", content: "read all" }];
    const whole = await run(script, start, 1);
    expect(whole).toHaveLength(8);
    const shape = (messages: WireMessage[]) =>
      JSON.stringify(messages).replaceAll(/toolu_\w+|"signature":"[^"]*"/g, "");
    for (let cut = 1; cut < whole.length; cut += 2) {
      const resumed = await run(script, whole.slice(0, cut), 2);
      expect(shape(resumed)).toBe(shape(whole));
    }
  });
});

describe("faults at random", () => {
  const script = (seed: number, turns = 40): Script => ({
    faults: { seed, probability: 0.3 },
    rules: [
      {
        when: { turns: { max: turns - 1 } },
        reply: (view) => ({
          content: [`turn ${view.turns}`, { tool: "Read", input: { file_path: `f${view.turns}` } }],
        }),
      },
    ],
    fallback: "finished",
  });

  /** A client that retries what broke before a call was complete and goes on from what was. */
  async function soak(scripted: ReturnType<typeof testModel>): Promise<{ turns: number; attempts: number }> {
    const messages: WireMessage[] = [{ role: "user", content: "go" }];
    let attempts = 0;
    for (let turns = 0; ;) {
      attempts++;
      const answer = await post(scripted.model, request({ stream: true, tools: [readTool], messages })).catch(
        () => undefined,
      );
      if (answer === undefined || answer.status !== 200) continue;
      const isWhole = answer.error === undefined && answer.events.some(({ event }) => event === "message_stop");
      const message = partOf(answer.events);
      const results = resultsFor(message);
      if (!isWhole && results.content.length === 0) continue;
      if (results.content.length === 0) return { turns, attempts };
      messages.push(message, results);
      turns++;
    }
  }

  function partOf(events: Parameters<typeof messageOf>[0]): WireMessage {
    const last = events.findLastIndex(({ event }) => event === "content_block_stop");
    return messageOf(events.slice(0, last + 1));
  }

  it("hit a good share of the requests, and a client that retries gets the whole conversation", async () => {
    const scripted = testModel(script(7, 400));
    const { turns, attempts } = await soak(scripted);
    expect(turns).toBe(400);
    const faults = scripted.model.requests.filter(({ fault }) => fault !== undefined);
    expect(faults.length).toBeGreaterThan(80);
    expect(attempts).toBe(scripted.model.requests.length);
    expect(new Set(faults.map(({ fault }) => fault)).size).toBe(10);
    scripted.model.assertDone();
  });

  it("are the same for the same seed, and different for another", async () => {
    const faultsOf = async (seed: number) => {
      const scripted = testModel(script(seed));
      await soak(scripted);
      return scripted.model.requests.map(({ fault }) => fault ?? "-").join(" ");
    };
    expect(await faultsOf(1)).toBe(await faultsOf(1));
    expect(await faultsOf(1)).not.toBe(await faultsOf(2));
  });

  it("use up a step only if its call got through", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 1000 }), async (seed) => {
        const steps = Array.from({ length: 5 }, (_, index) => `answer ${index}`);
        const scripted = testModel({ steps, faults: { seed, probability: 0.6 } });
        const texts: string[] = [];
        while (texts.length < 5) {
          const answer = await post(scripted.model, request({ stream: true })).catch(() => undefined);
          if (answer?.status !== 200 || !answer.text.includes("message_stop")) continue;
          texts.push(String((messageOf(answer.events).content as WireBlock[])[0]?.["text"]));
        }
        expect(texts).toEqual(steps);
        scripted.model.assertDone();
      }),
      { numRuns: byTestDepth(15, 40) },
    );
  });

  it("never come more often in a row than allowed", async () => {
    const scripted = testModel({
      fallback: "x",
      faults: { seed: 3, probability: 1, kinds: ["overloaded"], maxInARow: 2 },
    });
    const statuses: number[] = [];
    for (let index = 0; index < 6; index++) statuses.push((await post(scripted.model, request())).status);
    expect(statuses).toEqual([529, 529, 200, 529, 529, 200]);
  });
});

describe("mistakes that only types would catch", () => {
  it.each<[object | undefined, string]>([
    [undefined, "the script: must be an object, is missing"],
    [{ stepss: ["a"] }, 'the script: unknown key "stepss"; allowed: '],
    [{ steps: [{ fault: "overloadd" }] }, 'steps[0].fault: unknown fault "overloadd"; allowed: overloaded'],
    [{ steps: ["a", { content: "b", fualt: "overloaded" }] }, 'steps[1]: unknown key "fualt"; allowed: content'],
    [{ steps: [null] }, "steps[0]: must be a text or a reply object; is null"],
    [{ rules: [{ reply: "a" }] }, 'rules[0]: needs "when"'],
  ])("%j is reported with its place as soon as the model is created", (script, message) => {
    expect(() => testModel(script as Script)).toThrow(message);
  });

  it.each<[unknown, string]>([
    [{ fault: "overloadd" }, 'step 1: the reply.fault: unknown fault "overloadd"'],
    [7, "step 1: the reply: must be an object, is 7"],
    [Promise.resolve("late"), "step 1: the reply: must be given at once, is a promise"],
  ])("%j returned by a reply function is an error, not an empty answer", async (reply, message) => {
    const { model } = testModel({ steps: [() => reply as never] });
    expect(await say(model, "a")).toContain(message);
    expect(() => model.assertDone()).toThrow(message);
  });

  it("a promise that rejects does not become an unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const hear = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", hear);
    try {
      const { model } = testModel({ steps: [() => Promise.reject(new Error("gone")) as never] });
      expect(await say(model, "a")).toContain("must be given at once, is a promise");
      await new Promise((resolve) => setImmediate(resolve));
      expect(unhandled).toEqual([]);
    } finally {
      process.off("unhandledRejection", hear);
    }
  });
});

it.each([
  [{ validate: "of" }, 'options.validate: must be one of "full", "light", "off"; is "of"'],
  [{ endpoint: "compatable" }, 'options.endpoint: must be one of "anthropic", "compatible"; is "compatable"'],
  [{ perConversation: true }, 'options: unknown key "perConversation"; allowed: endpoint, validate,'],
  [{ now: 5 }, "options.now: must be a function; is 5"],
  [{ port: "x" }, 'options.port: must be a number from 0 to 65535, is "x"'],
  [null, "options: must be an object, is null"],
])("an unknown or invalid option in code is refused, as in a file (%j)", async (options, message) => {
  expect(() => createScriptedModel({ fallback: "x" }, options as never)).toThrow(message);
  await expect(startScriptedServer({ fallback: "x" }, options as never)).rejects.toThrow(message);
});
