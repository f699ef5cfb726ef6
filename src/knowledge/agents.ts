/** Reads agent definitions: Markdown files whose front matter says what an agent may use, and whose text is its system prompt. */
import { basename, dirname, relative, sep } from "node:path";
import { withoutUndefined } from "../lib/without-undefined.ts";
import { isRecord } from "../lib/is-record.ts";
import { oneLine, sanitize } from "../lib/sanitize.ts";
import { efforts } from "../protocol/effort.ts";
import { permissionModes } from "../protocol/permission.ts";
import type { NamedAgent } from "../protocol/agent.ts";
import type { KnowledgeProblem, KnowledgeSource } from "../protocol/knowledge.ts";
import { Fields, splitNames } from "./fields.ts";
import { readFrontMatter, type FrontMatter } from "./front-matter.ts";
import { fillFolderVariables } from "./plugin-data.ts";
import { linkBounds, readText, scanFolder } from "./scan.ts";
import type { PluginFolders } from "./skill.ts";

/** An agent with the properties that only files define. */
export interface LoadedAgent extends NamedAgent {
  color?: string;
  /** Fields that require trust and were left out. */
  withheld?: string[];
  /** Fields that agents from this source may never have, trusted or not. */
  forbiddenFields?: string[];
}

export interface LoadedAgents {
  /** One for each name: the one with precedence. */
  agents: LoadedAgent[];
  /** Agents hidden by one of the same name with precedence. */
  shadowed: LoadedAgent[];
  problems: KnowledgeProblem[];
}

export interface AgentSource {
  source: KnowledgeSource;
  path?: string;
  /** Whether what it would permit and run may take effect. */
  isTrusted: boolean;
  /** Put before its name, with a colon. */
  prefix?: string;
}

/** A folder such as `.claude/agents`. */
export interface AgentPlace {
  folder: string;
  source: KnowledgeSource;
  /** Put before each name, with a colon, and followed by the names of folders below this one. */
  prefix?: string;
  plugin?: PluginFolders;
}

export interface LoadAgentsOptions {
  /** Highest precedence first. */
  places: readonly AgentPlace[];
  /** Folders that links of a project or plugin may lead to. Real paths. */
  bounds: readonly string[];
  trusts: (path: string, text: string) => boolean;
}

/** Loads agents from the folders, at any depth. Never throws. */
export async function loadAgents({ places, bounds, trusts }: LoadAgentsOptions): Promise<LoadedAgents> {
  const found: LoadedAgent[] = [];
  const problems: KnowledgeProblem[] = [];
  for (const { folder, source, prefix, plugin } of places) {
    const scanned = scanFolder(folder, {
      accepts: (name) => name.endsWith(".md"),
      bounds: linkBounds(source, bounds),
    });
    problems.push(...scanned.problems);
    for (const path of scanned.paths) {
      const read = readText(path);
      if (!read.ok) {
        problems.push({ path, reason: read.why });
        continue;
      }
      const isTrusted = source !== "project" || trusts(path, read.text);
      const prefixField =
        prefix === undefined ? {} : { prefix: [prefix, ...folderNamesBetween(folder, path)].join(":") };
      const { agent, problems: wrong } = await readAgentFile(read.text, { source, path, isTrusted, ...prefixField });
      problems.push(...wrong);
      if (agent === undefined) continue;
      found.push(plugin === undefined ? agent : { ...agent, prompt: fillFolderVariables(agent.prompt, plugin) });
    }
  }
  return { ...keepFirstOfEachName(found), problems };
}

/** Returns no folders for a place that is itself a file. */
function folderNamesBetween(folder: string, path: string): string[] {
  return path === folder
    ? []
    : relative(folder, dirname(path))
        .split(sep)
        .filter((name) => name !== "");
}

function keepFirstOfEachName(agents: readonly LoadedAgent[]): Pick<LoadedAgents, "agents" | "shadowed"> {
  const byName = new Map<string, LoadedAgent>();
  for (const agent of agents) if (!byName.has(agent.name)) byName.set(agent.name, agent);
  const first = new Set(byName.values());
  return { agents: [...first], shadowed: agents.filter((agent) => !first.has(agent)) };
}

export interface ReadAgent {
  /** Undefined: the file is not an agent, or cannot be used as one. */
  agent?: LoadedAgent;
  problems: KnowledgeProblem[];
}

export async function readAgentFile(text: string, about: AgentSource & { path: string }): Promise<ReadAgent> {
  const { path } = about;
  const matter = await readFrontMatter(text);
  const problems = matter.problems.map((problem) => ({ path, ...problem }));
  const fields = new Fields(matter.fields, path, (field) => matter.lineOf(field));
  fields.acceptAliases("tools", ["allowedTools", "allowed-tools", "allowed_tools"]);
  fields.acceptAliases("disallowedTools", ["disallowed-tools", "disallowed_tools", "denied-tools"]);
  fields.reportMisspelt(agentFields, restrictingFields);
  if (!fields.has("name")) {
    // A page for people, which many folders of agents have.
    if (/^readme\.md$/iu.test(basename(path)) && matter.bodyLine === 1) return { problems };
    const { isLate } = await readFrontMatter(text, { mayBeLate: true });
    const why = isLate === true ? "its front matter does not begin in the first line" : "it has no name";
    const reason = `${why}, so it is not an agent (${basename(path)})`;
    return { problems: [...problems, { path, line: 1, reason }] };
  }
  const agent = toAgent(fields, matter.body.trim(), { ...about, repeated: matter.repeated });
  return { ...(agent === undefined ? {} : { agent }), problems: [...problems, ...fields.problems] };
}

type AgentFileSource = AgentSource & Pick<FrontMatter, "repeated">;

