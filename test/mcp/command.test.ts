import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { parseMcp } from "../../src/cli/mcp-arguments.ts";
import { runMcp } from "../../src/cli/mcp-command.ts";
import type { EngineOptions } from "../../src/session/options/options.ts";
import { serveTools } from "../../src/session/desk/mcp-server.ts";
import { listServers } from "../../src/session/mcp/survey.ts";
import { clearGroundsAfterwards, layGround, type Ground } from "../session/support.ts";
import { serverOf } from "./support.ts";

clearGroundsAfterwards();

async function mcp(ground: Ground, ...words: string[]): Promise<string> {
  return await mcpWithNotices(ground, [], ...words);
}

async function mcpWithNotices({ work, home }: Ground, notices: string[], ...words: string[]): Promise<string> {
  let printed = "";
  const onNotice = (text: string): void => void notices.push(text);
  const env = { HOME: home, PATH: process.env["PATH"] };
  await runMcp(parseMcp(words), { cwd: work, env, onNotice }, async (text) => (printed += text));
  return printed;
}

describe("pawl mcp", () => {
  test("parses a command with its own flags, and an address with headers", () => {
    expect(parseMcp(["add", "x", "-e", "A=1", "--env", "B=2=3", "npx", "-y", "thing", "-e", "no"])).toEqual({
      verb: "add",
      name: "x",
      scope: "local",
      server: { type: "stdio", command: "npx", args: ["-y", "thing", "-e", "no"], env: { A: "1", B: "2=3" } },
    });
    expect(parseMcp(["add", "--scope=user", "x", "--", "npx", "-y", "--", "z"])).toMatchObject({
      scope: "user",
      server: { command: "npx", args: ["-y", "--", "z"] },
    });
    expect(parseMcp(["add", "w", "-t", "sse", "-H", "Authorization: Bearer a:b", "https://a.test/x"])).toMatchObject({
      server: { type: "sse", url: "https://a.test/x", headers: { Authorization: "Bearer a:b" } },
    });
    expect(parseMcp(["add", "w", "wss://a.test/x", "-H", "X-Key: 1"])).toMatchObject({
      server: { type: "ws", url: "wss://a.test/x", headers: { "X-Key": "1" } },
    });
  });

  test("parses flags after an address like those before it", () => {
    const url = "https://a.test/mcp";
    const server = { type: "http", url, headers: { "X-Key": "1" } };
    expect(parseMcp(["add", "--transport", "http", "w", url, "--header", "X-Key: 1", "-s", "user"])).toEqual({
      verb: "add",
      name: "w",
      server,
      scope: "user",
    });
    expect(() => parseMcp(["add", "w", url, "more"])).toThrow("takes no arguments");
    // They were left out without a word, the key among them.
    expect(() => parseMcp(["add", "w", "-e", "KEY=1", url])).toThrow("takes --header");
    expect(() => parseMcp(["add", "w", "-H", "X-Key: 1", "npx"])).toThrow("--header is for a server at an address");
    expect(parseMcp(["add", "w", "npx", "-s", "user"])).toMatchObject({ server: { args: ["-s", "user"] } });
  });

  test("parses a client id and callback port, but accepts no secret as a value", () => {
    const url = "https://a.test/mcp";
    expect(
      parseMcp(["add", "w", url, "--client-id", "mine", "--client-secret", "--callback-port=8080", "-s", "project"]),
    ).toEqual({
      verb: "add",
      name: "w",
      scope: "project",
      server: { type: "http", url, oauth: { clientId: "mine", callbackPort: 8080 } },
      hasSecret: true,
    });
    expect(() => parseMcp(["add", "w", url, "--client-id=a", "--client-secret=x"])).toThrow("takes no value");
    expect(() => parseMcp(["add", "w", url, "--client-secret"])).toThrow("needs --client-id, too");
    expect(() => parseMcp(["add", "w", "--client-id", "a", "npx"])).toThrow("for servers with a login");
    expect(() => parseMcp(["add", "w", "--callback-port", "x", url])).toThrow("--callback-port needs a whole number");
  });

  // Seen: the server was added without the client, and without a word.
  test.each([
    [["add-json", "w", '{"url":"https://a.test/"}', "--client-id", "mine"], "--client-id"],
    [["add-json", "w", '{"url":"https://a.test/"}', "--callback-port=1"], "--callback-port"],
    [["add-json", "w", '{"command":"x"}', "-e", "KEY=1"], "--env"],
    [["add-json", "w", '{"url":"https://a.test/"}', "-H", "X-Key: 1"], "--header"],
    [["remove", "w", "--client-secret"], "--client-secret"],
    [["list", "-s", "user"], "--scope"],
    [["get", "w", "--scope", "user"], "--scope"],
  ])("refuses flags that its command passes over: %j", (words, flag) => {
    expect(() => parseMcp(words)).toThrow(`pawl mcp ${words[0] ?? ""} does not take ${flag}`);
  });

  // Seen: "it needs a "command" or a "url"", for what the instructions of most servers show.
  test.each([
    ["a whole file", { mcpServers: { other: { command: "x" } } }],
    ["a whole file of another client", { servers: { other: { command: "x" } } }],
    ["a whole file with several", { mcpServers: { more: { command: "y" }, w: { command: "x" } } }],
    ["its name before it", { w: { command: "x" } }],
  ])("adds the server of JSON with %s", (_, value) => {
    expect(parseMcp(["add-json", "w", JSON.stringify(value)])).toMatchObject({ name: "w", server: { command: "x" } });
  });

  test("asks which server of a whole file is to be added", () => {
    const text = JSON.stringify({ mcpServers: { one: { command: "x" }, two: { url: "https://a.test/" } } });
    expect(() => parseMcp(["add-json", "w", text])).toThrow("The JSON has 2 servers: name the server");
    // Seen: "The JSON has 0 servers: name the server that is to be added ()".
    expect(parseMcp(["add-json", "w", '{"mcpServers":{}}'])).toMatchObject({ server: { mcpServers: {} } });
    expect(parseMcp(["add-json", "w", '{"mcpServers":{"w":"x"}}'])).toMatchObject({ server: "x" });
  });

  test("keeps a client's secret with the logins, bound to the client, and in no server file", async () => {
    const ground = layGround();
    const env = { HOME: ground.home, MCP_CLIENT_SECRET: "s3cret" };
    const add = ["add", "w", "https://a.test/mcp", "--client-id", "mine", "-s", "project"];
    const run = (words: string[], environment: object, typed?: string) =>
      runMcp(
        parseMcp(words),
        { cwd: ground.work, env: environment as NodeJS.ProcessEnv },
        () => Promise.resolve(),
        () => Promise.resolve(typed),
      );
    const kept = () => readFileSync(join(ground.pawlHome, "mcp-auth.json"), "utf8");
    await run([...add, "--client-secret"], env);
    expect(readFileSync(join(ground.work, ".mcp.json"), "utf8")).not.toContain("s3cret");
    expect(JSON.parse(kept())).toEqual({
      [Object.keys(JSON.parse(kept()) as object)[0] ?? ""]: { secret: { clientId: "mine", value: "s3cret" } },
    });
    await mcp(ground, "remove", "w");
    await run(add, env);
    expect(kept()).not.toContain("s3cret");
    await mcp(ground, "remove", "w");
    await run([...add, "--client-secret"], { HOME: ground.home }, "typed");
    expect(kept()).toContain("typed");
    await mcp(ground, "remove", "w");
    const json = (oauth?: object) => JSON.stringify({ type: "http", url: "https://a.test/mcp", oauth });
    // One of another folder, or by mistake: what the first one needs stays.
    await run(["add-json", "w", json()], env);
    await mcp(ground, "remove", "w");
    await run(["add-json", "w", json({ clientId: "other" })], env);
    await mcp(ground, "remove", "w");
    expect(kept()).toContain("typed");
    await run(["add-json", "w", json({ clientId: "mine" }), "--client-secret"], { HOME: ground.home }, "again");
    expect(kept()).toContain("again");
    await mcp(ground, "remove", "w");
    await expect(run(["add-json", "w", json(), "--client-secret"], env)).rejects.toThrow("names no client");
    await expect(run(["add-json", "w", '{"command": "x"}', "--client-secret"], env)).rejects.toThrow("names no client");
    await expect(run([...add, "--client-secret"], { HOME: ground.home })).rejects.toThrow(
      "give the secret in MCP_CLIENT_SECRET",
    );
    expect(await mcp(ground, "list")).toContain("There are no MCP servers");
  });

  test("hides configured secrets in the error output of a failed server", async () => {
    const ground = layGround();
    const args = ["-c", 'echo "no user has $A_KEY, in $MODE" >&2; exit 1'];
    const server = { command: "sh", args, env: { A_KEY: "secret-of-the-user", MODE: "plain-mode" } };
    await mcp(ground, "add-json", "mine", JSON.stringify(server));
    expect(await mcp(ground, "list")).toContain("It said: no user has ***, in plain-mode");
  });

  test("adds, lists and removes servers for one folder, for the user and for the project", async () => {
    const ground = layGround();
    const server = JSON.stringify(serverOf());
    expect(await mcp(ground, "list")).toContain("There are no MCP servers");
    // As "$(cat server.json)" gives it of a file with a byte order mark.
    expect(await mcp(ground, "add-json", "mine", `\ufeff${server}`)).toContain("mcp.json");
    await mcp(ground, "add-json", "all", '{"command": "/nowhere/server"}', "-s", "user");
    await mcp(ground, "add-json", "shut", '{"command": "/etc/passwd"}', "-s", "user");
    expect(await mcp(ground, "add-json", "ours", server, "-s", "project")).toContain("once the folder is trusted");
    expect(statSync(join(ground.pawlHome, "mcp.json")).mode & 0o777).toBe(0o600);
    const listed = await mcp(ground, "list");
    expect(listed).toMatch(/^mine: .* - connected, 1 tool$/mu);
    expect(listed).toMatch(/^all: \/nowhere\/server - failed: its command \/nowhere\/server was not found\.$/mu);
    expect(listed).toMatch(/^shut: .* - failed: its command \/etc\/passwd was not found, or may not be run\.$/mu);
    expect(listed).toMatch(/^ours: .* - not started because the folder is not trusted/mu);
    expect(await mcp(ground, "remove", "ours")).toContain(".mcp.json");
    await expect(mcp(ground, "remove", "ours")).rejects.toThrow("There is no server ours to remove.");
    await expect(mcp(ground, "add-json", "mine", server)).rejects.toThrow(/There is a server mine/u);
    await expect(mcp(ground, "add-json", "bad", "{}")).rejects.toThrow(/needs a "command"/u);
  });

  test("shows the folder that a server's cwd names, of untrusted servers too", async () => {
    const ground = layGround();
    mkdirSync(join(ground.work, "tools"));
    await mcp(ground, "add-json", "mine", JSON.stringify({ ...serverOf(), cwd: "tools" }));
    await mcp(ground, "add-json", "plain", JSON.stringify(serverOf()));
    await mcp(ground, "add-json", "ours", '{"command": "x", "cwd": "sub"}', "-s", "project");
    const listed = await mcp(ground, "list");
    expect(listed).toContain(` (in ${join(ground.work, "tools")}) - connected, 1 tool\n`);
    expect(listed).toContain(`ours: x (in ${join(ground.work, "sub")}) - not started`);
    expect(listed).toMatch(/^plain: [^(\n]* - connected/mu);
    await mcp(ground, "add-json", "lacks", '{"command": "${NOT_SET_HERE}"}');
    expect(await mcp(ground, "list")).toMatch(/^lacks - failed: "command" needs/mu);
    expect(await mcp(ground, "get", "mine")).toContain(` (in ${join(ground.work, "tools")}) - connected`);
  });

  // Seen: each was refused, also where the variable was set.
  test.each([
    { type: "http", url: "https://a.test/mcp", headers: { Authorization: "Bearer ${NOT_SET_HERE}" } },
    { type: "http", url: "${NOT_SET_HERE}/mcp" },
    { type: "http", url: "https://${NOT_SET_HERE}:8080/mcp" },
    { type: "http", url: "${NOT_SET_HERE:-https://a.test}/mcp" },
    { type: "ws", url: "${NOT_SET_HERE}" },
    { command: "${HOME}/server", args: ["${NOT_SET_HERE}"], env: { TOKEN: "${NOT_SET_HERE}" } },
  ])("adds a server that names variables as it is, whatever is set here: %j", async (server) => {
    const ground = layGround();
    await mcp(ground, "add-json", "docs", JSON.stringify(server), "-s", "project");
    const kept: unknown = JSON.parse(readFileSync(join(ground.work, ".mcp.json"), "utf8"));
    expect(kept).toEqual({ mcpServers: { docs: server } });
    const odd = JSON.stringify({ type: "http", url: "ftp://${NOT_SET_HERE}/mcp" });
    await expect(mcp(ground, "add-json", "odd", odd)).rejects.toThrow('"url" should be a web address');
  });

  test("lists a project's server with its whole command line, including escape characters", async () => {
    const ground = layGround();
    const server = { command: "sh", args: ["-c", "echo hi \x1b]; touch ran #\x07"] };
    const far = { type: "ws", url: "wss://me:pa55@a.test/" };
    writeFileSync(join(ground.work, ".mcp.json"), JSON.stringify({ mcpServers: { theirs: server, far } }));
    const shown = "theirs: sh -c echo hi <U+001B>]; touch ran #<U+0007> - not started";
    const listed = await mcp(ground, "list");
    expect(listed).toContain(shown);
    expect(listed).toContain("far: wss://***@a.test/ - not started");
    const got = await mcp(ground, "get", "theirs");
    expect(got).toContain(shown);
    expect(got).toMatch(/^ {2}scope project, from .*\.mcp\.json$/mu);
  });

  test("lists servers of an untrusted folder, including one whose variable is not set", async () => {
    const ground = layGround();
    const theirs = { command: "sh", env: { TOKEN: "${THEIR_TOKEN}" } };
    const near = { command: "${CLAUDE_PROJECT_DIR}/server" };
    writeFileSync(join(ground.work, ".mcp.json"), JSON.stringify({ mcpServers: { theirs, near } }));
    const listed = await mcp(ground, "list");
    expect(listed).toContain('failed: "env.TOKEN" needs the environment variable THEIR_TOKEN, which is not set');
    expect(listed).toContain(`near: ${ground.work}/server - not started`);
    expect(await mcp(ground, "get", "theirs")).toMatch(/THEIR_TOKEN[^]*scope project, from .*\.mcp\.json$/mu);
    const told = await listServers({ cwd: ground.work, home: ground.home, env: { HOME: ground.home } });
    expect(told).toMatchObject([{ name: "near", why: "the folder is not trusted as it is now" }, { name: "theirs" }]);
  });

  // Seen: each was in the list and in a notice before it.
  test("names a server that cannot be used only once, with the place of the mistake", async () => {
    const ground = layGround();
    const path = ground.file(
      ".mcp.json",
      '{"mcpServers": {\n  "odd": {"url": 5},\n  "odd2": {"command": "x", "command": "y"} } }',
    );
    const own = join(ground.pawlHome, "mcp.json");
    mkdirSync(ground.pawlHome, { recursive: true });
    writeFileSync(own, '{"mcpServers": {"mine": {}}}');
    const notices: string[] = [];
    const listed = await mcpWithNotices(ground, notices, "list");
    expect(listed).toContain(`odd - failed: "url" should be a text (${path}:2)\n`);
    expect(listed).toMatch(/^mine - failed: .*\(.*mcp\.json\)$/mu);
    expect(listed.match(/^(?:odd|mine)\b/gmu)).toHaveLength(2);
    expect(notices).toEqual([`${path}:3: "mcpServers.odd2.command" appears twice; the last one counts.`]);
  });

  test("never overwrites a file that cannot be parsed", async () => {
    const ground = layGround();
    const file = ground.file(".mcp.json", "{ // mine\n}");
    await expect(mcp(ground, "add", "x", "-s", "project", "npx")).rejects.toThrow(
      /is not valid JSON from .* on; fix it first/u,
    );
    expect(readFileSync(file, "utf8")).toBe("{ // mine\n}");
  });
});

describe("pawl mcp serve", () => {
  async function asked(
    ground: Ground,
    requests: object[],
    more: EngineOptions = {},
  ): Promise<Record<string, unknown>[]> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const ended = new AbortController();
    const env = { HOME: ground.home, PATH: process.env["PATH"] };
    const options = { cwd: ground.work, home: ground.home, env, headless: true, ...more };
    const serving = serveTools(options, { input, output, signal: ended.signal });
    const answers: Record<string, unknown>[] = [];
    const all = new Promise<void>((resolve) => {
      output.on("data", (chunk: Buffer) => {
        for (const line of chunk.toString().trim().split("\n"))
          answers.push(JSON.parse(line) as Record<string, unknown>);
        if (answers.length === requests.length) resolve();
      });
    });
    input.write("no message\n");
    for (const [id, request] of requests.entries())
      input.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...request })}\n`);
    await all;
    input.end();
    await serving;
    return answers.toSorted((one, other) => Number(one["id"]) - Number(other["id"]));
  }

  test("ends when it was told to before it had begun", async () => {
    const { work, home } = layGround();
    const streams = { input: new PassThrough(), output: new PassThrough() };
    await serveTools({ cwd: work, home, env: { HOME: home } }, { ...streams, signal: AbortSignal.abort() });
    expect(streams.output.read()).toBeNull();
  });

  // Seen: a search of a folder showed what is in files whose reading a rule forbids.
  test.each([
    ["Grep", { pattern: "heron", output_mode: "content" }],
    ["Glob", { pattern: "**/*" }],
  ])("leaves files that a rule forbids out of %s", async (name, input) => {
    const ground = layGround();
    for (const file of ["open.txt", "forbidden.txt"]) ground.file(file, "heron\n");
    const call = { method: "tools/call", params: { name, arguments: input } };
    const [answer] = await asked(ground, [call], { disallowedTools: ["Read(forbidden.txt)"] });
    expect(JSON.stringify(answer)).toContain("open.txt");
    expect(JSON.stringify(answer)).not.toContain("forbidden.txt");
  });

  test("leaves files whose names say that they hold secrets out of a search", async () => {
    const ground = layGround();
    for (const file of ["open.txt", ".env"]) ground.file(file, "heron\n");
    const params = { name: "Grep", arguments: { pattern: "heron", output_mode: "content" } };
    const [answer] = await asked(ground, [{ method: "tools/call", params }]);
    expect(JSON.stringify(answer)).toContain("open.txt");
    expect(JSON.stringify(answer)).not.toContain(".env");
  });

  // Seen: that a file was not read yet was told in place of the refusal, and thereby that there is such a file.
  test("refuses a change the same way with a tool to ask, which it does not have", async () => {
    const ground = layGround();
    ground.file("there.txt", "heron\n");
    const edit = (name: string) => {
      const input = { file_path: join(ground.work, name), old_string: "heron", new_string: "egret" };
      return { method: "tools/call", params: { name: "Edit", arguments: input } };
    };
    const answers = await asked(ground, [edit("there.txt"), edit("missing.txt")], {
      permissionPromptToolName: "mcp__door__ask",
    });
    expect(answers.map((answer) => JSON.stringify(answer))).toEqual(
      Array.from({ length: 2 }, () => expect.stringContaining("Permission denied") as string),
    );
  });

  test("offers pawl's tools under its permission rules", async () => {
    const ground = layGround();
    writeFileSync(join(ground.work, "a.txt"), "what is in it\n");
    const call = (name: string, input: object) => ({ method: "tools/call", params: { name, arguments: input } });
    const answers = await asked(
      ground,
      [
        { method: "initialize", params: { protocolVersion: "2025-11-25" } },
        { method: "tools/list" },
        call("Read", { file_path: join(ground.work, "a.txt") }),
        call("Bash", { command: "touch made" }),
        call("Bash", { command: "touch allowed" }),
        call("Read", {}),
        call("Nothing", {}),
        { method: "resources/list" },
        call("Read", { file_path: join(ground.work, "a.txt"), limit: "1", pages: null }),
      ],
      { allowedTools: ["Bash(touch allowed)"] },
    );
    const told = answers.map((answer) => JSON.stringify(answer));
    expect(told[0]).toContain('"serverInfo":{"name":"pawl"');
    expect(told[1]).toContain('"name":"Grep"');
    expect(told[2]).toContain("what is in it");
    expect(told[3]).toContain("Permission denied");
    expect(told[5]).toMatch(/file_path.*"isError":true/u);
    expect(told[6]).toContain("There is no tool Nothing");
    expect(told[7]).toContain("-32601");
    expect(told[8]).toMatch(/unchanged|what is in it/u);
    expect(told[8]).not.toContain("isError");
    expect([existsSync(join(ground.work, "made")), existsSync(join(ground.work, "allowed"))]).toEqual([false, true]);
  });
});
