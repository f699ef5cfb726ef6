// MCP servers that live in the client: their tools are called over the control channel, under the rules.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sdkServerConfigs } from "../../../src/surface/stdio/mcp-servers.ts";
import { calls, drive, says, type Client, type Json } from "./client.ts";

/** A server with one tool that adds, as JSON-RPC. */
function calculator(message: Json): Json {
  const { id, method, params } = message as { id: number; method: string; params: Json };
  const answer = (result: Json): Json => ({ mcp_response: { jsonrpc: "2.0", id, result } });
  const serverInfo = { name: "calc", version: "1" };
  if (method === "initialize")
    return answer({ protocolVersion: params["protocolVersion"], capabilities: { tools: {} }, serverInfo });
  if (method === "tools/list") {
    const properties = { a: { type: "number" }, b: { type: "number" } };
    const inputSchema = { type: "object", properties, required: ["a", "b"] };
    return answer({ tools: [{ name: "add", description: "Adds.", inputSchema, annotations: { readOnlyHint: true } }] });
  }
  if (method === "tools/call") {
    const { a, b } = params["arguments"] as { a: number; b: number };
    return answer({ content: [{ type: "text", text: `sum ${a + b}` }] });
  }
  return { mcp_response: { jsonrpc: "2.0", result: {} } };
}

const answer = ({ subtype, message, input }: Json): Json =>
  subtype === "mcp_message" ? calculator(message as Json) : { behavior: "allow", updatedInput: input };
const add = calls(["mcp__calc__add", { a: 2, b: 3 }]);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pawl-"));
  await writeFile(join(folder, "servers.json"), named("calc"));
});
afterAll(() => rm(folder, { recursive: true }));

function named(name: string): string {
  return JSON.stringify({ mcpServers: { [name]: { type: "sdk", name, timeout: 5000 } } });
}

