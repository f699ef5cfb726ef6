import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../../src/lib/usage-error.ts";
import { fetchLoginMetadata } from "../../src/mcp/login-metadata.ts";
import { openMcpAdmin } from "../../src/session/mcp/admin.ts";
import {
  clearGroundsAfterwards,
  disposeAll,
  impatientClock,
  layGround,
  openSession,
  turn,
} from "../session/support.ts";
import { closeLoginServersAfterwards, loginServers, serverOnHttp } from "./login-server.ts";
import { calling } from "./support.ts";

clearGroundsAfterwards();
closeLoginServersAfterwards();
afterEach(disposeAll);

describe("a server over HTTP", () => {
  test("gets the headers of its configuration", async () => {
    const { url, seen } = await serverOnHttp(true);
    const { engine } = await openSession(calling({ tool: "mcp__web__hello" }), {
      mcpServers: { web: { type: "http", url, headers: { "x-given": "yes" } } },
      allowedTools: ["mcp__web"],
    });
    expect((await turn(engine, "go")).result).toMatchObject({ result: "It said: hello over http" });
    expect(new Set(seen)).toEqual(new Set(["none yes"]));
  });

  test("that cannot be reached has failed, and the session works without it", async () => {
    const { engine } = await openSession(calling(), {
      mcpServers: { web: { type: "http", url: "http://127.0.0.1:1/" } },
    });
    await turn(engine, "go");
    expect(engine.mcpServerStatus()).toMatchObject([{ name: "web", status: "failed" }]);
  });

  test("needs a login, whose token is only sent to its address", async () => {
    const { url } = await serverOnHttp(false);
    const other = await serverOnHttp(false);
    const ground = layGround();
    const config = (address: string) => [JSON.stringify({ mcpServers: { web: { type: "http", url: address } } })];
    const status = async (address: string) => {
      const { engine } = await openSession(calling(), { mcpConfig: config(address) }, ground);
      await turn(engine, "go");
      return engine.mcpServerStatus();
    };
    expect(await status(url)).toMatchObject([
      { status: "needs-auth", error: expect.stringContaining("pawl mcp login web") },
    ]);

    const env = { HOME: ground.home };
    const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env, mcpConfig: config(url) });
    let called = "";
    await admin.login("web", async (address) => {
      const answer = await fetch(address, { redirect: "manual" });
      const back = new URL(answer.headers.get("location") ?? "");
      called = back.href;
      expect(back.hostname).toBe("127.0.0.1");
      const forged = new URL(back);
      forged.searchParams.set("state", "somebody else's");
      forged.searchParams.set("code", "stolen");
      // One that nobody asked for comes first, and one that is no address: it ended the program.
      const odd = connect(Number(back.port), back.hostname, () => odd.end("GET //[ HTTP/1.1\r\nhost: x\r\n\r\n"));
      expect((await text(odd)).split("\r\n")[0]).toBe("HTTP/1.1 404 Not Found");
      expect((await fetch(forged)).status).toBe(200);
      expect((await fetch(back)).status).toBe(200);
    });

    await expect(fetch(called)).rejects.toThrow("fetch failed");
    expect(await status(url)).toMatchObject([{ status: "connected" }]);
    expect(await status(other.url)).toMatchObject([{ status: "needs-auth" }]);
    expect(other.seen.join()).not.toContain("t0ken");
    const file = join(ground.pawlHome, "mcp-auth.json");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toContain("t0ken");
  });

  test("cannot make the user open anything but a web page", async () => {
    const server = await serverOnHttp(false);
    server.page = "file:///opt/thing";
    const ground = layGround();
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url } } })];
    const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
    const shown: string[] = [];
    const login = admin.login("web", async (address) => {
      shown.push(address.href);
      const back = new URL(address.searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({ error: "seen", state: address.searchParams.get("state") ?? "" }).toString();
      await fetch(back);
    });
    await expect(login).rejects.toThrow("its login server wants file:///opt/thing opened, which is not a web page");
    expect(shown).toEqual([]);
  });

  test("has its tokens renewed, and needs another login once they are revoked", async () => {
    const { url, tokens, seen } = await serverOnHttp(false);
    const ground = layGround();
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url } } })];
    const env = { HOME: ground.home };
    const login = async (): Promise<void> => {
      const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env, mcpConfig });
      await admin.login(
        "web",
        agreeing(() => {}),
      );
    };
    await login();
    let now = 0;
    const timer = (ms: number, onFire: () => void): (() => void) => {
      const handle = setTimeout(onFire, ms);
      return () => clearTimeout(handle);
    };
    const clock = { ...impatientClock, elapsed: () => now, timer };
    const { engine } = await openSession(
      {
        fallback: (view) =>
          view.turns % 2 === 0
            ? { content: [{ tool: "mcp__web__hello", input: {} }] }
            : { content: [`It said: ${view.toolResults.at(-1)?.text ?? ""}`] },
      },
      { mcpConfig, allowedTools: ["mcp__web"], clock },
      ground,
    );
    const said = async (): Promise<unknown> => ((await turn(engine, "call it")).result as { result?: unknown }).result;
    expect(await said()).toBe("It said: hello over http");

    tokens.access.clear();
    seen.length = 0;
    expect(await said()).toBe("It said: hello over http");
    expect(seen.filter((each) => each.startsWith("token"))).toEqual(["token refresh_token"]);
    expect(readFileSync(join(ground.pawlHome, "mcp-auth.json"), "utf8")).toContain("t0ken2");

    tokens.access.clear();
    tokens.refresh.clear();
    expect(await said()).toContain("login");
    expect(engine.mcpServerStatus()).toMatchObject([
      { status: "needs-auth", error: expect.stringContaining("pawl mcp login web") },
    ]);

    await login();
    now += 60_000;
    expect(await said()).toBe("It said: hello over http");
    expect(statSync(join(ground.pawlHome, "mcp-auth.json")).mode & 0o777).toBe(0o600);
  });

  /** Logged in, with sessions that all call it whenever they are asked. */
  async function loggedIn(count: number) {
    const server = await serverOnHttp(false);
    const ground = layGround();
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url } } })];
    const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
    const login = () =>
      admin.login("web", async (address) => {
        const answer = await fetch(address, { redirect: "manual" });
        await fetch(answer.headers.get("location") ?? "");
      });
    await login();
    const sessions = await Promise.all(
      Array.from({ length: count }, () =>
        openSession(
          {
            fallback: (view) =>
              view.turns % 2 === 0
                ? { content: [{ tool: "mcp__web__hello", input: {} }] }
                : { content: [`It said: ${view.toolResults.at(-1)?.text ?? ""}`] },
          },
          { mcpConfig, allowedTools: ["mcp__web"] },
          ground,
        ),
      ),
    );
    const say = () =>
      Promise.all(
        sessions.map(async ({ engine }) => ((await turn(engine, "call it")).result as { result?: string }).result),
      );
    return { server, say, sessions, login };
  }

  // Seen: each session renewed for itself, the second one with what was used up, and logged all of them out.
  test("has its login renewed by only one of several sessions", async () => {
    const { server, say } = await loggedIn(3);
    expect(await say()).toEqual(Array.from({ length: 3 }, () => "It said: hello over http"));
    server.tokens.access.clear();
    server.seen.length = 0;
    const refused = () => server.seen.filter((each) => each.startsWith("Bearer t0ken1 ")).length;
    server.renewal = async () => {
      while (refused() < 3) await new Promise((resolve) => setImmediate(resolve));
      return 200;
    };
    expect(await say()).toEqual(Array.from({ length: 3 }, () => "It said: hello over http"));
    expect(server.seen.filter((each) => each.startsWith("token"))).toEqual(["token refresh_token"]);
  });

  test("stays logged in if the login server has a temporary failure", async () => {
    const { server, say, sessions } = await loggedIn(1);
    await say();
    server.tokens.access.clear();
    server.renewal = () => Promise.resolve(503);
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const [said] = await say();
    warn.mockRestore();
    expect(said).toContain("could not be renewed");
    expect(sessions[0]?.engine.mcpServerStatus()).not.toMatchObject([{ status: "needs-auth" }]);
    server.renewal = () => Promise.resolve(200);
    expect(await say()).toEqual(["It said: hello over http"]);
  });

  test("keeps a configured client with the login server it was first used with", async () => {
    const first = await serverOnHttp(false);
    const other = await serverOnHttp(false);
    const ground = layGround();
    const oauth = { clientId: "mine", clientSecret: "s3cret" };
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: first.url, oauth } } })];
    const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
    const agree = agreeing(() => {});
    await admin.login("web", agree);
    expect(first.given.join()).toContain("s3cret");
    const kept = readFileSync(join(ground.pawlHome, "mcp-auth.json"), "utf8");
    expect(kept).not.toContain("s3cret");

    // The server says now that somebody else logs people in.
    first.loginAt(other.url);
    first.tokens.access.clear();
    const file = join(ground.pawlHome, "mcp-auth.json");
    // The login server's metadata is fetched again.
    const entries = Object.entries(JSON.parse(kept) as Record<string, object>);
    const forgotten = entries.map(([name, entry]) => [name, { ...entry, discovery: undefined }]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(forgotten)));
    await expect(admin.login("web", agree)).rejects.toThrow(
      /^The login to web failed: .*client information is required/u,
    );
    const { engine } = await openSession(calling(), { mcpConfig }, ground);
    await turn(engine, "go");
    expect(other.given.join()).not.toContain("s3cret");
  });

  // Seen: it was gone for that, and asked for the same login as before for ever.
  test("that requires another scope refuses only that call, and the next login asks for it", async () => {
    const { server, say, sessions, login } = await loggedIn(1);
    await say();
    server.scope = "notes:write";
    const [said] = await say();
    expect(said).toContain('does not allow it (scope "notes:write")');
    expect(said).toContain("pawl mcp login web");
    expect(sessions[0]?.engine.mcpServerStatus()).toMatchObject([{ status: "connected" }]);
    await login();
    expect(await say()).toEqual(["It said: hello over http"]);
  });

  // Seen: each login requested it again, and was refused.
  test("that requires an unknown scope can be logged in to again after one failure", async () => {
    const { server, say, login } = await loggedIn(1);
    await say();
    const knows = ["notes:read", "notes:write"];
    server.isUnknown = (scope) => scope.split(" ").some((each) => each !== "" && !knows.includes(each));
    server.scope = "somebody/elses";
    await say();
    await expect(login()).rejects.toThrow(/invalid_scope.*no longer ask for/u);
    await login();
    delete server.scope;
    expect(await say()).toEqual(["It said: hello over http"]);

    // More of them than are kept: the one at the end is left out, not cut off.
    const long = "x".repeat(3_984);
    server.scope = `notes:read ${long} notes:write`;
    server.isUnknown = (scope) => scope.split(" ").some((each) => ![...knows, long].includes(each));
    await say();
    await login();
  });

  test.each([
    [[401, '{"error":"invalid_client","error_description":"no such client"}'], "(invalid_client): no such client"],
    [[400, '{"error":"invalid_grant"}'], "refuses that (invalid_grant)."],
    [[500, "<html>oops</html>"], "its login server answers with status 500"],
  ] as const)(
    "whose login server answers the code with %j is reported with that error",
    async ([status, words], said) => {
      const { server, login } = await loggedIn(0);
      server.exchange = [status, words];
      await expect(login()).rejects.toThrow(said);
      delete server.exchange;
      await login();
    },
  );

  // Seen: five minutes and more without a word.
  test.each(["/mcp", "/.well-known/oauth-protected-resource", "/register", "/token"])(
    "that does not answer at %s during a login is reported",
    async (silentAt) => {
      const server = await serverOnHttp(false);
      server.silentAt = silentAt;
      const ground = layGround();
      const env = { HOME: ground.home, MCP_TIMEOUT: "100" };
      const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url } } })];
      const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env, mcpConfig });
      const { origin } = new URL(server.url);
      await expect(
        admin.login(
          "web",
          agreeing(() => {}),
        ),
      ).rejects.toThrow(`${origin} did not answer within`);
    },
  );

  test("that refuses a new token is reported as such, without the advice to log in", async () => {
    const { server, login } = await loggedIn(0);
    server.takesNone = true;
    await expect(login()).rejects.toThrow("the login succeeded, but the server still refuses");
  });

  // For clients registered by hand: the login server accepts one address and certain scopes.
  test.each([
    ["as a text", "read:notes list:notes"],
    ["as a list", ["read:notes", "list:notes"]],
  ])("with a configured client is asked for its scopes %s, with localhost as the redirect host", async (_, scopes) => {
    const { url, given } = await serverOnHttp(false);
    const ground = layGround();
    const oauth = { clientId: "mine", scopes };
    const around = { cwd: ground.work, home: ground.home, env: { HOME: ground.home } };
    await openMcpAdmin(around).add("web", { type: "http", url, oauth }, "user", "kept-s3cret");
    let asked = new URLSearchParams();
    const agree = agreeing((address) => (asked = address.searchParams));
    await openMcpAdmin(around).login("web", agree);
    expect(given.join()).toContain("kept-s3cret");
    expect(asked.get("redirect_uri")).toMatch(/^http:\/\/localhost:\d+\/callback$/u);
    expect(asked.get("scope")).toBe("read:notes list:notes");
  });

  // Seen: another port was listened on, which the login server refuses, or nobody ever comes back to.
  test("whose callback port is in use is reported, and no login begins", async () => {
    const { url } = await serverOnHttp(false);
    const taken = createServer();
    loginServers.push(taken);
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const { port: callbackPort } = taken.address() as AddressInfo;
    const ground = layGround();
    const oauth = { clientId: "mine", callbackPort };
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url, oauth } } })];
    const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
    const asked = vi.fn<(address: URL) => Promise<void>>();
    await expect(admin.login("web", asked)).rejects.toThrow(
      new UsageError(
        `The port ${callbackPort} of this machine, which oauth.callbackPort of its configuration names for the answer, is in use by another program: free it, or name another one there and where the client is registered.`,
      ),
    );
    expect(asked).not.toHaveBeenCalled();
  });

  // Seen: "Logged in", without anybody asked, and each call said to log in. A login that was there before was gone, too.
  test("that requires a login only for calls can be logged in to", async () => {
    const server = await serverOnHttp(false);
    server.isOpenUntilCalled = true;
    const ground = layGround();
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url } } })];
    const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
    const said = async () => {
      const options = { mcpConfig, allowedTools: ["mcp__web"] };
      const { engine } = await openSession(calling({ tool: "mcp__web__hello" }), options, ground);
      return ((await turn(engine, "go")).result as { result?: string }).result;
    };
    expect(await said()).toContain("pawl mcp login web");
    await admin.login(
      "web",
      agreeing(() => {}),
    );
    expect(await said()).toBe("It said: hello over http");
  });

  test("that offers no login is reported as such", async () => {
    const { url } = await serverOnHttp(true, false);
    const { work: cwd, home } = layGround();
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url } } })];
    const admin = openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig });
    await expect(admin.login("web", () => Promise.resolve())).rejects.toThrow("The MCP server web offers no login");
  });

  // Seen: each login led to a page that said that the client is unknown, and nobody came back from there.
  test("whose login server has forgotten the client is logged in to with a new client", async () => {
    const { server, say, login } = await loggedIn(1);
    server.clients.clear();
    server.tokens.access.clear();
    await login();
    expect(await say()).toEqual(["It said: hello over http"]);
  });

  // Seen: what it was first found to be was kept for good, and each login sent people to a place that is gone.
  test("that has moved its login is logged in to at the new place", async () => {
    const server = await serverOnHttp(false);
    const [first, second] = [await serverOnHttp(false), await serverOnHttp(false)];
    const ground = layGround();
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url } } })];
    const sentTo = async (): Promise<string> => {
      const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
      let origin = "";
      await admin
        .login(
          "web",
          agreeing((address) => (origin = address.origin)),
        )
        .catch(() => undefined);
      return origin;
    };
    for (const { url } of [first, second]) {
      server.loginAt(url);
      expect(await sentTo()).toBe(new URL(url).origin);
    }
  });

  // Seen: it was ignored, and the login was looked for where the server says.
  test("with a configured metadata address is logged in to there", async () => {
    const server = await serverOnHttp(false);
    const wrong = await serverOnHttp(false);
    server.loginAt(wrong.url);
    const ground = layGround();
    const { origin } = new URL(server.url);
    const login = async (path: string, open: (address: URL) => void = () => {}): Promise<void> => {
      const oauth = { authServerMetadataUrl: `${origin}${path}` };
      const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url, oauth } } })];
      const admin = openMcpAdmin({ cwd: ground.work, home: ground.home, env: { HOME: ground.home }, mcpConfig });
      await admin.login("web", agreeing(open));
    };
    let sentTo = "";
    await login("/tenant/login.json", (address) => (sentTo = address.origin));
    expect(sentTo).toBe(origin);
    expect(wrong.seen).toEqual([]);
    await expect(login("/nowhere")).rejects.toThrow(`(${origin}/nowhere) is not there.`);
    await expect(login("/authorize")).rejects.toThrow("cannot be used");
  });

  // Seen: a project that named another login server for the server of the user's was sent the secret that was kept for it.
  test("never has a stored secret sent to another login server of the same name, address and client", async () => {
    const server = await serverOnHttp(false);
    const other = await serverOnHttp(false);
    const ground = layGround();
    const around = { cwd: ground.work, home: ground.home, env: { HOME: ground.home } };
    const own = { type: "http", url: server.url, oauth: { clientId: "mine" } };
    await openMcpAdmin(around).add("web", own, "user", "s3cret");
    const authServerMetadataUrl = `${new URL(other.url).origin}/tenant/login.json`;
    const login = async (oauth: object): Promise<void> => {
      const mcpConfig = [JSON.stringify({ mcpServers: { web: { ...own, oauth } } })];
      await openMcpAdmin({ ...around, mcpConfig }).login(
        "web",
        agreeing(() => {}),
      );
    };
    await expect(login({ clientId: "mine", authServerMetadataUrl })).rejects.toThrow("nothing was sent");
    expect(other.given).toEqual([]);
    await login({ clientId: "mine" });
    expect(server.given.join()).toContain("s3cret");
    // Another client's login, that its server's own configuration then goes on with.
    await login({ clientId: "theirs", authServerMetadataUrl });
    server.tokens.access.clear();
    other.tokens.access.clear();
    const { engine } = await openSession(calling({ tool: "mcp__web__hello" }), {}, ground);
    await turn(engine, "go");
    expect(other.given.join()).not.toContain("s3cret");
  });

  // Seen: the login waited, and took in what came, without an end.
  test.each<[string, (response: ServerResponse) => void, string]>([
    ["does not answer", () => undefined, "timeout"],
    ["never ends its answer", (response) => void response.write("{"), "timeout"],
    ["answers with too much", (response) => void response.end(Buffer.alloc((16 << 20) + 1, " ")), "more than 16 MiB"],
  ])("is not logged in to if the metadata address %s", async (_how, answer, why) => {
    const odd = createServer((_request, response) => {
      response.setHeader("content-type", "application/json");
      answer(response);
    });
    loginServers.push(odd);
    await new Promise<void>((resolve) => odd.listen(0, "127.0.0.1", resolve));
    const authServerMetadataUrl = `http://127.0.0.1:${(odd.address() as AddressInfo).port}/`;
    if (why === "timeout")
      return await expect(fetchLoginMetadata(authServerMetadataUrl, fetch, 1)).rejects.toThrow(why);
    const server = { type: "http", url: authServerMetadataUrl, oauth: { authServerMetadataUrl } };
    const mcpConfig = [JSON.stringify({ mcpServers: { web: server } })];
    const { work: cwd, home } = layGround();
    const admin = openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig });
    await expect(admin.login("web", () => Promise.resolve())).rejects.toThrow(why);
  });
});

/** A browser whose user agrees; `look` is shown where it was sent. */
function agreeing(look: (address: URL) => void): (address: URL) => Promise<void> {
  return async (address) => {
    look(address);
    const answer = await fetch(address, { redirect: "manual" });
    await fetch(answer.headers.get("location") ?? "");
  };
}
