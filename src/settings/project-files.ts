/** The files of a project that can do more than forbid: what they would do, and whether the user trusts them as they are. */
import { reasonOf } from "../lib/system-reason.ts";
import { basename, dirname, join } from "node:path";
import { isObject, parseJson, type Json, type JsonObject } from "../lib/json.ts";
import { shellQuoted } from "../lib/shell-quote.ts";
import { evidenceOf, type Command, type EvidenceLook } from "./evidence.ts";
import { commandKeys } from "./keys.ts";
import { addKnowledge, noKnowledge, type KnowledgeSettings } from "./knowledge-keys.ts";
import type { Layer } from "./layer.ts";
import { countServers, type ServersText } from "./mcp.ts";
import { wantsOf } from "./project.ts";
import type { SettingsProblem, SettingsSource } from "./source.ts";

/** What a project's files would do with the user's trust. */
export interface ProjectSettings {
  folder: string;
  /** Those that say any of what is wanted. */
  files: string[];
  /** In words, such as `2 hooks`; empty where no trust is needed. */
  wants: string[];
  /** Of all that would run; undefined where it is too much to look at. */
  hash: string | undefined;
  isTrusted: boolean;
  /** Text by path: of the files besides its settings, those that are trusted, as they were seen. */
  trustedTexts: ReadonlyMap<string, string>;
  /** The MCP servers of its `.mcp.json` files, whether they may start or not. */
  servers: ServersText[];
}

/** Files of a project besides its settings. */
export interface FurtherEvidence {
  wants: readonly string[];
  texts: ReadonlyMap<string, string>;
  /** Commands in them, whose files count too. */
  commands: readonly Command[];
  /** Folders of the plugins that a project's settings, `own`, turn on or lay in another's place: all that is in them may run. */
  pluginFolders?: (own: KnowledgeSettings, all: KnowledgeSettings) => string[];
}

interface ServerFile extends ServersText {
  content: { text: string };
}

interface ReadFile {
  text: string;
  layer: Layer & { source: SettingsSource };
}

interface ProjectPlaces {
  cwd: string;
  further?: FurtherEvidence;
  trusts?: (folder: string, hash: string) => boolean;
  look?: EvidenceLook;
}

const maxBytes = 2 * 1024 * 1024;

export function isOfProject({ origin }: SettingsSource): boolean {
  return origin === "project" || origin === "local";
}

/** Those of the folder come after those above it: of two servers of one name, the nearer one counts. */
export function readServerFiles(
  paths: readonly string[],
  reader: { read(file: string, maxBytes: number): string | null },
  problems: SettingsProblem[],
): ServerFile[] {
  return paths.flatMap((path) => {
    try {
      const text = reader.read(path, maxBytes);
      return text === null
        ? []
        : [{ name: path, origin: "project" as const, folder: dirname(path), content: { text } }];
    } catch (error) {
      problems.push({
        level: "notice",
        text: `${path} cannot be read: ${reasonOf(error)}. No server of it is started.`,
        source: path,
      });
      return [];
    }
  });
}

/** Undefined where the project has none. */
export function projectOf(
  read: readonly ReadFile[],
  servers: readonly ServerFile[],
  { cwd, trusts, further, look }: ProjectPlaces,
): ProjectSettings | undefined {
  const own = read.filter(({ layer }) => isOfProject(layer.source));
  const beside = further?.texts ?? new Map<string, string>();
  if (own.length + servers.length + beside.size === 0) return undefined;
  const texts = [
    ...own.map(({ layer, text }) => ({ path: placeOf(layer.source), text })),
    ...servers.map(({ name, content }) => ({ path: name, text: content.text })),
    ...Array.from(beside, ([path, text]) => ({ path, text })),
  ];
  const listed = servers.map(({ content, folder }) => ({ value: valueOf(content.text), folder }));
  const count = listed.reduce((sum, { value }) => sum + countServers(value), 0);
  const wants = [...own.flatMap(({ layer }) => wantsOf(layer)), ...(further?.wants ?? [])];
  if (count > 0) wants.push(count === 1 ? "1 MCP server" : `${count} MCP servers`);
  const inSettings = own.flatMap(({ layer }) =>
    [layer.hooks, ...commandKeys.map((key) => layer.values[key])].flatMap(textsIn),
  );
  const commands = [
    ...inSettings.map((text) => ({ text, cwd })),
    ...own.flatMap(({ layer }) => serverCommands(layer.mcp?.servers, cwd)),
    ...(further?.commands ?? []),
    ...listed.flatMap(({ value, folder }) => serverCommands(value, folder)),
  ];
  const hash = wants.length === 0 ? undefined : evidenceOf(cwd, texts, commands, look, pluginsOf(read, further));
  const isTrusted = wants.length === 0 || (hash !== undefined && trusts?.(cwd, hash) === true);
  const trustedTexts = isTrusted ? beside : new Map<string, string>();
  const wanting = own.filter(({ layer }) => wantsOf(layer).length > 0);
  const files = [
    ...wanting.map(({ layer }) => layer.source.name),
    ...servers.map(({ name }) => name),
    ...beside.keys(),
  ];
  return { folder: cwd, files, wants, hash, isTrusted, trustedTexts, servers: [...servers] };
}

/** Where it would lie if the folder's work tree had local files of its own. */
function placeOf({ name, folder = dirname(dirname(name)) }: SettingsSource): string {
  return join(folder, basename(dirname(name)), basename(name));
}

function pluginsOf(read: readonly ReadFile[], further: FurtherEvidence | undefined): string[] {
  const [own, all] = [noKnowledge(), noKnowledge()];
  for (const { layer } of read) {
    addKnowledge(all, layer.knowledge);
    if (isOfProject(layer.source)) addKnowledge(own, layer.knowledge);
  }
  return further?.pluginFolders?.(own, all) ?? [];
}

function valueOf(text: string): Json | undefined {
  const parsed = parseJson(text);
  return parsed.ok ? parsed.value : undefined;
}

/** Seen from the file's folder and from the one that its server starts in. */
function serverCommands(value: Json | undefined, folder: string): Command[] {
  const all = textsIn(value).map((text) => ({ text, cwd: folder }));
  for (const server of [value, objectOf(value)["mcpServers"]].flatMap((each) => Object.values(objectOf(each)))) {
    const place = objectOf(server)["cwd"];
    if (typeof place !== "string") continue;
    all.push(...textsIn(server).map((text) => ({ text: `cd ${shellQuoted(place)}; ${text}`, cwd: folder })));
  }
  return all;
}

function objectOf(value: Json | undefined): Partial<JsonObject> {
  return isObject(value) ? value : {};
}

/** Every text in it, whatever key it stands under: a command may be in any. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
