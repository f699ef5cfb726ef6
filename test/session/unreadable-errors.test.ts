// A host's own code may throw anything: a turn ends all the same, with every call answered.
import { afterEach, describe, expect, test } from "vitest";
import { tool, type EngineOptions } from "../../src/index.ts";
import type { Part } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

class Unreadable extends Error {
  override get message(): string {
    throw new Error("not for you");
  }
}

const boom = async () => {
  throw new Unreadable();
};

describe("an error whose properties cannot be read ends no turn", () => {
  test.each<[string, EngineOptions]>([
    ["a hook before a call", { hooks: { PreToolUse: [{ callback: boom }] } }],
    ["a hook after the call", { hooks: { PostToolUse: [{ callback: boom }] } }],
    ["a hook at the beginning", { hooks: { SessionStart: [{ callback: boom }] } }],
    ["a hook of the prompt", { hooks: { UserPromptSubmit: [{ callback: boom }] } }],
    ["a hook at the end", { hooks: { Stop: [{ callback: boom }] } }],
    ["a question", { ask: boom, disallowedTools: [] }],
    ["a tool", { customTools: [tool("Mine", "mine", { type: "object" }, boom)], allowedTools: ["Mine"] }],
  ])("when it comes from %s", async (_name, options) => {
    const content: Part[] = [
      { tool: "Mine", input: {} },
      { tool: "Bash", input: { command: "touch made" } },
    ];
    const model = scripted({ steps: [{ content }], fallback: "Done." });
    const engine = await openOn(layGround(), model, options);
    const { result } = await turn(engine, "Go.");
    expect(result).toMatchObject({ subtype: "success", result: "Done." });
  });

  test("except when it comes from the transport, which gives an error result", async () => {
    const model = scripted({ fallback: "Done." });
    const engine = await openOn(layGround(), model, { transport: boom, env: { CLAUDE_CODE_MAX_RETRIES: "0" } });
    const { result } = await turn(engine, "Go.");
    expect(result).toMatchObject({ is_error: true });
  });
});
