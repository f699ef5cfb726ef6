import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  InsufficientScopeError,
  RegistrationRejectedError,
  SdkError,
  SdkErrorCode,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { ProxyUnreachable, TunnelRefused } from "../../src/lib/proxy-errors.ts";
import { reportMissingScope } from "../../src/mcp/missing-scope.ts";
import { connectFailure, describeLostCall } from "../../src/mcp/connect-failure.ts";
import { readServers } from "../../src/mcp/config.ts";
import type { RemoteServer } from "../../src/mcp/server.ts";
import type { McpWorld } from "../../src/mcp/world.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";
import { calling } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

interface Answer {
  status: number;
  type?: string;
  body?: string;
  /** What it is answered to; absent: all. */
  method?: string;
  /** The connection breaks there; without a body, before anything is answered. */
  breaks?: boolean;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { status, type = "text/html", body = "", method, breaks = false }: Answer,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const asked = (chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {}) as {
    id?: number;
    method?: string;
  };
  if (breaks && asked.method === method) {
    if (body === "") return void response.destroy();
    return void response.writeHead(status, { "content-type": type }).write(body, () => response.destroy());
  }
  if (method === undefined || asked.method === method)
    return void response.writeHead(status, { "content-type": type }).end(body);
  if (request.method === "GET") return void response.writeHead(405).end();
  if (asked.id === undefined) return void response.writeHead(202).end();
  const version = {
    protocolVersion: "2025-06-18",
    serverInfo: { name: "t", version: "1" },
    capabilities: { tools: {} },
  };
  const result = asked.method === "initialize" ? version : { tools: [{ name: "t", inputSchema: { type: "object" } }] };
  const known = ["initialize", "tools/list"].includes(asked.method ?? "");
  const said = known ? { result } : { error: { code: -32601, message: "no" } };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, ...said }));
}

