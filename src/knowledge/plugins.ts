/** Plugins: folders on this disk with skills, commands, agents, hooks, servers and styles; and marketplaces listing them. Never throws. */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nearestName } from "../lib/edit-distance.ts";
import { isFolder } from "../lib/path-status.ts";
import { isWithin } from "../lib/is-within.ts";
import { sanitize } from "../lib/sanitize.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { lineOfName, readJsonObject, repeatedKeyProblems } from "./json-text.ts";
import { readPluginOptions, type PluginOptions } from "./plugin-options.ts";
import { readPluginParts, type PluginParts } from "./plugin-parts.ts";
import { readText } from "./scan.ts";
import { isRecord } from "../lib/is-record.ts";

export interface Plugin extends Omit<PluginParts, "problems"> {
  name: string;
  /** `name@marketplace` if a marketplace provides it; otherwise its name. */
  id: string;
  /** Absolute. */
  root: string;
  /** The plugin is a copy in the user's own folder, fetched by another tool. */
  isFetched?: boolean;
  version?: string;
  description?: string;
  /** Folders of each kind. Absolute. */
  skills: string[];
  commands: string[];
  agents: string[];
  /** The manifest's `userConfig`, and the values known for it. */
  userConfig?: unknown;
  options: PluginOptions;
  /** Parts of the plugin that are not supported. */
  unused: string[];
}

export interface ReadPlugin {
  plugin?: Plugin;
  problems: KnowledgeProblem[];
}

type Fields = Readonly<Record<string, unknown>>;

const textFields = ["name", "version", "description", "displayName", "homepage", "license"] as const;
/** Parts of the convention that are not supported here: in the plugin's folder, and in its manifest (also under `experimental`). */
const unsupportedFolders = [".lsp.json", "bin", "monitors", "themes", "workflows"];
const unsupportedFields = ["channels", "dependencies", "lspServers", "monitors", "themes", "workflows"];

/** Fields that say where parts of the plugin are: misspelt, they would leave a part out. */
const partFields = ["skills", "commands", "agents", "hooks", "mcpServers", "outputStyles", "userConfig"];
const manifestFields: ReadonlySet<string> = new Set([...partFields, ...textFields, ...unsupportedFields]);

/** A marketplace's description of one of its plugins. */
export interface MarketplaceEntry {
  name: string;
  /** The path of the marketplace's file. */
  path: string;
  fields: Fields;
}

/** Reads the plugin in a folder: from its manifest if there is one, else from the marketplace's entry, else with the folder's name. */
export function readPlugin(folder: string, entry?: MarketplaceEntry): ReadPlugin {
  const path = join(folder, ".claude-plugin/plugin.json");
  if (!isFolder(folder)) return { problems: [{ path: folder, reason: "there is no such folder" }] };
  const read = readText(path);
  if (read.ok) return readManifest(read.text, path, folder);
  if (read.code !== "ENOENT") return { problems: [{ path, reason: read.why }] };
  return entry === undefined ? createPlugin(folder, { name: basename(folder) }, path) : readEntry(folder, entry);
}

/** Only the plugin's own files may name programs, because trust is given to those files. */
const manifestOnlyFields = ["hooks", "mcpServers"] as const;

function readEntry(folder: string, { name, path, fields }: MarketplaceEntry): ReadPlugin {
  const problems: KnowledgeProblem[] = manifestOnlyFields
    .filter((field) => fields[field] !== undefined)
    .map((field) => ({ path, reason: `"${field}" of ${name} has no effect here, only in a plugin.json of its own` }));
  const report = (reason: string): void => void problems.push({ path, reason: `${name}: ${reason}` });
  const { hooks: _hooks, mcpServers: _servers, ...rest } = fields;
  const { plugin, problems: inside } = createPlugin(folder, rest, path, report);
  // Several plugins may share a folder of skills: each has only the skills its entry names.
  if (plugin !== undefined && rest["skills"] !== undefined) plugin.skills.shift();
  return { ...(plugin === undefined ? {} : { plugin }), problems: [...problems, ...inside] };
}

export function readManifest(text: string, path: string, root: string = dirname(dirname(path))): ReadPlugin {
  const read = readJsonObject(text);
  if (!read.ok) return { problems: [{ path, line: read.line, reason: read.reason }] };
  const fields = read.value;
  const problems: KnowledgeProblem[] = [];
  for (const name of textFields)
    if (fields[name] !== undefined && typeof fields[name] !== "string")
      problems.push({ path, line: lineOfName(text, name), reason: `"${name}" should be text` });
  if (!isName(fields["name"]))
    problems.push({ path, line: lineOfName(text, "name"), reason: '"name" should be one word' });
  // By convention, a known field of the wrong type invalidates the whole plugin.
  if (problems.length > 0) return { problems };
  const report = (reason: string, field: string): void =>
    void problems.push({ path, line: lineOfName(text, field), reason });
  for (const name of Object.keys(fields).filter((each) => !manifestFields.has(each))) {
    const near = nearestName(name, partFields);
    if (near !== undefined && !(near in fields)) report(`"${name}" is ignored: the field is called "${near}"`, name);
  }
  const { plugin, problems: inside } = createPlugin(root, fields, path, report);
  // A problem with a field of the manifest gets that field's line.
  const placed = inside.map((problem) =>
    problem.path === path ? { line: lineOfProblem(text, problem), ...problem } : problem,
  );
  return {
    ...(plugin === undefined ? {} : { plugin }),
    problems: [...problems, ...repeatedKeyProblems(path, read), ...placed],
  };
}

