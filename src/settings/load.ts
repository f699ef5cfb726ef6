/**
 * Loads settings from every file there may be and from the command line, lowest first. A repository's settings may always forbid; they may
 * permit or run something only if the repository is trusted.
 */
import type { Environment } from "../lib/environment.ts";
import { reasonOf, systemCode } from "../lib/system-reason.ts";
import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { decodeByBom } from "../lib/decode-by-bom.ts";
import { brokenLinkReason, entryStatus } from "../lib/path-status.ts";
import type { JsonObject } from "../lib/json.ts";
import type { EvidenceReader } from "./evidence.ts";
import { overlaySettings } from "./applied-settings.ts";
import { readLayer, unreadableLayer, type Layer, type SourcedLayer } from "./layer.ts";
import { findFileLists, maxSettingsBytes, type FileLists, type SettingsFile } from "./files.ts";
import {
  assessProject,
  readServerFiles,
  withoutServers,
  type FurtherEvidence,
  type ProjectSettings,
  type ReadLayer,
} from "./project-files.ts";
import { flagFile, isJsonFlag } from "./flag.ts";
import { readHostPolicy, hostPolicySource } from "./host-policy.ts";
import { applyPolicyLimits } from "./policy.ts";
import { admissiblePart } from "./project-part.ts";
import { mergeLayers } from "./merge.ts";
import type { Settings } from "./settings.ts";
import { isProjectSource, type SettingsOrigin, type SettingsProblem, type SettingsSource } from "./source.ts";

export interface SettingsReader {
  /** Returns null if there is no file. Throws if it cannot be read or is larger than `maxBytes`. */
  read(file: string, maxBytes: number): string | null;
}

export interface LoadOptions {
  /** The environment the process was started with. */
  env: Environment;
  home: string;
  /** Absolute. */
  cwd: string;
  /** `--settings`: a file's path, or JSON text. */
  flag?: string;
  /** What the host has set since, laid over the flag. */
  applied?: Readonly<JsonObject> | undefined;
  /** The host's policy, used if there is no administrator's. */
  managed?: Readonly<JsonObject> | undefined;
  /** The settings files, if they have just been found. Default: they are looked for now. */
  files?: FileLists | undefined;
  /** The origins whose files are read, besides administrators' files. Default: all. */
  sources?: readonly string[];
  /** Default: the local disk. */
  reader?: SettingsReader;
  /** Folders of an administrator's files. Default: the system's. */
  policyFolders?: readonly string[];
  /** The project's MCP servers do not count, so nobody needs to hear that they are left out. */
  ignoresServers?: boolean;
  /** What else of the project would permit or run something. */
  further?: FurtherEvidence;
  /** Reads the files that trust is given to. Default: the local disk. */
  look?: EvidenceReader;
  /** Whether the user trusts a folder with this content. Default: false. */
  trusts?: (folder: string, hash: string) => boolean;
}

export type { FurtherEvidence, ProjectSettings };

export interface LoadedSettings {
  settings: Settings;
  problems: SettingsProblem[];
  /** False if a file's `cleanupPeriodDays` is not a valid period: nothing may be removed on a guess. */
  isRetentionKnown: boolean;
  /** Undefined if there are no project settings. */
  project?: ProjectSettings;
  /** Each file and flag that was read, lowest first, as it takes effect. */
  layers: readonly EffectiveLayer[];
}

/** `isBroken`: it cannot be told what the layer was meant to protect. */
export type EffectiveLayer = SourcedLayer & { isBroken: boolean };

const tooLargeReason = "it is larger than 2 MiB, the limit for settings";

export const diskReader: SettingsReader = {
  read(file, maxBytes) {
    // Usually there is no file, and a single look finds that out.
    const entry = entryStatus(file);
    if (entry === undefined) return null;
    const found = entry.isSymbolicLink() ? statSync(file, { throwIfNoEntry: false }) : entry;
    // Somebody created the link, so it must not count as a file that forbids nothing.
    if (found === undefined) throw new Error(brokenLinkReason);
    if (!found.isFile()) throw new Error("it is not a regular file");
    if (found.size > maxBytes) throw new Error(tooLargeReason);
    return decodeText(readFileSync(file));
  },
};

/** Decodes strictly: a name with a lost byte would guard nothing, so invalid text is not guessed at. */
function decodeText(bytes: Uint8Array): string {
  try {
    return decodeByBom(bytes, { fatal: true });
  } catch {
    throw new Error("it is not UTF-8 text");
  }
}

