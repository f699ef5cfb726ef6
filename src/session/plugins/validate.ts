/** Finds the problems of a plugin or a marketplace: in its manifest and in everything it contains. Runs nothing. */
import { existsSync } from "node:fs";
import { statusAt } from "../../lib/status-at.ts";
import { join } from "node:path";
import { readHooks } from "../settings/read-hooks.ts";
import type { PluginSelection } from "../../knowledge/enabled-plugins.ts";
import { lineOfName } from "../../knowledge/json-text.ts";
import { loadKnowledge } from "../../knowledge/load-knowledge.ts";
import type { PluginPart } from "../../knowledge/plugin-parts.ts";
import { openMarketplace, readPlugin, type MarketplaceEntry, type Plugin } from "../../knowledge/plugins.ts";
import { isRecord } from "../../lib/is-record.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import type { KnowledgeProblem } from "../../protocol/knowledge.ts";
import { unwrapServers } from "./plugin-servers.ts";

const maxBytes = 4 * 1024 * 1024;

export interface ValidationResult {
  what: string;
  problems: KnowledgeProblem[];
}

/** `path`: the folder of a plugin or marketplace, absolute. Returns undefined if it is neither. */
export async function validatePlugins(path: string): Promise<ValidationResult | undefined> {
  const isMarketplace = path.endsWith("marketplace.json") || existsSync(join(path, ".claude-plugin/marketplace.json"));
  if (isMarketplace) {
    const { marketplace, problems } = openMarketplace(path);
    const inside = await Promise.all(
      Array.from(marketplace?.plugins ?? [], async ([name, folder]) =>
        folder === undefined ? [] : await problemsIn(folder, marketplace?.entries.get(name)),
      ),
    );
    return {
      what: `the marketplace ${marketplace?.name ?? path}`,
      problems: withoutRepeats([...problems, ...inside.flat()]),
    };
  }
  if (statusAt(path)?.isDirectory() !== true) return undefined;
  const problems = [
    ...(pluginMarkers.some((name) => existsSync(join(path, name))) ? [] : [emptyPluginProblem(path)]),
    ...(await problemsIn(path)),
  ];
  return { what: `the plugin ${readPlugin(path).plugin?.name ?? path}`, problems };
}

/** A folder with any of these counts as a plugin. */
const pluginMarkers = [
  ".claude-plugin/plugin.json",
  "skills",
  "commands",
  "agents",
  "hooks/hooks.json",
  ".mcp.json",
  "output-styles",
];

function emptyPluginProblem(path: string): KnowledgeProblem {
  return { path, reason: `it contains no part of a plugin (${pluginMarkers.join(", ")})` };
}

/** The problems of a marketplace are found again with each of its plugins. */
function withoutRepeats(problems: readonly KnowledgeProblem[]): KnowledgeProblem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
}

async function problemsIn(folder: string, entry?: MarketplaceEntry): Promise<KnowledgeProblem[]> {
  const { plugin, problems: unreadable } = readPlugin(folder, entry);
  if (plugin === undefined) return unreadable;
  // Folders that do not exist and belong to nobody, so that only what the plugin contains is examined.
  const nowhere = join(folder, ".nowhere");
  const homes = { home: nowhere, pawlHome: nowhere, claudeHome: nowhere, policyFolders: [] };
  const { problems } = await loadKnowledge({
    cwd: nowhere,
    ...homes,
    sources: [],
    plugins: wishesFor(folder, entry, plugin),
    trusts: () => false,
  });
  return [...problems, ...hookProblems(plugin), ...(await serverProblems(plugin))];
}

function wishesFor(folder: string, entry: MarketplaceEntry | undefined, plugin: Plugin): PluginSelection {
  // The values it asks for come from the person who enables it.
  const { userConfig } = plugin;
  const sampleOptions = Object.fromEntries(
    Object.keys(isRecord(userConfig) ? userConfig : {}).map((key) => [key, "x"]),
  );
  if (entry === undefined)
    return { dirs: [folder], enabled: {}, marketplaces: {}, options: { [plugin.id]: sampleOptions } };
  const id = `${entry.name}@it`;
  const marketplaces = { it: { source: { source: "file", path: entry.path } } };
  return { dirs: [], enabled: { [id]: true }, marketplaces, options: { [id]: sampleOptions } };
}

function hookProblems({ hooks }: Plugin): KnowledgeProblem[] {
  return hooks.flatMap(({ value, source }) =>
    readHooks(value, "plugin", source).problems.map(({ text }) => {
      const reason = text.replace(`${source}: `, "").replace(/\.$/u, "");
      return { path: source, line: lineOfName(readText(source), eventIn(reason)), reason };
    }),
  );
}

/** Returns the event in a text such as `hooks.Stop[0].matcher`. */
function eventIn(text: string): string {
  return /\bhooks\.(\w+)/u.exec(text)?.[1] ?? "hooks";
}

async function serverProblems({ servers }: Plugin): Promise<KnowledgeProblem[]> {
  if (servers.length === 0) return [];
  const { readServers } = await import("../../mcp/config.ts");
  return servers.flatMap(({ value, source }: PluginPart) => {
    const filled = fillVariables(unwrapServers(value));
    const { problems } = readServers(filled, { name: source, scope: "user", folder: "/", env: {} });
    return problems.map(({ server, why }) => ({
      path: source,
      line: lineOfName(readText(source), server ?? "mcpServers"),
      reason: server === undefined ? why : `the MCP server "${server}": ${why}`,
    }));
  });
}

/** Fills in variables that may be set where the server runs: a URL that starts with one gets a valid start, and a port a number. */
function fillVariables(servers: unknown): unknown {
  const text = JSON.stringify(servers);
  const filled = text.replaceAll(
    /("url":"|:)?\$\{(?:[A-Za-z_]\w*|user_config\.[\w-]+)\}/gu,
    (_, before: string = "") => `${before}${before === "" ? "x" : before === ":" ? "1" : "https://x"}`,
  );
  return JSON.parse(filled) as unknown;
}

function readText(path: string): string {
  const read = readRegularFile(path, maxBytes);
  return read.ok ? read.text : "";
}
