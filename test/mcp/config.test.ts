import { basename } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { problemText, readConfigText, type ConfigSource } from "../../src/mcp/config.ts";
import { expand } from "../../src/mcp/expand.ts";
import { chooseServers } from "../../src/mcp/server-policy.ts";
import type { Server } from "../../src/mcp/server.ts";
import { describeCorpus } from "../support/corpus.ts";

const source: ConfigSource = { name: "/w/.mcp.json", scope: "project", folder: "/w", env: { TOKEN: "t0", EMPTY: "" } };

function read(value: unknown): { servers: Server[]; problems: string[] } {
  const { servers, problems } = readConfigText(JSON.stringify(value, null, 2), source);
  return { servers, problems: problems.map(problemText) };
}

describe("a configuration", () => {
  test("may have servers of each type, with environment variables filled in", () => {
    const { servers, problems } = read({
      mcpServers: {
        local: { command: "npx", args: ["-y", "x"], env: { KEY: "${TOKEN}", PORT: 80 }, timeout: 5_000 },
        remote: { type: "http", url: "https://a.test/${PLACE:-mcp}", headers: { Authorization: "Bearer ${TOKEN}" } },
        old: { type: "sse", url: "http://127.0.0.1:1/sse", timeout: 10 },
        untyped: { url: "https://b.test/" },
      },
    });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      {
        name: "local",
        type: "stdio",
        args: ["-y", "x"],
        env: { KEY: "t0", PORT: "80" },
        timeoutMs: 5_000,
        cwd: "/w",
        startsIn: "/w",
      },
      { name: "remote", type: "http", url: "https://a.test/mcp", headers: { Authorization: "Bearer t0" } },
      { name: "old", type: "sse" },
      { name: "untyped", type: "http" },
    ]);
    expect(servers[2]).not.toHaveProperty("timeoutMs");
  });

  test.each([
    ["sub", "/w/sub"],
    ["../${TOKEN}", "/t0"],
    ["/srv", "/srv"],
    ["", "/w"],
    [null, "/w"],
  ])("may set the working directory of a server: %j", (cwd, startsIn) => {
    expect(read({ mcpServers: { a: { command: "x", cwd } } })).toMatchObject({ problems: [], servers: [{ startsIn }] });
  });

  // As other clients have it; people have reported for months that it was started all the same.
  test("may disable a server, which then never starts and needs no variables", () => {
    const { servers, problems } = read({
      mcpServers: {
        off: { command: "npx", env: { KEY: "${MISSING}" }, disabled: true },
        remote: { url: "https://a.test/", disabled: true },
        on: { command: "npx", disabled: false },
      },
    });
    expect(problems).toEqual([]);
    const chosen = chooseServers(servers, { enableAll: true, disabled: [], allowed: [], denied: [] });
    expect(chosen.servers.map(({ name }) => name)).toEqual(["on"]);
    const why = 'it is switched off where it is configured ("disabled": true)';
    expect(chosen.idle).toMatchObject([
      { name: "off", status: "disabled", why },
      { name: "remote", status: "disabled", why },
    ]);
  });

  test("may have notes and commented-out servers among its servers", () => {
    const command = "npx";
    const { servers, problems } = read({
      mcpServers: { "//": "x", "// Work": {}, "// off": { command }, _comment: "y", _notes: ["z"], _mine: { command } },
    });
    expect(problems).toEqual([]);
    expect(servers.map(({ name }) => name)).toEqual(["_mine"]);
  });

  test.each(["http", "HTTP", "streamable-http", "streamableHttp", "streamable_http"])(
    "may have a server of the type %s, as other clients write it",
    (type) => {
      const { servers, problems } = read({ mcpServers: { a: { type, url: "https://a.test/" } } });
      expect([servers.map((server) => server.type), problems]).toEqual([["http"], []]);
    },
  );

  test("may have null for absent fields", () => {
    const names = "type transport timeout alwaysLoad disabled tools headers headersHelper oauth";
    const absent = Object.fromEntries(`${names} cwd`.split(" ").map((name) => [name, null]));
    const local = { command: "npx" };
    const remote = { url: "https://a.test/" };
    const given = read({
      mcpServers: {
        local: { ...absent, url: null, args: null, env: null, ...local },
        remote: { ...absent, command: null, args: null, env: null, ...remote },
      },
    });
    expect(given).toEqual(read({ mcpServers: { local, remote } }));
    expect(given.problems).toEqual([]);
  });

  // Seen: 70000 ended a login with Node's own error, and "8080" was ignored.
  test("must have a callback port from 1 to 65535", () => {
    const remote = (callbackPort: unknown) => ({ url: "https://a.test/", oauth: { clientId: "c", callbackPort } });
    const { servers, problems } = read({
      mcpServers: {
        a: remote(1),
        b: remote("${PORT:-8081}"),
        last: remote(65_535),
        ...Object.fromEntries([65_536, 1.5, "x", -1, "0"].map((port) => [`not ${port}`, remote(port)])),
      },
    });
    const ports = servers.map((server) => "oauth" in server && server.oauth?.callbackPort);
    expect(ports).toEqual([1, 8081, 65_535]);
    expect(problems).toHaveLength(5);
    for (const problem of problems) expect(problem).toContain('"oauth.callbackPort" should be a port, from 1 to 65535');
  });

  test("must have a metadata address with https, except on this machine", () => {
    const remote = (authServerMetadataUrl: unknown) => ({ url: "https://a.test/", oauth: { authServerMetadataUrl } });
    const { servers, problems } = read({
      mcpServers: { a: remote("https://b.test/x"), b: remote("http://127.0.0.1:1/x"), c: remote("http://b.test/x") },
    });
    expect(servers).toMatchObject([{ oauth: { authServerMetadataUrl: "https://b.test/x" } }, { name: "b" }]);
    expect(problems).toMatchObject([expect.stringContaining("should be an address that begins with https://")]);
    for (const other of ["https://me:pa55@b.test/x", "ftp://127.0.0.1/x", "b.test"])
      expect(read({ mcpServers: { a: remote(other) } }).servers, other).toEqual([]);
  });

  test.each<[string, string]>([
    ["${UNSET:-${TOKEN}/x}:/root", "t0/x:/root"],
    ["${TOKEN:-${NOT_SET}/x}:/root", "t0:/root"],
    ["${UNSET:-${OTHER:-${EMPTY:-d}}}}", "d}"],
    ["${UNSET:-a} ${UNSET:-${TOKEN}", "a ${UNSET:-t0"],
    ["${UNSET:-{x}}", "{x}"],
  ])("may have defaults that contain references: %s", (written, filled) => {
    expect(expand(written, source.env)).toEqual({ ok: true, text: filled });
  });

  // Seen: since the keys are read, servers were left out that were there before.
  test.each([
    ["callbackPort", null],
    ["callbackPort", 0],
    ["authServerMetadataUrl", null],
    ["clientId", null],
    ["clientSecret", null],
  ])("has no login settings if %s is %j", (key, value) => {
    const { servers } = read({ mcpServers: { a: { type: "http", url: "https://a.test/", oauth: { [key]: value } } } });
    expect(servers.map((server) => "oauth" in server && server.oauth)).toEqual([{}]);
  });

  test.each([
    [null, {}],
    [["a", "b"], { scopes: "a b" }],
    ["a b", { scopes: "a b" }],
  ])("may have login scopes in any form: %j", (scopes, oauth) => {
    const { servers } = read({ mcpServers: { a: { type: "http", url: "https://a.test/", oauth: { scopes } } } });
    expect(servers.map((server) => "oauth" in server && server.oauth)).toEqual([oauth]);
  });

  test("needs the variables of a default that is used", () => {
    expect(expand("${UNSET:-${NOT_SET}}", source.env)).toEqual({ ok: false, missing: "NOT_SET" });
  });

  test("keeps valid servers, and reports invalid ones with their line", () => {
    const { servers, problems } = read({
      mcpServers: {
        ok: { command: "x" },
        bare: {},
        secret: { command: "x", env: { K: "${NOT_SET}" } },
        list: { command: "x", args: "-y" },
        far: { type: "http", url: "file:///etc/passwd" },
        ws: { type: "ws", url: "https://x" },
        "bad\u202ename": { command: "x" },
      },
    });
    expect(servers.map(({ name }) => name)).toEqual(["ok"]);
    expect(problems).toEqual([
      '/w/.mcp.json:6: the MCP server "bare" was left out: it needs a "command" or a "url".',
      '/w/.mcp.json:7: the MCP server "secret" was left out: "env.K" needs the environment variable NOT_SET, which is not set; a default is written ${NOT_SET:-value}.',
      '/w/.mcp.json:13: the MCP server "list" was left out: "args" should be a list of texts.',
      '/w/.mcp.json:17: the MCP server "far" was left out: "url" should be a web address.',
      '/w/.mcp.json:21: the MCP server "ws" was left out: "url" should begin with ws:// or wss://.',
      expect.stringContaining("a server's name must have 1 to 200 visible characters"),
    ]);
  });

  // Seen: authors of a plugin were told to write a default for the plugin's own folder.
  test("with CLAUDE_PLUGIN_ROOT outside of a plugin gets a hint to --plugin-dir", () => {
    const { problems } = read({ mcpServers: { s: { command: "x", args: ["${CLAUDE_PLUGIN_ROOT}/x.js"] } } });
    expect(problems).toEqual([
      '/w/.mcp.json:3: the MCP server "s" was left out: "args[0]" needs the environment variable CLAUDE_PLUGIN_ROOT, which only servers of plugins have; --plugin-dir loads a folder as a plugin.',
    ]);
  });

  test("has its problems reported with the line of the server, not of a word like its name", () => {
    const servers = { mcpServers: { all: { command: "fetch", args: ["fetch"] }, command: {}, fetch: {} } };
    const lines = (text: string) => readConfigText(text, source).problems.map(({ server, line }) => [server, line]);
    expect(lines(JSON.stringify(servers, undefined, 1))).toEqual([
      ["command", 9],
      ["fetch", 10],
    ]);
    const bare = { all: { command: "fetch" }, fetch: { command: 5 } };
    expect(lines(JSON.stringify(bare, undefined, 1))).toEqual([["fetch", 5]]);
  });

  test("may have server names of up to two hundred visible characters", () => {
    const names = ["a b", "x".repeat(200), "x".repeat(201), " ", "", "a\nb"];
    const { servers, problems } = read({
      mcpServers: Object.fromEntries(names.map((name) => [name, { command: "x" }])),
    });
    expect(servers.map(({ name }) => name)).toEqual(names.slice(0, 2));
    expect(problems).toHaveLength(4);
  });

  test.each<[string, unknown, string]>([
    ["a program that is not a text", { command: 5 }, '"command" should be a text'],
    ["an argument that is not a text", { command: "x", args: ["a", 5] }, '"args[1]" should be a text'],
    ["a NUL", { command: "x", args: ["a\0b"] }, '"args[0]" holds a NUL'],
    ["variables that are not an object", { command: "x", env: "A=b" }, '"env" should be an object of texts'],
    ["a variable that is not a text", { command: "x", env: { A: { b: 1 } } }, '"env.A" should be a text'],
    ["a password in its address", { type: "http", url: "https://me:pa55@a.test" }, '"url" should hold no user name or'],
    ["a folder that is not a text", { command: "x", cwd: 1 }, '"cwd" should be a text'],
    ["an unknown type", { type: "pipe", command: "x" }, '"type" should be stdio, http, sse or ws, not "pipe"'],
    ["a list instead of an object", ["x"], "it should be an object with a command or a url"],
    [
      "headers that are not an object",
      { type: "http", url: "https://a.test", headers: ["a"] },
      '"headers" should be an object',
    ],
  ])("with %s leaves out that server and says why", (_, server, why) => {
    const { servers, problems } = read({ mcpServers: { odd: server, fine: { command: "x" } } });
    expect(servers.map(({ name }) => name)).toEqual(["fine"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`the MCP server "odd" was left out: ${why}`);
    expect(problems[0]).not.toContain("pa55");
  });

  test("with too many servers keeps the first ones", () => {
    const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`s${at}`, { command: "x" }]));
    const { servers, problems } = read({ mcpServers: many });
    expect(servers.length).toBeLessThan(2_000);
    expect(servers[0]?.name).toBe("s0");
    expect(problems).toEqual([
      expect.stringContaining(`more than ${servers.length} servers; the others were left out`),
    ]);
  });

  test("with a repeated name keeps the last server, and reports the repetition", () => {
    const text =
      '{"//": "one", "//": "two",\n"mcpServers": {\n"a": {"command": "one"},\n"b": {"command": "x", "env": {"K": "1", "K": "2"}},\n"a": {"command": "two"}}}';
    const { servers, problems } = readConfigText(text, source);
    expect(servers).toMatchObject([{ name: "a", command: "two" }, { name: "b" }]);
    expect(problems.map(problemText)).toEqual([
      '/w/.mcp.json:4: "mcpServers.b.env.K" appears twice; the last one counts.',
      '/w/.mcp.json:5: "mcpServers.a" appears twice; the last one counts.',
    ]);
  });

  test("that is not JSON is reported with its line", () => {
    const { problems } = readConfigText('{\n  "mcpServers": {\n  oops', source);
    expect(problems.map(problemText)).toEqual(['/w/.mcp.json:3: line 3 is not valid JSON from "oops" on.']);
  });

  test("never causes an exception", () => {
    const value = fc.object({
      key: fc.constantFrom("mcpServers", "a", "command", "args", "env", "url", "type", "headers"),
    });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.json(),
          value.map((each) => JSON.stringify(each)),
          fc.string(),
        ),
        (text) => {
          expect(() => readConfigText(text, source)).not.toThrow();
        },
      ),
    );
  });
});