export function loadSettings(options: LoadOptions): LoadedSettings {
  const { env, home, cwd, flag, sources, policyFolders, reader = diskReader } = options;
  const problems: SettingsProblem[] = [];
  const read: ReadLayer[] = [];
  const addLayer = (file: FileContent, source: SettingsSource): void => {
    const text = file.ok ? file.text : "";
    const layer = file.ok ? readLayer(text, source, { home, cwd }) : unreadableLayer(file.why, source, { home, cwd });
    read.push({ text, layer: { ...layer, source } });
  };
  const places = { env, home, cwd, ...(policyFolders === undefined ? {} : { policyFolders }) };
  const { settings: files, servers: serverFiles } = options.files ?? findFileLists(places);
  const addFileLayers = (isWanted: (origin: SettingsOrigin) => boolean): void => {
    for (const file of files.filter(({ origin }) => isWanted(origin))) {
      const found = readSettingsFile(file.path, reader);
      if (found !== null) addLayer(found, { name: file.path, folder: file.folder, origin: file.origin });
      reportIgnoredFiles(file, found, reader, problems);
    }
  };
  // The flag ranks between the users' files and the administrators'.
  addFileLayers((origin) => origin !== "policy" && sources?.includes(origin) !== false);
  const { applied } = options;
  if (applied !== undefined)
    addFlagLayer(flag ?? "{}", options, reader, problems, (file, source) => {
      addLayer(file.ok ? { ok: true, text: overlaySettings(file.text, applied) } : file, source);
    });
  else if (flag !== undefined) addFlagLayer(flag, options, reader, problems, addLayer);
  addFileLayers((origin) => origin === "policy");
  if (options.managed !== undefined) addHostPolicyLayer(options.managed, read, problems, addLayer);
  const servers =
    sources?.includes("project") === false
      ? []
      : readServerFiles(serverFiles, reader, options.ignoresServers === true ? [] : problems);
  const project = assessProject(read, servers, options);
  const admittedLayers = read.map(({ layer }) => ({
    ...admitLayer(layer, project, problems),
    isBroken: hasErrors(layer),
  }));
  const layers = applyPolicyLimits(admittedLayers, problems);
  for (const layer of layers) for (const problem of layer.problems) problems.push(problem);
  const missed = project === undefined || options.ignoresServers !== true ? project : withoutServers(project);
  if (missed?.isTrusted === false && missed.wants.length > 0) problems.push(untrustedNotice(missed));
  // The user's own value may be in a file that was not read.
  const hasReadAllFiles = !layers.some(({ isBroken }) => isBroken) && sources?.includes("user") !== false;
  const isRetentionKnown = hasReadAllFiles && !layers.some(({ rejected }) => rejected.includes("cleanupPeriodDays"));
  const settings = mergeLayers(layers, options.cwd);
  if (project?.isTrusted === true) settings.mcp.sources.push(...servers);
  return { settings, problems, isRetentionKnown, layers, ...(project === undefined ? {} : { project }) };
}

type FileContent = { ok: true; text: string } | { ok: false; why: string };

/** Reports local files that are ignored, as their rules forbid nothing. A file with the same text (a copy) loses nothing. */
function reportIgnoredFiles(
  { path, ignoredFiles = [] }: SettingsFile,
  content: FileContent | null,
  reader: SettingsReader,
  problems: SettingsProblem[],
): void {
  for (const { path: source, why } of ignoredFiles) {
    const own = readSettingsFile(source, reader);
    if (own === null || (own.ok && content?.ok === true && own.text === content.text)) continue;
    problems.push({ level: "notice", text: `${source} is not read: ${why}, in ${path}.`, source });
  }
}

function admitLayer(
  layer: SourcedLayer,
  project: ProjectSettings | undefined,
  problems: SettingsProblem[],
): SourcedLayer {
  const { source } = layer;
  if (source.origin === "user") {
    // A person who is asked may say yes and rely on the sandbox, so no question can stand in for it: the error stays an error.
    const isUnconfined = layer.problems.some(({ level, key }) => level === "error" && key?.startsWith("sandbox"));
    return isUnconfined ? layer : withStandInRules(layer, everyTool, "everything is asked about");
  }
  if (!isProjectSource(source)) return layer;
  const part = admissiblePart(layer, project?.isTrusted === true);
  if (part.refusedKeys.length > 0) {
    const text = `${source.name}: ${part.refusedKeys.map((key) => `"${key}"`).join(", ")} cannot be set by a project; put it into your own settings.`;
    problems.push({ level: "notice", text, source: source.name });
  }
  return withStandInRules({ ...part.layer, source }, changingTools, "everything but reading is asked about here");
}

