// Hooks that are tools of MCP servers.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer, tool, type EngineOptions } from "../../src/index.ts";
import type { HookEvent } from "../../src/protocol/hook.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function run(answer: (input: unknown) => string, handler: object = {}, options: EngineOptions = {}) {
  return await runOn("PreToolUse", answer, handler, options);
}

async function runOn(
  event: HookEvent,
  answer: (input: unknown) => string,
  handler: object = {},
  options: EngineOptions = {},
) {
  const seen: unknown[] = [];
  const guard = createSdkMcpServer({
    name: "guard",
    tools: [
      tool("check", "Checks.", { type: "object" }, async (input) => {
        seen.push(input);
        return answer(input);
      }),
    ],
  });
  const ground = layGround();
  const input = { what: "${tool_name}: ${tool_input.command}", whole: ["${tool_input}"], none: "<${nothing.here}>" };
  const hook = { type: "mcp_tool", server: "guard", tool: "check", input, ...handler };
  const model = scripted({
    steps: [{ content: [{ tool: "Bash", input: { command: "touch made" } }] }],
    fallback: "Done.",
  });
  const engine = await openOn(ground, model, {
    mcpServers: { guard },
    settings: JSON.stringify({
      hooks: { [event]: [{ ...(event === "PreToolUse" ? { matcher: "Bash" } : {}), hooks: [hook] }] },
    }),
    permissionMode: "bypassPermissions",
    ...options,
  });
  const { messages } = await turn(engine, "Go.");
  const sent = JSON.stringify(calls(model).at(-1)?.body?.messages);
  return { seen, ran: existsSync(join(ground.work, "made")), shown: JSON.stringify(messages), sent, engine };
}

test("hooks that call a server's tool get parts of the event as input, and answer like any hook", async () => {
  const { seen, ran, shown } = await run(() => JSON.stringify({ decision: "block", reason: "not that" }));
  expect(seen).toEqual([{ what: "Bash: touch made", whole: ['{"command":"touch made"}'], none: "<>" }]);
  expect(ran).toBe(false);
  expect(shown).toContain("not that");
});

test.each([
  ["talk", {}, true],
  ["talk", { onFailure: "block" }, false],
  ["throw", {}, true],
  ["throw", { onFailure: "block" }, false],
  ["talk", { tool: "missing" }, true],
  ["talk", { server: "missing", onFailure: "block" }, false],
] as const)("with a tool hook whose tool must %s, configured with %j, the call runs: %s", async (what, more, isRun) => {
  const { ran } = await run(() => {
    if (what === "throw") throw new Error("broken");
    return "I have looked at it.";
  }, more);
  expect(ran).toBe(isRun);
});

test.each([
  ["UserPromptSubmit", true],
  ["SessionStart", true],
  ["Stop", false],
  ["PreToolUse", false],
] as const)(
  "plain text from a tool hook of %s reaches the model as a command hook's does: %s",
  async (event, isHeard) => {
    const { seen, sent } = await runOn(event, () => "They want tabs.");
    expect(seen.length).toBeGreaterThan(0);
    expect(sent.includes(`${event} hook additional context: They want tabs.`)).toBe(isHeard);
  },
);

// Seen: servers were closed first, so that such a hook failed each time.
test("tool hooks of SessionEnd run before their servers are closed", async () => {
  const { seen, engine } = await runOn("SessionEnd", () => "{}", { input: { why: "${reason}" } });
  expect(seen).toEqual([]);
  await engine.dispose();
  expect(seen).toEqual([{ why: "other" }]);
});
