/** References to servers in the user's text: a server's prompt by `/mcp__server__prompt`, a resource by `@server:uri`. */
import { isRecord } from "../lib/is-record.ts";
import { errorText } from "../lib/error-text.ts";
import { beforeNextMention, unspacedLetters, wideEndMarks, widePunctuation } from "../lib/unspaced.ts";
import { trimSentenceEnd } from "../lib/trim-end.ts";
import type { ToolResultContent } from "../protocol/message.ts";
import type { SlashCommand } from "../protocol/sdk-commands.ts";
import type { Connection } from "./connection.ts";
import { anyObject, listIn } from "./any-object.ts";
import { cleanText } from "./clean-text.ts";
import type { McpPrompt } from "./inventory.ts";
import { canSeeResources, readResource, type ResourceServers } from "./resources.ts";
import { referenceContent } from "./reference-content.ts";
import { partsBlocks } from "./result.ts";

const promptStart = /^\s*[/／]mcp__/;
/** Built only when one is typed: compiling classes of all of Unicode takes more than a millisecond at startup. */
const promptPattern = (): RegExp => /^\s*[/／](mcp__[\p{L}\p{M}\p{N}_-]+)(?:\s+([^]*))?$/u;
const resourceMention = new RegExp(
  String.raw`(?<=^|[\s([{${unspacedLetters}${widePunctuation}])[@\uff20]([\w.-]+):([a-z][\w+.-]*:(?:(?!${beforeNextMention})\S)+)`,
  "giu",
);
const resourceStart = /^([\w.-]+):[a-z][\w+.-]*:/iu;
/** Where text without spaces may continue directly after an address. */
const textContinuation = new RegExp(String.raw`[${widePunctuation}]|(?<=[\w)\]}])[${unspacedLetters}]`, "u");
type Blocks = Exclude<ToolResultContent, string>;

const maxMentions = 10;
const promptMs = 60_000;

export interface ReferenceContext {
  servers: ResourceServers;
  /** Whether the model may not use this tool. */
  isHidden: (tool: string) => boolean;
  maxChars: number;
  /** Whether a prompt that no server has is also reported. */
  reportsUnknown: boolean;
}

/** The server prompt at the start of the text, as typed. */
export function promptIn(servers: ResourceServers, text: string): { name: string; argument: string } | undefined {
  const command = parsePromptCommand(text);
  return command !== undefined && findPrompt(servers, command.name) !== undefined ? command : undefined;
}

function parsePromptCommand(text: string): { name: string; argument: string } | undefined {
  const [, name, argument = ""] = (promptStart.test(text) ? promptPattern().exec(text) : null) ?? [];
  return name === undefined ? undefined : { name: name.normalize("NFC"), argument: argument.trim() };
}

/** What the model gets for each reference, including failures. Its media have the server's own size. Never throws. */
export async function fetchReferences(
  typed: ReferenceContext,
  text: string,
  signal: AbortSignal,
): Promise<ToolResultContent[]> {
  const command = parsePromptCommand(text);
  const promptParagraphs = command === undefined ? [] : [promptContent(typed, command, signal)];
  const resources = new Map(
    Array.from(text.matchAll(resourceMention), ([, server = "", uri = ""]) => [
      `${server}:${withoutPunctuation(uri)}`,
      server,
    ]),
  );
  const read = Array.from(resources)
    .slice(0, maxMentions)
    .map(([whole, server]) => resourceContent(typed, server, whole.slice(server.length + 1), signal));
  const news = await Promise.all([...promptParagraphs, ...read]);
  return news.flatMap((each) =>
    each === undefined ? [] : [referenceContent(each.head, each.blocks ?? [], typed.maxChars)],
  );
}

/** The address without the punctuation of the sentence around it. */
function withoutPunctuation(uri: string): string {
  return trimSentenceEnd(uri, `"${wideEndMarks}`);
}

/** The prompts as commands that can be typed. */
export function promptCommands(servers: ResourceServers): SlashCommand[] {
  return servers
    .connections()
    .flatMap(({ server, inventory }) =>
      inventory.prompts.map((prompt) => commandOf(servers.keyOf(server.name), prompt)),
    );
}

function commandOf(key: string, prompt: McpPrompt): SlashCommand {
  const hints = prompt.arguments.map(({ name, required }) =>
    required ? `<${cleanText(name, 60)}>` : `[${cleanText(name, 60)}]`,
  );
  return { name: nameOf(key, prompt), description: prompt.description, argumentHint: hints.join(" "), builtin: false };
}

/** A name for people to type. It keeps letters of all scripts, so that names in other scripts stay distinct. */
function nameOf(key: string, { name }: McpPrompt): string {
  return `mcp__${key}__${name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}_-]/gu, "_")}`;
}

function findPrompt(servers: ResourceServers, name: string): { connection: Connection; prompt: McpPrompt } | undefined {
  for (const connection of servers.connections()) {
    const key = servers.keyOf(connection.server.name);
    const prompt = connection.inventory.prompts.find((each) => nameOf(key, each) === name);
    if (prompt !== undefined) return { connection, prompt };
  }
  return undefined;
}

