// What a session asks besides its model, where the environment names a proxy: servers of MCP, hooks, pages, collectors.
import { createServer as createSecureServer } from "node:https";
import type { createServer, IncomingMessage } from "node:http";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { runHttpHook } from "../../src/hooks/http-hook.ts";
import { post } from "../../src/telemetry/post.ts";
import { RemoteServer } from "../mcp/remote-server.ts";
import { startSocketServer } from "../mcp/socket-server.ts";
import { calling } from "../mcp/support.ts";
import { selfSigned } from "../model/support/certificate.ts";
import { bodyOf, gate, listen, serve } from "../model/support/servers.ts";
import { startProxy } from "../support/proxy.ts";
import { openReading } from "../tools/web-server.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const basic = "Basic dXNlcjpwYSBzcw==";
const withUser = (url: string): string => url.replace("//", "//user:pa%20ss@");
const signal = new AbortController().signal;

/** Answers each request with what it held, over TLS that this process trusts. */
async function secureServer(host: string) {
  const { key, cert } = selfSigned(host);
  const before = getCACertificates("default");
  setDefaultCACertificates([...before, cert]);
  onTestFinished(() => setDefaultCACertificates(before));
  const server = createSecureServer({ key, cert }, (request, response) => {
    bodyOf(request).then(
      (body) => response.end(JSON.stringify({ systemMessage: body })),
      () => response.destroy(),
    );
  });
  return await listen(server as unknown as ReturnType<typeof createServer>);
}

describe("MCP servers", () => {
  async function remote(): Promise<RemoteServer> {
    const server = await new RemoteServer().start();
    onTestFinished(() => server.stop());
    return server;
  }

  test.each(["http", "sse"] as const)("over %s are reached through the proxy", async (type) => {
    const server = await remote();
    const proxy = await startProxy({ port: Number(new URL(server.base).port) });
    const far = { type, url: server.url(type).replace(/127\.0\.0\.1:\d+/u, "mcp.test") };
    // The older kind tells where to post to: on the host that it was called by.
    const { engine } = await openSession(calling({ tool: "mcp__far__echo", input: { text: "hello" } }), {
      mcpServers: { far },
      allowedTools: ["mcp__far"],
      env: { HTTP_PROXY: withUser(proxy.url) },
    });
    expect((await turn(engine, "Go.")).result).toMatchObject({ result: 'It said: {"text":"hello"}' });
    await engine.dispose();
    expect(proxy.seen.length).toBeGreaterThan(2);
    for (const line of proxy.seen)
      expect(line).toMatch(/^(?:GET|POST|DELETE) http:\/\/mcp\.test\/\S+ Basic \S+ mcp\.test$/u);
    expect(proxy.seen[0]).toContain(basic);
  });

  test("over WebSocket are reached through a tunnel, except a host that NO_PROXY names", async () => {
    const server = await startSocketServer((text, peer) => {
      const { id, method } = JSON.parse(text) as { id?: number; method: string };
      const info = {
        serverInfo: { name: "s", version: "1" },
        protocolVersion: "2025-06-18",
        capabilities: { tools: {} },
      };
      const tools = { tools: [{ name: "echo", inputSchema: { type: "object" } }] };
      const results: Record<string, object> = {
        initialize: info,
        "tools/list": tools,
        "tools/call": { content: [{ type: "text", text: "yes" }] },
      };
      if (id !== undefined) peer.send(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? {} }));
    });
    onTestFinished(() => server.close());
    const proxy = await startProxy({ port: Number(new URL(server.url).port) });
    const { engine } = await openSession(calling({ tool: "mcp__far__echo" }), {
      mcpServers: { far: { type: "ws", url: "ws://socket.test/mcp" } },
      allowedTools: ["mcp__far"],
      env: { ALL_PROXY: proxy.url, NO_PROXY: "other.test" },
    });
    expect((await turn(engine, "Go.")).result).toMatchObject({ result: "It said: yes" });
    await engine.dispose();
    expect(proxy.seen).toEqual(["CONNECT socket.test:80 -"]);
    await proxy.disconnected();
  });

  test("on this machine are reached directly", async () => {
    const server = await remote();
    const proxy = await startProxy({ port: 9 });
    const { engine } = await openSession(calling({ tool: "mcp__near__echo" }), {
      mcpServers: { near: { type: "http", url: server.url("http") } },
      allowedTools: ["mcp__near"],
      env: { HTTP_PROXY: proxy.url },
    });
    expect((await turn(engine, "Go.")).result).toMatchObject({ result: "It said: {}" });
    expect(proxy.seen).toEqual([]);
  });
});

