/** Marketplaces and plugins that another tool has fetched, as `~/.claude/plugins/` lists them. Only read, never written. Never throws. */
import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { isFolder } from "../lib/path-status.ts";
import { isRecord } from "../lib/is-record.ts";
import { readJsonObject } from "./json-text.ts";
import { readText } from "./scan.ts";

export interface InstalledPlugins {
  /** By name. Absolute paths of folders or files. */
  marketplaces: ReadonlyMap<string, string>;
  /** Folders by `plugin@marketplace`. Absolute. */
  plugins: ReadonlyMap<string, string>;
}

/** Returns only entries that exist. */
export function installedPlugins(claudeHome: string): InstalledPlugins {
  const folder = join(claudeHome, "plugins");
  const marketplaces = new Map<string, string>();
  for (const [name, entry] of entriesIn(join(folder, "known_marketplaces.json"))) {
    const place = isRecord(entry) ? entry["installLocation"] : undefined;
    if (isAbsolutePath(place) && existsSync(place)) marketplaces.set(name, place);
  }
  const plugins = new Map<string, string>();
  for (const [id, entry] of entriesIn(join(folder, "installed_plugins.json"), "plugins")) {
    // One copy for each scope; older files have a single one.
    const copies = (Array.isArray(entry) ? (entry as unknown[]) : [entry]).filter(isRecord);
    const all = [...copies.filter(({ scope }) => scope === "user"), ...copies];
    const place = all
      .map(({ installPath }) => installPath)
      .filter(isAbsolutePath)
      .find(isFolder);
    if (place !== undefined) plugins.set(id, place);
  }
  return { marketplaces, plugins };
}

/** Whether a value is an absolute path. A Windows path is relative elsewhere, for instance in a container with a mounted `~/.claude`. */
function isAbsolutePath(value: unknown): value is string {
  return typeof value === "string" && isAbsolute(value);
}

function entriesIn(path: string, key?: string): [string, unknown][] {
  const read = readText(path);
  const parsed = read.ok ? readJsonObject(read.text) : undefined;
  if (parsed?.ok !== true) return [];
  const inner = key === undefined ? parsed.value : parsed.value[key];
  return isRecord(inner) ? Object.entries(inner) : [];
}
