/** `pawl mcp`: its words as data. */
import { remoteKind } from "../lib/remote-kind.ts";
import { UsageError } from "../lib/usage-error.ts";
import { oneOf } from "./values.ts";

export const mcpHelp = `Usage: pawl mcp <command>

  pawl mcp list                      the servers, and whether they are there
  pawl mcp get <name>                one of them
  pawl mcp add <name> [-s <scope>] [-t stdio|http|sse|ws]
               [-e KEY=value...] [-H "Name: value"...]
               <command or address> [-- arguments...]
  pawl mcp add-json <name> <json> [-s <scope>]
  pawl mcp remove <name> [-s <scope>]
  pawl mcp login <name>              log in to a server that wants it
  pawl mcp serve [flags]             be a server: pawl's own tools on stdio,
                                     under the permissions the flags give

Scopes: local (this folder, for you alone; the default), user (every folder),
project (.mcp.json, for everybody who works here).
`;

const scopes = ["local", "user", "project"] as const;
type Scope = (typeof scopes)[number];

export type McpArguments =
  | { verb: "list" }
  | { verb: "get" | "login"; name: string }
  | { verb: "add"; name: string; server: unknown; scope: Scope }
  | { verb: "remove"; name: string; scope?: Scope };

/** `words`: what stands after `pawl mcp`; `serve` is not among them. */
export function parseMcp([verb = "list", ...words]: readonly string[]): McpArguments {
  const read = readWords(words, verb === "add");
  const [name = "", ...rest] = read.plain;
  const scope = read.scope === undefined ? undefined : oneOf("--scope", read.scope, scopes);
  const refuse = (when: boolean): void => {
    if (when) throw new UsageError(`That is no way to use pawl mcp ${verb}; pawl mcp --help says how.`);
  };
  switch (verb) {
    case "list":
      refuse(read.plain.length > 0);
      return { verb };
    case "get":
    case "login":
      refuse(name === "" || rest.length > 0);
      return { verb, name };
    case "remove":
      refuse(name === "" || rest.length > 0);
      return { verb, name, ...(scope === undefined ? {} : { scope }) };
    case "add-json":
      refuse(rest.length !== 1);
      return { verb: "add", name, server: jsonOf(rest[0] ?? ""), scope: scope ?? "local" };
    case "add":
      refuse(rest.length === 0);
      return { verb, name, server: serverOf(read, rest), scope: scope ?? "local" };
    default:
      throw new UsageError(`pawl mcp has no command ${verb.slice(0, 40)}; pawl mcp --help lists them.`);
  }
}

interface Words {
  plain: string[];
  scope?: string;
  transport?: string;
  env: string[];
  headers: string[];
}

const flags = new Map<string, "scope" | "transport" | "env" | "headers">([
  ["-s", "scope"],
  ["--scope", "scope"],
  ["-t", "transport"],
  ["--transport", "transport"],
  ["-e", "env"],
  ["--env", "env"],
  ["-H", "headers"],
  ["--header", "headers"],
]);

const address = /^(?:https?|wss?):\/\//u;

/** Of `add`, flags before the command are ours; what follows it, or `--`, is the command's own. An address has nothing of its own. */
function readWords(words: readonly string[], isAdd: boolean): Words {
  const read: Words = { plain: [], env: [], headers: [] };
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const isCommands = isAdd && read.plain.length >= 2 && !address.test(read.plain[1] ?? "");
    if (word === "--" || isCommands) {
      read.plain.push(...words.slice(word === "--" ? at + 1 : at).filter((each, index) => index > 0 || each !== "--"));
      break;
    }
    const [flag = "", attached] = /^(--\w+)=([^]*)$/u.exec(word)?.slice(1) ?? [word];
    const kind = flags.get(flag);
    if (kind === undefined) {
      if (word.startsWith("-")) throw new UsageError(`pawl mcp has no flag ${word.slice(0, 40)}.`);
      read.plain.push(word);
      continue;
    }
    const value = attached ?? words[(at += 1)];
    if (value === undefined) throw new UsageError(`${flag} needs its value.`);
    if (kind === "env" || kind === "headers") read[kind].push(value);
    else read[kind] = value;
  }
  return read;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(
      'pawl mcp add-json takes a server as JSON, such as \'{"command": "npx", "args": ["-y", "x"]}\'.',
    );
  }
}

function serverOf({ transport, env, headers }: Words, [place = "", ...args]: readonly string[]): unknown {
  const isAddress = address.test(place);
  const usual = isAddress ? remoteKind(place) : "stdio";
  const type = oneOf("--transport", transport ?? usual, ["stdio", "http", "sse", "ws"]);
  if (type === "stdio") {
    if (headers.length > 0)
      throw new UsageError(
        "--header is for a server at an address, which begins with https:// or wss://, for instance.",
      );
    return { type, command: place, args, ...(env.length === 0 ? {} : { env: table("--env", env, "=") }) };
  }
  if (args.length > 0) throw new UsageError("A server at an address takes no arguments.");
  if (env.length > 0)
    throw new UsageError("--env is for a server that is a program; one at an address takes --header.");
  return { type, url: place, ...(headers.length === 0 ? {} : { headers: table("--header", headers, ":") }) };
}

function table(flag: string, entries: readonly string[], mark: string): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry) => {
      const at = entry.indexOf(mark);
      if (at < 1) throw new UsageError(`${flag} needs a name, "${mark}" and a value, not "${entry.slice(0, 60)}".`);
      return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
    }),
  );
}
