// A server's tool with which the work is done: the turn ends without another request.
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer, tool, type CustomToolAnswer, type EngineOptions } from "../../src/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, serverOf, toolNamed } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const taken = { content: [{ type: "text", text: "taken" }] };
const ending = { ...taken, _meta: { "claude/endTurn": true } };
const report = { tool: "mcp__test__report" };

function session(mcpServers: EngineOptions["mcpServers"]) {
  return openSession(calling(report), { mcpServers, allowedTools: ["mcp__test"] });
}

const process = (answer: object) => ({
  test: serverOf({ tools: [toolNamed("report")], answers: { report: answer } }),
});
const own = (answer: CustomToolAnswer) => ({
  test: createSdkMcpServer({
    name: "test",
    tools: [tool("report", "Reports.", { type: "object" }, async () => answer)],
  }),
});

test.each<[string, EngineOptions["mcpServers"]]>([
  ["a process", process(ending)],
  ["a function", own(ending)],
  ["a function, in the library's own words", own({ content: "taken", endsTurn: true })],
])("a result with endTurn from %s ends the turn, and the next turn continues from there", async (_what, servers) => {
  const { engine, model } = await session(servers);
  const { result, messages } = await turn(engine, "go");
  expect(result).toMatchObject({ subtype: "success", is_error: false });
  expect(calls(model)).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain("taken");
  expect((await turn(engine, "and?")).result).toMatchObject({ subtype: "success", result: "It said: taken" });
});

test.each([
  ["failed", { ...ending, isError: true }],
  ["says so otherwise than with true", { ...taken, _meta: { "claude/endTurn": "yes" } }],
  ["does not mention it", taken],
])("the turn continues after a result that %s", async (_what, answer) => {
  const { engine, model } = await session(process(answer));
  expect((await turn(engine, "go")).result).toMatchObject({ result: "It said: taken" });
  expect(calls(model)).toHaveLength(2);
});
