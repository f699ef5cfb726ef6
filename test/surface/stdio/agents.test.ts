// Kinds of agent that a client defines: what is not understood is refused, never guessed at.
import { describe, expect, test } from "vitest";
import { readAgents } from "../../../src/surface/stdio/agents.ts";

const read = (more: object) => readAgents({ reviewer: { description: "x", prompt: "y", ...more } });

describe("readAgents", () => {
  test("keeps isolation, memory and MCP servers of a definition", () => {
    const own = { isolation: "worktree", memory: "user", mcpServers: ["docs", { mine: { command: "x" } }] };
    expect(read(own)).toEqual({ agents: { reviewer: { description: "x", prompt: "y", ...own } }, remarks: [] });
  });

  test("keeps hooks and the initial prompt", () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "guard", onFailure: "block" }] }] };
    const own = { hooks, initialPrompt: "Look around first." };
    expect(read(own)).toEqual({ agents: { reviewer: { description: "x", prompt: "y", ...own } }, remarks: [] });
  });

  test("keeps the model and limits, and lists fields without an effect", () => {
    const own = { model: "haiku", effort: "low", permissionMode: "plan", maxTurns: 3, background: true, skills: [] };
    expect(read({ ...own, omitClaudeMd: true, tools: null, color: "red" })).toEqual({
      agents: { reviewer: { description: "x", prompt: "y", ...own, bare: true } },
      remarks: ["initialize: agents.reviewer: color was accepted and has no effect"],
    });
  });

  test("returns no agents for null, undefined or an empty object", () => {
    for (const nothing of [null, undefined, {}]) expect(readAgents(nothing)).toEqual({ agents: {}, remarks: [] });
  });

  test("keeps an agent called __proto__", () => {
    const { agents } = readAgents(JSON.parse('{"__proto__": {"description": "x", "prompt": "y"}}'));
    expect(Object.entries(agents)).toEqual([["__proto__", { description: "x", prompt: "y" }]]);
  });

  test("accepts manual as another name of the default permission mode", () => {
    expect(read({ permissionMode: "manual" })).toMatchObject({ agents: { reviewer: { permissionMode: "default" } } });
  });

  test("treats null fields as missing", () => {
    const names = "tools disallowedTools skills model effort permissionMode maxTurns background omitClaudeMd hooks";
    const absent = `${names} initialPrompt isolation memory mcpServers color`.split(" ").map((name) => [name, null]);
    expect(read(Object.fromEntries(absent) as object)).toEqual(read({}));
  });

  test.each([
    [{ description: undefined }, "needs a description and a prompt, both strings"],
    [{ prompt: 3 }, "needs a description and a prompt, both strings"],
    [{ permissionMode: "plam" }, "has an unknown permissionMode"],
    [{ maxTurns: 0 }, "has a maxTurns that is not a whole number of 1 or more"],
    [{ maxTurns: 1.5 }, "has a maxTurns that is not a whole number of 1 or more"],
    [{ disallowedTools: ["Bash", 3] }, "has disallowedTools that are not a list of names"],
    [{ initialPrompt: 3 }, "has an initialPrompt that is not a string"],
    [{ isolation: "remote" }, "has an unknown isolation"],
    [{ memory: "ours" }, "has an unknown memory"],
    [{ mcpServers: [3] }, "has mcpServers that are not a list of server names and of objects of servers by name"],
    [{ mcpServers: "docs" }, "has mcpServers that are not a list of server names and of objects of servers by name"],
    [{ tools: "Read" }, "has tools that are not a list of names"],
  ])("refuses a definition with %j", (more, why) => {
    expect(() => read(more)).toThrow(`initialize: agents.reviewer ${why}`);
  });
});

test.each([
  [["reviewer"], "initialize: agents must be an object of definitions by name"],
  [{ reviewer: "x" }, "initialize: agents.reviewer is not an agent definition"],
])("readAgents refuses %j as definitions", (value, why) => {
  expect(() => readAgents(value)).toThrow(why);
});
