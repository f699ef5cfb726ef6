/** Reads the texts that configure servers, server by server: a problem with one is reported and keeps no other from starting. */
import { resolve } from "node:path";
import { longestTimerMs } from "../lib/after-ms.ts";
import { addressForDisplay } from "../lib/basic-credentials.ts";
import type { Environment } from "../lib/environment.ts";
import {
  withoutCommentKeys,
  isObject,
  lineOfKey,
  linesOfKeys,
  parseJson,
  type Json,
  type JsonObject,
} from "../lib/json.ts";
import { remoteKind } from "../protocol/remote-kind.ts";
import { sanitize } from "../lib/sanitize.ts";
import { parseWebAddress } from "../lib/web-address.ts";
import { withoutNulls } from "../lib/without-nulls.ts";
import type { McpScope } from "../protocol/mcp.ts";
import { ConfigValues } from "./config-values.ts";
import type { RemoteServer, Server } from "./server.ts";
import { toolPolicies } from "./tool-policy.ts";

export interface ConfigSource {
  /** A path or a flag, for people. */
  name: string;
  scope: McpScope;
  /** The folder where its servers start. Absolute. */
  folder: string;
  /** The folder that a server's relative `cwd` starts from, if it is another one. Absolute. */
  cwdFrom?: string;
  env: Environment;
  /** Names of `sdk` servers that the host itself supplies: their entries here only name them. */
  hostServerNames?: ReadonlySet<string>;
}

export interface ConfigProblem {
  source: string;
  scope: McpScope;
  /** From 1 on; absent if no single line is to blame. */
  line?: number;
  /** Absent if nothing in the file can be used. */
  server?: string;
  /** One sentence without a full stop. */
  why: string;
  /** A remark: nothing is left out because of it. */
  isRemark?: true;
  /** The session does not start without that server. */
  endsStart?: true;
}

export interface ReadConfig {
  servers: Server[];
  problems: ConfigProblem[];
}

/** A longer list is an attack rather than a configuration. */
const maxServers = 200;
const maxNameLength = 200;

/** Reads `.mcp.json`, `--mcp-config` or the user's own file: `{"mcpServers": {…}}`, or only the servers, as in plugins. */
export function readConfigText(text: string, source: ConfigSource): ReadConfig {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const line = /\bline (\d+)\b/u.exec(parsed.message)?.[1];
    return unusableConfig(source, parsed.message, line === undefined ? undefined : Number(line));
  }
  const { value, repeated } = parsed;
  if (!isObject(value)) return unusableConfig(source, 'it should hold one JSON object, such as {"mcpServers": {}}');
  const servers = value["mcpServers"] ?? (looksLikeServers(value) ? value : undefined);
  if (servers === undefined) return unusableConfig(source, 'it has no "mcpServers"');
  const read = readServers(servers, source);
  const above = value["mcpServers"] === undefined ? "" : "mcpServers.";
  const lines = read.problems.length === 0 ? new Map<string, number>() : linesOfKeys(text);
  for (const problem of read.problems) {
    const line = problem.server === undefined ? undefined : lines.get(`${above}${problem.server}`);
    if (line !== undefined) problem.line = line;
  }
  return { servers: read.servers, problems: [...read.problems, ...repeatedOf(text, repeated, source)] };
}

/** Repeated keys, which JSON accepts silently: of two servers with one name, the first would be lost. */
export function repeatedOf(
  text: string,
  repeated: readonly string[],
  { name: source, scope }: Pick<ConfigSource, "name" | "scope">,
): ConfigProblem[] {
  const keys = withoutCommentKeys(repeated);
  const lines = keys.length === 0 ? new Map<string, number>() : linesOfKeys(text);
  return keys.map((path) => {
    const line = lineOfKey(lines, path);
    const why = `"${sanitize(path).slice(0, 200)}" appears twice; the last one counts`;
    return { source, scope, why, isRemark: true, ...(line === undefined ? {} : { line }) };
  });
}

export function readServers(value: unknown, source: ConfigSource): ReadConfig {
  if (!isObject(value)) return unusableConfig(source, '"mcpServers" should be an object of servers by name');
  const read: ReadConfig = { servers: [], problems: [] };
  const entries = Object.entries(value).filter(
    ([name, entry]) =>
      !isNote(name, entry) &&
      !(isObject(entry) && entry["type"] === "sdk" && source.hostServerNames?.has(name) === true),
  );
  for (const [name, entry] of entries.slice(0, maxServers)) {
    const server = readServer(name, entry, source);
    if (typeof server === "string")
      read.problems.push({ source: source.name, scope: source.scope, server: name, why: server });
    else read.servers.push(server);
  }
  if (entries.length > maxServers)
    read.problems.push({
      source: source.name,
      scope: source.scope,
      why: `it has more than ${maxServers} servers; the others were left out`,
    });
  return read;
}

/** JSON has no comments, so some people write a note, or a switched-off server, as an entry with a marked name. */
function isNote(name: string, entry: Json): boolean {
  if (name.startsWith("//")) return true;
  return name.startsWith("_") && !(isObject(entry) && ("command" in entry || "url" in entry));
}

function unusableConfig({ name, scope }: ConfigSource, why: string, line?: number): ReadConfig {
  return { servers: [], problems: [{ source: name, scope, why, ...(line === undefined ? {} : { line }) }] };
}

function looksLikeServers(value: JsonObject): boolean {
  const entries = Object.values(value);
  return entries.length > 0 && entries.every((entry) => isObject(entry) && ("command" in entry || "url" in entry));
}

