/**
 * Confines the commands of a session: the disk is read-only except for the working directories, the network is only reached through a proxy
 * that asks which hosts are allowed, and nothing keeps running at the end. `boundary.ts` decides about the disk and `hosts.ts` about the
 * network; an engine does the work: sandbox-runtime if the user has installed it, or else bubblewrap.
 */
import { errorText } from "../../lib/error-text.ts";
import { lstatSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Confinement, ConfinedCommand, SandboxCall, SandboxInput, SandboxPort } from "../../protocol/sandbox.ts";
import type { SandboxSettings } from "../../settings/sandbox.ts";
import { Boundary, type BoundaryOptions } from "./boundary.ts";
import { openBubblewrap } from "./bubblewrap-engine.ts";
import type { Engine, EngineOptions, OpenedEngine } from "./engine.ts";
import { isInside } from "../paths/path-forms.ts";
import type { CommandPattern } from "../rules/command-pattern.ts";
import { excludedPatterns, isExcluded } from "./excluded.ts";
import { createEmptyFolders, releaseEmptyFolders } from "./kept-empty.ts";
import { guardedNames, moveAside, findNewcomers, type GuardedNames } from "./newcomers.ts";
import { stableMounts, type Mount } from "./mounts.ts";
import { explainViolations } from "./violations.ts";

export interface SandboxOptions
  extends Omit<BoundaryOptions, "files" | "credentials" | "around">, Omit<EngineOptions, "around"> {
  around: BoundaryOptions["around"];
  /** Called once `base` exists, so that the caller can record in it whose it is. May throw. */
  onBaseCreated?: () => void;
  /** Resolves to null if there is no ripgrep. */
  findRipgrep?: () => Promise<string | null>;
  /** Where to start looking for modules beside pawl. Default: pawl's own folder. */
  moduleFolder?: string;
}

export type OpenedSandbox = { ok: true; sandbox: SandboxPort } | { ok: false; /** One clause. */ why: string };

/** Creates `base` and checks whether this machine can confine commands. If it cannot, `base` is removed again. */
export async function openSandbox(options: SandboxOptions): Promise<OpenedSandbox> {
  const { base, settings, notice } = options;
  mkdirSync(base, { mode: 0o700 });
  options.onBaseCreated?.();
  mkdirSync(join(base, "tmp"), { mode: 0o700 });
  const { provider } = settings;
  const runtime = provider === "bubblewrap" ? undefined : await openInstalledRuntime(options);
  if (runtime?.ok === true) return { ok: true, sandbox: new ConfinedSession(options, runtime.engine) };
  const none: OpenedEngine = {
    ok: false,
    why: "sandbox-runtime is not installed (npm install -g @anthropic-ai/sandbox-runtime)",
  };
  const other = provider === "sandbox-runtime" ? (runtime ?? none) : await openBubblewrap(options);
  if (other.ok) {
    if (runtime !== undefined) notice(`${runtime.why}. Commands are confined with bubblewrap instead.`);
    return { ok: true, sandbox: new ConfinedSession(options, other.engine) };
  }
  rmSync(base, { recursive: true, force: true });
  return {
    ok: false,
    why: runtime === undefined || runtime === other ? other.why : `${runtime.why}, and ${other.why}`,
  };
}

/** Undefined if it is not installed. Loaded on demand, because few users have it. */
async function openInstalledRuntime(options: SandboxOptions): Promise<OpenedEngine | undefined> {
  const { openRuntime } = await import("./runtime-engine.ts");
  return await openRuntime(options, options.findRipgrep ?? (async () => null), options.moduleFolder);
}

/** The state of a working directory before a command. */
interface WatchedFolder {
  folder: string;
  /** Places where nothing may be created. */
  closedPaths: readonly string[];
  names: GuardedNames;
}

class ConfinedSession implements SandboxPort {
  readonly mayLeave: boolean;
  readonly #options: SandboxOptions;
  readonly #engine: Engine;
  readonly #boundary: Boundary;
  readonly #excluded: CommandPattern[];
  /** The mounts of the running commands. */
  readonly #runningMounts = new Set<readonly Mount[]>();
  readonly #keptEmpty = new Set<string>();

  constructor(options: SandboxOptions, engine: Engine) {
    const { settings } = options;
    this.#options = options;
    this.#engine = engine;
    this.#boundary = new Boundary({ ...options, files: settings.filesystem, credentials: settings.credentials.files });
    this.#excluded = excludedPatterns(settings.excludedCommands);
    this.mayLeave = settings.allowUnsandboxedCommands;
  }

