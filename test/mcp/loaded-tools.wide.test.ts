// A resumed session knows about servers what its conversation contains: the tools it found, and what it was told.
import { afterEach, describe, expect, test } from "vitest";
import type { Reply, RequestView } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  lastUserTexts,
  layGround,
  openOn,
  openSession,
  scripted,
  turn,
} from "../session/support.ts";
import { calling, offered, serverOf, toolNamed, withServer } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

describe("tools that a conversation has loaded", () => {
  test("are loaded again after a resume, in the same order", async () => {
    const ground = layGround();
    const tools = ["one", "two", "echo"].map((name) => toolNamed(name, { description: `Does ${name}` }));
    const behaviour = { tools, resources: [{ uri: "note:one", name: "One" }] };
    const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
    const script = calling(
      { tool: "ToolSearch", input: { query: "select:mcp__test__two" } },
      { tool: "ToolSearch", input: { query: "select:mcp__test__echo" } },
    );
    const first = await openSession(script, withServer(behaviour, { env }), ground);
    await turn(first.engine, "go");
    await first.engine.dispose();
    const resumed = { env, resume: first.engine.getSessionId() };
    const second = await openSession(calling(), withServer(behaviour, resumed), ground);
    await turn(second.engine, "go on");
    const had = calls(first.model).at(-1)?.body?.tools as { name: string }[];
    expect(had.map(({ name }) => name).slice(-2)).toEqual(["mcp__test__two", "mcp__test__echo"]);
    expect(calls(second.model)[0]?.body?.tools).toEqual(had);
    // Its first message names the waiting tools.
    expect(lastUserTexts(calls(second.model)[0]!)).toEqual(["go on"]);
  });

  test("are not announced as deferred, and the others are announced once", async () => {
    const ground = layGround();
    const names = ["echo", "one", "three", "two"];
    const tools = names.map((name) => toolNamed(name, { description: `Does ${name}` }));
    const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
    const search = (name: string) => ({ tool: "ToolSearch", input: { query: `select:mcp__test__${name}` } });
    const long = "A long story. ".repeat(300);
    const model = scripted({
      rules: [{ when: { compacts: true }, reply: "They told stories." }],
      steps: [{ content: [search("two")] }, long, long, long, long, { content: [search("one")] }],
      fallback: "Done.",
    });
    let resume: string | undefined;
    for (const prompts of [["1", "2", "3", "/compact"], ["4"], ["5"], ["6"], ["7"]]) {
      const engine = await openOn(ground, model, withServer({ tools }, { env, resume }));
      for (const prompt of prompts) await turn(engine, prompt);
      resume = engine.getSessionId();
      await engine.dispose();
    }
    const told = JSON.stringify(calls(model).at(-1)?.body?.messages).match(/those you need: [^.]*/gu);
    expect(told).toEqual(["those you need: mcp__test__echo, mcp__test__one, mcp__test__three"]);
  });

  test("are loaded again after a summary", async () => {
    const tools = ["one", "two", "echo"].map((name) => toolNamed(name, { description: `Does ${name}` }));
    const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
    const search = (name: string) => ({ tool: "ToolSearch", input: { query: `select:mcp__test__${name}` } });
    const long = "A long story. ".repeat(300);
    const model = scripted({
      rules: [{ when: { compacts: true }, reply: "They told stories." }],
      steps: ["two", "echo"].flatMap((name) => [{ content: [search(name)] }, long, long, "Third."]),
      fallback: "Done.",
    });
    const ground = layGround();
    let resume: string | undefined;
    for (const prompts of [["1", "2", "3", "/compact"], ["1", "2", "3", "/compact"], ["Go on."]]) {
      const engine = await openOn(ground, model, withServer({ tools }, { env, resume }));
      for (const prompt of prompts) await turn(engine, prompt);
      resume = engine.getSessionId();
      await engine.dispose();
    }
    expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).not.toContain("tool_result");
    const [last, before] = offered(model).toReversed();
    expect([before?.name, last?.name]).toEqual(["mcp__test__two", "mcp__test__echo"]);
  });

  test("are loaded again in an agent after a summary of its own", async () => {
    const tools = ["one", "two", "echo"].map((name) => toolNamed(name, { description: `Does ${name}` }));
    const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
    const agent = (more: object): Reply => ({
      content: [{ tool: "Agent", input: { description: "a task", prompt: "Do it.", ...more } }],
    });
    const long = "A long story. ".repeat(300);
    const below: (Reply | string)[] = [
      { content: [{ tool: "ToolSearch", input: { query: "select:mcp__test__two" } }] },
      ...["1", "2", "3"].map((name) => ({ content: [long, { tool: "Glob", input: { pattern: name } }] })),
      { fault: "prompt_too_long" },
      "said",
      "said again",
    ];
    const reply = ({ messages, turns, lastToolResults }: RequestView): Reply | string => {
      if (!JSON.stringify(messages).includes("Be the main one.")) return below.shift()!;
      const [, resume] = /agentId: ([0-9a-f]{16})/u.exec(lastToolResults[0]?.text ?? "") ?? [];
      return turns < 2 ? agent(turns === 0 ? {} : { resume, prompt: "Go on." }) : "done";
    };
    const rules = [
      { when: { compacts: true }, reply: "It looked for a tool." },
      { when: {}, reply },
    ];
    const { engine, model } = await openSession({ rules }, withServer({ tools }, { env }));
    await turn(engine, "Be the main one.");
    const again = calls(model).find(({ body }) => JSON.stringify(body?.messages).includes("Go on."));
    expect(JSON.stringify(again?.body?.messages)).not.toContain('"ToolSearch"');
    expect(again?.body?.tools?.map(({ name }) => name)).toContain("mcp__test__two");
  });

  test("are loaded again when their server connects late", async () => {
    const ground = layGround();
    const tools = ["one", "echo"].map((name) => toolNamed(name, { description: `Does ${name}` }));
    const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
    const script = calling({ tool: "ToolSearch", input: { query: "select:mcp__test__echo" } });
    const first = await openSession(script, withServer({ tools }, { env }), ground);
    await turn(first.engine, "go");
    await first.engine.dispose();
    const resumed = { env, resume: first.engine.getSessionId(), mcpServers: { other: serverOf() } };
    const second = await openSession(calling(), resumed, ground);
    await turn(second.engine, "go on");
    await second.engine.desk.setMcpServers({ test: serverOf({ tools }) });
    await turn(second.engine, "and now");
    expect(offered(second.model).map(({ name }) => name)).toContain("mcp__test__echo");
    expect(lastUserTexts(calls(second.model).at(-1)!)).toEqual(["and now"]);
  });
});

