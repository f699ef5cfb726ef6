// Servers of the newest protocol version, written by hand: what they answer is used as it is meant, although a part of it is not right.
import { expect, test } from "vitest";
import type { Connection } from "../../src/mcp/connection.ts";
import { readResource } from "../../src/mcp/resources.ts";
import { createMcpTool } from "../../src/mcp/tool.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import type { ToolContext, ToolResult } from "../../src/protocol/tool.ts";
import { HandClock } from "./hand-clock.ts";
import { bodyOf, connectTo, RemoteServer } from "./remote-server.ts";
import { toolNamed } from "./support.ts";

const lasting = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const discovered = { supportedVersions: ["2026-07-28"], serverInfo: { name: "new", version: "1" } };
const usual = {
  "server/discover": { ...lasting, ...discovered, capabilities: { tools: {}, prompts: {}, resources: {} } },
  "tools/list": { ...lasting, tools: [toolNamed("echo")] },
  "prompts/list": { ...lasting, prompts: [] },
};
const { signal } = new AbortController();

interface Asked {
  method: string;
  params: Record<string, unknown>;
  headers: Record<string, unknown>;
}

type Answer = object | ((asked: Asked) => object);

/** A connection to a server of the newest version with these results, by method. */
async function connect(results: Record<string, Answer>, asked: Asked[] = []) {
  const server = await new RemoteServer().start();
  server.door = async (request, response) => {
    if (request.method !== "POST") return !response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await bodyOf(request)) as Asked & { id: number };
    asked.push({ method, params, headers: request.headers });
    const result = new Map<string, Answer>(Object.entries({ ...usual, ...results })).get(method);
    response.writeHead(200, { "content-type": "application/json" });
    const answer =
      typeof result === "function"
        ? (result as (asked: Asked) => object)({ method, params, headers: request.headers })
        : result;
    return !response.end(JSON.stringify({ jsonrpc: "2.0", id, result: answer }));
  };
  const elicit = () => Promise.resolve({ action: "accept" as const, content: { name: "Ann" } });
  const connection = await connectTo(server, "http", { clock: new HandClock(), elicit });
  expect(connection.error).toBeUndefined();
  return connection;
}

function call(connection: Connection, input: Record<string, string> = {}): Promise<ToolResult> {
  const definition = connection.inventory.tools[0]!;
  const world = { clock: new HandClock() } as unknown as McpWorld;
  const binding = { name: "mcp__far__echo", connection, current: () => definition, world, maxResultChars: 1_000 };
  return createMcpTool(definition, binding).call(input, { signal, toolUseId: "t1" } as ToolContext, () => {});
}

// Seen: the error was one of the protocol's package, without a word of the server.
test.each([
  [{ content: [{ type: "text", text: "it failed" }], isError: "true" }, true],
  [{ content: "it failed", isError: 1 }, true],
  [{ content: "it worked", isError: "false" }, undefined],
  [{ content: "it worked" }, undefined],
  [{ content: { type: "text", text: "it worked" } }, undefined],
  [{ content: ["it worked", null] }, undefined],
  [{ content: [{ type: "text", text: "it worked", annotations: null }, { type: "text" }] }, undefined],
  [{ content: [{ type: "text", text: "it worked", annotations: { audience: "user", priority: 7 } }] }, undefined],
  [{ content: [{ type: "json", json: "it worked" }] }, undefined],
  [{ content: null, outcome: "it worked" }, undefined],
  [{ content: [{ type: "text", text: "it worked" }], resultType: undefined }, undefined],
  [{ content: [{ type: "text", text: "it worked" }], resultType: null }, undefined],
  [{ content: [{ type: "text", text: "it worked" }], _meta: { "x/y": 1 } }, undefined],
  [{ structuredContent: { outcome: "it worked" } }, undefined],
  [{ structuredContent: ["it worked"] }, undefined],
  [{ content: [], "pawl/original": { content: "it failed", isError: true } }, undefined],
])("a result is used as it is meant: %j", async (result, isError) => {
  const told = await call(await connect({ "tools/call": { resultType: "complete", ...result } }));
  expect(told.content).toMatch(/^(?:.*")?it (?:failed|worked)(?:".*)?$/u);
  expect(told.isError).toBe(isError);
});

// Seen: one tool with null for a title, or lists that do not say how long they hold, and the server had no tools at all.
test("lists with wrong parts are read part by part", async () => {
  const odd = toolNamed("odd", { title: null, annotations: { readOnlyHint: "yes" }, icons: "x.png", execution: {} });
  const connection = await connect({
    "server/discover": { ...discovered, capabilities: { tools: [], prompts: true, resources: {} }, instructions: null },
    "tools/list": {
      tools: [toolNamed("bare", { inputSchema: null }), odd, toolNamed("list", { inputSchema: { type: "array" } })],
    },
    "prompts/list": { ttlMs: "long", prompts: [{ name: "review", arguments: null }, { name: 7 }] },
    "tools/call": { content: "it worked" },
    "resources/read": { contents: [{ uri: "note://one", text: "a note", mimeType: null, annotations: [] }] },
  });
  const { inventory } = connection;
  expect(inventory.tools.map(({ name }) => name)).toEqual(["bare", "odd"]);
  expect(inventory.remarks).toEqual([expect.stringContaining('"list" was left out')]);
  expect(inventory.prompts.map(({ name }) => name)).toEqual(["review"]);
  expect(await call(connection)).toEqual({ content: "it worked" });
  expect(await readResource(connection, "note://one", signal)).toMatchObject([
    { text: expect.stringContaining("a note") },
  ]);
});

test.each(["input_required", undefined])(
  "a question before the result is answered, with the kind %s",
  async (resultType) => {
    const asked: Asked[] = [];
    const params = {
      message: "Who?",
      mode: "form",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    };
    const question = {
      resultType,
      inputRequests: { who: { method: "elicitation/create", params } },
      requestState: "s",
    };
    const header = { type: "object", properties: { place: { type: "string", "x-mcp-header": "Place" } } };
    const connection = await connect(
      {
        "tools/list": { ...lasting, tools: [toolNamed("echo", { inputSchema: header })] },
        "tools/call": ({ params: { inputResponses } }) =>
          inputResponses === undefined ? question : { content: `hello ${JSON.stringify(inputResponses)}` },
      },
      asked,
    );
    expect((await call(connection, { place: "here" })).content).toMatch(/^hello .*"Ann"/u);
    const calls = asked.filter(({ method }) => method === "tools/call");
    expect(calls.map(({ headers }) => headers["mcp-param-place"])).toEqual(["here", "here"]);
  },
);

test("a result of a kind that nobody knows is an error", async () => {
  const told = await call(await connect({ "tools/call": { resultType: "later", content: "it worked" } }));
  expect(told).toMatchObject({ isError: true, content: expect.stringContaining("later") });
});
