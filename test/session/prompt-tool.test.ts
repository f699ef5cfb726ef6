// A tool answers permission questions where nobody else does; whatever is no answer is a refusal.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

async function asked(answer: (input: Record<string, unknown>) => string) {
  const ground = layGround();
  const path = join(ground.work, "new.txt");
  const inputs: unknown[] = [];
  const judge = tool("judge", "Answers questions.", { type: "object" }, (input) => {
    inputs.push(input);
    return Promise.resolve(answer(input));
  });
  const script = { steps: [{ content: [{ tool: "Write", input: { file_path: path, content: "x" } }] }, "Done."] };
  const options = { customTools: [judge], permissionPromptToolName: "judge" };
  const { engine } = await openSession(script, options, ground);
  const { result } = await turn(engine, "Write.");
  return { written: existsSync(path), inputs, result };
}

test("a permission prompt tool receives the call, and what it allows runs", async () => {
  const { written, inputs, result } = await asked(() => JSON.stringify({ behavior: "allow" }));
  expect({ written, subtype: result.subtype }).toEqual({ written: true, subtype: "success" });
  expect(inputs).toEqual([
    { tool_name: "Write", input: expect.objectContaining({ content: "x" }), tool_use_id: expect.any(String) },
  ]);
});

test.each([
  ["a refusal", JSON.stringify({ behavior: "deny", message: "no" })],
  ["no JSON", "sure, go on"],
  ["another word", JSON.stringify({ behavior: "maybe" })],
  ["nothing", ""],
])("after %s nothing runs", async (_, answer) => {
  const { written, result } = await asked(() => answer);
  expect({ written, subtype: result.subtype }).toEqual({ written: false, subtype: "success" });
});

test("a refusal with interrupt ends the turn", async () => {
  const { written, result } = await asked(() => JSON.stringify({ behavior: "deny", message: "no", interrupt: true }));
  expect(written).toBe(false);
  // A call begins while the message still comes.
  expect(result.terminal_reason).toMatch(/^aborted_/u);
});

test("nothing runs if the tool fails or does not exist", async () => {
  const failing = await asked(() => {
    throw new Error("broken");
  });
  expect(failing.written).toBe(false);
  const ground = layGround();
  const path = join(ground.work, "new.txt");
  const script = { steps: [{ content: [{ tool: "Write", input: { file_path: path, content: "x" } }] }, "Done."] };
  const { engine } = await openSession(script, { permissionPromptToolName: "mcp__gone__judge" }, ground);
  await turn(engine, "Write.");
  expect(existsSync(path)).toBe(false);
});
