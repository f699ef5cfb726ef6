import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function withServer(behaviour: Record<string, unknown>, more: EngineOptions = {}): EngineOptions {
  return { mcpServers: { test: serverOf(behaviour) }, allowedTools: ["mcp__test"], ...more };
}

/** What the model is told of calls of these tools, one after another. */
async function toldOf(behaviour: Record<string, unknown>, ...names: string[]): Promise<unknown[]> {
  const script = calling(...names.map((name) => ({ tool: `mcp__test__${name}` })));
  const { engine } = await openSession(script, withServer(behaviour));
  const { messages } = await turn(engine, "call them");
  return messages.flatMap((message) => {
    if (message.type !== "user" || typeof message.message.content === "string") return [];
    return message.message.content.flatMap((block) => (block.type === "tool_result" ? [block.content] : []));
  });
}

describe("an answer that is not as the protocol has it", () => {
  test("is shown as far as it can be: one part of a new kind, or one bad picture, hid all that a call had done", async () => {
    const said = { type: "text", text: "said" };
    const answers = {
      parts: { content: [said, 7, null, { type: "text" }, { type: "hologram", size: 3 }] },
      picture: { content: [said, { type: "image", data: "no base64!", mimeType: "image/png" }] },
      words: { content: "only words" },
      list: { content: [], structuredContent: [1, 2] },
    };
    const tools = Object.keys(answers).map((name) => toolNamed(name));
    const [parts, picture, words, list] = await toldOf({ tools, answers }, "parts", "picture", "words", "list");
    expect(parts).toBe('said\n{"type":"hologram","size":3}');
    expect(JSON.stringify(picture)).toMatch(/said.*picture|said.*image/u);
    expect([words, list]).toEqual(["only words", "[1,2]"]);
  });

  test("is shown where its tool said that it would be structured: the call was made, and told as failed", async () => {
    const tools = [toolNamed("structures", { outputSchema: { type: "object", required: ["a"] } })];
    const answers = { structures: { content: [{ type: "text", text: "words" }] } };
    expect(await toldOf({ tools, answers }, "structures")).toEqual(["words"]);
  });

  test("of resources and prompts is used as far as it can be", async () => {
    const { engine, model } = await openSession(
      { fallback: { content: ["done"] } },
      withServer({
        prompts: [{ name: "review" }],
        resources: [],
        answers: {
          "resources/read": { contents: [null, { uri: "note://1" }, { uri: "note://1", text: "the note" }] },
          "prompts/get": { messages: [{ role: "user", content: [{ type: "text", text: "the prompt" }] }, 5] },
        },
      }),
    );
    await turn(engine, "/mcp__test__review and @test:note://1");
    const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
    expect(sent).toContain("the note");
    expect(sent).toContain("the prompt");
  });
});

describe("a server that does not keep what it says", () => {
  test("and ends before it is asked is told with its last words: the reason was that a pipe was broken", async () => {
    const why = async (script: string): Promise<string | undefined> => {
      const mcpServers = { test: { type: "stdio" as const, command: "sh", args: ["-c", script] } };
      const { engine } = await openSession(calling(), { mcpServers });
      await turn(engine, "hi");
      return engine.mcpServerStatus()[0]?.error;
    };
    // Its end of the pipe is closed by the time that anything is written.
    expect(await why("exec 0<&-; echo no licence >&2; exit 3")).toBe(
      "it ended before it answered. It said: no licence",
    );
    expect(await why("exec 0<&-; echo deaf >&2; exec sleep 20")).toMatch(/no longer takes input. It said: deaf/u);
  });

  test("and says too much at once is told with that to the model, which had it do so again", async () => {
    const answers = { big: { content: [{ type: "text", text: "x".repeat(17 * 1024 * 1024) }] } };
    const tools = [toolNamed("big")];
    const ground = layGround();
    const path = ground.file("answers.json", JSON.stringify(answers));
    const [told] = await toldOf({ tools, answersFile: path }, "big");
    expect(told).toMatch(/ended during the call .*more than 16 MiB.*may have had an effect/u);
  });

  test("and has no list of prompts has its tools: it was not there at all", async () => {
    const { engine, model } = await openSession(calling(), withServer({ prompts: [] }));
    await turn(engine, "hi");
    expect(engine.mcpServerStatus()).toMatchObject([{ status: "connected", tools: [{ name: "echo" }] }]);
    expect(JSON.stringify(calls(model).at(-1)?.body?.tools)).toContain("mcp__test__echo");
  });
});
