// Hosts judged by name, by address, by rules and by a person; and a real command's connection through the proxy.
import { writeFileSync } from "node:fs";
import { createServer as createHttp } from "node:http";
import { connect, createServer, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { addressProblem, judgeHost, normalizeHost } from "../../../src/permissions/sandbox/hosts.ts";
import type { HostQuestion } from "../../../src/permissions/permission-options.ts";
import type { PermissionDecision } from "../../../src/protocol/permission.ts";
import { textOf, whenFile } from "../../tools/support.ts";
import { confined, makePlace, openBox, rulesOf } from "./support.ts";

describe("host names:", () => {
  const lists = {
    allowed: ["example.com", "*.good.org", "10.1.2.3", "[::1]"],
    denied: ["bad.good.org", "*.worse.org"],
  };
  test.each([
    ["example.com", "listed"],
    ["EXAMPLE.com.", "listed"],
    ["sub.example.com", "unknown"],
    ["example.com.evil.net", "unknown"],
    ["notexample.com", "unknown"],
    ["a.good.org", "pattern"],
    ["a.b.good.org", "pattern"],
    ["good.org", "unknown"],
    ["evilgood.org", "unknown"],
    ["bad.good.org", "denied"],
    ["x.worse.org", "denied"],
    ["10.1.2.3", "listed"],
    ["::1", "listed"],
    ["127.0.0.1", "denied"],
    ["2130706433", "denied"],
    ["0x7f.1", "denied"],
    ["localhost", "denied"],
    ["x.localhost", "denied"],
    ["metadata.google.internal", "denied"],
    ["printer", "denied"],
    ["[::ffff:127.0.0.1]", "denied"],
  ])("%s is %s", (host, verdict) => {
    expect(judgeHost(normalizeHost(host) ?? "none", lists)).toBe(verdict);
  });

  test("a lone star allows names, but no addresses", () => {
    expect(judgeHost("any.net", { allowed: ["*"], denied: [] })).toBe("pattern");
    expect(judgeHost("127.0.0.1", { allowed: ["*"], denied: [] })).toBe("denied");
  });

  test.each(["a b", "a/b", "user@host", "host:80", "", "a\\b", "%31", "a#b"])("%j is no host", (host) => {
    expect(normalizeHost(host)).toBeUndefined();
  });
});

describe("addresses of allowed names:", () => {
  test.each([
    ["93.184.216.34", undefined, undefined],
    ["127.0.0.1", /this machine/u, /this machine/u],
    ["169.254.169.254", /this machine or its link/u, /this machine/u],
    ["0.0.0.0", /this machine/u, /this machine/u],
    ["::1", /this machine/u, /this machine/u],
    ["::ffff:127.0.0.1", /this machine/u, /this machine/u],
    ["fe80::1", /this machine/u, /this machine/u],
    ["10.0.0.1", undefined, /private/u],
    ["192.168.1.1", undefined, /private/u],
    ["fd00::1", undefined, /private/u],
    ["64:ff9b::7f00:1", undefined, /private/u],
    ["2606:4700::1", undefined, undefined],
    ["nonsense", /this machine/u, /this machine/u],
  ])("%s is judged for a listed name and for a pattern", (address, listed, pattern) => {
    for (const [verdict, expected] of [
      ["listed", listed],
      ["pattern", pattern],
    ] as const) {
      const problem = addressProblem("example.com", address, verdict);
      if (expected === undefined) expect(problem).toBeUndefined();
      else expect(problem).toMatch(expected);
    }
  });
});

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Answers with what it was asked for, on 127.0.0.1. */
async function echoServer(): Promise<number> {
  const server = createHttp((incoming, response) => response.end(`REACHED ${incoming.headers.host} ${incoming.url}\n`));
  server.listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return portOf(server);
}

confined(
  "a listed host is reached through the proxy, directly and through a tunnel, and no other host is",
  async () => {
    const port = await echoServer();
    const { run } = await openBox({ network: { allowedDomains: ["127.0.0.1"] } });
    expect(await run(`curl -s http://127.0.0.1:${port}/a?b; curl -sp http://127.0.0.1:${port}/c`)).toBe(
      `REACHED 127.0.0.1:${port} /a?b\nREACHED 127.0.0.1:${port} /c`,
    );
    const refused = await run(`curl -sf --noproxy '' http://localhost:${port}/`);
    expect(refused).toContain(`the network was refused to localhost:${port}: addresses and names of this machine`);
    // The name in the request is the one that was judged, whatever else is said of it.
    expect(await run(`curl -s -H 'Host: other.test' http://127.0.0.1:${port}/`)).toBe(`REACHED 127.0.0.1:${port} /`);
  },
);

confined("a command starts only when its network bridge listens, however long that takes", async () => {
  const port = await echoServer();
  const place = makePlace();
  const slow = join(place.home, "socat");
  writeFileSync(slow, '#!/bin/sh\nsleep 0.3\nexec /usr/bin/socat "$@"\n', { mode: 0o755 });
  const { run } = await openBox({ socatPath: slow, network: { allowedDomains: ["127.0.0.1"] } }, {}, place);
  expect(await run(`curl -s http://127.0.0.1:${port}/a`)).toBe(`REACHED 127.0.0.1:${port} /a`);
  writeFileSync(slow, "#!/bin/sh\nexit 1\n");
  expect(await run(`curl -s http://127.0.0.1:${port}/a || echo shut`)).toContain("shut");
});

confined("a name that resolves to this machine, at first or later, is refused", async () => {
  const port = await echoServer();
  const answers = [["127.0.0.1"], ["::ffff:127.0.0.1"], ["169.254.169.254"]];
  const { run } = await openBox(
    { network: { allowedDomains: ["rebound.test"] } },
    { resolve: async () => answers.shift() ?? [] },
  );
  const said = await run(
    `for i in 1 2 3; do curl -s http://rebound.test:${port}/; done; curl -sp http://rebound.test:${port}/`,
  );
  expect(said).not.toContain("REACHED");
  expect(said).toContain("rebound.test leads to 127.0.0.1, which is this machine or its link");
});

confined("a person is asked once for each host and command, and the model is told what was refused", async () => {
  const port = await echoServer();
  const asked: HostQuestion[] = [];
  const decide = async (question: HostQuestion): Promise<PermissionDecision> => {
    asked.push(question);
    return question.host === "yes.test"
      ? { behavior: "allow", reason: { type: "user" } }
      : { behavior: "deny", message: "The user refused it.", reason: { type: "user" } };
  };
  const { run } = await openBox({}, { askAboutHost: decide, resolve: async () => ["10.255.255.1"] });
  const said = await run(
    `curl -s http://no.test:${port}/ & curl -sp http://no.test:${port}/ & wait; curl -s http://yes.test:${port}/`,
  );
  expect(asked.map(({ host }) => host)).toEqual(["no.test", "yes.test"]);
  expect(asked[0]?.command).toContain("curl");
  expect(said).toContain(`the network was refused to no.test:${port}: The user refused it.`);
  expect(said).toContain("yes.test leads to 10.255.255.1, which is private");
});

confined("nobody is asked with strictAllowlist, and rules decide first", async () => {
  const asked: string[] = [];
  const askAboutHost = async ({ host }: HostQuestion): Promise<PermissionDecision> => {
    asked.push(host);
    return { behavior: "allow", reason: { type: "user" } };
  };
  const place = makePlace();
  const rules = rulesOf(place, { allow: ["WebFetch(domain:open.test)"], deny: ["WebFetch(domain:shut.test)"] });
  const more = { askAboutHost, rules: () => rules, resolve: async () => [] };
  const { run } = await openBox({ network: { strictAllowlist: true, allowedDomains: ["shut.test"] } }, more, place);
  const said = await run("for h in open shut other; do curl -s http://$h.test/; done");
  expect(said).toContain("open.test was not found");
  expect(said).toContain("shut.test:80: a permission rule denies it");
  expect(said).toContain("other.test:80: it is not among the allowed hosts");
  expect(asked).toEqual([]);
});

confined("allowed requests go through the proxy in the user's environment, and others go nowhere", async () => {
  const port = await echoServer();
  const heard: string[] = [];
  const upstream = createHttp((incoming, response) => {
    heard.push(`${incoming.method} ${incoming.url} ${incoming.headers["proxy-authorization"]}`);
    response.end("BY PROXY\n");
  });
  upstream.on("connect", (incoming, socket) => {
    heard.push(`${incoming.method} ${incoming.url}`);
    const onward = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      onward.pipe(socket).pipe(onward);
    });
    for (const each of [onward, socket]) each.on("error", () => onward.destroy());
  });
  upstream.listen(0, "127.0.0.1");
  onTestFinished(() => void upstream.close());
  await new Promise((resolve) => upstream.once("listening", resolve));
  const proxy = `http://user:p%40ss@127.0.0.1:${portOf(upstream)}`;
  const environment = { PATH: process.env["PATH"], HTTP_PROXY: proxy, https_proxy: proxy, NO_PROXY: "direct.test" };
  const more = { environment, resolve: async () => [] };
  const { run } = await openBox({ network: { allowedDomains: ["far.test", "direct.test"] } }, more);
  const said = await run(
    "curl -s http://far.test/x; curl -sp http://far.test:8443/y; curl -s http://direct.test/; curl -s http://other.test/",
  );
  expect(said).toContain("BY PROXY\nREACHED far.test:8443 /y\ndirect.test was not found.\nRefused by the sandbox");
  expect(heard).toEqual(["GET http://far.test/x Basic dXNlcjpwQHNz", "CONNECT far.test:8443"]);
});

