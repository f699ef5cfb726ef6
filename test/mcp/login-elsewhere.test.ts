/** What is sent to a login server on another host than the MCP server that names it, and what it answers. */
import { expect, test } from "vitest";
import { openMcpAdmin } from "../../src/session/mcp/admin.ts";
import { clearGroundsAfterwards, layGround } from "../session/support.ts";
import { closeLoginServersAfterwards, loginServers, serverOnHttp } from "./login-server.ts";

clearGroundsAfterwards();
closeLoginServersAfterwards();

async function agree(address: URL): Promise<void> {
  const answer = await fetch(address, { redirect: "manual" });
  await fetch(answer.headers.get("location") ?? "");
}

// Seen: a key for the server's own gateway, in its headers, was sent to its login server with each request.
test("does not send configured headers to a login server elsewhere", async () => {
  const server = await serverOnHttp(false);
  const other = await serverOnHttp(false);
  const told = loginServers.slice(-2).map((each) => {
    const keys: [string, unknown][] = [];
    each.on("request", ({ url = "", headers }) => keys.push([url, headers["x-key"]]));
    return keys;
  });
  const { work: cwd, home } = layGround();
  const headers = { "X-Key": "s3cret" };
  const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url, headers } } })];
  const login = () => openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig }).login("web", agree);
  await login();
  expect(told[0]?.filter(([url]) => !url.startsWith("/authorize?"))).not.toContainEqual([expect.anything(), undefined]);
  server.loginAt(other.url);
  await login().catch(() => undefined);
  expect(told[1]?.map(([url]) => url)).toContain("/token");
  expect(JSON.stringify(told[1])).not.toContain("s3cret");
});

// Seen: with a Content-Type among the headers, as many configurations have it, the registration had it twice in one header.
test.each([true, false])(
  "sends each header once, even if the configuration has it, too (own login server: %s)",
  async (isOwn) => {
    const server = await serverOnHttp(false);
    if (!isOwn) server.loginAt((await serverOnHttp(false)).url);
    const told: unknown[] = [];
    loginServers
      .at(-1)
      ?.on(
        "request",
        ({ url, headers }) => void (url === "/register" && told.push(headers["content-type"], headers["x-key"])),
      );
    const { work: cwd, home } = layGround();
    const headers = { "Content-Type": "application/json", "X-Key": "k3y" };
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url, headers } } })];
    await openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig })
      .login("web", agree)
      .catch(() => undefined);
    expect(told).toEqual(["application/json", isOwn ? "k3y" : undefined]);
  },
);

// Seen: of the login server's error, only the code was shown, which is the same for many reasons.
test("reports the login server's own explanation of a refused login in one line", async () => {
  const server = await serverOnHttp(false);
  const { work: cwd, home } = layGround();
  const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url } } })];
  const admin = openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig });
  server.refusal = { error: "access_denied", error_description: `not on\nthe list\u001B[31m${"x".repeat(500)}` };
  await expect(admin.login("web", agree)).rejects.toThrow(
    /failed: the login was refused \(access_denied\): not on the list\S*x{100,250}…?\.$/u,
  );
  server.refusal = { error: "access_denied" };
  await expect(admin.login("web", agree)).rejects.toThrow("the login was refused (access_denied).");
});

test("asks for offline_access with configured scopes, too, if the login server supports it", async () => {
  const server = await serverOnHttp(false);
  const { work: cwd, home } = layGround();
  const asked = async (scopes?: string): Promise<string | null> => {
    const oauth = scopes === undefined ? {} : { scopes };
    const mcpConfig = [JSON.stringify({ mcpServers: { web: { type: "http", url: server.url, oauth } } })];
    let scope: string | null = null;
    await openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig }).login("web", (address) => {
      scope = address.searchParams.get("scope");
      return agree(address);
    });
    return scope;
  };
  server.knownScopes = ["notes", "all", "offline_access"];
  expect(await asked()).toBe("notes all offline_access");
  expect(await asked("notes")).toBe("notes offline_access");
  server.knownScopes = ["notes", "all"];
  expect(await asked("notes")).toBe("notes");
});

// Seen: in addition to the client's own secret, the key was sent in the same header, which no login server could read.
test("sends the client's credentials instead of the server's own key, in one header", async () => {
  const server = await serverOnHttp(false);
  const other = await serverOnHttp(false);
  const told: unknown[] = [];
  for (const each of loginServers.slice(-2))
    each.on(
      "request",
      ({ url, headers }) => void (url === "/token" && told.push(headers.authorization, headers["x-key"])),
    );
  const web = {
    type: "http",
    url: server.url,
    headers: { Authorization: "Bearer s3cret", "X-Key": "k3y", "x-key": "k3y2" },
    oauth: { clientId: "mine", clientSecret: "word" },
  };
  const mcpConfig = [JSON.stringify({ mcpServers: { web } })];
  const login = () => {
    const { work: cwd, home } = layGround();
    return openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig }).login("web", agree);
  };
  const client = `Basic ${btoa("mine:word")}`;
  await login();
  expect(told.splice(0)).toEqual([client, "k3y, k3y2"]);
  server.loginAt(other.url);
  await login().catch(() => undefined);
  expect(told).toEqual([client, undefined]);
});
