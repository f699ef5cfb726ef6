// The proxy of a sandbox, called as a command inside would call it. Runs also on machines where nothing can be confined.
import { once } from "node:events";
import { createServer, request, type IncomingMessage, type Server } from "node:http";
import { connect, createServer as createRawServer, type AddressInfo, type Server as RawServer } from "node:net";
import { join } from "node:path";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import type { HostQuestion } from "../../../src/permissions/permission-options.ts";
import { openNetwork, type HostPolicy } from "../../../src/permissions/sandbox/network.ts";
import type { PermissionDecision } from "../../../src/protocol/permission.ts";
import { makePlace, rulesOf, settingsOf } from "./support.ts";

async function listening(server: RawServer): Promise<number> {
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Says what it was asked for. */
function echoServer(): Promise<number> {
  return listening(
    createServer((incoming, response) => {
      const { host, "proxy-authorization": credentials = "none" } = incoming.headers;
      response.end(`REACHED ${host} ${incoming.url} ${credentials}`);
    }),
  );
}

type Wishes = NonNullable<Parameters<typeof settingsOf>[0]>["network"];

interface Way {
  /** What the plain proxy answers: its status and what it says. */
  get(url: string, headers?: Record<string, string>): Promise<string>;
  /** What is said through a tunnel to it; the status where there is none. */
  tunnel(authority: string, path: string): Promise<string>;
  refused(): string[];
  close(): void;
}

async function openWay(network: Wishes, more: Partial<HostPolicy> = {}): Promise<Way> {
  const place = makePlace();
  const policy = { settings: settingsOf({ network }).network, rules: () => rulesOf(place), environment: {}, ...more };
  const call = { input: { command: "curl x" }, toolUseId: "toolu_1", cwd: place.repo } as never;
  const opened = await openNetwork(policy, join(place.root, "net"), true, call);
  onTestFinished(() => opened.close());
  const socketPath = opened.portBridges[0]?.socket ?? "";
  const answered = async (response: IncomingMessage) => `${response.statusCode} ${await text(response)}`.trim();
  return {
    async get(path, headers = {}) {
      const asked = request({ socketPath, path, headers: { ...headers, "proxy-authorization": "of the command" } });
      asked.end();
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      return answered(response);
    },
    async tunnel(authority, path) {
      const asked = request({ socketPath, method: "CONNECT", path: authority });
      asked.end();
      const [answer, socket, head] = (await once(asked, "connect")) as [IncomingMessage, Duplex, Buffer];
      if (answer.statusCode !== 200) return `${answer.statusCode} ${head.toString()}${await text(socket)}`.trim();
      const inner = request({ createConnection: () => socket as never, path, headers: { host: authority } });
      inner.end();
      const [response] = (await once(inner, "response")) as [IncomingMessage];
      return answered(response);
    },
    refused: () => opened.refusedHosts().map(({ host, port, why }) => `${host}:${port} ${why}`),
    close: () => opened.close(),
  };
}

test("a listed host is reached by its own name, directly and through a tunnel, and no other host is", async () => {
  const port = await echoServer();
  const way = await openWay({ allowedDomains: ["127.0.0.1"] });
  const host = `127.0.0.1:${port}`;
  expect(await way.get(`http://${host}/a?b`)).toBe(`200 REACHED ${host} /a?b none`);
  expect(await way.get(`http://${host}/`, { host: "other.test" })).toBe(`200 REACHED ${host} / none`);
  expect(await way.tunnel(host, "/c")).toBe(`200 REACHED ${host} /c none`);
  expect(way.refused()).toEqual([]);
  expect(await way.get(`http://localhost:${port}/`)).toMatch(
    /^403 Refused by the sandbox: addresses and names of this/u,
  );
  expect(await way.tunnel(`localhost:${port}`, "/")).toMatch(/^403 Refused by the sandbox/u);
  expect(way.refused()).toHaveLength(2);
});

test("a request without a full http: address, or without host and port, is refused", async () => {
  const way = await openWay({ allowedDomains: ["*"] });
  expect(await way.get("/a")).toMatch(/^400 /u);
  expect(await way.get("https://a.test/")).toMatch(/^400 /u);
  for (const authority of ["a.test:0", "a.test:65536", "user@a.test:80"])
    expect(await way.tunnel(authority, "/")).toMatch(/^403 .*not a host and port/u);
});

test("a name that resolves to this machine is refused at each request", async () => {
  const port = await echoServer();
  const answers = [["127.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"], []];
  const way = await openWay({ allowedDomains: ["rebound.test"] }, { resolve: async () => answers.shift() ?? [] });
  expect(await way.get(`http://rebound.test:${port}/`)).toMatch(/^403 .*leads to 127\.0\.0\.1, which is this machine/u);
  expect(await way.tunnel(`rebound.test:${port}`, "/")).toMatch(/^403 .*leads to ::ffff:127/u);
  expect(await way.get(`http://rebound.test:${port}/`)).toMatch(/^403 .*leads to 169\.254/u);
  expect(await way.get(`http://rebound.test:${port}/`)).toMatch(/^502 rebound\.test was not found/u);
});

test("rules decide before anybody is asked, and a person is asked once for each host", async () => {
  const place = makePlace();
  const rules = rulesOf(place, { allow: ["WebFetch(domain:open.test)"], deny: ["WebFetch(domain:shut.test)"] });
  const asked: string[] = [];
  const askAboutHost = async ({ host }: HostQuestion): Promise<PermissionDecision> => {
    asked.push(host);
    if (host === "yes.test") return { behavior: "allow", reason: { type: "user" } };
    if (host === "odd.test") throw new Error("the terminal is gone");
    return { behavior: "deny", message: "The user refused it", reason: { type: "user" } };
  };
  const more = { rules: () => rules, askAboutHost, resolve: async () => ["10.255.255.1"] };
  const way = await openWay({ allowedDomains: ["shut.test"] }, more);
  expect(await way.get("http://shut.test/")).toMatch(/^403 .*a permission rule denies it/u);
  expect(await way.get("http://open.test/")).toMatch(/^403 .*leads to 10\.255\.255\.1, which is private/u);
  const both = await Promise.all([way.get("http://no.test/"), way.tunnel("no.test:443", "/")]);
  for (const said of both) expect(said).toMatch(/^403 Refused by the sandbox: The user refused it/u);
  // A host that a person allows is not a listed one: private addresses stay closed.
  expect(await way.get("http://yes.test/")).toMatch(/^403 .*which is private/u);
  expect(await way.get("http://odd.test/")).toMatch(/^403 .*nobody could be asked \(the terminal is gone\)/u);
  expect(asked).toEqual(["no.test", "yes.test", "odd.test"]);
  const strict = await openWay({ allowedDomains: ["a.test"], strictAllowlist: true }, more);
  expect(await strict.get("http://no.test/")).toMatch(/^403 .*it is not among the allowed hosts/u);
  expect(asked).toHaveLength(3);
});

test("there is no network if no host could be reached", async () => {
  const place = makePlace();
  const call = { input: { command: "x" }, toolUseId: "toolu_1", cwd: place.repo } as never;
  const policy = { settings: settingsOf().network, rules: () => rulesOf(place), environment: {} };
  expect((await openNetwork(policy, join(place.root, "a"), true, call)).portBridges).toEqual([]);
  const opening = { ...policy, rules: () => rulesOf(place, { allow: ["WebFetch(domain:open.test)"] }) };
  expect((await openNetwork(opening, join(place.root, "b"), false, call)).portBridges).toEqual([]);
  const opened = await openNetwork(opening, join(place.root, "c"), true, call);
  onTestFinished(() => opened.close());
  expect(opened.portBridges).toHaveLength(1);
  expect(opened.environment({})).toMatchObject({ HTTPS_PROXY: "http://127.0.0.1:3128" });
});

test("allowed requests go through the proxy in the user's environment, and others go nowhere", async () => {
  const port = await echoServer();
  const heard: string[] = [];
  const proxy: Server = createServer((incoming, response) => {
    heard.push(`${incoming.method} ${incoming.url} ${incoming.headers["proxy-authorization"]}`);
    response.end("BY PROXY");
  });
  proxy.on("connect", (incoming: IncomingMessage, socket: Duplex) => {
    heard.push(`${incoming.method} ${incoming.url} ${incoming.headers["proxy-authorization"]}`);
    if (incoming.url?.startsWith("busy") === true) return void socket.end("HTTP/1.1 503 Busy\r\n\r\n");
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const each of [onward, socket]) each.on("error", () => onward.destroy());
  });
  const address = `http://user:p%40ss@127.0.0.1:${await listening(proxy)}`;
  const environment = { HTTP_PROXY: address, https_proxy: address, NO_PROXY: "direct.test" };
  const allowedDomains = ["far.test", "busy.test", "direct.test"];
  const way = await openWay({ allowedDomains }, { environment, resolve: async () => [] });
  expect(await way.get("http://far.test/x")).toBe("200 BY PROXY");
  expect(await way.tunnel("far.test:8443", "/y")).toBe("200 REACHED far.test:8443 /y none");
  expect(await way.tunnel("busy.test:8443", "/")).toMatch(/^502 busy\.test did not answer/u);
  expect(await way.get("http://direct.test/")).toMatch(/^502 direct\.test was not found/u);
  expect(await way.get("http://other.test/")).toMatch(/^403 /u);
  expect(heard).toEqual([
    "GET http://far.test/x Basic dXNlcjpwQHNz",
    "CONNECT far.test:8443 Basic dXNlcjpwQHNz",
    "CONNECT busy.test:8443 Basic dXNlcjpwQHNz",
  ]);
});

test("the user's own proxy replaces the built-in one", async () => {
  const port = await listening(createRawServer((socket) => void socket.end("HTTP/1.1 204 No Content\r\n\r\n")));
  const way = await openWay({ httpProxyPort: port });
  expect(await way.get("http://any.test/x")).toBe("204");
});

test("after the command has ended, nothing passes any more, and questions are withdrawn", async () => {
  const held = Promise.withResolvers<void>();
  const port = await listening(createRawServer(() => held.resolve()));
  const way = await openWay({ allowedDomains: ["127.0.0.1"] });
  const asked = way.get(`http://127.0.0.1:${port}/`);
  await held.promise;
  way.close();
  await expect(asked).rejects.toThrow(/socket hang up|ECONNRESET/u);
  const question = Promise.withResolvers<AbortSignal>();
  const askAboutHost = (_: HostQuestion, signal: AbortSignal): Promise<PermissionDecision> => {
    question.resolve(signal);
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("over"))));
  };
  const other = await openWay({}, { askAboutHost });
  const unanswered = other.get("http://a.test/");
  const signal = await question.promise;
  other.close();
  expect(signal.aborted).toBe(true);
  await expect(unanswered).rejects.toThrow(/socket hang up|ECONNRESET/u);
});