/** Returns the server, or what is wrong with it. */
function readServer(name: string, entry: Json, source: ConfigSource): Server | string {
  if (name.trim() === "" || name.length > maxNameLength || sanitize(name) !== name || /\n/u.test(name))
    return `a server's name must have 1 to ${maxNameLength} visible characters`;
  if (name === "__proto__") return "a server cannot be called that";
  if (!isObject(entry)) return "it should be an object with a command or a url";
  const values = new ConfigValues(source.env);
  const server = readServerByType(name, withoutNulls(entry), source, values);
  // Values that a switched-off server needs may be missing for now.
  if (typeof server !== "string" && server.isOff === true) return server;
  return values.problem ?? server;
}

function readServerByType(
  name: string,
  entry: JsonObject,
  source: ConfigSource,
  values: ConfigValues,
): Server | string {
  const statedType = entry["type"] ?? entry["transport"] ?? entry["transportType"] ?? defaultType(entry["url"]);
  // Clients spell the type differently.
  const type = typeof statedType === "string" ? statedType.toLowerCase().replaceAll(/[-_]/gu, "") : statedType;
  const timeout = entry["timeout"];
  const policies = toolPolicies(entry["tools"]);
  const common = {
    name,
    scope: source.scope,
    source: source.name,
    alwaysLoad: entry["alwaysLoad"] === true,
    ...(entry["disabled"] === true ? { isOff: true as const } : {}),
    ...(policies === undefined ? {} : { policies }),
    ...(typeof timeout === "number" && timeout >= 1_000 ? { timeoutMs: Math.min(timeout, longestTimerMs) } : {}),
  };
  switch (type) {
    case "stdio": {
      const command = values.text("command", entry["command"]);
      if (command.trim() === "")
        return entry["type"] === undefined
          ? 'it needs a "command" or a "url"'
          : 'a server of type stdio needs a "command"';
      const args = values.texts("args", entry["args"]);
      const startsIn =
        entry["cwd"] === undefined
          ? source.folder
          : resolve(source.cwdFrom ?? source.folder, values.text("cwd", entry["cwd"]));
      return { ...common, type, command, args, env: values.table("env", entry["env"]), cwd: source.folder, startsIn };
    }
    case "http":
    case "streamablehttp":
    case "sse": {
      const url = values.text("url", entry["url"]);
      if (parseWebAddress(url) === undefined) return `"url" should be a web address`;
      // `fetch` refuses such an address and repeats it in its error.
      if (addressForDisplay(url) !== url) return `"url" should hold no user name or password: they go into "headers"`;
      return {
        ...common,
        type: type === "sse" ? "sse" : "http",
        url,
        ...headersIn(entry, values),
        cwd: source.folder,
        ...oauthOf(entry["oauth"], values),
      };
    }
    case "ws": {
      const url = values.text("url", entry["url"]);
      if (!URL.canParse(url) || !/^wss?:$/u.test(new URL(url).protocol))
        return '"url" should begin with ws:// or wss://';
      return { ...common, type, url, ...headersIn(entry, values), cwd: source.folder };
    }
    default:
      return `"type" should be stdio, http, sse or ws, not ${JSON.stringify(statedType).slice(0, 60)}`;
  }
}

function defaultType(url: Json | undefined): string {
  return url === undefined ? "stdio" : remoteKind(typeof url === "string" ? url : "");
}

function headersIn(entry: JsonObject, values: ConfigValues): Pick<RemoteServer, "headers" | "headersHelper"> {
  const helper = entry["headersHelper"];
  const headers = values.table("headers", entry["headers"]);
  return typeof helper === "string" && helper.trim() !== "" ? { headers, headersHelper: helper } : { headers };
}

function oauthOf(value: Json | undefined, values: ConfigValues): Pick<RemoteServer, "oauth"> {
  if (!isObject(value)) return {};
  const fields: Partial<JsonObject> = withoutNulls(value);
  const { clientId, clientSecret, scopes, authServerMetadataUrl: metadataUrl } = fields;
  // Some configurations use 0 for any port.
  const callbackPort = fields["callbackPort"] === 0 ? undefined : fields["callbackPort"];
  return {
    oauth: {
      ...(clientId === undefined ? {} : { clientId: values.text("oauth.clientId", clientId) }),
      ...(clientSecret === undefined ? {} : { clientSecret: values.text("oauth.clientSecret", clientSecret) }),
      ...(callbackPort === undefined ? {} : { callbackPort: values.port("oauth.callbackPort", callbackPort) }),
      ...scopesIn(scopes, values),
      ...(metadataUrl === undefined
        ? {}
        : { authServerMetadataUrl: values.secureAddress("oauth.authServerMetadataUrl", metadataUrl) }),
    },
  };
}

/** Some configurations have a list of scopes. */
function scopesIn(scopes: Json | undefined, values: ConfigValues): { scopes?: string } {
  if (scopes === undefined) return {};
  return {
    scopes: Array.isArray(scopes)
      ? values.texts("oauth.scopes", scopes).join(" ")
      : values.text("oauth.scopes", scopes),
  };
}

/** The problem on one line, for people. */
export function problemText({ source, line, server, why, endsStart }: ConfigProblem): string {
  const where = line === undefined ? source : `${source}:${line}`;
  const outcome = endsStart === true ? "cannot be used" : "was left out";
  const about = server === undefined ? "" : `the MCP server "${sanitize(server).slice(0, 80)}" ${outcome}: `;
  return `${where}: ${about}${why}.`;
}

export { toolPolicies };
