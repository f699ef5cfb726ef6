// `query()`: one prompt or several, in a session that is closed afterwards.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { version } from "../../src/lib/version.ts";
import { query, tool, UsageError, type EngineOptions } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import { acquireLock } from "../../src/transcript/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  listed,
  optionsFor,
  scripted,
} from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function collect(messages: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const all: SDKMessage[] = [];
  for await (const message of messages) all.push(message);
  return all;
}

const types = (messages: readonly SDKMessage[]): string[] =>
  messages.map((message) => ("subtype" in message ? `${message.type}/${message.subtype}` : message.type));

/** No process holds any session of this home. */
function expectReleased(home: string): void {
  const files = listed(home);
  for (const file of files.filter((name) => name.endsWith(".jsonl"))) acquireLock(`${home}/${file}`).release();
  expect(files.filter((name) => name.endsWith(".lock"))).toEqual([]);
}

describe("query()", () => {
  test("runs one prompt with an init message and one result, and closes the session", async () => {
    const ground = layGround();
    const model = scripted({ steps: ["Hello."] });
    const all = await collect(query({ prompt: "Hi.", options: optionsFor(ground, model) }));
    expect(types(all)[0]).toBe("system/init");
    expect(types(all).at(-1)).toBe("result/success");
    expect(types(all).filter((type) => type.startsWith("result/"))).toHaveLength(1);
    expectReleased(ground.home);
  });

  test("reports and records the version of the package", async () => {
    const ground = layGround();
    const all = await collect(query({ prompt: "Hi.", options: optionsFor(ground, scripted({ steps: ["Hello."] })) }));
    expect(all[0]).toMatchObject({ subtype: "init", pawl_version: version });
    const [transcript = ""] = listed(ground.home).filter((name) => name.endsWith(".jsonl"));
    const [first = ""] = readFileSync(join(ground.home, transcript), "utf8").split("\n");
    expect(JSON.parse(first)).toMatchObject({ version });
  });

  test("runs several prompts in one session, with a result each", async () => {
    const ground = layGround();
    const model = scripted({ fallback: (request) => `Answer to ${request.lastUserText.split("\n").at(-1)}` });
    async function* prompts() {
      yield "one";
      yield [{ type: "text" as const, text: "two" }];
      yield "three";
    }
    const all = await collect(query({ prompt: prompts(), options: optionsFor(ground, model) }));
    const results = all.filter((message) => message.type === "result");
    expect(results.map((result) => result.subtype === "success" && result.result)).toEqual([
      "Answer to one",
      "Answer to two",
      "Answer to three",
    ]);
    expect(new Set(all.map((message) => message.session_id)).size).toBe(1);
    expect(types(all).filter((type) => type === "system/init")).toHaveLength(3);
    expect(calls(model)[2]!.body!.messages).toHaveLength(5);
    expectReleased(ground.home);
  });

  test("ends the turn and closes the session and the prompts if its reader leaves", async () => {
    const ground = layGround();
    const model = scripted({ fallback: { content: ["One.", "Two."], fault: { kind: "stall", at: "mid_last_block" } } });
    let isClosed = false;
    async function* prompts() {
      try {
        for (;;) yield "more";
      } finally {
        isClosed = true;
      }
    }
    for await (const message of query({ prompt: prompts(), options: optionsFor(ground, model) }))
      if (message.type === "assistant") break;
    expect(isClosed).toBe(true);
    expectReleased(ground.home);
  });

  test.each(["before the first prompt", "between two turns"])(
    "ends if it is closed %s while its reader waits",
    async (when) => {
      const ground = layGround();
      const [asked, idle] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      async function* prompts() {
        if (when === "between two turns") yield "one";
        asked.resolve();
        await idle.promise;
        yield "two";
      }
      const running = query({ prompt: prompts(), options: optionsFor(ground, scripted({ steps: ["Hello."] })) });
      const all = collect(running);
      await asked.promise;
      await running.close();
      expect((await all).filter(({ type }) => type === "result")).toHaveLength(when === "between two turns" ? 1 : 0);
      expectReleased(ground.home);
      idle.resolve();
    },
  );

  test("refuses to write settings of another source", async () => {
    const ground = layGround();
    await using running = query({ prompt: "Hi.", options: optionsFor(ground, scripted({})) });
    const wrong = running.updateSettings("projectSettings" as "userSettings", { effortLevel: "low" });
    await expect(wrong).rejects.toThrow("updateSettings only writes to userSettings or localSettings.");
    expect(listed(ground.work)).toEqual([]);
  });

  test("fails if its prompts fail, and closes the session", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Yes." });
    async function* prompts() {
      yield "one";
      throw new Error("no more questions");
    }
    await expect(collect(query({ prompt: prompts(), options: optionsFor(ground, model) }))).rejects.toThrow("no more");
    expectReleased(ground.home);
  });

  test.each<[unknown, string]>([
    [5, "A prompt that is neither a string nor a list of blocks must be an object, not a number."],
    [{ type: "user" }, "The message of a prompt must be an object, not undefined."],
    [{ type: "user", message: {} }, "A prompt must be a string or a list of blocks, not undefined."],
    [
      { type: "assistant", message: { role: "assistant", content: "I did." } },
      'The message of a prompt must have the role "user", not "assistant".',
    ],
  ])("rejects a prompt that is %j", async (odd, message) => {
    const ground = layGround();
    async function* prompts() {
      yield odd as string;
    }
    const all = collect(query({ prompt: prompts(), options: optionsFor(ground, scripted({})) }));
    await expect(all).rejects.toMatchObject({ name: "UsageError", message });
    expectReleased(ground.home);
  });

  test("reports at the first step that it cannot start", async () => {
    const ground = layGround();
    const options: EngineOptions = optionsFor(ground, scripted({}), { env: { ANTHROPIC_API_KEY: "" } });
    await expect(query({ prompt: "Hi.", options }).next()).rejects.toBeInstanceOf(UsageError);
  });

  test("ends with an error result, not an exception, for a later error", async () => {
    const ground = layGround();
    const model = scripted({ fallback: { fault: "forbidden" } });
    const all = await collect(query({ prompt: "Hi.", options: optionsFor(ground, model) }));
    expect(types(all).at(-1)).toBe("result/error_during_execution");
  });

  test("passes on partial messages only if they are requested", async () => {
    for (const includePartialMessages of [true, false]) {
      const model = scripted({ steps: ["Hello there."] });
      const options = optionsFor(layGround(), model, { includePartialMessages });
      const partial = (await collect(query({ prompt: "Hi.", options }))).filter(({ type }) => type === "stream_event");
      expect(partial.length > 0).toBe(includePartialMessages);
    }
  });
});