test("expand fails for a variable without value and default, and uses the default for an empty value", () => {
  expect(expand("${TOKEN}/${NONE:-d}/${EMPTY:-e}/$TOKEN/${EMPTY}", source.env)).toEqual({
    ok: true,
    text: "t0/d/e/$TOKEN/",
  });
  expect(expand("${NONE}", source.env)).toEqual({ ok: false, missing: "NONE" });
});

test("expand does not take inherited properties for variables", () => {
  const { servers, problems } = read({ mcpServers: { a: { command: "x", args: ["${constructor}"] } } });
  expect([servers, problems]).toEqual([[], [expect.stringContaining("constructor, which is not set")]]);
  expect(expand("${toString:-plain} ${__proto__:-too}", {})).toEqual({ ok: true, text: "plain too" });
});

test("reads a configuration with very many repeated keys quickly", () => {
  const twice = Array.from({ length: 40_000 }, (_, at) => `"k${at}":{},\n"k${at}":{}`).join(",");
  const { servers, problems } = readConfigText(`{"mcpServers":{${twice}}}`, source);
  expect(servers).toEqual([]);
  expect(problems.filter(({ isRemark }) => isRemark)).toHaveLength(40_000);
  expect(problems.at(-1)).toMatchObject({ line: 40_001, why: expect.stringContaining("k39999") as string });
});

