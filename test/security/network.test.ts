// Who opens connections and who listens: a short list of files, and nobody listens during a run.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startScriptedServer } from "../../src/testing/index.ts";
import { atWire, calls, resultsIn, says } from "../e2e/support/ask.ts";

const source = join(import.meta.dirname, "../../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
/** Without what is there for its types alone. */
const textOf = (name: string): string =>
  readFileSync(join(source, name), "utf8").replaceAll(/^import type [^;]*;/gmu, "");
const holding = (pattern: RegExp): string[] => files.filter((name) => pattern.test(textOf(name))).toSorted();

test("only the API, hooks, web pages, MCP servers, collectors and the sandbox's proxy open connections", () => {
  const opens =
    /(?:from |import\(|getBuiltinModule\()["'](?:node:)?(?:https?|http2|net|tls|dgram|undici)["']|\b(?:fetch|createProxiedFetch|requestOnce|tunnelThrough)\(|HTTPClientTransport\(|new (?:WebSocket|EventSource)\(/u;
  expect(holding(opens)).toEqual([
    // Says how long each address of a name is tried, and opens none.
    "cli/slow-networks.ts",
    "hooks/http-hook.ts",
    "lib/address-kind.ts",
    "lib/no-proxy.ts",
    // For those below, where the environment names a proxy.
    "lib/proxied-fetch.ts",
    "lib/proxy.ts",
    // Reads a pipe, which Node calls a socket.
    "lib/shell-pipes.ts",
    "mcp/login-callback.ts",
    // What a login server tells of itself, where a configuration says at which address: for the command that logs in.
    "mcp/login-metadata.ts",
    "mcp/open-remote.ts",
    "mcp/private-network-guard.ts",
    "mcp/web-socket.ts",
    // Looks whether a certificate and its key can be used, and opens none.
    "model/anthropic/client-certificate.ts",
    "model/anthropic/http-transport.ts",
    "model/anthropic/proxy.ts",
    "permissions/sandbox/hosts.ts",
    "permissions/sandbox/proxy.ts",
    "session/mcp/log-in.ts",
    // Names authorities to be trusted, and opens none.
    "session/surroundings/authorities.ts",
    // To a collector that the user names.
    "telemetry/post.ts",
    // Node's word on what a header may be.
    "testing/script/check-kit.ts",
    "testing/server/http.ts",
    "tools/web/page-request.ts",
    "tools/web/page-url.ts",
  ]);
});

test("only a login, the sandbox's proxy and the scripted server listen, and only on this machine", async () => {
  expect(holding(/\.listen\(/u)).toEqual([
    "mcp/login-callback.ts",
    "permissions/sandbox/proxy.ts",
    "testing/server/http.ts",
  ]);
  expect(textOf("mcp/login-callback.ts").match(/\.listen\(.*/gu)).toEqual(['.listen(port, "127.0.0.1", () => {']);
  expect(textOf("permissions/sandbox/proxy.ts").match(/server\.listen\(.*/gu)).toEqual(["server.listen(path, () => {"]);
  const server = await startScriptedServer({});
  expect(new URL(server.url).hostname).toBe("127.0.0.1");
  await server.close();
});

test.runIf(process.platform === "linux")("a run that calls the API and runs a command listens nowhere", () => {
  const look =
    "readlink /proc/$PPID/exe; for fd in /proc/$PPID/fd/*; do readlink $fd; done | grep -E 'socket|pipe'; cat /proc/$PPID/net/tcp /proc/$PPID/net/tcp6";
  return atWire([calls(["Bash", { command: look }]), says("ok")], async (place, server) => {
    const { code } = await place.run(["-p", "--allowed-tools", "Bash", "--", "x"]);
    expect(code).toBe(0);
    const [said = ""] = resultsIn(server.requests[1]);
    expect(said).toMatch(/^.*node\n(?:[^]*\n)?(?:socket|pipe):\[\d+\]/u);
    const rows = said.split("\n").map((line) => line.trim().split(/\s+/u));
    const listening = rows.flatMap(([, , , state, , , , , , inode = ""]) => (state === "0A" ? [inode] : []));
    // The test's own server at least.
    expect(listening.length).toBeGreaterThan(0);
    expect(listening.filter((inode) => said.includes(`socket:[${inode}]`))).toEqual([]);
  });
});