describe("a change to a message or an input by the host", () => {
  test("reaches neither the conversation nor the next request", async () => {
    const ground = layGround();
    const path = ground.file("a.txt", "text of a");
    const vandal = tool("Vandal", "Changes its input.", { type: "object" }, async (input) => {
      for (const key of Object.keys(input)) delete input[key];
      return "changed";
    });
    const model = scripted({
      steps: [
        { content: ["So.", { tool: "Read", input: { file_path: path } }, { tool: "Vandal", input: { keep: "this" } }] },
        "Done.",
      ],
    });
    const options = optionsFor(ground, model, {
      customTools: [vandal],
      ask: async (question) => {
        question.input["keep"] = "changed by the host";
        return { behavior: "allow" };
      },
    });
    for await (const message of query({ prompt: "Go.", options })) {
      if (message.type === "assistant" || message.type === "user") {
        const { content } = message.message;
        if (typeof content === "string") continue;
        for (const block of content) {
          if (block["input"] !== undefined)
            (block["input"] as Record<string, unknown>)["keep"] = "changed by the client";
          for (const key of ["text", "content"]) if (key in block) block[key] = "changed by the client";
        }
      }
    }
    const sent = JSON.stringify(calls(model)[1]!.body!.messages);
    expect(sent).toContain('"keep":"this"');
    expect(sent).toContain("text of a");
    expect(sent).not.toContain("changed by");
  });
});