describe("which servers start", () => {
  const stdio = (name: string, scope: Server["scope"], args: string[] = []): Server => ({
    name,
    scope,
    source: "x",
    type: "stdio",
    command: "npx",
    args,
    env: {},
    cwd: "/w",
    startsIn: "/w",
    alwaysLoad: false,
  });
  const policy = { disabled: [], allowed: [], denied: [] };
  const started = (servers: Server[], more: object): string[] =>
    chooseServers(servers, { ...policy, ...more }).servers.map(({ name }) => name);

  test("the later of two with the same name, and the user's before the project's", () => {
    const { servers } = chooseServers([stdio("a", "user"), stdio("p", "project"), stdio("a", "flag")], policy);
    expect(servers.map(({ name, scope }) => `${name} ${scope}`)).toEqual(["a flag", "p project"]);
  });

  test("a project's servers, as far as the user's settings approve them", () => {
    const servers = [stdio("a", "project"), stdio("b", "project"), stdio("c", "user")];
    expect(started(servers, {})).toEqual(["c", "a", "b"]);
    expect(started(servers, { disabled: ["a"] })).toEqual(["c", "b"]);
    expect(started(servers, { enabled: ["a"] })).toEqual(["c", "a"]);
    expect(started(servers, { enabled: ["a"], enableAll: true, disabled: ["b", "c"] })).toEqual(["c", "a"]);
    expect(started(servers, { enabled: ["a"], enableAll: true })).toEqual(["c", "a", "b"]);
    expect(started(servers, { enableAll: false })).toEqual(["c"]);
  });

  test("none that settings deny by name, command or address, or that an allow list leaves out", () => {
    const web: Server = { ...stdio("w", "user"), type: "http", url: "https://a.test/mcp", headers: {} } as Server;
    const servers = [stdio("a", "user", ["-y", "x"]), stdio("b", "user"), web];
    expect(started(servers, { denied: [{ serverName: "a" }] })).toEqual(["b", "w"]);
    expect(started(servers, { denied: [{ serverCommand: ["npx", "-y", "x"] }] })).toEqual(["b", "w"]);
    for (const serverCommand of [
      ["npx", "-y", "y"],
      ["npx", "-y"],
      ["node", "-y", "x"],
    ]) {
      expect(started(servers, { denied: [{ serverCommand }] })).toEqual(["a", "b", "w"]);
      expect(started(servers, { allowed: [[{ serverCommand }]] })).toEqual([]);
    }
    expect(started(servers, { denied: [{ serverUrl: "https://a.test/*" }] })).toEqual(["a", "b"]);
    expect(started(servers, { allowed: [[]] })).toEqual([]);
    expect(started(servers, { allowed: [[{ serverName: "a" }, { serverName: "w" }]] })).toEqual(["a", "w"]);
    // A list that knows commands allows no command by a name that its configuration chose.
    expect(started(servers, { allowed: [[{ serverName: "b" }, { serverCommand: ["npx", "-y", "x"] }]] })).toEqual([
      "a",
    ]);
    expect(started(servers, { allowed: [[{ serverName: "a" }], [{ serverName: "b" }]] })).toEqual([]);
    // What a host gives itself is no configuration.
    const own = { ...stdio("own", "flag"), type: "sdk" } as never;
    expect(started([own], { allowed: [[]], denied: [{ serverName: "own" }] })).toEqual(["own"]);
  });

  test("only those whose host matches the star in an allowed address", () => {
    const at = (url: string) => [{ ...stdio("w", "user"), type: "http", url, headers: {} } as Server];
    const allowed = (url: string, serverUrl = "https://*.good.test/*") =>
      started(at(url), { allowed: [[{ serverUrl }]] }).length === 1;
    for (const url of ["https://a.good.test/mcp", "https://a.b.good.test/", "https://a.good.test"])
      expect(allowed(url), url).toBe(true);
    for (const url of [
      "https://evil.test/.good.test/",
      "https://evil.test/a?b=.good.test/",
      "https://evil.test#.good.test/",
      String.raw`https://evil.test\.good.test/`,
      "https://good.test.evil.test/",
      "http://a.good.test/",
      "https://u@a.good.test/x",
    ])
      expect(allowed(url), url).toBe(false);
    expect(allowed("https://a.test:8443/x/y", "https://a.test:*/*")).toBe(true);
    expect(allowed("https://a.test:x@evil.test/", "https://a.test:*/*")).toBe(false);
    expect(allowed("https://a.test/x/y", "https://a.test*")).toBe(true);
    expect(allowed("https://any.test/x", "*")).toBe(true);
    // A denial means all that it could.
    expect(started(at("https://evil.test/.bad.test/"), { denied: [{ serverUrl: "https://*.bad.test/*" }] })).toEqual(
      [],
    );
    expect(started(at("https://u:p@a.bad.test/x"), { denied: [{ serverUrl: "https://*.bad.test/*" }] })).toEqual([]);
  });
});

test("shows a problem without a line", () => {
  expect(problemText({ source: "/w/.mcp.json", scope: "project", why: "it cannot be read" })).toBe(
    "/w/.mcp.json: it cannot be read.",
  );
});

describeCorpus(
  "mcp",
  (name) => name.endsWith(".json"),
  (files) => {
    test.each(files)("$path can be read, or has problems with their reasons", ({ path, text }) => {
      const { servers, problems } = readConfigText(text, { ...source, name: basename(path) });
      expect(servers.length + problems.length).toBeGreaterThan(0);
      for (const problem of problems) {
        expect(problemText(problem)).toMatch(/^\S+:\d+: the MCP server "[^"]+" was left out: .*\.$/u);
        expect(problem.why).toMatch(/environment variable|web address/u);
      }
    });
  },
);
