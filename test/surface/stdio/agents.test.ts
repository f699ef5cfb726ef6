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

  test.each([
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