confined("the user's own proxy replaces the built-in one", async () => {
  const heard: string[] = [];
  const proxy = createServer((socket) => {
    socket.once("data", (bytes) => {
      heard.push(bytes.toString().split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void proxy.close());
  await new Promise((resolve) => proxy.once("listening", resolve));
  const { run } = await openBox({ network: { httpProxyPort: portOf(proxy) } });
  await run("curl -s http://any.test/x");
  expect(heard).toEqual(["GET http://any.test/x HTTP/1.1"]);
});

confined("without a reachable host there is no network, and the model is told so", async () => {
  const { run } = await openBox();
  expect(await run("env | grep -ci proxy; curl -s http://example.com/")).toContain("Exit code 6");
  expect(await run("curl -sS http://example.com/")).toContain("there is no network.");
});

confined("the model is told that an unlisted server of this machine is closed to the sandbox", async () => {
  const address = `http://localhost:${await echoServer()}/`;
  const { run } = await openBox({ network: { allowedDomains: ["a.test"] } });
  expect(await run(`curl -sS ${address}`)).toContain("[Sandbox: a command reaches only those servers of this machine");
  const listed = await openBox({ network: { allowedDomains: ["localhost"] } });
  expect(await listed.run(`curl -sS ${address}`)).toMatch(/^REACHED/);
});

confined("a command that moves to the background reports what was refused so far", async () => {
  const { box, repo } = await openBox({ network: { allowedDomains: ["a.test"] } });
  const command = "curl -s http://b.test/; echo > asked; sleep 1000 & wait";
  const call = box.call("Bash", { command, timeout: 60_000 }, { cwd: repo });
  await whenFile(join(repo, "asked"));
  await box.clock.pass(60_000);
  const said = textOf(await call);
  expect(said).toContain("was moved to the background");
  expect(said).toContain("the network was refused to b.test:80");
});

confined("sockets of other programs open if the settings allow it", async () => {
  const place = makePlace();
  const path = join(place.repo, "daemon.sock");
  const daemon = createServer((socket) => socket.end("REACHED")).listen(path);
  onTestFinished(() => void daemon.close());
  await new Promise((resolve) => daemon.once("listening", resolve));
  const { run } = await openBox({ network: { allowAllUnixSockets: true } }, {}, place);
  expect(await run(`socat -u UNIX-CONNECT:${path} -`)).toBe("REACHED");
});
