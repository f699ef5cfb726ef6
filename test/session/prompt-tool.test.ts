// A tool answers permission questions if nobody else does; anything that is not an answer is a refusal.
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { tool } from "../../src/session/tools/custom-tool.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "./support.ts";
import { serverOf, toolNamed } from "../mcp/support.ts";

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
  ["an unknown behavior", JSON.stringify({ behavior: "maybe" })],
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

const servers = {
  "my judge": serverOf({ tools: [toolNamed("approve"), toolNamed("odd")] }),
  off: { ...serverOf(), disabled: true },
  gone: { type: "stdio" as const, command: "/nowhere/server" },
};

test.each([
  ["mcp__my_judge__approve", undefined],
  ["mcp__gone__approve", undefined],
  ["Write", undefined],
  ["approve", "there is no tool approve; a tool of an MCP server is mcp__server__tool"],
  ["mcp__your__approve", "there is no MCP server your; there is my judge, gone, off"],
  ["mcp__my_judge__ask", "the MCP server my judge has no tool ask; it has approve, odd"],
  ["mcp__my_judge__odd", "a rule of this session takes the tool mcp__my_judge__odd away"],
  ["mcp__off__approve", "the MCP server off is switched off"],
])("of the permission prompt tool %s it is known before the first turn: %s", async (name, why) => {
  const options = { permissionPromptToolName: name, mcpServers: servers, disallowedTools: ["mcp__my_judge__odd"] };
  const { engine } = await openSession({ fallback: "ok" }, options);
  expect(await engine.desk.promptToolProblem()).toBe(why);
  const alone = await openSession({ fallback: "ok" }, { permissionPromptToolName: "mcp__your__approve" });
  expect(await alone.engine.desk.promptToolProblem()).toBe("there is no MCP server your; no server is configured here");
});

test("the permission prompt tool of a server that was not waited for may still come", async () => {
  const options = { permissionPromptToolName: "mcp__slow__approve", mcpServers: { slow: serverOf({ hangs: true }) } };
  const { engine } = await openSession({ fallback: "ok" }, options);
  const wait = new AbortController();
  const problem = engine.desk.promptToolProblem(wait.signal);
  wait.abort();
  expect(await problem).toBeUndefined();
});

test("of a folder that is not trusted the permission prompt tool is missing for that reason", async () => {
  const problem = async (more: { strictMcpConfig?: boolean }) => {
    const ground = layGround();
    writeFileSync(join(ground.work, ".mcp.json"), JSON.stringify({ mcpServers: { judge: serverOf() } }));
    const options = { permissionPromptToolName: "mcp__judge__approve", ...more };
    return await (await openSession({ fallback: "ok" }, options, ground)).engine.desk.promptToolProblem();
  };
  expect(await problem({})).toMatch(/^the MCP server judge does not start, because its folder is not trusted/u);
  expect(await problem({ strictMcpConfig: true })).toMatch(/^there is no MCP server judge/u);
});

test("a person or host who is asked makes the permission prompt tool superfluous", async () => {
  const options = { permissionPromptToolName: "mcp__your__approve", ask: () => Promise.reject(new Error("unasked")) };
  const { engine } = await openSession({ fallback: "ok" }, options);
  expect(await engine.desk.promptToolProblem()).toBeUndefined();
});
