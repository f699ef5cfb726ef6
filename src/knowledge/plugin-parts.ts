/** Parts of a plugin that are not texts for the model: hooks, servers and output styles, from its manifest or conventional files. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isBrokenLink } from "../lib/path-status.ts";
import { isRecord } from "../lib/is-record.ts";
import { isWithin } from "../lib/is-within.ts";
import { hookEvents } from "../protocol/hook.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { readJsonText, repeatedKeyProblems } from "./json-text.ts";
import { readText } from "./scan.ts";

/** A part of a plugin, as written in one of its files. */
export interface PluginPart {
  value: unknown;
  /** The file. Absolute. */
  source: string;
}

export interface PluginParts {
  /** In settings format. */
  hooks: PluginPart[];
  /** Servers by name, with or without `mcpServers` around them. */
  servers: PluginPart[];
  /** Folders and files of output styles. Absolute. */
  styles: string[];
  problems: KnowledgeProblem[];
}

type Fields = Readonly<Record<string, unknown>>;

export function readPluginParts(root: string, fields: Fields, manifest: string): PluginParts {
  const problems: KnowledgeProblem[] = [];
  const read = (field: string, usual: string): PluginPart[] => {
    const value = fields[field];
    const own = join(root, usual);
    const places = [...(existsSync(own) || isBrokenLink(own) ? [own] : []), ...pathsIn(value, root, field)];
    const inline = isRecord(value) ? [{ value, source: manifest }] : [];
    return [...[...new Set(places)].flatMap((path) => readPartFile(path, problems)), ...inline];
  };
  const pathsIn = (value: unknown, from: string, field: string): string[] => {
    const list: unknown[] = value === undefined || isRecord(value) ? [] : Array.isArray(value) ? value : [value];
    return list.flatMap((each) => {
      const path = typeof each === "string" ? resolve(from, each) : undefined;
      if (path !== undefined && isWithin(path, root)) return [path];
      problems.push({ path: manifest, reason: `"${field}" should be paths in the plugin, beginning with ./` });
      return [];
    });
  };
  const hooks = read("hooks", "hooks/hooks.json").flatMap((part) => hooksPart(part, problems));
  const servers = read("mcpServers", ".mcp.json");
  const value = fields["outputStyles"];
  const styles = value === undefined ? [join(root, "output-styles")] : pathsIn(value, root, "outputStyles");
  return { hooks, servers, styles, problems };
}

function readPartFile(path: string, problems: KnowledgeProblem[]): PluginPart[] {
  const read = readText(path);
  if (!read.ok) {
    const reason = read.code === "ENOENT" ? "there is no such file, although the manifest names it" : read.why;
    problems.push({ path, reason });
    return [];
  }
  const parsed = readJsonText(read.text);
  if (parsed.ok) {
    problems.push(...repeatedKeyProblems(path, parsed));
    return [{ value: parsed.value, source: path }];
  }
  problems.push({ path, line: parsed.line, reason: parsed.reason });
  return [];
}

/** A file has its hooks under `hooks`, with a description; a manifest may have the events directly. Programs of other kinds are ignored. */
function hooksPart({ value, source }: PluginPart, problems: KnowledgeProblem[]): PluginPart[] {
  if (!isRecord(value)) {
    problems.push({ path: source, line: 1, reason: "it should hold one JSON object" });
    return [];
  }
  if (value["modules"] !== undefined)
    problems.push({ path: source, reason: '"modules" are not run here; its other hooks are' });
  const inner = value["hooks"] ?? (source.endsWith("plugin.json") ? value : undefined);
  const outside = inner === undefined ? hookEvents.find((event) => value[event] !== undefined) : undefined;
  if (outside !== undefined)
    problems.push({ path: source, reason: `"${outside}" is outside of "hooks", so its hooks do not run` });
  return inner === undefined ? [] : [{ value: inner, source }];
}
