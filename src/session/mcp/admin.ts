/** The servers in configuration files: lists them with their status, and changes them. Untrusted servers are listed but not started. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { addressForDisplay } from "../../lib/basic-credentials.ts";
import { realPathOf } from "../../lib/path-status.ts";
import { errorText } from "../../lib/error-text.ts";
import { shellWord } from "../../lib/shell-quote.ts";
import { refusalText } from "../../lib/system-reason.ts";
import { UsageError } from "../../lib/usage-error.ts";
import type { ForgottenAuth } from "../../mcp/auth-store.ts";
import type { ConfigProblem, ReadConfig } from "../../mcp/config.ts";
import type { Server } from "../../mcp/server.ts";
import type { McpConnectionStatus, McpScope } from "../../protocol/mcp.ts";
import { mcpAuthFile, mcpFile } from "../../settings/paths.ts";
import { loadSettingsFor, settingsPlaces } from "../settings/read-settings.ts";
import { surroundingsWithoutKey } from "../surroundings/read-surroundings.ts";
import type { EngineOptions } from "../options/options.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import { readClaudeJsonServers } from "./claude-json-servers.ts";
import { hugeContextWindow, openHub } from "./open-hub.ts";
import { findServers, untrustedServers } from "./sources.ts";

const writableScopes = ["local", "user", "project"] as const;
export type WritableScope = (typeof writableScopes)[number];

export interface ListedServer {
  name: string;
  scope: McpScope;
  source: string;
  /** The command or address, without values that may be secret. */
  place: string;
  /** The folder that its `cwd` makes it start in; absolute. */
  startsIn?: string;
  status: McpConnectionStatus | "untrusted";
  error?: string;
  tools?: number;
}

export interface McpAdmin {
  /** Starts each server that may start, checks it and ends it. All servers, or the one with the given name. */
  list(name?: string): Promise<ListedServer[]>;
  /**
   * Returns the path of the changed file. Throws `UsageError` if the server is invalid or the name is taken. `clientSecret`: the secret
   * of its login, kept with the logins.
   */
  add(name: string, server: unknown, scope: WritableScope, clientSecret?: string): Promise<string>;
  /** `open` shows the person the login page. Throws `UsageError` if there is no such server, it has no login, or the login fails. */
  login(name: string, open: (url: URL) => Promise<void>): Promise<void>;
  /**
   * Removes everything that logins under this name left, even if the server no longer exists. The client secret is kept if there is a
   * server of that name to use it. Throws `UsageError` if there is neither a server nor a login.
   */
  logout(name: string): Promise<ForgottenAuth>;
  /** Returns the paths of the files that contained it. Throws `UsageError` if none did. */
  remove(name: string, scope?: WritableScope): Promise<string[]>;
}

export function openMcpAdmin(options: EngineOptions): McpAdmin {
  // Servers left out for lack of trust appear in the list itself, so their notices are suppressed.
  const quiet = surroundingsWithoutKey({ ...options, onNotice: () => {} });
  const around = { ...quiet, notice: options.onNotice ?? quiet.notice };
  return {
    list: (name) => {
      reportUnreadableSettings(options, around);
      return listConfiguredServers(options, around, name);
    },
    add: (name, server, scope, clientSecret) => addServer(around, { name, server, scope, clientSecret }),
    login: async (name, open) => await (await import("./log-in.ts")).logIn(options, around, name, open),
    logout: (name) => logout(options, around, name),
    remove: (name, scope) => removeServer(around, name, scope),
  };
}

/** An unreadable project file contributes no server to the list, so its problem is reported separately. */
function reportUnreadableSettings(options: EngineOptions, { notice }: Surroundings): void {
  const places = settingsPlaces({ ...options, onNotice: () => {} });
  for (const { source = "", text } of loadSettingsFor(options, places).problems)
    if (basename(source) === ".mcp.json") notice(text);
}

