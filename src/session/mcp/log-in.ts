/** A person's login to a server from the command line: listens on this machine until the login is done. */
import { createProxiedFetch } from "../../lib/proxied-fetch.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { mcpAuthFile } from "../../settings/paths.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { connectTimeoutMs } from "./connect-timeout.ts";
import { findServers } from "./sources.ts";

/** In ms: time for a person to read, decide and type a password. */
const loginMs = 6 * 60_000;

export async function logIn(
  options: EngineOptions,
  around: Surroundings,
  name: string,
  openUrl: (url: URL) => Promise<void>,
): Promise<void> {
  const { servers } = await findServers(options, around);
  const server = servers.findLast((each) => each.name === name);
  if (server === undefined) throw new UsageError(`There is no MCP server ${name}.`);
  if (server.type !== "http" && server.type !== "sse")
    throw new UsageError(`The MCP server ${name} has no login: only those of the types http and sse do.`);
  const { AuthStore, openLogin, Connection, watchedFetch, outwardFetch, connectFailure, promptFetch } =
    await loadRoom();
  const { clock, version, cwd, env, pawlHome } = around;
  const watch = { type: "http", url: new URL(server.url), onLost: () => undefined, clock } as const;
  const prompt = promptFetch(createProxiedFetch(env), { clock, limitMs: connectTimeoutMs(env), type: server.type });
  const fetch = watchedFetch(watch, outwardFetch(server, prompt));
  const desk = await openLogin(server, new AuthStore(mcpAuthFile(pawlHome)), { openUrl, fetch });
  const connection = new Connection(server, {
    clock,
    version,
    cwd,
    random: () => 0,
    newTag: () => "",
    fetch: prompt,
    environment: () => ({}),
    connectMs: loginMs,
    authOf: () => desk.auth,
    debug: (line) => options.debug?.(line),
  });
  const loginFailed = (reason: string): UsageError => new UsageError(`The login to ${name} failed: ${reason}`);
  const startUnpromptedLogin = async (): Promise<void> => {
    if (!(await desk.begin()))
      throw new UsageError(`The MCP server ${name} offers no login: it already accepts your requests.`);
    if (!(await connection.finishLogin())) throw loginFailed("its connection was lost");
  };
  try {
    await connection.connect();
    if (connection.status === "needs-auth" && desk.hasTokens())
      throw loginFailed("the login succeeded, but the server still refuses access");
    if (connection.status !== "connected") throw loginFailed(connection.error ?? "it did not answer");
    if (desk.hasTokens()) return;
    await startUnpromptedLogin().catch((error: unknown) => {
      throw error instanceof UsageError ? error : loginFailed(connectFailure(error, server, "", loginMs).why);
    });
  } finally {
    await Promise.all([connection.close(), desk.close()]);
  }
}

async function loadRoom() {
  const [
    { AuthStore },
    { openLogin },
    { Connection },
    { watchedFetch },
    { publicNetworkFetch },
    { connectFailure },
    { fetchWithTimeLimit },
  ] = await Promise.all([
    import("../../mcp/auth-store.ts"),
    import("../../mcp/oauth.ts"),
    import("../../mcp/connection.ts"),
    import("../../mcp/watched-fetch.ts"),
    import("../../mcp/private-network-guard.ts"),
    import("../../mcp/connect-failure.ts"),
    import("../../mcp/fetch-time-limit.ts"),
  ]);
  return {
    AuthStore,
    openLogin,
    Connection,
    watchedFetch,
    outwardFetch: publicNetworkFetch,
    connectFailure,
    promptFetch: fetchWithTimeLimit,
  };
}