describe("an MCP server of the client", () => {
  test.each([
    ["initialize", { sdkMcpServers: ["calc"] }, []],
    ["a flag", {}, ["--mcp-config", '{"mcpServers":{"calc":{"type":"sdk","name":"calc"}}}']],
    ["a file", {}, ["--mcp-config", "folder/servers.json"]],
  ] as const)("named by %s offers its tools, and they can be called", (_, fields, args) => {
    const given = args.map((word) => word.replace(/^folder/u, folder));
    const options = { args: [...given, "--allowed-tools", "mcp__calc__add"], answer };
    return drive([add, says("done")], options, async (client) => {
      expect(await client.request("initialize", fields)).toMatchObject({ mcp_servers_applied: true });
      client.sendPrompt("add");
      await client.result();
      const sent = JSON.stringify(client.server.requests.at(-1)?.body.messages);
      expect(sent).toContain("sum 5");
      const init = client.messages.find(({ subtype }) => subtype === "init");
      expect(init).toMatchObject({ mcp_servers: [{ name: "calc", status: "connected" }] });
      expect(await client.request("mcp_status")).toMatchObject({
        mcpServers: [{ name: "calc", status: "connected", tools: [{ name: "add" }] }],
      });
      // Without it the server was switched off.
      const unclear = client.request("mcp_toggle", { serverName: "calc" });
      await expect(unclear).rejects.toThrow('"enabled" must be true or false');
      await client.request("mcp_toggle", { serverName: "calc", enabled: false });
      expect(await client.request("mcp_status")).toMatchObject({ mcpServers: [{ status: "disabled" }] });
      await client.request("mcp_reconnect", { serverName: "calc" });
      await expect(client.request("mcp_reconnect", { serverName: "none" })).rejects.toThrow("none");
    });
  });

  // Seen: the request succeeded, and programs went on without the server.
  test("that cannot be connected to again makes the request fail with the reason", () =>
    drive(
      [says("done")],
      { args: ["--mcp-config", '{"mcpServers":{"lost":{"command":"/nowhere/server"}}}'], answer },
      async (client) => {
        await client.request("initialize");
        await client.request("mcp_toggle", { serverName: "lost", enabled: false });
        await expect(client.request("mcp_toggle", { serverName: "lost", enabled: true })).rejects.toThrow(
          "the MCP server lost is not connected: its command /nowhere/server was not found",
        );
        await expect(client.request("mcp_reconnect", { serverName: "lost" })).rejects.toThrow(
          "the MCP server lost is not connected: its command /nowhere/server was not found",
        );
      },
    ));

  test("may have the name of something that all objects inherit", () =>
    drive([says("done")], { args: [], answer }, async (client) => {
      const names = ["__proto__", "constructor", "toString"];
      await client.request("initialize", { sdkMcpServers: names, sdkMcpServerConfigs: {} });
      client.sendPrompt("go");
      await client.result();
      const connected = names.map((name) => expect.objectContaining({ name, status: "connected" }));
      expect(await client.request("mcp_status")).toEqual({ mcpServers: expect.arrayContaining(connected) });
      const own = JSON.parse('{"__proto__":{"type":"sdk","name":"x"}}') as Json;
      expect(await client.request("mcp_set_servers", { servers: own })).toMatchObject({
        removed: ["constructor", "toString"],
      });
      const program = JSON.parse('{"__proto__":{"command":"x"}}') as Json;
      const { errors } = await client.request("mcp_set_servers", { servers: program });
      expect(Object.entries(errors as Json)).toEqual([
        ["__proto__", expect.stringContaining("a server cannot be called that")],
      ]);
    }));

  test("is subject to deny rules", () =>
    drive(
      [add, says("done")],
      { args: ["--permission-prompt-tool", "stdio", "--disallowed-tools", "mcp__calc__add"], answer },
      async (client) => {
        await client.request("initialize", { sdkMcpServers: ["calc"] });
        client.sendPrompt("add");
        await client.result();
        expect(client.controlRequests.filter(({ subtype }) => subtype === "can_use_tool")).toEqual([]);
        expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).not.toContain("sum 5");
      },
    ));

  test("is named as the client's own in questions about its tools", () =>
    drive(
      [add, says("done")],
      {
        args: ["--permission-prompt-tool", "stdio"],
        answer: (request) =>
          request["subtype"] === "can_use_tool" ? { behavior: "deny", message: "no" } : answer(request),
      },
      async (client) => {
        await client.request("initialize", { sdkMcpServers: ["calc"] });
        client.sendPrompt("add");
        await client.result();
        const mcp_server = { name: "calc", source: "sdk" };
        expect(client.controlRequests.find(({ subtype }) => subtype === "can_use_tool")).toMatchObject({ mcp_server });
        expect(await client.request("mcp_status")).toMatchObject({ mcpServers: [mcp_server] });
      },
    ));

  // Agent SDKs find what a reply is for by its id alone, and their servers count what they ask from 0 as pawl counts its calls.
  test("may ask the user under the id of its own call, and its result is used when it comes", () => {
    const held: { call?: Json } = {};
    const send = (client: Client, message: Json): Promise<Json> =>
      client.request("mcp_message", { server_name: "calc", message: { jsonrpc: "2.0", ...message } });
    return drive(
      [add, says("done")],
      {
        args: ["--allowed-tools", "mcp__calc__add"],
        answer: (request) => {
          if (request["subtype"] === "elicitation") return { action: "accept", content: { sure: true } };
          const message = request["message"] as Json;
          if (message["method"] !== "tools/call") return answer(request);
          held.call = message;
          const requestedSchema = { type: "object", properties: { sure: { type: "boolean" } } };
          const params = { message: "Sure?", requestedSchema };
          return { mcp_response: { jsonrpc: "2.0", id: message["id"], method: "elicitation/create", params } };
        },
      },
      async (client) => {
        await client.request("initialize", { sdkMcpServers: ["calc"] });
        client.sendPrompt("add");
        const told = (): boolean =>
          client.controlRequests.some(({ message }) => JSON.stringify(message)?.includes('"content":{"sure":true}'));
        await client.until(() => told() || client.results().length > 0, "the answer to what the server asked");
        await send(client, { id: held.call?.["id"], result: { content: [{ type: "text", text: "sum of both" }] } });
        await client.result();
        expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).toContain("sum of both");
      },
    );
  });

  test("fails a call at once if it answers a different message", () =>
    drive(
      [add, says("done")],
      {
        args: ["--allowed-tools", "mcp__calc__add"],
        answer: (request) => {
          const { mcp_response: reply } = answer(request) as { mcp_response: Json };
          return {
            mcp_response: (request["message"] as Json)["method"] === "tools/call" ? { ...reply, id: 999 } : reply,
          };
        },
      },
      async (client) => {
        await client.request("initialize", { sdkMcpServers: ["calc"] });
        client.sendPrompt("add");
        await client.result();
        expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).toContain("answered a different message");
      },
    ));

  test.each<[string, (reply: Json) => unknown, string]>([
    ["nothing", () => undefined, "answered with neither a result nor an error"],
    ["null", () => null, "answered with neither a result nor an error"],
    [
      "neither a result nor an error",
      ({ jsonrpc, id }) => ({ jsonrpc, id }),
      "answered with neither a result nor an error",
    ],
    [
      "the call",
      ({ jsonrpc, id }) => ({ jsonrpc, id, method: "tools/call" }),
      "answered with neither a result nor an error",
    ],
    ["a result without its id", ({ result }) => ({ jsonrpc: "2.0", result }), "sum 5"],
  ])("does not stop the turn if it answers a call with %s", (_, made, told) =>
    drive(
      [add, says("done")],
      {
        args: ["--allowed-tools", "mcp__calc__add"],
        answer: (request) => {
          const { mcp_response: reply } = answer(request) as { mcp_response: Json };
          return { mcp_response: (request["message"] as Json)["method"] === "tools/call" ? made(reply) : reply };
        },
      },
      async (client) => {
        await client.request("initialize", { sdkMcpServers: ["calc"] });
        client.sendPrompt("add");
        await client.result();
        expect(JSON.stringify(client.server.requests.at(-1)?.body.messages)).toContain(told);
      },
    ),
  );

  test("that does not answer counts as failed, and the session continues", () =>
    drive(
      [says("fine")],
      {
        answer: () => {
          throw new Error("no such server");
        },
      },
      async (client) => {
        await client.request("initialize", { sdkMcpServers: ["calc"] });
        client.sendPrompt("go");
        expect(await client.result()).toMatchObject({ result: "fine" });
        expect(await client.request("mcp_status")).toMatchObject({ mcpServers: [{ name: "calc", status: "failed" }] });
      },
    ));
});