test("a resumed conversation is told a server's instructions only once", async () => {
  const ground = layGround();
  const model = scripted({ fallback: "Fine." });
  const options = withServer({ instructions: "Use echo." });
  const first = await openOn(ground, model, options);
  await turn(first, "1");
  await first.dispose();
  for (const prompt of ["2", "3"]) {
    const again = await openOn(ground, model, { ...options, resume: first.getSessionId() });
    await turn(again, prompt);
    await again.dispose();
  }
  const texts = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  expect(texts.map((text) => text.split("Use echo.").length - 1)).toEqual([1, 1, 1]);
});

test("is told a server's instructions again after a summary, and then only once", async () => {
  const ground = layGround();
  const model = scripted({
    rules: [{ when: { compacts: true }, reply: "They told stories." }],
    fallback: "A long story. ".repeat(300),
  });
  const env = { ANTHROPIC_API_KEY: "scripted", ENABLE_TOOL_SEARCH: "true" };
  const options = withServer({ instructions: "Use echo." }, { env });
  const first = await openOn(ground, model, options);
  for (const prompt of ["1", "2", "3", "/compact", "4"]) await turn(first, prompt);
  await first.dispose();
  const again = await openOn(ground, model, { ...options, resume: first.getSessionId() });
  await turn(again, "5");
  const texts = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  for (const told of ["Use echo.", "those you need: mcp__test__echo."])
    expect(texts.slice(-2).map((text) => text.split(told).length - 1)).toEqual([1, 1]);
});
