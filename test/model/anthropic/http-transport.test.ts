// Requests as they arrive, connections as they are kept, proxies.
import { execFile } from "node:child_process";
import { createServer as createSecureServer } from "node:https";
import type { createServer, RequestOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { createHttpTransport } from "../../../src/model/anthropic/http-transport.ts";
import {
  createAnthropicModel,
  readCustomHeaders,
  type AnthropicModel,
  type AnthropicModelOptions,
} from "../../../src/model/index.ts";
import { startProxy } from "../../support/proxy.ts";
import { selfSigned, type Certificate } from "../support/certificate.ts";
import { begin, bodyOf, gate, listen, serve, type LocalServer } from "../support/servers.ts";
import { settle } from "../support/manual-timers.ts";
import { answering, failureOf, hear, modelRequest, said } from "../support/wire.ts";

function modelAt(options: Partial<AnthropicModelOptions>): AnthropicModel {
  const model = createAnthropicModel({ version: "1.2.3", ...options });
  onTestFinished(() => model.dispose());
  return model;
}

interface Arrived {
  method?: string;
  url?: string;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

async function echoing(): Promise<LocalServer & { arrived: Arrived[] }> {
  const arrived: Arrived[] = [];
  const server = await serve((request, response) => {
    bodyOf(request).then(
      (body) => {
        arrived.push({ method: request.method, url: request.url, headers: request.headers, body });
        begin(response).end(said("ok"));
      },
      (error: unknown) => response.destroy(error as Error),
    );
  });
  return { ...server, arrived };
}

describe("a request", () => {
  test("has the headers and the body that the API requires", async () => {
    const { url, arrived } = await echoing();
    const model = modelAt({ baseUrl: url, apiKey: " sk-ant-1\n", authToken: "token", betas: ["a-1", "b-2"] });
    const request = modelRequest({
      betas: ["b-2", "c-3"],
      messages: [{ role: "user", content: [{ type: "text", text: "naïve 🧪" }] }],
    });
    expect((await hear(model, request)).outcome.ok).toBe(true);
    expect(arrived[0]).toMatchObject({
      method: "POST",
      url: "/v1/messages",
      headers: {
        "x-api-key": "sk-ant-1",
        authorization: "Bearer token",
        "anthropic-version": "2023-06-01",
        "anthropic-beta": "a-1,b-2,c-3",
        "content-type": "application/json",
        "accept-encoding": "identity",
        "user-agent": "pawl/1.2.3",
        "content-length": `${model.measure(request).bytes}`,
      },
    });
    expect(JSON.parse(arrived[0]?.body ?? "")).toMatchObject({ model: "claude-sonnet-5-5", stream: true });
    expect(Buffer.byteLength(arrived[0]?.body ?? "")).toBe(model.measure(request).bytes);
  });

  test.each([
    ["", "/v1/messages"],
    ["/", "/v1/messages"],
    ["/gateway/anthropic", "/gateway/anthropic/v1/messages"],
    ["/gateway/anthropic/", "/gateway/anthropic/v1/messages"],
    ["/gateway?api-version=7", "/gateway/v1/messages?api-version=7"],
  ])("to a base URL ending in %j goes to %s", async (suffix, path) => {
    const { url, arrived } = await echoing();
    await hear(modelAt({ baseUrl: url + suffix }));
    expect(arrived[0]?.url).toBe(path);
  });

  test("has no credentials unless given; those in the base URL are sent but never shown", async () => {
    const { url, arrived } = await echoing();
    await hear(modelAt({ baseUrl: url }));
    expect(arrived[0]?.headers).not.toHaveProperty("authorization");
    expect(arrived[0]?.headers).not.toHaveProperty("x-api-key");
    const lines: string[] = [];
    await hear(modelAt({ baseUrl: url.replace("//", "//me:p%40ss%@"), onDebug: (line) => lines.push(line) }));
    expect(arrived[1]?.headers["authorization"]).toBe("Basic bWU6cCU0MHNzJQ==");
    expect(lines.join("\n")).not.toContain("ss%");
  });

  test("has the user's own headers in place of the built-in ones", async () => {
    const { headers, problems } = readCustomHeaders(
      "X-Team: blue\n\nAuthorization: Custom x: y\r\nanthropic-beta: mine\nnonsense",
    );
    expect(problems).toEqual(['line 5 of ANTHROPIC_CUSTOM_HEADERS is not "Name: value"']);
    const { url, arrived } = await echoing();
    await hear(modelAt({ baseUrl: url, authToken: "token", customHeaders: headers, betas: ["b-2"] }));
    expect(arrived[0]?.headers).toMatchObject({
      "x-team": "blue",
      authorization: "Custom x: y",
      "anthropic-beta": "mine,b-2",
    });
  });

  test.each([
    ["goes", (url: string) => ({ baseUrl: url })],
    ["goes by way of a proxy", (url: string) => ({ baseUrl: "http://model.test", environment: { http_proxy: url } })],
  ])("%s through a patched http.request, from the moment it is patched", async (_, way) => {
    const { url, arrived } = await echoing();
    const model = modelAt({ ...way(url), apiKey: "sk-ant-1" });
    await hear(model);
    const http = process.getBuiltinModule("node:http");
    const original = http.request;
    onTestFinished(() => {
      http.request = original;
    });
    // As OpenTelemetry does: a copy of the headers as an object, and one more.
    http.request = ((options: RequestOptions) =>
      original({ ...options, headers: { ...(options.headers as object), traceparent: "00-1" } })) as typeof original;
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(arrived[1]?.headers).toEqual({ ...arrived[0]?.headers, traceparent: "00-1" });
  });

  test("of many bytes reports each part that was sent, and arrives whole", async () => {
    const { url, arrived } = await echoing();
    const transport = createHttpTransport({ environment: {} });
    onTestFinished(() => transport.dispose());
    const pieces = ["a".repeat(1_000_000), "b", "c".repeat(300_000)].map((text) => Buffer.from(text));
    let parts = 0;
    const { signal } = new AbortController();
    const request = { method: "POST", url: `${url}/`, path: "/", headers: {}, pieces, signal } as const;
    const { status, body } = await transport.send({ ...request, onSent: () => parts++ });
    for await (const _ of body) continue;
    expect([status, parts, arrived[0]?.body === Buffer.concat(pieces).toString()]).toEqual([200, 7, true]);
  });

  test("calls onFirstSent once it is out, before the answer, for the first request only", async () => {
    let told = 0;
    const asked = gate();
    const { url } = await serve((request, response) => {
      request.resume();
      asked.opened.then(
        () => begin(response).end(said("ok")),
        (error: unknown) => response.destroy(error as Error),
      );
    });
    const onFirstSent = (): void => {
      told++;
      asked.open();
    };
    const model = modelAt({ baseUrl: url, onFirstSent });
    const both = [await hear(model), await hear(model)];
    expect([both.map(({ outcome }) => outcome.ok), told]).toEqual([[true, true], 1]);
  });

  test("does not call onFirstSent if there was no connection", async () => {
    let told = 0;
    const model = modelAt({ baseUrl: "http://127.0.0.1:1", onFirstSent: () => void told++ });
    const { outcome } = await hear(model);
    // Node calls back once the request is closed, which is behind its failure.
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect([outcome.ok, told]).toEqual([false, 0]);
  });

  test("may be answered with more header bytes than Node allows by default", async () => {
    const { url } = await serve((request, response) => {
      request.resume();
      for (let index = 0; index < 30; index++) response.setHeader(`x-policy-${index}`, "a".repeat(1_000));
      begin(response).end(said("ok"));
    });
    expect((await hear(modelAt({ baseUrl: url }))).outcome.ok).toBe(true);
  });

  test("is not repeated to the target of a redirect", async () => {
    const other = await echoing();
    const server = await serve(
      (_, response) => void response.writeHead(307, { location: `${other.url}/v1/messages` }).end(),
    );
    const { outcome } = await hear(modelAt({ baseUrl: server.url, apiKey: "sk-ant-1" }));
    expect(failureOf(outcome)).toMatchObject({ kind: "not_configured", status: 307 });
    expect(other.arrived).toHaveLength(0);
  });

  test("that is refused does not show the token of a custom header, even without its scheme word", async () => {
    const refused = { status: 401, headers: {}, body: ['{"message":"no such token: tok-12345678"}'] };
    const customHeaders = { authorization: "Bearer tok-12345678" };
    const { outcome } = await hear(modelAt({ transport: answering(refused), customHeaders }));
    expect(failureOf(outcome).message).toContain("no such token: [hidden]");
  });
});

test("sent bytes can be freed while the answer is awaited", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const arrived = gate<ServerResponse>();
  const server = await serve((request, response) => {
    bodyOf(request).then(
      () => arrived.open(response),
      (error: unknown) => response.destroy(error as Error),
    );
  });
  const owned = createHttpTransport({ environment: {} });
  onTestFinished(() => owned.dispose());
  const { signal } = new AbortController();
  const send = (): { answer: Promise<{ status: number }>; sent: WeakRef<Uint8Array> } => {
    const piece = Buffer.allocUnsafeSlow(50_000).fill("x");
    const url = `${server.url}/v1/messages`;
    const answer = owned.send({ method: "POST", url, headers: {}, pieces: [piece], signal });
    return { answer, sent: new WeakRef(piece) };
  };
  const { answer, sent } = send();
  const response = await arrived.opened;
  await settle();
  collect();
  expect(sent.deref()).toBeUndefined();
  begin(response).end(said("ok"));
  expect((await answer).status).toBe(200);
});

describe("connections", () => {
  const sockets = (): number =>
    process.getActiveResourcesInfo().filter((name) => /TCPSocket|TLS|Timeout/.test(name)).length;

  test("are reused for call after call, also by several models", async () => {
    const server = await echoing();
    const models = [modelAt({ baseUrl: server.url }), modelAt({ baseUrl: server.url })];
    for (let call = 0; call < 6; call++) expect((await hear(models[call % 2] as AnthropicModel)).outcome.ok).toBe(true);
    expect(server.connections).toHaveLength(1);
  });

  test("do not keep the process alive while idle, and are closed by dispose", async () => {
    const server = await echoing();
    const before = sockets();
    const [model, other] = [modelAt({ baseUrl: server.url }), modelAt({ baseUrl: server.url })];
    await hear(model);
    await hear(other);
    // The server's own end of the connection stays; the client's is not counted, being unreferenced.
    expect(sockets() - before).toBeLessThanOrEqual(1);
    model.dispose();
    other.dispose();
    await server.disconnected();
  });

  test("do not keep a program alive that forgot to dispose", async () => {
    const server = await echoing();
    const script = fileURLToPath(new URL("../support/one-call.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [script, server.url], { timeout: 50_000 });
    expect(stdout).toBe("end_turn\n");
    expect(server.connections).toHaveLength(1);
  });

  test("closed by the server are noticed before a request is sent on them", async () => {
    const server = await echoing();
    const model = modelAt({ baseUrl: server.url });
    for (let call = 0; call < 3; call++) {
      expect((await hear(model)).outcome).toMatchObject({ ok: true });
      // Before this process has looked at its connections again.
      server.connections[call]?.resetAndDestroy();
    }
    expect(server.connections).toHaveLength(3);
    expect(server.arrived).toHaveLength(3);
  });

  test("closed by the server are noticed by all calls that start at once", async () => {
    const server = await echoing();
    const models = Array.from({ length: 3 }, () => modelAt({ baseUrl: server.url }));
    for (let round = 0; round < 2; round++) {
      const heard = await Promise.all(models.map((model) => hear(model)));
      expect(heard.map(({ outcome }) => outcome.ok)).toEqual([true, true, true]);
      for (const connection of server.connections) connection.resetAndDestroy();
    }
    expect(server.connections).toHaveLength(6);
    expect(server.arrived).toHaveLength(6);
  });

  test("unused for a minute of wall-clock time are not reused", async () => {
    const server = await echoing();
    const model = modelAt({ baseUrl: server.url });
    const now = Date.now();
    for (const minutes of [0, 0.5, 1.2, 1.9, 8 * 60, 8 * 60, 0]) {
      // As after a sleep of the machine, in which no timer runs.
      vi.spyOn(Date, "now").mockReturnValue(now + minutes * 60_000);
      expect((await hear(model)).outcome.ok).toBe(true);
    }
    expect(server.connections).toHaveLength(3);
  });

  test("are not reused for a while after a reused one broke", async () => {
    const used = new WeakSet<Socket>();
    const server = await serve((request, response) => {
      request.resume();
      if (used.has(request.socket)) request.socket.resetAndDestroy();
      else begin(response).end(said("ok"));
      used.add(request.socket);
    });
    const model = modelAt({ baseUrl: server.url });
    const calls: boolean[] = [];
    for (let call = 0; call < 6; call++) calls.push((await hear(model)).outcome.ok);
    expect(calls).toEqual([true, false, true, true, true, true]);
    expect(server.connections).toHaveLength(5);
  });

  test("are reused after an error answer", async () => {
    let calls = 0;
    const server = await serve((request, response) => {
      request.resume();
      if (calls++ === 0)
        response
          .writeHead(529, { "content-type": "application/json" })
          .end('{"type":"error","error":{"type":"overloaded_error","message":"x"}}');
      else begin(response).end(said("ok"));
    });
    const model = modelAt({ baseUrl: server.url });
    expect((await hear(model)).outcome.ok).toBe(false);
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(server.connections).toHaveLength(1);
  });
});

describe("a proxy", () => {
  const host = "model.test";
  let certificate: Certificate;

  beforeAll(() => {
    certificate = selfSigned(host);
  });

  function secureEcho(): Promise<LocalServer> {
    const server = createSecureServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
      request.resume();
      begin(response).end(said("secret"));
    });
    return listen(server as unknown as ReturnType<typeof createServer>);
  }

  function secureModel(environment: Record<string, string>): AnthropicModel {
    const owned = createHttpTransport({ environment, certificateAuthorities: certificate.cert });
    onTestFinished(() => owned.dispose());
    return modelAt({ baseUrl: `https://${host}`, transport: (request) => owned.send(request), apiKey: "sk-ant-1" });
  }

  test("gets absolute URLs and its credentials for http", async () => {
    const target = await echoing();
    const proxy = await startProxy(target);
    const environment = { HTTP_PROXY: proxy.url.replace("//", "//user:pa%20ss@") };
    const model = modelAt({ baseUrl: `http://${host}/prefix`, environment });
    for (let call = 0; call < 2; call++) expect((await hear(model)).outcome.ok).toBe(true);
    expect(proxy.seen[0]).toBe(`POST http://${host}/prefix/v1/messages Basic dXNlcjpwYSBzcw== ${host}`);
    expect(proxy.connections).toHaveLength(1);
  });

  test("opens one tunnel for many https calls", async () => {
    const target = await secureEcho();
    const proxy = await startProxy(target);
    const model = secureModel({ https_proxy: proxy.url, HTTPS_PROXY: "http://ignored.test" });
    for (let call = 0; call < 3; call++) expect((await hear(model)).outcome.ok).toBe(true);
    expect(proxy.seen).toEqual([`CONNECT ${host}:443 -`]);
  });

  test.each([
    [407, "not_configured", "none"],
    [403, "not_configured", "none"],
    [502, "connection", "retry"],
  ])("that refuses the tunnel with %d is named in the failure", async (status, kind, recovery) => {
    const proxy = await startProxy(await secureEcho(), status);
    const failure = failureOf((await hear(secureModel({ HTTPS_PROXY: proxy.url }))).outcome);
    expect(failure).toMatchObject({ kind, recovery });
    expect(failure.message).toContain(`the proxy ${proxy.url} refused the tunnel (${status})`);
  });

  test("that closes the connection before the tunnel is named, and nothing was sent", async () => {
    const proxy = await serve(() => undefined);
    proxy.server.on("connect", (_request, socket: Socket) => socket.destroy());
    const failure = failureOf((await hear(secureModel({ HTTPS_PROXY: proxy.url }))).outcome);
    expect(failure).toMatchObject({ kind: "connection", recovery: "retry", neverSent: true, mayPass: true });
    expect(failure.message).toBe(
      `https://${host} was not asked: the proxy ${proxy.url} closed the connection (ECONNRESET). Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.`,
    );
  });

  test.each(["http", "https"])("that does not listen is named for %s, not the endpoint", async (kind) => {
    const gone = await echoing();
    await new Promise((resolve) => gone.server.close(resolve));
    const environment = { [`${kind}_proxy`]: gone.url.replace("//", "//user:secret@") };
    const model = kind === "http" ? modelAt({ baseUrl: "http://127.0.0.1:9", environment }) : secureModel(environment);
    const failure = failureOf((await hear(model)).outcome);
    expect(failure).toMatchObject({ kind: "connection", recovery: "retry", neverSent: true });
    const endpoint = kind === "http" ? "http://127.0.0.1:9" : `https://${host}`;
    expect(failure.message).toBe(
      `${endpoint} was not asked: the proxy ${gone.url} refuses connections (ECONNREFUSED). Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.`,
    );
  });

  test("that never opens the tunnel is abandoned when the call is aborted", async () => {
    const proxy = await startProxy(await secureEcho(), 0);
    const controller = new AbortController();
    const asked = new Promise((resolve) => proxy.server.once("connect", resolve));
    const heard = hear(secureModel({ HTTPS_PROXY: proxy.url }), modelRequest(), controller.signal);
    await asked;
    controller.abort("user");
    expect(failureOf((await heard).outcome).kind).toBe("aborted");
    await proxy.disconnected();
  });

  test("is not used for hosts in NO_PROXY", async () => {
    const target = await echoing();
    const proxy = await startProxy(target);
    const model = modelAt({
      baseUrl: target.url,
      environment: { HTTP_PROXY: proxy.url, NO_PROXY: "example.com,127.0.0.1" },
    });
    expect((await hear(model)).outcome.ok).toBe(true);
    expect(proxy.seen).toEqual([]);
    expect(target.arrived).toHaveLength(1);
  });

  test("is used for this machine too unless NO_PROXY says otherwise", async () => {
    const target = await echoing();
    const proxy = await startProxy(target);
    await hear(modelAt({ baseUrl: target.url, environment: { ALL_PROXY: proxy.url.replace("http://", "") } }));
    expect(proxy.seen).toHaveLength(1);
  });

  test.each([
    ["socks5://127.0.0.1:1080", "socks5:// are not supported"],
    ["http://[bad", "is not a URL"],
  ])("with an unsupported URL is a configuration failure: %s", async (value, words) => {
    const failure = failureOf(
      (await hear(modelAt({ baseUrl: "http://model.test", environment: { HTTP_PROXY: value } }))).outcome,
    );
    expect(failure).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(failure.message).toContain(words);
  });

  test("is not needed for a server addressed by IP whose name is in the Host header", async () => {
    const target = await secureEcho();
    const owned = createHttpTransport({ environment: {}, certificateAuthorities: certificate.cert });
    onTestFinished(() => owned.dispose());
    const model = modelAt({
      baseUrl: `https://127.0.0.1:${target.port}`,
      transport: (request) => owned.send(request),
      customHeaders: { Host: host },
    });
    expect((await hear(model)).outcome.ok).toBe(true);
  });

  test("does not make a server's untrusted certificate acceptable", async () => {
    const proxy = await startProxy(await secureEcho());
    const model = modelAt({ baseUrl: `https://${host}`, environment: { HTTPS_PROXY: proxy.url } });
    const failure = failureOf((await hear(model)).outcome);
    expect(failure).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(failure.message).toContain("NODE_EXTRA_CA_CERTS");
  });
});
