import { McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test } from "vitest";
import { calls, clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling, serverOf } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

describe("a session with a stdio server", () => {
  test("offers its tools and calls them", async () => {
    const { engine, model } = await openSession(calling({ tool: "mcp__test__echo", input: { text: "hello there" } }), {
      mcpServers: { test: serverOf() },
      allowedTools: ["mcp__test"],
    });
    const { messages, result } = await turn(engine, "call it");
    expect(result).toMatchObject({ subtype: "success", result: "It said: hello there" });
    expect(messages[0]).toMatchObject({ mcp_servers: [{ name: "test", status: "connected" }] });
    const sent = calls(model)[0]?.body?.tools as { name: string }[];
    expect(sent.at(-1)).toMatchObject({ name: "mcp__test__echo", description: "Says it again" });
  });
});

describe("a server in this process", () => {
  test("made with the protocol's own package works as one", async () => {
    const server = new McpServer({ name: "own", version: "1" });
    server.registerTool("hi", { description: "Greets" }, () => ({ content: [{ type: "text", text: "good day" }] }));
    const { engine } = await openSession(calling({ tool: "mcp__own__hi" }), {
      mcpServers: { own: { type: "sdk", instance: server } },
      allowedTools: ["mcp__own__hi"],
    });
    expect((await turn(engine, "greet")).result).toMatchObject({ result: "It said: good day" });
  });
});
