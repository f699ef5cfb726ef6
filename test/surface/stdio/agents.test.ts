// Kinds of agent that a client defines: what is not understood is refused, never guessed at.
import { describe, expect, test } from "vitest";
import { readAgents } from "../../../src/surface/stdio/agents.ts";

const read = (more: object) => readAgents({ reviewer: { description: "x", prompt: "y", ...more } });

describe("a definition", () => {
  test("has a place, notes and servers of its own", () => {
    const own = { isolation: "worktree", memory: "user", mcpServers: ["docs", { mine: { command: "x" } }] };
    expect(read(own)).toEqual({ agents: { reviewer: { description: "x", prompt: "y", ...own } }, remarks: [] });
  });

  test("has hooks, and what is said first where it leads the session", () => {
    const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "guard", onFailure: "block" }] }] };
    const own = { hooks, initialPrompt: "Look around first." };
    expect(read(own)).toEqual({ agents: { reviewer: { description: "x", prompt: "y", ...own } }, remarks: [] });
  });

  test("has a model and bounds of its own, and says which of its fields have no effect", () => {
    const own = { model: "haiku", effort: "low", permissionMode: "plan", maxTurns: 3, background: true, skills: [] };
    expect(read({ ...own, omitClaudeMd: true, tools: null, color: "red" })).toEqual({
      agents: { reviewer: { description: "x", prompt: "y", ...own, bare: true } },
      remarks: ["initialize: agents.reviewer: color was accepted and has no effect"],
    });
  });

  test("is none where there is null, as clients write what is empty", () => {
    for (const nothing of [null, undefined, {}]) expect(readAgents(nothing)).toEqual({ agents: {}, remarks: [] });
  });

  test("may call the mode that asks by its other name", () => {
    expect(read({ permissionMode: "manual" })).toMatchObject({ agents: { reviewer: { permissionMode: "default" } } });
  });

  test("says null for what it does not have, as clients with types do", () => {
    const names = "tools disallowedTools skills model effort permissionMode maxTurns background omitClaudeMd hooks";
    const absent = `${names} initialPrompt isolation memory mcpServers color`.split(" ").map((name) => [name, null]);
    expect(read(Object.fromEntries(absent) as object)).toEqual(read({}));
  });

  test.each([
    [{ description: undefined }, "needs a description and a prompt, as texts"],
    [{ prompt: 3 }, "needs a description and a prompt, as texts"],
    [{ permissionMode: "plam" }, "has a permissionMode that there is not here"],
    [{ maxTurns: 0 }, "has a maxTurns that is no whole number from 1 on"],
    [{ maxTurns: 1.5 }, "has a maxTurns that is no whole number from 1 on"],
    [{ disallowedTools: ["Bash", 3] }, "has disallowedTools that are no list of names"],
    [{ initialPrompt: 3 }, "has an initialPrompt that is no text"],
    [{ isolation: "remote" }, "has an isolation that there is not here"],
    [{ memory: "ours" }, "has a memory that there is not here"],
    [{ mcpServers: [3] }, "has mcpServers that are no list of names and servers by name"],
    [{ mcpServers: "docs" }, "has mcpServers that are no list of names and servers by name"],
    [{ tools: "Read" }, "has tools that are no list of names"],
  ])("with %j is refused", (more, why) => {
    expect(() => read(more)).toThrow(`initialize: agents.reviewer ${why}`);
  });
});

test.each([
  [["reviewer"], "initialize: agents is an object of definitions by name"],
  [{ reviewer: "x" }, "initialize: agents.reviewer is no definition"],
])("definitions that are %j are refused", (value, why) => {
  expect(() => readAgents(value)).toThrow(why);
});