function createPlugin(
  root: string,
  fields: Fields,
  manifest: string,
  report: (reason: string, field: string) => void = () => {},
): ReadPlugin {
  const { problems, ...parts } = readPluginParts(root, fields, manifest);
  const version = typeof fields["version"] === "string" ? { version: fields["version"] } : {};
  const description = typeof fields["description"] === "string" ? { description: fields["description"] } : {};
  const declaredPaths = (field: string): string[] | undefined => pathsInPlugin(field, fields[field], root, report);
  const defaultFolder = (name: string): string[] => [join(root, name)];
  const name = String(fields["name"]);
  const plugin: Plugin = {
    name,
    id: name,
    root,
    ...version,
    ...description,
    skills: [...defaultFolder("skills"), ...(declaredPaths("skills") ?? [])],
    commands: declaredPaths("commands") ?? defaultFolder("commands"),
    agents: declaredPaths("agents") ?? defaultFolder("agents"),
    unused: unsupportedParts(root, fields),
    ...(fields["userConfig"] === undefined ? {} : { userConfig: fields["userConfig"] }),
    options: readPluginOptions(fields["userConfig"]).options,
    ...parts,
  };
  return { plugin, problems };
}

function unsupportedParts(root: string, fields: Fields): string[] {
  const { experimental } = fields;
  const fieldSources = isRecord(experimental) ? [fields, experimental] : [fields];
  const hasContent = (value: unknown): boolean =>
    Array.isArray(value) || isRecord(value) ? Object.keys(value).length > 0 : value !== undefined && value !== null;
  return [
    ...new Set([
      ...unsupportedFolders.filter((each) => isFolder(join(root, each)) || readText(join(root, each)).ok),
      ...unsupportedFields.filter((field) => fieldSources.some((each) => hasContent(each[field]))),
    ]),
  ];
}

/** Returns the paths that stay inside the plugin; undefined if the field is absent. */
function pathsInPlugin(
  field: string,
  value: unknown,
  root: string,
  report: (reason: string, field: string) => void,
): string[] | undefined {
  if (value === undefined) return undefined;
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.flatMap((each) => {
    const path = typeof each === "string" ? resolve(root, each) : undefined;
    if (path === undefined || !isWithin(path, root)) {
      report(`"${field}" should be paths in the plugin, beginning with ./`, field);
      return [];
    }
    if (!existsSync(path)) report(`"${field}" names ${String(each)}, which does not exist`, field);
    return [path];
  });
}

export interface Marketplace {
  name: string;
  /** Folders of its plugins by name; undefined for plugins that are stored elsewhere. */
  plugins: Map<string, string | undefined>;
  entries: Map<string, MarketplaceEntry>;
}

/** Opens a marketplace. `path`: its file, or the folder that contains `.claude-plugin/marketplace.json`. */
export function openMarketplace(path: string): { marketplace?: Marketplace; problems: KnowledgeProblem[] } {
  const file = isFolder(path) ? join(path, ".claude-plugin/marketplace.json") : path;
  const read = readText(file);
  if (read.ok) return readMarketplace(read.text, file);
  const isGone = read.code === "ENOENT" || read.code === "ENOTDIR";
  const reason = isGone ? `there is no ${file}, and marketplaces elsewhere are not fetched` : read.why;
  return { problems: [{ path: file, reason }] };
}

export function readMarketplace(
  text: string,
  path: string,
): { marketplace?: Marketplace; problems: KnowledgeProblem[] } {
  const read = readJsonObject(text);
  if (!read.ok) return { problems: [{ path, line: read.line, reason: read.reason }] };
  const { name, plugins, metadata } = read.value;
  if (!isName(name) || !Array.isArray(plugins))
    return { problems: [{ path, line: 1, reason: "it should have a name and a list of plugins" }] };
  const top = basename(dirname(path)) === ".claude-plugin" ? dirname(dirname(path)) : dirname(path);
  const base =
    isRecord(metadata) && typeof metadata["pluginRoot"] === "string" ? resolve(top, metadata["pluginRoot"]) : top;
  const problems: KnowledgeProblem[] = [];
  const found = new Map<string, string | undefined>();
  const entries = new Map<string, MarketplaceEntry>();
  for (const [at, entry] of (plugins as unknown[]).entries()) {
    if (!isRecord(entry) || !isName(entry["name"])) {
      const line = lineOfName(text, "plugins");
      problems.push({ path, line, reason: `plugins[${at}] should have a name of one word` });
      continue;
    }
    const { source } = entry;
    entries.set(entry["name"], { name: entry["name"], path, fields: entry });
    const folder = typeof source === "string" ? folderOf(source, top, base) : undefined;
    if (folder === undefined && !isRecord(source))
      problems.push({
        path,
        line: lineOfName(text, entry["name"]),
        reason: `${entry["name"]} should have a source: a folder in the marketplace, or a location elsewhere`,
      });
    if (folder !== undefined && !isWithin(folder, top))
      problems.push({
        path,
        line: lineOfName(text, entry["name"]),
        reason: `the source of ${entry["name"]} leads out of the marketplace`,
      });
    else found.set(entry["name"], folder);
  }
  return { marketplace: { name, plugins: found, entries }, problems };
}

/** A bare name is relative to `base`. A path with a leading dot is relative to the marketplace itself, whatever `base` is. */
function folderOf(source: string, top: string, base: string): string {
  const [first, other] = source.startsWith(".") ? [top, base] : [base, top];
  const [preferred, alternative] = [resolve(first, source), resolve(other, source)];
  return !isFolder(preferred) && isFolder(alternative) ? alternative : preferred;
}

function isName(value: unknown): value is string {
  return typeof value === "string" && /^[^\s:/\\\p{Cc}]{1,100}$/u.test(value) && sanitize(value) === value;
}

function lineOfProblem(text: string, { reason }: KnowledgeProblem): number {
  return lineOfName(text, /^"([^"]+)"/u.exec(reason)?.[1] ?? "");
}
