import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions, HookInput, QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { Reply, Script, ScriptedModel } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { serverOf } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const resources = [{ uri: "note:one", name: "One", mimeType: "text/plain" }];
const prompts = [
  { name: "review", arguments: [{ name: "what" }] },
  { name: "查询" },
  { name: "新闻" },
  { name: "class", arguments: [{ name: "constructor", required: true }] },
];

interface Served {
  engine: QueryEngine;
  model: ScriptedModel;
  /** What the server was asked for, and not only what it has. */
  asked: () => string[];
  /** All that the model was told. */
  told: () => string;
}

async function served(extra: EngineOptions = {}, script: Script = { fallback: "ok" }): Promise<Served> {
  const ground = layGround();
  const file = join(ground.home, "asked");
  const server = serverOf({ resources, prompts });
  const test = { ...server, env: { ...server.env, ASKED_FILE: file } };
  const { engine, model } = await openSession(script, { mcpServers: { test }, ...extra }, ground);
  const asked = (): string[] =>
    readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => /^(?:prompts\/get|resources\/read) /u.test(line));
  return { engine, model, asked, told: () => JSON.stringify(calls(model).map(({ body }) => body?.messages)) };
}

describe("a prompt that names a server's prompt or resource", () => {
  test("tells neither the server nor the model anything if a hook blocks it", async () => {
    const block = async (input: HookInput) =>
      String(input.prompt).includes("hunter2") ? { decision: "block" as const, reason: "a password" } : {};
    const { engine, asked, told } = await served({ hooks: { UserPromptSubmit: [{ callback: block }] } });
    await turn(engine, "/mcp__test__review hunter2");
    await turn(engine, "hunter2 @test:note:one");
    await turn(engine, "go on");
    expect(asked()).toEqual([]);
    expect(told()).toContain("go on");
    expect(told()).not.toMatch(/hunter2|note:one/u);
  });

  test("needs each required argument, also one with the name of something that all objects inherit", async () => {
    const { engine, asked, told } = await served();
    await turn(engine, "/mcp__test__class");
    expect(asked()).toEqual([]);
    expect(told()).toContain("it needs the argument constructor");
    await turn(engine, "/mcp__test__class Point");
    expect(asked()).toEqual(['prompts/get {"name":"class","arguments":{"constructor":"Point"}}']);
  });

  test("is understood without blanks and with full-width punctuation", async () => {
    const { engine, asked } = await served();
    await turn(engine, "请看@test:note:one。");
    expect(asked()).toEqual([expect.stringContaining("note:one")]);
    expect(asked()[0]).not.toContain("。");
  });

  // Seen: "Nothing was read for @test:note:one: there is no such file", for a resource that was read.
  test("is not reported as a missing file", async () => {
    const missing: string[] = [];
    const { engine, asked } = await served({ onMention: ({ path }) => void missing.push(path) });
    await turn(engine, "see @test:note:one, @nobody:note:two and @none.md");
    expect(asked()).toHaveLength(1);
    expect(missing).toEqual(["nobody:note:two", "none.md"]);
  });

  // Seen: the rest of the sentence was taken for a part of the address, and so was the next reference.
  test("is understood if the sentence continues directly after the address", async () => {
    const { engine, told } = await served();
    for (const prompt of ["看@test:note:one，然后说", "看@test:note:one的内容", "看@test:note:one、@test:note:one。"])
      await turn(engine, prompt);
    const read = told().match(/@test:note:one is, in the words/gu);
    // The last request has all three.
    expect([read?.length, told().includes("could not be read")]).toEqual([1 + 2 + 3, false]);
  });

  // Seen: `wiki:Loop_(music)` was asked for as `wiki:Loop_(music`.
  test("keeps a closing bracket that belongs to the address", async () => {
    const { engine, asked } = await served();
    await turn(engine, "Compare @test:note:Loop_(music) (and @test:note:one).");
    expect(asked().map((line) => JSON.parse(line.slice(line.indexOf("{"))).uri)).toEqual([
      "note:Loop_(music)",
      "note:one",
    ]);
  });

  test("has only the first ten resources read", async () => {
    const { engine, asked } = await served();
    await turn(engine, Array.from({ length: 14 }, (_, at) => `@test:note:${at}`).join(" "));
    const read = asked().map((line) => /note:\d+/u.exec(line)?.[0]);
    expect([read.length, new Set(read)]).toEqual([10, new Set(Array.from({ length: 10 }, (_, at) => `note:${at}`))]);
  });

  test("may name prompts in any script", async () => {
    const { engine, asked } = await served();
    await turn(engine, "/mcp__test__新闻");
    expect(asked()).toEqual([expect.stringContaining('"name":"新闻"')]);
    const names = engine.supportedCommands().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["mcp__test__查询", "mcp__test__新闻"]));
  });

  test("is sent unchanged if it is verbatim", async () => {
    const { engine, asked } = await served();
    await turn(engine, "/mcp__test__review a.ts", { isVerbatim: true });
    await turn(engine, "they say: see @test:note:one", { isVerbatim: true });
    expect(asked()).toEqual([]);
  });

  test("runs UserPromptExpansion hooks, which may block it or add context", async () => {
    const heard: HookInput[] = [];
    const judge = async (input: HookInput) => {
      heard.push(input);
      if (input.command_args === "secrets.ts") return { decision: "block" as const, reason: "not that file" };
      return { hookSpecificOutput: { hookEventName: "UserPromptExpansion", additionalContext: "Mind the tests." } };
    };
    const matcher = "mcp__test__review";
    const hooks: EngineOptions["hooks"] = { UserPromptExpansion: [{ matcher, callback: judge }] };
    const { engine, asked, told } = await served({ hooks });
    const blocked = await turn(engine, "/mcp__test__review secrets.ts");
    expect(blocked.result.terminal_reason).toBe("stop_hook_prevented");
    await turn(engine, "/mcp__test__review a.ts");
    await turn(engine, "/mcp__test__nothing");
    expect(heard).toHaveLength(2);
    expect(heard[1]).toMatchObject({
      expansion_type: "mcp_prompt",
      command_name: "mcp__test__review",
      command_args: "a.ts",
      command_source: "mcp",
      prompt: "/mcp__test__review a.ts",
    });
    expect(asked()).toEqual([expect.stringContaining('"what":"a.ts"')]);
    expect(told()).toContain("Mind the tests.");
    expect(told()).not.toContain("secrets.ts");
  });

  test("reads nothing from a server or tool that a deny rule hides", async () => {
    for (const rule of ["mcp__test", "ReadMcpResourceTool"]) {
      const { engine, asked, told } = await served({ disallowedTools: [rule] });
      await turn(engine, "see @test:note:one");
      expect(asked(), rule).toEqual([]);
      expect(told(), rule).toContain("was not read");
    }
  });

  test("uses the session's servers even if the main agent has its own", async () => {
    const mcpServers = [{ own: serverOf({}) }];
    const agents = { helper: { description: "Helps", prompt: "Help.", mcpServers } };
    const { engine, told } = await served({ agents, agent: "helper" });
    await turn(engine, "/mcp__test__review a.ts");
    expect(told()).toContain("/mcp__test__review stands for this prompt");
    expect(told()).not.toContain("There is no command");
  });

  test("gets a turn of its own if it is queued while a turn runs", async () => {
    const glob: Reply = { content: [{ tool: "Glob", input: { pattern: "*" } }] };
    const { engine, asked } = await served({}, { steps: [glob, "So.", "Reviewed."] });
    let isQueued = false;
    const onMessage = ({ type }: SDKMessage): void => {
      if (type === "assistant" && !isQueued) engine.enqueue("/mcp__test__review b.ts");
      isQueued ||= type === "assistant";
    };
    await turn(engine, "hi", { onMessage });
    const queued = engine.takeQueued();
    await turn(engine, queued?.prompt ?? "nothing was left");
    expect(asked()).toEqual([expect.stringContaining('"what":"b.ts"')]);
  });
});