describe("hooks that are web services", () => {
  const run = (url: string, env: Record<string, string>) =>
    runHttpHook(
      { type: "http", url, headers: {}, allowedEnvVars: [], blocksOnFailure: false } as unknown as Parameters<
        typeof runHttpHook
      >[0],
      { hook_event_name: "Stop", said: "hello" } as unknown as Parameters<typeof runHttpHook>[1],
      signal,
      { env },
    );

  test("are reached through a tunnel over https", async () => {
    const server = await secureServer("hook.test");
    const proxy = await startProxy(server);
    const answer = await run("https://hook.test/a?b", { HTTPS_PROXY: withUser(proxy.url) });
    expect(JSON.stringify(answer)).toContain("hello");
    expect(proxy.seen).toEqual([`CONNECT hook.test:443 ${basic}`]);
  });

  test("report a proxy that refuses or is not supported", async () => {
    const proxy = await startProxy({ port: 9 }, 407);
    await expect(run("https://refused.test/", { HTTPS_PROXY: proxy.url })).rejects.toThrow(/407/u);
    await expect(run("https://hook.test/", { ALL_PROXY: "socks5://127.0.0.1:1080" })).rejects.toThrow(
      "socks5:// are not supported",
    );
  });
});

describe("telemetry collectors", () => {
  const sent = { headers: { "x-key": "k" }, body: Buffer.from("{}"), timeoutMs: 20_000, signal };

  test("are reached through the proxy, over http and https", async () => {
    const asked = gate<IncomingMessage>();
    const plain = await serve((request, response) => {
      asked.open(request);
      response.end();
    });
    const first = await startProxy(plain);
    const http = { ...sent, url: new URL("http://collector.test:4318/v1/logs"), proxies: { http_proxy: first.url } };
    expect(await post(http)).toEqual({ ok: true });
    expect((await asked.opened).headers).toMatchObject({ "x-key": "k", host: "collector.test:4318" });
    const second = await startProxy(await secureServer("collector.test"));
    const https = { ...sent, url: new URL("https://collector.test/v1/logs"), proxies: { HTTPS_PROXY: second.url } };
    expect(await post(https)).toEqual({ ok: true });
    expect(second.seen).toEqual(["CONNECT collector.test:443 -"]);
  });

  test("behind a proxy that does not answer are given up in time, and nothing stays open", async () => {
    const proxy = await startProxy({ port: 9 }, 0);
    const https = { ...sent, url: new URL("https://collector.test/"), proxies: { HTTPS_PROXY: proxy.url } };
    expect(await post({ ...https, timeoutMs: 50 })).toMatchObject({ ok: false, why: "it did not answer within 50 ms" });
    await proxy.disconnected();
  });
});

describe("web pages", () => {
  const nowhere = async (host: string): Promise<never> => {
    throw Object.assign(new Error(host), { code: "ENOTFOUND" });
  };
  const read = async (url: string, proxy: string, web: Parameters<typeof openReading>[0]) => {
    const { call } = openReading(web, { HTTPS_PROXY: proxy, HTTP_PROXY: proxy });
    return JSON.stringify((await call("WebFetch", { url, prompt: "?" })).content);
  };

  test("are fetched through the proxy, also if only the proxy can resolve their name", async () => {
    const server = await secureServer("page.test");
    const proxy = await startProxy(server);
    expect(await read("https://page.test/a", proxy.url, { resolve: nowhere })).toContain("systemMessage");
    expect(proxy.seen).toEqual(["CONNECT page.test:443 -"]);
  });

  test("at private addresses are not fetched unless a rule names them", async () => {
    const server = await serve((_, response) => response.setHeader("content-type", "text/plain").end("inside"));
    const proxy = await startProxy(server);
    const none = { resolve: nowhere, isNamedHost: () => false };
    const inside = { resolve: async () => [{ address: "10.0.0.7", family: 4 as const }], isNamedHost: () => false };
    expect(await read("https://wiki.internal/", proxy.url, none)).toContain("The host wiki.internal was not found");
    expect(await read("https://10.1.2.3/", proxy.url, none)).toContain("a private network");
    expect(await read("https://page.test/", proxy.url, inside)).toContain("page.test leads to 10.0.0.7");
    expect(proxy.seen).toEqual([]);
    const named = { resolve: nowhere, isNamedHost: (host: string) => host === "wiki.internal" };
    expect(await read("http://wiki.internal/", proxy.url, named)).toContain("inside");
    expect(proxy.seen).toEqual(["GET http://wiki.internal/ - wiki.internal"]);
  });

  test("are not fetched if the proxy refuses, and the answer says so", async () => {
    const proxy = await startProxy({ port: 9 }, 403);
    const said = await read("https://page.test/", proxy.url, { resolve: nowhere });
    expect(said).toContain(`the proxy ${proxy.url} refused the tunnel (403)`);
    expect(await read("https://page.test/", "socks5://127.0.0.1:1", { resolve: nowhere })).toContain("not supported");
  });
});