async function listConfiguredServers(
  options: EngineOptions,
  around: Surroundings,
  name: string | undefined,
): Promise<ListedServer[]> {
  const found = await findServers(options, around);
  const untrusted = await untrustedServers(around);
  const wanted = (each: { name: string }): boolean => name === undefined || each.name === name;
  const servers = found.servers.filter(wanted);
  const problems = [...found.problems, ...untrusted.problems].filter(
    ({ server }) => name === undefined || server === name,
  );
  // A problem of a server is said in the server's own line; only the others are noticed.
  const otherProblems = problems.filter(({ server }) => server === undefined);
  const hub = await openHub({ servers, problems: otherProblems }, options, around, hugeContextWindow);
  try {
    await hub.whenSettled(new AbortController().signal);
    const listed = hub.statuses().map((status): ListedServer => {
      const server = servers.findLast((each) => each.name === status.name);
      const where = server === undefined ? { place: "" } : placeOf(server);
      const { scope, error, tools } = status;
      return {
        name: status.name,
        scope,
        source: server?.source ?? "",
        ...where,
        status: status.status,
        ...(error === undefined ? {} : { error }),
        ...(tools === undefined ? {} : { tools: tools.length }),
      };
    });
    const waiting = untrusted.servers.filter(wanted).map((server): ListedServer => {
      const { name: serverName, scope, source } = server;
      return { name: serverName, scope, source, ...placeOf(server), status: "untrusted" };
    });
    return [...listed, ...problems.flatMap(brokenServer), ...waiting];
  } finally {
    await hub.close();
  }
}

function brokenServer({ server, scope, source, line, why }: ConfigProblem): ListedServer[] {
  if (server === undefined) return [];
  const where = line === undefined ? source : `${source}:${line}`;
  return [{ name: server, scope, source, place: "", status: "failed", error: `${why} (${where})` }];
}

function placeOf(server: Server): Pick<ListedServer, "place" | "startsIn"> {
  if ("url" in server) return { place: addressForDisplay(server.url) };
  if (server.type !== "stdio") return { place: "" };
  const { command, args, cwd, startsIn } = server;
  return { place: [command, ...args].join(" "), ...(startsIn === cwd ? {} : { startsIn }) };
}

async function logout(options: EngineOptions, around: Surroundings, name: string): Promise<ForgottenAuth> {
  const found = [await findServers(options, around), await untrustedServers(around)];
  const names = found.flatMap(({ servers, problems }) => [
    ...servers.map((server) => server.name),
    ...problems.map(({ server }) => server),
  ]);
  const isThere = names.includes(name);
  const { AuthStore } = await import("../../mcp/auth-store.ts");
  const forgotten = await new AuthStore(mcpAuthFile(around.pawlHome)).forget(name, isThere);
  if (!isThere && !forgotten.hadLogin && !forgotten.hadSecret)
    throw new UsageError(`There is no MCP server ${name}, and no login to one.`);
  return forgotten;
}

interface ServerFile {
  path: string;
  project?: string;
  mode?: number;
}

async function serverFileFor({ pawlHome, cwd, project }: Surroundings, scope: WritableScope): Promise<ServerFile> {
  const path = mcpFile(pawlHome);
  if (scope === "user") return { path };
  if (scope === "local") return { path, project: realPathOf(cwd) ?? cwd };
  const near = project?.servers.findLast(({ name }) => existsSync(name))?.name;
  return { path: near ?? join(cwd, ".mcp.json"), mode: 0o644 };
}

interface NewServer {
  name: string;
  server: unknown;
  scope: WritableScope;
  clientSecret: string | undefined;
}

