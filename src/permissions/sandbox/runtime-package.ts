/**
 * The package `@anthropic-ai/sandbox-runtime`, if the user has installed it beside pawl or globally. One in a working directory is never
 * used: what is loaded here runs with all of the user's rights.
 */
import { readFileSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { pathToFileURL } from "node:url";
import { realPathOf } from "../../lib/path-status.ts";
import { foldersAbove } from "../../lib/folders-above.ts";
import { tryParseRecord } from "../../lib/try-parse-json.ts";
import { isInside } from "../paths/path-forms.ts";

const packageName = "@anthropic-ai/sandbox-runtime";
/** The name of the package's command. */
const commandName = "srt";

export interface RuntimeConfig {
  network: {
    allowedDomains: string[];
    deniedDomains: string[];
    allowAllUnixSockets: boolean;
    parentProxy?: ParentProxy;
  };
  filesystem: { denyRead: string[]; allowRead: string[]; allowWrite: string[]; denyWrite: string[] };
  ripgrep?: { command: string };
  bwrapPath?: string;
  socatPath?: string;
  enableWeakerNestedSandbox: boolean;
}

interface ParentProxy {
  http?: string;
  https?: string;
  noProxy?: string;
}

/** The parts of its API that are used. There is one manager in a process. */
export interface RuntimeManager {
  initialize(config: RuntimeConfig, ask: (host: { host: string; port?: number }) => Promise<boolean>): Promise<void>;
  isSupportedPlatform(): boolean;
  wrapWithSandboxArgv(
    command: string,
    shell: string | undefined,
    config: Pick<RuntimeConfig, "filesystem">,
    signal: AbortSignal | undefined,
    cwd: string,
    options: { commandId: string; commandText: string },
  ): Promise<{ argv: string[]; env: Record<string, string | undefined> }>;
  annotateStderrWithSandboxFailures(commandId: string, stderr: string): string;
  cleanupAfterCommand(): void;
  reset(): Promise<void>;
}

const requiredFunctions: readonly (keyof RuntimeManager)[] = [
  "initialize",
  "isSupportedPlatform",
  "wrapWithSandboxArgv",
  "annotateStderrWithSandboxFailures",
  "cleanupAfterCommand",
  "reset",
];

/** Undefined in CommonJS bundles. */
const ownFolder: string | undefined = import.meta.dirname;

export interface RuntimePlaces {
  /** The user's `PATH`. */
  searchPath: string | undefined;
  /** Folders whose content was not installed by the user. Absolute. */
  folders: readonly string[];
  /** Where to start looking for modules beside pawl. Default: this file's folder. */
  moduleFolder?: string;
}

/** The package's folder, or undefined if it is not installed. */
export function findRuntime({ searchPath, folders, moduleFolder = ownFolder }: RuntimePlaces): string | undefined {
  const commands = (searchPath ?? "")
    .split(delimiter)
    .filter(isAbsolute)
    .map((place) => join(place, commandName));
  const candidates = [
    ...foldersAbove(moduleFolder ?? "").map((folder) => join(folder, "node_modules", packageName)),
    join(dirname(dirname(process.execPath)), "lib", "node_modules", packageName),
    ...commands.flatMap((command) => foldersAbove(realPathOf(command) ?? "")),
  ];
  const roots = folders.flatMap((folder) => [folder, realPathOf(folder) ?? folder]);
  for (const candidate of candidates) {
    const real = realPathOf(candidate);
    const isForeign = [candidate, real].some(
      (path) => path !== undefined && roots.some((folder) => isInside(folder, path)),
    );
    if (real !== undefined && !isForeign && isTrustedFolder(real) && readManifest(real)?.name === packageName)
      return real;
  }
  return undefined;
}

/** Whether the folder belongs to the user or the system. If everybody can write to it, anybody could have put it there. */
function isTrustedFolder(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  const isUsers = uid === 0 || uid === process.getuid?.();
  return (isUsers || process.getuid === undefined) && (mode & 0o002) === 0;
}

/** Throws if the package lacks an expected function. */
export async function loadRuntime(folder: string): Promise<RuntimeManager> {
  const entry = join(folder, readManifest(folder)?.main ?? "index.js");
  const loaded = (await import(pathToFileURL(entry).href)) as { SandboxManager?: unknown };
  const manager = loaded.SandboxManager;
  const lacking = requiredFunctions.filter(
    (name) => typeof (manager as Record<string, unknown> | undefined)?.[name] !== "function",
  );
  if (lacking.length > 0) throw new Error(`its version offers no ${lacking.join(", ")}`);
  return manager as RuntimeManager;
}

function readManifest(folder: string): { name?: string; main?: string } | undefined {
  try {
    const { name, main } = tryParseRecord(readFileSync(join(folder, "package.json"), "utf8")) ?? {};
    return { ...(typeof name === "string" ? { name } : {}), ...(typeof main === "string" ? { main } : {}) };
  } catch {
    return undefined;
  }
}
