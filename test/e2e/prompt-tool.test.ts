// The tool that is to answer permission questions is named at the start, and so is told at the start if it is not there.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { serverOf, toolNamed } from "../mcp/support.ts";
import { createWorld } from "./command.ts";

// Seen: the run did its work up to the first question, and was then refused each call.
test("a permission prompt tool that is not there ends the run before the model is asked, with code 2", async () => {
  const world = await createWorld({ fallback: "hello" });
  onTestFinished(() => world.close());
  const config = JSON.stringify({ mcpServers: { judge: serverOf({ tools: [toolNamed("approve")] }) } });
  const run = (...args: string[]) => world.run(["-p", "--mcp-config", config, ...args, "--", "hi"]);
  const wrong = await run("--permission-prompt-tool", "mcp__judge__approv");
  expect(wrong).toMatchObject({ code: 2, stdout: "" });
  expect(wrong.stderr).toBe(
    "pawl: --permission-prompt-tool mcp__judge__approv has nothing to ask: the MCP server judge has no tool approv; it has approve.\n",
  );
  const json = await run("--permission-prompt-tool", "mcp__jugde__approve", "--output-format", "json");
  expect(json.code).toBe(2);
  expect(JSON.parse(json.stdout)).toMatchObject({
    is_error: true,
    errors: [expect.stringContaining("there is no MCP server jugde; there is judge")],
  });
  expect(await run("--permission-prompt-tool", "mcp__judge__approve")).toMatchObject({ code: 0, stdout: "hello\n" });
});

// Seen: a program that reads JSON was left without a result.
test("an interrupt while its server is awaited ends the run with a result in JSON", async () => {
  const world = await createWorld({ fallback: "hello" });
  onTestFinished(() => world.close());
  const asked = Promise.withResolvers<void>();
  const silent = createServer(() => asked.resolve());
  onTestFinished(() => void silent.close());
  onTestFinished(() => silent.closeAllConnections());
  await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening));
  const { port } = silent.address() as AddressInfo;
  const config = JSON.stringify({ mcpServers: { judge: { type: "http", url: `http://127.0.0.1:${port}/` } } });
  const args = ["-p", "--mcp-config", config, "--permission-prompt-tool", "mcp__judge__approve"];
  const run = world.start([...args, "--output-format", "json", "--", "hi"]);
  await asked.promise;
  run.child.kill("SIGINT");
  const { code, stdout } = await run.done;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({
    type: "result",
    is_error: true,
    errors: ["Stopped before the first turn."],
  });
});