async function addServer(around: Surroundings, { name, server, scope, clientSecret }: NewServer): Promise<string> {
  const place = await serverFileFor(around, scope);
  const [{ changeServers }, { readServers }] = await Promise.all([
    import("../../mcp/user-file.ts"),
    import("../../mcp/config.ts"),
  ]);
  const read = (env: Surroundings["env"]): ReadConfig =>
    readServers({ [name]: server }, { name: place.path, folder: dirname(place.path), scope, env });
  // It is enough that the server is valid with one of the likely values.
  const problems = placeholderValues.map((value) => read(withPlaceholders(server, value, around)).problems[0]);
  const [problem] = problems;
  if (problem !== undefined && !problems.includes(undefined))
    throw new UsageError(`The server ${name} cannot be used: ${problem.why}.`);
  const keep = await secretKeeper(around, read(around.env), clientSecret);
  await runChange(() =>
    changeServers(
      place.path,
      (servers) => {
        if (servers[name] !== undefined)
          throw new UsageError(
            `There is a server ${name} in ${place.path}: remove it first, with pawl mcp remove ${shellWord(name)}.`,
          );
        servers[name] = server as string;
      },
      place,
    ),
  );
  await runChange(keep);
  return place.path;
}

/** Returns the function that stores the secret. Without a secret, it removes one kept for the same name, address and client. */
async function secretKeeper(
  { pawlHome }: Surroundings,
  { servers: [server], problems: [problem] }: ReadConfig,
  clientSecret: string | undefined,
): Promise<() => Promise<void>> {
  const oauth = server !== undefined && "oauth" in server ? server.oauth : undefined;
  if (clientSecret !== undefined && oauth?.clientId === undefined)
    throw new UsageError(
      `The secret cannot be kept: ${problem?.why ?? "the server names no client (oauth.clientId)"}.`,
    );
  if (server === undefined || !("url" in server)) return async () => {};
  const { AuthStore } = await import("../../mcp/auth-store.ts");
  const store = new AuthStore(mcpAuthFile(pawlHome));
  const { name, url } = server;
  const { clientId, authServerMetadataUrl: metadataUrl } = oauth ?? {};
  const place = metadataUrl === undefined ? {} : { metadataUrl };
  const secret =
    clientId === undefined || clientSecret === undefined ? undefined : { clientId, value: clientSecret, ...place };
  return async () => {
    if (secret === undefined && (clientId === undefined || store.get(name, url).secret?.clientId !== clientId)) return;
    await store.change(name, url, (auth) => {
      delete auth.secret;
      if (secret !== undefined) auth.secret = secret;
    });
  };
}

/** A variable that is unset here may be set where the server runs, to a word or an address. */
const placeholderValues = ["x", "http://x", "ws://x"];

/** Returns the environment plus `value` for each variable in the server that is unset and has no default. */
function withPlaceholders(server: unknown, value: string, { env }: Surroundings): Surroundings["env"] {
  const placeholders = JSON.stringify(server)?.matchAll(/\$\{([A-Za-z_]\w*)\}/gu) ?? [];
  return { ...Object.fromEntries(Array.from(placeholders, ([, name = ""]) => [name, value])), ...env };
}

async function removeServer(around: Surroundings, name: string, scope?: WritableScope): Promise<string[]> {
  const { changeServers } = await import("../../mcp/user-file.ts");
  const files: string[] = [];
  for (const each of scope === undefined ? writableScopes : [scope]) {
    const place = await serverFileFor(around, each);
    if (!existsSync(place.path)) continue;
    let isThere = false;
    await runChange(() =>
      changeServers(
        place.path,
        (servers) => {
          isThere = servers[name] !== undefined;
          delete servers[name];
          return isThere;
        },
        place,
      ),
    );
    if (isThere) files.push(place.path);
  }
  if (files.length === 0) {
    const { claudeJsonFile: claudeJsonPath } = around;
    const found = claudeJsonPath === undefined ? undefined : readClaudeJsonServers(claudeJsonPath, around.cwd);
    if (typeof found === "object" && Object.hasOwn({ ...found.servers, ...found.local }, name))
      throw new UsageError(
        `The server ${name} is in ${claudeJsonPath}, which pawl reads and does not write: deniedMcpServers in your settings keeps it from starting.`,
      );
    throw new UsageError(`There is no server ${name}${scope === undefined ? "" : ` in the scope ${scope}`} to remove.`);
  }
  return files;
}

async function runChange(change: () => Promise<void>): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(refusalText(error) ?? `${errorText(error)}.`);
  }
}