test("sdk servers are found in JSON text and files, and unreadable ones are skipped", () => {
  const local = '{"mcpServers":{"b":{"command":"x"}}}';
  expect(sdkServerConfigs(["none.json", "servers.json", "{ broken", named("a"), local], folder)).toEqual({
    a: { type: "sdk", name: "a", timeout: 5000 },
    calc: { type: "sdk", name: "calc", timeout: 5000 },
  });
});

test.each([
  [
    "initialize",
    {
      sdkMcpServers: ["calc"],
      sdkMcpServerConfigs: { calc: { tools: [{ name: "add", permission_policy: "always_deny" }] } },
    },
    [],
  ],
  [
    "a flag",
    {},
    [
      "--mcp-config",
      '{"mcpServers":{"calc":{"type":"sdk","name":"calc","tools":[{"name":"add","permission_policy":"always_deny"}]}}}',
    ],
  ],
] as const)("a tool that the client denies by %s is not offered", (_, fields, args) =>
  drive([add, says("done")], { args: [...args, "--allowed-tools", "mcp__calc__add"], answer }, async (client) => {
    await client.request("initialize", fields);
    client.sendPrompt("add");
    await client.result();
    expect(JSON.stringify(client.server.requests[0]?.body)).not.toContain("mcp__calc__add");
    expect(JSON.stringify(client.server.requests.at(-1)?.body)).not.toContain("sum 5");
  }),
);