  confinementOf({ command, dangerouslyDisableSandbox }: SandboxInput): Confinement {
    if (isExcluded(command, this.#excluded)) return { kind: "excluded" };
    if (dangerouslyDisableSandbox === true) return { kind: this.mayLeave ? "leaving" : "refused" };
    return { kind: "confined", isFree: this.#options.settings.autoAllowBashIfSandboxed };
  }

  async enter(call: SandboxCall): Promise<ConfinedCommand> {
    const { base, settings } = this.#options;
    const boundary = this.#boundary;
    const folders = boundary.isDiskOpen ? [] : boundary.folders();
    for (const folder of folders)
      for (const kept of createEmptyFolders(folder, this.#keptEmpty, base)) this.#keptEmpty.add(kept);
    boundary.markCommandsRun();
    const mounts = stableMounts(boundary.mounts(), this.#runningMounts);
    const absent = boundary.absentClosedPaths();
    const before = folders.map((folder): WatchedFolder => {
      const closed = absent.filter((path) => isInside(folder, path));
      return { folder, closedPaths: closed, names: guardedNames(folder, closed) };
    });
    const { isDiskOpen } = boundary;
    const prepared = await this.#engine.prepare(call, { mounts, isDiskOpen, absent });
    this.#runningMounts.add(mounts);
    const temporary = join(base, "tmp");
    let isSettled = false;
    return {
      file: prepared.file,
      args: prepared.args,
      environment: (variables) => prepared.environment(this.#withoutSecrets(variables)),
      explain: (end) => {
        const isOver = end.exitCode !== null;
        const movedAside = isOver ? before.flatMap((watched) => this.#moveNewcomersAside(watched)) : [];
        isSettled ||= isOver;
        return explainViolations({
          ...end,
          cwd: call.cwd,
          mounts,
          isDiskOpen,
          refusedHosts: prepared.refusedHosts(),
          hasNetwork: prepared.hasNetwork,
          observedRefusals: prepared.observedRefusals(),
          ignored: ignoredPaths(call.input.command, settings.ignoreViolations),
          mayLeave: this.mayLeave,
          movedAside,
          temporary,
        });
      },
      release: () => {
        prepared.release();
        this.#runningMounts.delete(mounts);
        if (!isSettled) this.#reportNewcomers(call, before);
        isSettled = true;
      },
    };
  }

  #moveNewcomersAside({ folder, closedPaths, names }: WatchedFolder): string[] {
    return this.#findNewcomers({ folder, closedPaths, names }).filter((path) => {
      try {
        moveAside(path, names);
        return true;
      } catch (error) {
        const why = errorText(error);
        this.#options.notice(
          `A sandboxed command made ${path}, which can make other programs run something, and it could not be renamed (${why}): look at it.`,
        );
        return false;
      }
    });
  }

  /** The newcomers. An engine's empty placeholders make nobody run anything; at the next command they exist already and are closed. */
  #findNewcomers({ folder, closedPaths, names }: WatchedFolder): string[] {
    const found = findNewcomers(folder, names, closedPaths);
    return this.#engine.createsPlaceholders ? found.filter((path) => !isEmptyEntry(path)) : found;
  }

  /** Only reports the newcomers of a command that ran long: others may have created them meanwhile. */
  #reportNewcomers({ input }: SandboxCall, before: readonly WatchedFolder[]): void {
    const found = before.flatMap((watched) => this.#findNewcomers(watched));
    if (found.length > 0)
      this.#options.notice(
        `While the sandboxed command ${JSON.stringify(input.command.slice(0, 80))} ran, ${found.join(", ")} appeared, which can make other programs run something: look at it.`,
      );
  }

  #withoutSecrets(variables: Record<string, string>): Record<string, string> {
    const { credentials, network } = this.#options.settings;
    const withheld = new Set(credentials.envVars);
    if (!network.allowAllUnixSockets) withheld.add("SSH_AUTH_SOCK");
    const kept = Object.entries(variables).filter(
      ([name]) => !withheld.has(name) && !/^(?:https?|all|no|ftp)_proxy$/iu.test(name),
    );
    return Object.fromEntries(kept);
  }

  dispose(): void {
    this.#engine.dispose();
    releaseEmptyFolders(this.#keptEmpty);
    this.#keptEmpty.clear();
    rmSync(this.#options.base, { recursive: true, force: true });
  }
}

function isEmptyEntry(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined || (found.isFile() && found.size === 0) || (found.isDirectory() && isEmptyFolder(path));
}

function isEmptyFolder(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

function ignoredPaths(command: string, ignored: SandboxSettings["ignoreViolations"]): string[] {
  return Object.entries(ignored).flatMap(([part, paths]) => (part === "*" || command.includes(part) ? paths : []));
}