/** A line of pawl's own, and what the server said. */
interface Fetched {
  head: string;
  blocks?: Blocks;
}

async function promptContent(
  { servers, reportsUnknown }: ReferenceContext,
  { name, argument }: { name: string; argument: string },
  signal: AbortSignal,
): Promise<Fetched | undefined> {
  const found = findPrompt(servers, name);
  if (found === undefined && !reportsUnknown) return undefined;
  if (found === undefined)
    return { head: `There is no command /${name}: no connected MCP server has such a prompt. Tell the user.` };
  const server = found.connection.server.name;
  try {
    const blocks = await fetchPromptBlocks(found.connection, found.prompt, argument, signal);
    const head = `/${name} stands for this prompt of the MCP server ${server}, which the user asks you to follow:`;
    return { head, blocks };
  } catch (error) {
    return {
      head: `/${name} could not be fetched from the MCP server ${server} (${reasonText(error)}). Tell the user.`,
    };
  }
}

async function fetchPromptBlocks(
  connection: Connection,
  prompt: McpPrompt,
  argumentText: string,
  signal: AbortSignal,
): Promise<Blocks> {
  const values = parseArguments(prompt, argumentText);
  const missing = prompt.arguments.find(({ name, required }) => required && values[name] === undefined);
  if (missing !== undefined) throw new Error(`it needs the argument ${missing.name}`);
  const params = { name: prompt.name, arguments: values };
  const answer = await connection.use(signal, (client) =>
    client.request({ method: "prompts/get", params }, anyObject, { signal, timeout: promptMs }),
  );
  const messages = listIn(answer, "messages").filter(isRecord);
  return messages.slice(0, 100).flatMap(({ role, content }) => {
    const blocks = partsBlocks(Array.isArray(content) ? (content as unknown[]) : [content]);
    return role === "assistant" ? asExample(blocks) : blocks;
  });
}

function asExample(blocks: Blocks): Blocks {
  const label = "(an example answer)";
  const [first, ...rest] = blocks;
  return first?.type === "text"
    ? [{ type: "text", text: `${label} ${first.text}` }, ...rest]
    : [{ type: "text", text: label }, ...blocks];
}

const word = /^(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<bare>\S+))(?:\s+|$)/u;

/** Assigns words to arguments in order; quotes group words. The last argument takes the rest unchanged. */
function parseArguments({ arguments: fields }: McpPrompt, argumentText: string): Record<string, string> {
  // A server may call an argument `constructor`.
  const values = Object.create(null) as Record<string, string>;
  let rest = argumentText;
  for (const [at, { name }] of fields.entries()) {
    const found = word.exec(rest);
    const isLast = at === fields.length - 1;
    const { double, single, bare } = found?.groups ?? {};
    const value = isLast && found?.[0] !== rest ? rest : (double ?? single ?? bare ?? "");
    if (value !== "") values[name] = value;
    rest = rest.slice(found?.[0].length ?? 0);
  }
  return values;
}

/** Whether a word that follows an at sign is for a server's resources, and so no file. */
export function isResourceReference(servers: ResourceServers, word: string): boolean {
  const [, name] = resourceStart.exec(word) ?? [];
  return name !== undefined && resourceServer(servers, name) !== undefined;
}

function resourceServer(servers: ResourceServers, name: string): Connection | undefined {
  const connection = servers
    .connections()
    .find(({ server }) => server.name === name || servers.keyOf(server.name) === name);
  return connection?.inventory.hasResources === true ? connection : undefined;
}

/** Undefined if the reference names no server: then it is plain text. */
async function resourceContent(
  { servers, isHidden }: ReferenceContext,
  name: string,
  uri: string,
  signal: AbortSignal,
): Promise<Fetched | undefined> {
  const connection = resourceServer(servers, name);
  if (connection === undefined) return undefined;
  if (isHidden("ReadMcpResourceTool") || !canSeeResources(connection, servers, isHidden))
    return { head: `@${name}:${uri} was not read: the rules of this session keep it from you.` };
  try {
    const [blocks, address] = await readAddress(connection, uri, signal);
    return { head: `@${name}:${address} is, in the words of the MCP server ${name}:`, blocks };
  } catch (error) {
    return { head: `@${name}:${uri} could not be read (${reasonText(error)}).` };
  }
}

/** Reads the address as it stands. If nothing is there, tries again without what may be following text. */
async function readAddress(
  connection: Connection,
  uri: string,
  signal: AbortSignal,
): Promise<[blocks: Blocks, address: string]> {
  const shorter = withoutPunctuation(uri.slice(0, textContinuation.exec(uri)?.index));
  try {
    return [await readResource(connection, uri, signal), uri];
  } catch (error) {
    if (shorter === uri || signal.aborted) throw error;
    return [await readResource(connection, shorter, signal), shorter];
  }
}

function reasonText(error: unknown): string {
  return cleanText(errorText(error), 500);
}
