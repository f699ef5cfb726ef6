// Endlessly nested values from any source are refused with a sentence, and the session continues.
import { readFileSync, writeFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import { getSessionMessages, forkSession, tool, UsageError } from "../../src/index.ts";
import type { ContentBlock } from "../../src/protocol/message.ts";
import type { Part } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const levels = 30_000;
const deepText = `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;

function deep(depth = levels): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = { a: value };
  return value;
}

describe("a value nested 30,000 levels deep", () => {
  test("in a transcript's tool call makes only that line unreadable", async () => {
    const ground = layGround();
    const call: Part = { tool: "Bash", input: { command: "echo hi" } };
    const model = scripted({ steps: [{ content: [call] }], fallback: "Done." });
    const engine = await openOn(ground, model);
    await turn(engine, "The first.");
    await engine.dispose();
    const path = engine.getTranscriptPath() ?? "";
    const text = readFileSync(path, "utf8");
    expect(text).toContain('"input":{"command":"echo hi"}');
    writeFileSync(path, text.replaceAll('"input":{"command":"echo hi"}', `"input":${deepText}`));
    const notices: string[] = [];
    const onNotice = (notice: string) => notices.push(notice);
    const again = await openOn(ground, model, { resume: engine.getSessionId(), onNotice });
    const { result } = await turn(again, "The second.");
    expect(result).toMatchObject({ subtype: "success", result: "Done." });
    expect(notices.join()).toContain("1 unreadable line was skipped");
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("The first.");
    await again.dispose();
    const place = { dir: ground.work, home: ground.home };
    expect((await getSessionMessages(engine.getSessionId(), place)).length).toBeGreaterThan(2);
    expect(await forkSession(engine.getSessionId(), place)).toHaveProperty("sessionId");
  });

  test("in a prompt is refused, and the next prompt is answered", async () => {
    const engine = await openOn(layGround(), scripted({ fallback: "Done." }));
    const block = { type: "text", text: "x", extra: deep() } as unknown as ContentBlock;
    const { result } = await turn(engine, [block]);
    expect(result).toMatchObject({ errors: ["The prompt cannot be used: it is nested more than 500 levels deep."] });
    expect((await turn(engine, "Go.")).result).toMatchObject({ subtype: "success" });
  });

  test.each([
    [600, "output", { content: "x", output: deep(600) }, '"content":"x"'],
    [levels, "output", { content: "x", output: deep() }, '"content":"x"'],
    [600, "content", { content: [{ type: "text", text: "x", more: deep(600) }] }, "nested too deep"],
    [levels, "content", { content: [{ type: "text", text: "x", more: deep() }] }, "nested too deep"],
  ])(
    "is left out as a tool's output, and turns a result into an error as its content (%d, %s)",
    async (_, _of, given, told) => {
      const ground = layGround();
      const model = scripted({ steps: [{ content: [{ tool: "Mine", input: {} }] }], fallback: "Done." });
      const mine = tool("Mine", "mine", { type: "object" }, async () => given as { content: string });
      const engine = await openOn(ground, model, { customTools: [mine], allowedTools: ["Mine"] });
      expect((await turn(engine, "Go.")).result).toMatchObject({ subtype: "success" });
      expect(JSON.stringify(model.requests[1]?.body)).toContain(told);
    },
  );

  test.each([600, levels])(
    "in a hook's answer is reported, and blocks the call if the hook is a guard (%d)",
    async (depth) => {
      const callback = async () => ({ decision: "approve", more: deep(depth) });
      const call: Part = { tool: "Bash", input: { command: "ls" } };
      const passed = scripted({ steps: [{ content: [call] }], fallback: "Done." });
      const engine = await openOn(layGround(), passed, { hooks: { PreToolUse: [{ callback }] } });
      expect(JSON.stringify((await turn(engine, "Go.")).messages)).toContain("nested too deeply to read");
      const guarded = scripted({ steps: [{ content: [call] }], fallback: "Done." });
      const hooks = { PreToolUse: [{ callback, onFailure: "block" as const }] };
      const other = await openOn(layGround(), guarded, { hooks });
      expect((await turn(other, "Go.")).result).toMatchObject({ permission_denials: [{ tool_name: "Bash" }] });
    },
  );

  test("in settings throws a UsageError", async () => {
    for (const options of [
      { managedSettings: { env: deep() } },
      { sandbox: { enabled: deep() } },
      { settings: deepText },
    ])
      await expect(openOn(layGround(), scripted({}), options as object)).rejects.toThrow(UsageError);
    const engine = await openOn(layGround(), scripted({}));
    await expect(engine.desk.applyFlagSettings({ env: deep() })).rejects.toThrow("nested too deep");
  });
});
