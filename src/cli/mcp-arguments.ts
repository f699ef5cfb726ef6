/** Parses the words after `pawl mcp`. */
import { isRecord } from "../lib/is-record.ts";
import { tryParseJson } from "../lib/try-parse-json.ts";
import { remoteKind } from "../protocol/remote-kind.ts";
import { UsageError } from "../lib/usage-error.ts";
import { parseInteger, notEmpty, oneOf } from "./values.ts";

export const mcpHelp = `Usage: pawl mcp <command>

  pawl mcp list                      the servers, and whether they connect
  pawl mcp get <name>                the same for one server
  pawl mcp add <name> [-s <scope>] [-t stdio|http|sse|ws]
               [-e KEY=value...] [-H "Name: value"...]
               [--client-id <id>] [--client-secret] [--callback-port <port>]
               <command or address> [-- arguments...]
  pawl mcp add-json <name> <json> [-s <scope>] [--client-secret]
  pawl mcp remove <name> [-s <scope>]
  pawl mcp login <name>              log in to a server that requires it
  pawl mcp logout <name>             log out and remove the stored login
  pawl mcp serve [flags]             serve pawl's own tools on stdio, under
                                     the permissions the flags give

--client-id and --callback-port are for servers with pre-registered clients.
--client-secret asks for the secret, or takes it from MCP_CLIENT_SECRET; it is
kept with your logins, not in a server file.

Scopes: local (this folder, for you alone; the default), user (every folder),
project (.mcp.json, for everybody who works in this folder).
`;

const scopes = ["local", "user", "project"] as const;
type Scope = (typeof scopes)[number];

export type McpArguments =
  | { verb: "list" }
  | { verb: "get" | "login" | "logout"; name: string }
  | { verb: "add"; name: string; server: unknown; scope: Scope; hasSecret?: true }
  | { verb: "remove"; name: string; scope?: Scope };

/** `words` follow `pawl mcp`; the verb `serve` is handled elsewhere. */
export function parseMcp([verb = "list", ...words]: readonly string[]): McpArguments {
  const parsed = readWords(words, verb === "add");
  const [name = "", ...rest] = parsed.plain;
  const scope = parsed.scope === undefined ? undefined : oneOf("--scope", parsed.scope, scopes);
  const secret = parsed.hasSecret ? ({ hasSecret: true } as const) : {};
  const refuse = (condition: boolean): void => {
    if (condition) throw new UsageError(`Wrong use of pawl mcp ${verb}; pawl mcp --help shows how it is used.`);
  };
  refuseFlags(verb, parsed);
  switch (verb) {
    case "list":
      refuse(parsed.plain.length > 0);
      return { verb };
    case "get":
    case "login":
    case "logout":
      refuse(name === "" || rest.length > 0);
      return { verb, name };
    case "remove":
      refuse(name === "" || rest.length > 0);
      return { verb, name, ...(scope === undefined ? {} : { scope }) };
    case "add-json":
      refuse(rest.length !== 1);
      return { verb: "add", name, server: parseServerJson(name, rest[0] ?? ""), scope: scope ?? "local", ...secret };
    case "add":
      refuse(rest.length === 0);
      return { verb, name, server: serverFromFlags(parsed, rest), scope: scope ?? "local", ...secret };
    default:
      throw new UsageError(`pawl mcp has no command ${verb.slice(0, 40)}; pawl mcp --help lists them.`);
  }
}

/** Verbs without server flags: only `add` builds a server from flags. */
const verbsWithoutServerFlags = new Set(["list", "get", "login", "logout", "remove", "add-json"]);

const verbsWithScope = new Set(["add", "add-json", "remove"]);

/** A flag that is silently ignored would be missed later: the server would lack its client or its key. */
function refuseFlags(verb: string, parsed: ParsedWords): void {
  if (!verbsWithoutServerFlags.has(verb)) return;
  const { scope, transport, env, headers, clientId, callbackPort, hasSecret } = parsed;
  const flags: [string, boolean][] = [
    ["--scope", scope !== undefined && !verbsWithScope.has(verb)],
    ["--transport", transport !== undefined],
    ["--env", env.length > 0],
    ["--header", headers.length > 0],
    ["--client-id", clientId !== undefined],
    ["--callback-port", callbackPort !== undefined],
    ["--client-secret", hasSecret && verb !== "add-json"],
  ];
  const flag = flags.find(([, isGiven]) => isGiven)?.[0];
  if (flag !== undefined)
    throw new UsageError(`pawl mcp ${verb} does not take ${flag}; pawl mcp --help shows what it takes.`);
}

interface ParsedWords {
  plain: string[];
  scope?: string;
  transport?: string;
  env: string[];
  headers: string[];
  clientId?: string;
  callbackPort?: string;
  hasSecret: boolean;
}

type ValueFlag = Exclude<keyof ParsedWords, "plain" | "hasSecret">;