/** A server that answers so, and else as one should. */
async function answering(asked: Answer): Promise<string> {
  const server = createServer((request, response) => {
    answer(request, response, asked).catch((error: unknown) => response.destroy(error as Error));
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  ends.push(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function whyNot(
  url: string,
  type: "http" | "sse" = "http",
  headers: Record<string, string> = {},
): Promise<string> {
  const notices: string[] = [];
  const mcpServers = { far: { type, url, headers } };
  const { engine } = await openSession(calling(), { mcpServers, onNotice: (text) => void notices.push(text) });
  await turn(engine, "hi");
  return notices.join("\n").replace("The MCP server far did not start: ", "");
}

const page = (title: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title}</title></head><body><h1>x</h1></body>`;
const json = "application/json";
const other = (type: string): string => `for the other kind, set "type": "${type}".`;

describe("an HTTP failure at the start of a server is explained", () => {
  test.each<[Answer, string]>([
    [
      { status: 404, body: page("404 Not Found") },
      `there is no MCP server of type http at its address (status 404: 404 Not Found); ${other("sse")}`,
    ],
    [{ status: 405 }, `there is no MCP server of type http at its address (status 405); ${other("sse")}`],
    [
      { status: 403, type: json, body: '{"error":"forbidden","message":"Not in your plan."}' },
      "it refuses access (status 403): Not in your plan.",
    ],
    [
      { status: 400, type: json, body: '{"jsonrpc":"2.0","error":{"code":-32000,"message":"Missing API key"}}' },
      "it refused that (status 400): Missing API key.",
    ],
    [
      { status: 502, body: page("502 Bad Gateway") },
      "it, or a proxy in front of it, has a fault (status 502): 502 Bad Gateway.",
    ],
    [{ status: 429, type: "text/plain", body: "slow down" }, "it is asked too often (status 429): slow down."],
    [{ status: 200, body: page("Welcome") }, "what is at its address is not an MCP server: it answers with text/html."],
  ])("without its page: %j", async (answer, why) => {
    expect(await whyNot(await answering(answer))).toBe(why);
  });

  test("without the key that was sent", async () => {
    const url = await answering({ status: 400, type: json, body: '{"message":"No such key: secret-of-the-user"}' });
    const headers = { Authorization: "Bearer secret-of-the-user" };
    expect(await whyNot(url, "http", headers)).toBe("it refused that (status 400): No such key: ***.");
  });

  test("in linear time, however large the page is", async () => {
    const url = await answering({ status: 503, body: "<title".repeat(1_000_000) });
    expect(await whyNot(url)).toBe("it, or a proxy in front of it, has a fault (status 503).");
    const server = { type: "stdio", name: "t", command: "t", args: [], env: {} };
    const { why } = connectFailure(new Error("[{".repeat(1_000_000)), server as never, "", 1);
    expect(why).toHaveLength(301);
    const issues = JSON.stringify([{ path: ["a", 0], message: "is odd" }], null, 2);
    expect(connectFailure(new Error(`Invalid: ${issues}`), server as never, "", 1).why).toBe(
      "its answer cannot be used (a.0: is odd).",
    );
  });

  test("for SSE servers, too", async () => {
    const why = `there is no MCP server of type sse at its address (status 404); ${other("http")}`;
    expect(await whyNot(await answering({ status: 404 }), "sse")).toBe(why);
  });

  test("for calls, too", async () => {
    const url = await answering({ status: 502, body: page("Bad Gateway"), method: "tools/call" });
    const mcpServers = { far: { type: "http" as const, url } };
    const { engine } = await openSession(calling({ tool: "mcp__far__t" }), { mcpServers, allowedTools: ["mcp__far"] });
    expect((await turn(engine, "call it")).result).toMatchObject({
      result:
        "It said: The MCP server far failed: it, or a proxy in front of it, has a fault (status 502): Bad Gateway",
    });
  });
});

// Seen: the model was told to set another type for a server that had answered before.
test("a call that is answered with 404 does not blame the type of its server", async () => {
  const url = await answering({ status: 404, type: json, body: '{"message":"No such user"}', method: "tools/call" });
  const mcpServers = { far: { type: "http" as const, url } };
  const { engine } = await openSession(calling({ tool: "mcp__far__t" }), { mcpServers, allowedTools: ["mcp__far"] });
  const said = "It said: The MCP server far failed: it does not find what it was asked for (status 404): No such user";
  expect((await turn(engine, "call it")).result).toMatchObject({ result: said });
});

test.each([
  ["before any of its answer", undefined],
  ["amid an answer of JSON", "application/json"],
  ["amid a stream", "text/event-stream"],
])("reports that a call may have had an effect if its connection breaks %s", async (_when, type) => {
  const url = await answering({
    status: 200,
    method: "tools/call",
    breaks: true,
    ...(type === undefined ? {} : { type, body: type === "text/event-stream" ? ": wait\n\n" : '{"jsonrpc":' }),
  });
  const mcpServers = { far: { type: "http" as const, url } };
  const { engine } = await openSession(calling({ tool: "mcp__far__t" }), { mcpServers, allowedTools: ["mcp__far"] });
  expect((await turn(engine, "call it")).result).toMatchObject({
    result: expect.stringMatching(
      /^It said: The connection to the MCP server far was lost before the call's answer came.*; it may have had an effect\.$/u,
    ),
  });
});

test.each<[string, Error, { why: string; wasSent: boolean } | undefined]>([
  [
    "no connection",
    Object.assign(new Error("connect ETIMEDOUT"), { code: "ETIMEDOUT", syscall: "connect" }),
    { why: "it cannot be reached (ETIMEDOUT)", wasSent: false },
  ],
  [
    "no tunnel",
    new TunnelRefused(new URL("http://proxy.test"), 503),
    { why: "it cannot be reached (the proxy http://proxy.test refused the tunnel (503))", wasSent: false },
  ],
  ["silence", Object.assign(new Error("x"), { code: "UND_ERR_SOCKET" }), { why: "UND_ERR_SOCKET", wasSent: true }],
])("a call that fails with %s is described by what is known", (_what, cause, told) => {
  expect(describeLostCall(new TypeError("fetch failed", { cause }))).toEqual(told);
  expect(describeLostCall(cause)).toBeUndefined();
});

describe("a server that cannot be reached", () => {
  test("is reported with the reason", async () => {
    const url = (await answering({ status: 200 })).replace("http:", "https:");
    expect(await whyNot(url)).toBe("it does not speak https: its address may begin with http://.");
  });

  test.each([
    [
      "DEPTH_ZERO_SELF_SIGNED_CERT",
      /^its certificate is not trusted here \(DEPTH_ZERO_SELF_SIGNED_CERT\): NODE_EXTRA_CA_CERTS /u,
    ],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", /^its certificate is not trusted here/u],
    ["CERT_HAS_EXPIRED", /^its certificate is not valid now \(CERT_HAS_EXPIRED\): this machine's clock/u],
    [
      "ERR_TLS_CERT_ALTNAME_INVALID",
      /^its certificate is for another name \(ERR_TLS_CERT_ALTNAME_INVALID\): the addr/u,
    ],
    ["ECONNRESET", /^it cannot be reached \(ECONNRESET\)\.$/u],
  ])("is reported for %s with what to do", (code, why) => {
    const cause = Object.assign(new Error("some words"), { code });
    const source = { name: "a file", scope: "user" as const, folder: "/", env: {} };
    const [server] = readServers({ far: { url: "https://a.example/mcp" } }, source).servers;
    expect(server && connectFailure(new TypeError("fetch failed", { cause }), server, "", 0).why).toMatch(why);
  });
});

// Seen: only "was not found", for the whole line that a shell would have taken.
test.each([
  ["npx -y docs-server", 'its command npx -y docs-server was not found: "command" is the program alone'],
  ["~/bin/docs", "its command ~/bin/docs was not found: ~ is not replaced there, so write ${HOME}."],
  ["docs-server", "its command docs-server was not found."],
])("a command that is not one program is explained: %s", (command, why) => {
  const source = { name: "a file", scope: "user" as const, folder: "/", env: {} };
  const [server] = readServers({ near: { command } }, source).servers;
  const error = Object.assign(new Error("spawn"), { code: "ENOENT", syscall: "spawn" });
  expect(server && connectFailure(error, server, "", 0).why).toContain(why);
});

// Seen: "nobody answers at its address" and "the name of its host is not known", of servers that nobody had asked.
test.each([
  ["ECONNREFUSED", "nobody answers there"],
  ["EAI_AGAIN", "its name is not known"],
  ["ETIMEDOUT", "ETIMEDOUT"],
])("a proxy that cannot be reached (%s) is not taken for the server", (code, reason) => {
  const noConnection = Object.assign(new Error(`connect ${code}`), { code, syscall: "connect" });
  const cause = new ProxyUnreachable(new URL("http://me:secret@proxy.test:8080"), noConnection);
  const error = new TypeError("fetch failed", { cause });
  const source = { name: "a file", scope: "user" as const, folder: "/", env: {} };
  const [server] = readServers({ far: { url: "https://a.example/mcp" } }, source).servers;
  const why = `the proxy http://proxy.test:8080 to it cannot be reached (${reason}): check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY`;
  expect(server && connectFailure(error, server, "", 0).why).toBe(`${why}.`);
  expect(describeLostCall(error)).toEqual({ why, wasSent: false });
});

// Seen: "Unexpected token '<', "<html>" is not valid JSON", and "Dynamic Client Registration rejected (HTTP 404):.".
describe("what a login server or a server says", () => {
  const source = { name: "a file", scope: "user" as const, folder: "/", env: {} };
  const [server] = readServers({ far: { url: "https://a.example/mcp" } }, source).servers;
  const why = (error: Error) => server && connectFailure(error, server, "", 0).why;
  const advice = "register one there, and set its id as oauth.clientId in the server's configuration.";

  test.each([
    [404, "", "(status 404)"],
    [404, "<title>Not Found</title>", "(status 404: Not Found)"],
    [400, '{"error":"invalid_client_metadata","error_description":"no loopback."}', "(status 400: no loopback)"],
  ])("against registering a client is told with the advice to name one: %d %s", (status, body, told) => {
    const error = new RegistrationRejectedError({ status, body, submittedMetadata: { redirect_uris: [] } });
    expect(why(error)).toBe(`its login server registers no client automatically ${told}: ${advice}`);
  });

  test("as JSON that is none is not repeated", async () => {
    expect(why(new SyntaxError("Unexpected token '<'"))).toBe("its answer is not valid JSON.");
    const url = await answering({ status: 200, type: json, body: "{not json", method: "tools/call" });
    const mcpServers = { far: { type: "http" as const, url } };
    const { engine } = await openSession(calling({ tool: "mcp__far__t" }), { mcpServers, allowedTools: ["mcp__far"] });
    expect((await turn(engine, "call it")).result).toMatchObject({
      result:
        "It said: The MCP server far answered with something that is not valid JSON; the call may have had an effect.",
    });
  });
});

// Seen: a folder chooses its server's name freely, and people who copied the line ran it.
test("quotes the server's name in the suggested login command", async () => {
  const name = "docs; touch it";
  const server = { type: "http", name, url: "https://a.example/mcp", headers: {} } as RemoteServer;
  expect(connectFailure(new UnauthorizedError(), server, "", 0).why).toMatch(/: pawl mcp login "docs; touch it"$/u);
  const world = { authOf: () => ({ noteMissingScope: async () => undefined }) } as unknown as McpWorld;
  const refused = new InsufficientScopeError({ requiredScope: "a" });
  expect(await reportMissingScope(refused, server, world)).toMatch(/: pawl mcp login "docs; touch it"$/u);
});

test("infers the type of a server from its address", () => {
  const source = { name: "a file", scope: "user" as const, folder: "/", env: {} };
  const kinds = Object.entries({
    "https://a.example/sse": "sse",
    "https://a.example/x/sse/?key=1": "sse",
    "https://a.example/mcp": "http",
    "https://a.example/sse/mcp": "http",
    "https://sse.example": "http",
    "wss://a.example/sse": "ws",
  });
  for (const [url, type] of kinds) expect(readServers({ s: { url } }, source).servers).toMatchObject([{ type }]);
  expect(readServers({ s: { url: "https://a/sse", type: "http" } }, source).servers).toMatchObject([{ type: "http" }]);
  expect(readServers({ s: { url: "https://a/x", transport: "sse" } }, source).servers).toMatchObject([{ type: "sse" }]);
});

test.each([
  [300, "0.3 s"],
  [30_000, "30 s"],
])("a time limit of %d ms is shown as %s", (limit, told) => {
  const server = { type: "http", name: "far", url: "https://a.example/mcp", headers: {} } as RemoteServer;
  const late = new SdkError(SdkErrorCode.RequestTimeout, "late");
  expect(connectFailure(late, server, "", limit).why).toBe(`it did not answer within ${told}.`);
});
