/** Logging out of a server over HTTP: of a session that runs, and of what is kept. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { parseMcp } from "../../src/cli/mcp-arguments.ts";
import { runMcp } from "../../src/cli/mcp-command.ts";
import { UsageError } from "../../src/lib/usage-error.ts";
import { AuthStore } from "../../src/mcp/auth-store.ts";
import { openMcpAdmin } from "../../src/session/mcp/admin.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "../session/support.ts";
import { closeLoginServersAfterwards, serverOnHttp } from "./login-server.ts";

clearGroundsAfterwards();
closeLoginServersAfterwards();
afterEach(disposeAll);

const around = ({ work, home }: Ground) => ({ cwd: work, home, env: { HOME: home } });
const fileOf = ({ pawlHome }: Ground) => join(pawlHome, "mcp-auth.json");
const kept = (ground: Ground) => JSON.parse(readFileSync(fileOf(ground), "utf8")) as Record<string, object>;

async function pawlMcp(ground: Ground, ...words: string[]): Promise<string> {
  let printed = "";
  await runMcp(parseMcp(words), around(ground), async (text) => (printed += text));
  return printed;
}

/** A server of the user's, logged in to. */
async function loggedIn(oauth?: object, secret?: string) {
  const server = await serverOnHttp(false);
  const ground = layGround();
  await openMcpAdmin(around(ground)).add(
    "web",
    { type: "http", url: server.url, ...(oauth === undefined ? {} : { oauth }) },
    "user",
    secret,
  );
  const login = () =>
    openMcpAdmin(around(ground)).login("web", async (address) => {
      const answer = await fetch(address, { redirect: "manual" });
      await fetch(answer.headers.get("location") ?? "");
    });
  await login();
  const session = async () => {
    const script = {
      fallback: (view: { turns: number; toolResults: readonly { text: string }[] }) =>
        view.turns % 2 === 0
          ? { content: [{ tool: "mcp__web__hello", input: {} }] }
          : { content: [`It said: ${view.toolResults.at(-1)?.text ?? ""}`] },
    };
    const { engine } = await openSession(script, { allowedTools: ["mcp__web"] }, ground);
    const say = async (prompt: string) => ((await turn(engine, prompt)).result as { result?: string }).result;
    return { engine, say };
  };
  return { server, ground, login, session };
}

describe("pawl mcp logout", () => {
  test("removes the login, after which running sessions need a new one", async () => {
    const { server, ground, login, session } = await loggedIn();
    const { engine, say } = await session();
    expect(await say("call it")).toBe("It said: hello over http");
    expect(await pawlMcp(ground, "logout", "web")).toBe("Logged out of web.\n");
    expect(kept(ground)).toEqual({});
    expect(await say("call it")).toContain("pawl mcp login web");
    expect(engine.mcpServerStatus()).toMatchObject([{ status: "needs-auth" }]);
    expect(server.seen.filter((each) => each.startsWith("token"))).toEqual(["token authorization_code"]);
    expect(await pawlMcp(ground, "logout", "web")).toBe("There was no stored login for web.\n");
    await login();
    expect(await (await session()).say("call it")).toBe("It said: hello over http");
  });

  test("keeps the client's secret while its server is configured, for the next login", async () => {
    const { server, ground, login } = await loggedIn({ clientId: "mine" }, "s3cret");
    await pawlMcp(ground, "logout", "web");
    expect(Object.values(kept(ground))).toEqual([{ secret: { clientId: "mine", value: "s3cret" } }]);
    server.given.length = 0;
    await login();
    expect(server.given.join()).toContain("s3cret");
    await pawlMcp(ground, "remove", "web");
    expect(await pawlMcp(ground, "logout", "web")).toBe("Logged out of web. Its client secret was removed, too.\n");
    expect(kept(ground)).toEqual({});
  });

  test("removes logins of one name for all addresses, and fails if there is no such server", async () => {
    const ground = layGround();
    await expect(pawlMcp(ground, "logout", "web")).rejects.toThrow(
      new UsageError("There is no MCP server web, and no login to one."),
    );
    expect(existsSync(fileOf(ground))).toBe(false);
    const store = new AuthStore(fileOf(ground));
    for (const [name, url] of [
      ["web", "https://a.test/"],
      ["web", "https://b.test/"],
      ["web|2", "https://a.test/"],
    ] as const)
      await store.change(name, url, (auth) => (auth.tokens = { access_token: url, token_type: "Bearer" }));
    expect(await pawlMcp(ground, "logout", "web")).toBe("Logged out of web.\n");
    expect(Object.keys(kept(ground))).toEqual([expect.stringMatching(/^web\|2\|/u)]);
  });

  test("waits for a renewal in progress", async () => {
    const { ground, server } = await loggedIn();
    const store = new AuthStore(fileOf(ground));
    const order: string[] = [];
    let loggingOut: Promise<unknown> | undefined;
    await store.withRenewalLock("web", server.url, async () => {
      loggingOut = pawlMcp(ground, "logout", "web").then(() => order.push("logged out"));
      await store.change("web", server.url, (auth) => (auth.tokens = { access_token: "new", token_type: "Bearer" }));
      order.push("renewed");
    });
    await loggingOut;
    expect(order).toEqual(["renewed", "logged out"]);
    expect(kept(ground)).toEqual({});
  });
});

test("/mcp logout ends the login of a session's server", async () => {
  const { ground, session } = await loggedIn();
  const { engine, say } = await session();
  await say("call it");
  expect(await say("/mcp logout web")).toBe("Logged out of web.");
  expect(kept(ground)).toEqual({});
  expect(engine.mcpServerStatus()).toMatchObject([{ name: "web", status: "needs-auth" }]);
  expect(await say("/mcp logout web")).toBe("There was no login to web.");
});