function toAgent(fields: Fields, prompt: string, about: AgentFileSource): LoadedAgent | undefined {
  const { source, path, prefix } = about;
  const own = fields.text("name")?.normalize("NFC");
  const description = fields.text("description");
  if (own === undefined) return undefined;
  if (own.startsWith("-") || /[:\p{Cc}]|[^\S ]/u.test(own) || own.length > 100 || sanitize(own) !== own)
    return fields.reportProblem("name", "should be a short name without a colon or a hyphen in front");
  if (description === undefined)
    return fields.reportProblem("description", "is missing: nobody could tell when to use it");
  const agent: LoadedAgent = {
    name: prefix === undefined ? own : `${prefix}:${own}`,
    description,
    prompt,
    ...optionalFields(fields),
    ...grantingFields(fields, about),
    source,
    ...(path === undefined ? {} : { path }),
  };
  const unfit = reasonUnusable(fields, about);
  return { ...agent, ...(unfit === undefined ? {} : { unfit }) };
}

const agentFields = (
  "name description tools disallowedTools model permissionMode maxTurns skills mcpServers hooks memory background effort isolation " +
  "color initialPrompt"
).split(" ");

const restrictingFields = ["tools", "disallowedTools", "permissionMode", "isolation", "maxTurns"] as const;

/**
 * Returns why an agent cannot be used: a restriction in its file is invalid, and without it the agent could do what the file forbids. The
 * agent keeps its name, so that no other of that name takes its place.
 */
function reasonUnusable(fields: Fields, { source, path = "it", repeated }: AgentFileSource): string | undefined {
  for (const name of restrictingFields) {
    if (source === "plugin" && name === "permissionMode") continue;
    if (repeated.has(name)) return `${path} says "${name}" twice, and only one of the two could count`;
    const problem = fields.problemOf(name);
    if (problem === undefined) continue;
    const { line, reason } = problem;
    const shown = oneLine(JSON.stringify(fields.raw(name)) ?? "", 80);
    return `${path}${line === undefined ? "" : `:${line}`} says ${shown}, and ${reason}`;
  }
  return undefined;
}

function optionalFields(fields: Fields): Partial<LoadedAgent> {
  const tools = toolNames(fields, "tools");
  return withoutUndefined({
    // A single `*` means the same as leaving the field out.
    tools: tools?.includes("*") === true ? undefined : tools,
    disallowedTools: toolNames(fields, "disallowedTools"),
    model: fields.text("model"),
    maxTurns: fields.wholeNumber("maxTurns"),
    skills: fields.list("skills"),
    background: fields.flag("background"),
    effort: fields.oneOf("effort", efforts),
    isolation: fields.oneOf("isolation", ["worktree"]),
    color: fields.text("color"),
    initialPrompt: fields.text("initialPrompt"),
  });
}

function toolNames(fields: Fields, name: "tools" | "disallowedTools"): string[] | undefined {
  const raw = fields.raw(name);
  // Text that begins with a bracket is an unclosed list, and a name that begins with a quote is part of an unclosed string.
  const isOpen =
    typeof raw === "string" && (/^\s*[[{]/u.test(raw) || splitNames(raw).some((each) => /^["']/u.test(each)));
  if (raw !== undefined && (isOpen || !fields.isTextOrTexts(name)))
    return fields.reportProblem(name, "should be names of tools");
  const names = fields.list(name);
  return name === "tools" && names !== undefined ? rejoinParentheses(names) : names;
}

/**
 * Rejoins names that were split inside parentheses: in YAML's brackets, a comma ends a text even there. An unclosed parenthesis takes in
 * all the following names; that can only restrict.
 */
function rejoinParentheses(names: readonly string[]): string[] {
  const found: string[] = [];
  for (const name of names) {
    const open = found.at(-1);
    if (open !== undefined && /\([^)]*$/u.test(open)) found[found.length - 1] = `${open}, ${name}`;
    else found.push(name);
  }
  return found;
}

/** Returns the fields that would permit or run something. No file of a project or plugin may set the mode in which nobody is asked. */
function grantingFields(fields: Fields, { isTrusted, source }: AgentSource): Partial<LoadedAgent> {
  // By convention, another name of the default mode.
  const isManual = fields.raw("permissionMode") === "manual";
  const permissionMode = isManual ? "default" : fields.oneOf("permissionMode", permissionModes);
  const memory = fields.oneOf("memory", ["user", "project", "local"]);
  const read = withoutUndefined({
    permissionMode,
    mcpServers: readServers(fields),
    hooks: fields.raw("hooks"),
    memory,
  });
  const isUserControlled = source === "user" || source === "policy" || source === "option";
  const names = Object.keys(read) as (keyof typeof read)[];
  const forbiddenFields = names.filter(
    (name) =>
      (source === "plugin" && name !== "memory") ||
      (name === "permissionMode" && read[name] === "bypassPermissions" && !isUserControlled),
  );
  const withheld = isTrusted ? [] : names.filter((name) => !forbiddenFields.includes(name));
  for (const name of [...forbiddenFields, ...withheld]) delete read[name];
  return {
    ...read,
    ...(withheld.length === 0 ? {} : { withheld }),
    ...(forbiddenFields.length === 0 ? {} : { forbiddenFields }),
  };
}

function readServers(fields: Fields): LoadedAgent["mcpServers"] {
  const value = fields.raw("mcpServers");
  if (value === undefined) return undefined;
  if (typeof value === "string") return fields.list("mcpServers");
  const list: unknown[] = Array.isArray(value) ? value : [value];
  const fit = list.filter(
    (each): each is string | Record<string, unknown> => typeof each === "string" || isRecord(each),
  );
  if (fit.length < list.length)
    fields.reportProblem("mcpServers", "should be names or servers by name; other entries were left out");
  return fit;
}