const flagFields = new Map<string, ValueFlag>([
  ["-s", "scope"],
  ["--scope", "scope"],
  ["-t", "transport"],
  ["--transport", "transport"],
  ["-e", "env"],
  ["--env", "env"],
  ["-H", "headers"],
  ["--header", "headers"],
  ["--client-id", "clientId"],
  ["--callback-port", "callbackPort"],
]);

const addressPattern = /^(?:https?|wss?):\/\//u;

/** For `add`, flags before the command are pawl's; words after it, or after `--`, are the command's. An address takes none. */
function readWords(words: readonly string[], isAdd: boolean): ParsedWords {
  const parsed: ParsedWords = { plain: [], env: [], headers: [], hasSecret: false };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const belongsToCommand = isAdd && parsed.plain.length >= 2 && !addressPattern.test(parsed.plain[1] ?? "");
    if (word === "--" || belongsToCommand) {
      parsed.plain.push(
        ...words.slice(word === "--" ? at + 1 : at).filter((each, index) => index > 0 || each !== "--"),
      );
      break;
    }
    if (word === "--client-secret") {
      parsed.hasSecret = true;
      continue;
    }
    const [flag = "", attached] = /^(--[\w-]+)=([^]*)$/u.exec(word)?.slice(1) ?? [word];
    const kind = flagFields.get(flag);
    if (kind === undefined) {
      if (flag === "--client-secret")
        throw new UsageError(
          "--client-secret takes no value: it asks for the secret, or reads it from MCP_CLIENT_SECRET.",
        );
      if (word.startsWith("-")) throw new UsageError(`pawl mcp has no flag ${word.slice(0, 40)}.`);
      parsed.plain.push(word);
      continue;
    }
    const value = attached ?? words[(at += 1)];
    if (value === undefined) throw new UsageError(`${flag} needs a value.`);
    if (kind === "env" || kind === "headers") parsed[kind].push(value);
    else parsed[kind] = value;
  }
  return parsed;
}

function parseServerJson(name: string, text: string): unknown {
  const value = tryParseJson(text);
  if (value !== undefined) return serverInside(name, value);
  throw new UsageError(
    'pawl mcp add-json takes a server as JSON, such as \'{"command": "npx", "args": ["-y", "x"]}\'.',
  );
}

/** Instructions for servers mostly show a whole file, or the server under its name. */
function serverInside(name: string, value: unknown): unknown {
  if (!isRecord(value) || "command" in value || "url" in value) return value;
  const file = value["mcpServers"] ?? value["servers"];
  const servers = isRecord(file) ? file : value;
  if (isRecord(servers[name])) return servers[name];
  const names = Object.keys(servers);
  const [only] = Object.values(servers);
  if (names.length === 1 && (isRecord(only) || servers !== value)) return only;
  if (names.length === 0 || servers === value) return value;
  throw new UsageError(
    `The JSON has ${names.length} servers: name the server that is to be added (${names.slice(0, 10).join(", ")}).`,
  );
}

function serverFromFlags(words: ParsedWords, [commandOrUrl = "", ...args]: readonly string[]): unknown {
  const { transport, env, headers } = words;
  const isAddress = addressPattern.test(commandOrUrl);
  const defaultTransport = isAddress ? remoteKind(commandOrUrl) : "stdio";
  const type = oneOf("--transport", transport ?? defaultTransport, ["stdio", "http", "sse", "ws"]);
  const oauth = oauthOptions(words, type);
  if (type === "stdio") {
    if (headers.length > 0)
      throw new UsageError("--header is for a server at an address, such as one that begins with https:// or wss://.");
    return { type, command: commandOrUrl, args, ...(env.length === 0 ? {} : { env: parsePairs("--env", env, "=") }) };
  }
  if (args.length > 0) throw new UsageError("A server at an address takes no arguments.");
  if (env.length > 0)
    throw new UsageError("--env is for a server that runs as a command; a server at an address takes --header.");
  return {
    type,
    url: commandOrUrl,
    ...(headers.length === 0 ? {} : { headers: parsePairs("--header", headers, ":") }),
    ...oauth,
  };
}

function oauthOptions({ clientId, callbackPort, hasSecret }: ParsedWords, type: string): { oauth?: object } {
  const id = clientId === undefined ? {} : { clientId: notEmpty("--client-id", clientId) };
  const port = callbackPort === undefined ? {} : { callbackPort: parseInteger("--callback-port", callbackPort, 1) };
  const oauth = { ...id, ...port };
  const usesOauth = hasSecret || Object.keys(oauth).length > 0;
  if (usesOauth && type !== "http" && type !== "sse")
    throw new UsageError(
      "--client-id, --client-secret and --callback-port are for servers with a login, which have the type http or sse.",
    );
  if (hasSecret && clientId === undefined) throw new UsageError("--client-secret needs --client-id, too.");
  return usesOauth ? { oauth } : {};
}

function parsePairs(flag: string, entries: readonly string[], separator: string): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf(separator);
      if (at < 1)
        throw new UsageError(`${flag} needs a name, "${separator}" and a value, not "${entry.slice(0, 60)}".`);
      return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
    }),
  );
}