function hasErrors({ problems }: Layer): boolean {
  return problems.some(({ level }) => level === "error");
}

/** The tools that are asked about when a file cannot be read: for a user's own file, and for a folder's. */
export const everyTool = ["*"];
export const changingTools = ["Bash", "Edit", "NotebookEdit", "WebFetch", "WebSearch", "mcp__*"];

/** Turns errors into notices: a mistake in one file stops neither the work nor other files. Ask rules guard what it meant to forbid. */
function withStandInRules(layer: SourcedLayer, tools: readonly string[], consequence: string): SourcedLayer {
  if (!hasErrors(layer)) return layer;
  const { name } = layer.source;
  const rules = tools.map((rule) => ({ rule, source: name, isStandIn: true }));
  const problems = layer.problems.map((problem): SettingsProblem => {
    if (problem.level !== "error") return problem;
    return { ...problem, level: "notice", text: `${problem.text} Until it is fixed, ${consequence}.` };
  });
  return { ...layer, problems, permissions: { ...layer.permissions, ask: [...layer.permissions.ask, ...rules] } };
}

/** Some folders have a hundred skills with permissions. */
const maxListedFiles = 4;

function untrustedNotice({ files, wants, hash }: ProjectSettings): SettingsProblem {
  const remedy =
    hash === undefined
      ? "There is too much in its hook folders to look at: it cannot be trusted."
      : '"pawl trust add" trusts it as it is now, --trust only for this run.';
  const shown = files.slice(0, maxListedFiles).join(", ");
  const rest = files.length - maxListedFiles;
  const where = rest > 0 ? `${shown} and ${rest} more, which "pawl trust" names` : shown;
  const text = `This folder is not trusted, so its settings only forbid. Left out: ${wants.join(", ")} in ${where}. ${remedy}`;
  return { level: "notice", text };
}

/** The host's policy is ignored if there is an administrator's. */
function addHostPolicyLayer(
  managed: Readonly<JsonObject>,
  read: readonly ReadLayer[],
  problems: SettingsProblem[],
  addLayer: (file: FileContent, source: SettingsSource) => void,
): void {
  const source = { name: hostPolicySource, origin: "policy" as const };
  const addNotice = (text: string): void => void problems.push({ level: "notice", text, source: hostPolicySource });
  if (read.some(({ layer }) => layer.source.origin === "policy"))
    return addNotice(`${hostPolicySource} was left out: an administrator's settings count on this machine.`);
  const { settings, dropped } = readHostPolicy(managed);
  if (dropped.length > 0)
    addNotice(`${hostPolicySource}: a host can only forbid, so this was left out: ${dropped.slice(0, 20).join(", ")}.`);
  addLayer({ ok: true, text: JSON.stringify(settings) }, source);
}

function addFlagLayer(
  flag: string,
  { cwd, home }: LoadOptions,
  reader: SettingsReader,
  problems: SettingsProblem[],
  addLayer: (file: FileContent, source: SettingsSource) => void,
): void {
  const fail = (text: string): void => {
    problems.push({ level: "error", text: `--settings: ${text}.`, source: "--settings" });
  };
  if (flag.trim() === "") fail("give a file's path or JSON text");
  else if (isJsonFlag(flag)) {
    if (flag.length > maxSettingsBytes) fail(tooLargeReason);
    else addLayer({ ok: true, text: flag }, { name: "--settings", origin: "flag" });
  } else {
    const file = flagFile(flag, cwd, home);
    const found = readSettingsFile(file, reader);
    if (found !== null) addLayer(found, { name: file, folder: dirname(file), origin: "flag" });
    else fail(`there is no file ${file}`);
  }
}

function readSettingsFile(file: string, reader: SettingsReader): FileContent | null {
  try {
    const text = reader.read(file, maxSettingsBytes);
    return text === null ? null : { ok: true, text };
  } catch (error) {
    const why = reasonOf(error);
    return { ok: false, why: systemCode(error) === undefined ? why : `it cannot be read: ${why}` };
  }
}
