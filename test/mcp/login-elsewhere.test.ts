/** What a login server is told that lies elsewhere than the server that names it, and what it tells. */
import { expect, test } from "vitest";
import { openMcpAdmin } from "../../src/session/mcp/admin.ts";
import { clearGroundsAfterwards, layGround } from "../session/support.ts";
import { closeLoginServersAfterwards, loginServers, serverOnHttp } from "./login-server.ts";

clearGroundsAfterwards();
closeLoginServersAfterwards();

// Seen: a key for the server's own gateway, in its headers, was sent to whoever logs people in for it, with each question.
test("a login server elsewhere is not told the headers of the server's configuration; the server and its own one are", async () => {
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
  const login = () =>
    openMcpAdmin({ cwd, home, env: { HOME: home }, mcpConfig }).login("web", async (address) => {
      const answer = await fetch(address, { redirect: "manual" });
      await fetch(answer.headers.get("location") ?? "");
    });
  await login();
  expect(told[0]?.filter(([url]) => !url.startsWith("/authorize?"))).not.toContainEqual([expect.anything(), undefined]);
  server.loginAt(other.url);
  await login().catch(() => undefined);
  expect(told[1]?.map(([url]) => url)).toContain("/token");
  expect(JSON.stringify(told[1])).not.toContain("s3cret");
});
