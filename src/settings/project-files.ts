/** The project's files that can do more than forbid: what they would do, and whether the user trusts their content. */
import { reasonOf } from "../lib/system-reason.ts";
import { basename, dirname, join } from "node:path";
import { isObject, parseJson, type Json, type JsonObject } from "../lib/json.ts";
import { quoteForShell } from "../lib/shell-quote.ts";
import { hashEvidence, type Command, type EvidenceReader } from "./evidence.ts";
import { commandKeys } from "./keys.ts";
import { mergeKnowledge, emptyKnowledge, type KnowledgeSettings } from "./knowledge-keys.ts";
import type { SourcedLayer } from "./layer.ts";
import { countServers, type ServersText } from "./mcp.ts";
import { serverWant, trustWants } from "./project-part.ts";
import { isProjectSource, type SettingsProblem, type SettingsSource } from "./source.ts";

/** What a project's files would do if the user trusted them. */
export interface ProjectSettings {
  folder: string;
  /** The files that ask for any of this. */
  files: string[];
  /** In words, such as `2 hooks`; empty if no trust is needed. */
  wants: string[];
  /** The hash of everything that would run; undefined if it is too much to read. */
  hash: string | undefined;
  isTrusted: boolean;
  /** The trusted files besides the settings, as they were read: text by path. */
  trustedTexts: ReadonlyMap<string, string>;
  /** The MCP servers of the project's `.mcp.json` files, whether or not they may start. */
  servers: ServersText[];
}

/** A project's files besides its settings. */
export interface FurtherEvidence {
  wants: readonly string[];
  texts: ReadonlyMap<string, string>;
  /** Commands in these files; the files they name count, too. */
  commands: readonly Command[];
  /** The folders of plugins that a project's settings (`own`) enable or replace: everything in them may run. */
  pluginFolders?: (own: KnowledgeSettings, all: KnowledgeSettings) => string[];
}

interface ServerFile extends ServersText {
  content: { text: string };
}

/** One file or flag that was read: its text, and what it sets. */
export interface ReadLayer {
  text: string;
  layer: SourcedLayer;
}

interface ProjectPlaces {
  cwd: string;
  further?: FurtherEvidence;
  trusts?: (folder: string, hash: string) => boolean;
  look?: EvidenceReader;
}

const maxServerFileBytes = 2 * 1024 * 1024;

/** Reads `.mcp.json` files. Those of inner folders come last: of two servers with one name, the nearer one counts. */
export function readServerFiles(
  paths: readonly string[],
  reader: { read(file: string, maxBytes: number): string | null },
  problems: SettingsProblem[],
): ServerFile[] {
  return paths.flatMap((path) => {
    try {
      const text = reader.read(path, maxServerFileBytes);
      return text === null
        ? []
        : [{ name: path, origin: "project" as const, folder: dirname(path), content: { text } }];
    } catch (error) {
      problems.push({
        level: "notice",
        text: `${path} cannot be read: ${reasonOf(error)}. None of its servers is started.`,
        source: path,
      });
      return [];
    }
  });
}

/** Undefined if the project has no such files. */
export function assessProject(
  read: readonly ReadLayer[],
  servers: readonly ServerFile[],
  { cwd, trusts, further, look }: ProjectPlaces,
): ProjectSettings | undefined {
  const projectLayers = read.filter(({ layer }) => isProjectSource(layer.source));
  const otherTexts = further?.texts ?? new Map<string, string>();
  if (projectLayers.length + servers.length + otherTexts.size === 0) return undefined;
  const texts = [
    ...projectLayers.map(({ layer, text }) => ({ path: pathInWorktree(layer.source), text })),
    ...servers.map(({ name, content }) => ({ path: name, text: content.text })),
    ...Array.from(otherTexts, ([path, text]) => ({ path, text })),
  ];
  const serverValues = servers.map(({ content, folder }) => ({ value: parsedValue(content.text), folder }));
  const count = serverValues.reduce((sum, { value }) => sum + countServers(value), 0);
  const ownWants = trustWants(
    projectLayers.map(({ layer }) => layer),
    count,
  );
  const wants = [...ownWants, ...(further?.wants ?? [])];
  const settingsCommands = projectLayers.flatMap(({ layer }) =>
    [layer.hooks, ...commandKeys.map((key) => layer.values[key])].flatMap(stringsIn),
  );
  const commands = [
    ...settingsCommands.map((text) => ({ text, cwd })),
    ...projectLayers.flatMap(({ layer }) => serverCommands(layer.mcp?.servers, cwd)),
    ...(further?.commands ?? []),
    ...serverValues.flatMap(({ value, folder }) => serverCommands(value, folder)),
  ];
  const hash =
    wants.length === 0 ? undefined : hashEvidence(cwd, texts, commands, look, projectPluginFolders(read, further));
  const isTrusted = wants.length === 0 || (hash !== undefined && trusts?.(cwd, hash) === true);
  const trustedTexts = isTrusted ? otherTexts : new Map<string, string>();
  const wanting = projectLayers.filter(({ layer }) => trustWants([layer]).length > 0);
  const files = [
    ...wanting.map(({ layer }) => layer.source.name),
    ...servers.map(({ name }) => name),
    ...otherTexts.keys(),
  ];
  return { folder: cwd, files, wants, hash, isTrusted, trustedTexts, servers: [...servers] };
}

/** What the project would do if its MCP servers did not count. */
export function withoutServers({ wants, files, servers, ...project }: ProjectSettings): ProjectSettings {
  return {
    ...project,
    servers: [],
    wants: wants.filter((want) => !want.includes(serverWant)),
    files: files.filter((file) => !servers.some(({ name }) => name === file)),
  };
}

/** Where the file would be if the folder's work tree had local files of its own. */
function pathInWorktree({ name, folder = dirname(dirname(name)) }: SettingsSource): string {
  return join(folder, basename(dirname(name)), basename(name));
}

function projectPluginFolders(read: readonly ReadLayer[], further: FurtherEvidence | undefined): string[] {
  const [own, all] = [emptyKnowledge(), emptyKnowledge()];
  for (const { layer } of read) {
    mergeKnowledge(all, layer.knowledge);
    if (isProjectSource(layer.source)) mergeKnowledge(own, layer.knowledge);
  }
  return further?.pluginFolders?.(own, all) ?? [];
}

function parsedValue(text: string): Json | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** The commands of servers, resolved from the file's folder and from the folder that the server starts in. */
function serverCommands(value: Json | undefined, folder: string): Command[] {
  const all = stringsIn(value).map((text) => ({ text, cwd: folder }));
  for (const server of [value, objectOf(value)["mcpServers"]].flatMap((each) => Object.values(objectOf(each)))) {
    const place = objectOf(server)["cwd"];
    if (typeof place !== "string") continue;
    all.push(...stringsIn(server).map((text) => ({ text: `cd ${quoteForShell(place)}; ${text}`, cwd: folder })));
  }
  return all;
}

function objectOf(value: Json | undefined): Partial<JsonObject> {
  return isObject(value) ? value : {};
}

/** Every text in the value, whatever its key: any may hold a command. */
function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}
