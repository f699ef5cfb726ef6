/**
 * Confines the commands of a session: the disk read-only but for the working folders, no network but through a proxy that asks which
 * hosts are allowed, and nothing left running at the end. `boundary.ts` says what of the disk, `hosts.ts` what of the net, and an
 * engine does it: sandbox-runtime where the user has installed it, else bubblewrap.
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
import { keepEmpty, letGoOfEmpty } from "./kept-empty.ts";
import { guardedNames, moveAside, newcomers, type GuardedNames } from "./newcomers.ts";
import { heldMounts, type Mount } from "./mounts.ts";
import { explainViolations } from "./violations.ts";

export interface SandboxOptions
  extends Omit<BoundaryOptions, "files" | "credentials" | "around">, Omit<EngineOptions, "around"> {
  around: BoundaryOptions["around"];
  /** `base` is there: whoever opens may say in it whose it is. May throw. */
  onMade?: () => void;
  /** Null where there is none. */
  findRipgrep?: () => Promise<string | null>;
  /** Where modules beside pawl are looked for. Default: where it is. */
  beside?: string;
}

export type OpenedSandbox = { ok: true; sandbox: SandboxPort } | { ok: false; /** One clause. */ why: string };

/** Makes `base`, and tries whether this machine can confine anything; where it cannot, `base` is gone again. */
export async function openSandbox(options: SandboxOptions): Promise<OpenedSandbox> {
  const { base, settings, notice } = options;
  mkdirSync(base, { mode: 0o700 });
  options.onMade?.();
  mkdirSync(join(base, "tmp"), { mode: 0o700 });
  const { provider } = settings;
  const runtime = provider === "bubblewrap" ? undefined : await withRuntime(options);
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

/** Undefined where it is not installed: few have it, so it is loaded where somebody does. */
async function withRuntime(options: SandboxOptions): Promise<OpenedEngine | undefined> {
  const { openRuntime } = await import("./runtime-engine.ts");
  return await openRuntime(options, options.findRipgrep ?? (async () => null), options.beside);
}

/** A working folder as it was before a command. */
interface Watched {
  folder: string;
  /** Where nothing may be made. */
  closed: readonly string[];
  names: GuardedNames;
}

class ConfinedSession implements SandboxPort {
  readonly mayLeave: boolean;
  readonly #options: SandboxOptions;
  readonly #engine: Engine;
  readonly #boundary: Boundary;
  readonly #excluded: CommandPattern[];
  /** Of the commands that run. */
  readonly #live = new Set<readonly Mount[]>();
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
      for (const kept of keepEmpty(folder, this.#keptEmpty, base)) this.#keptEmpty.add(kept);
    boundary.close();
    const mounts = heldMounts(boundary.mounts(), this.#live);
    const absent = boundary.closedAndAbsent();
    const before = folders.map((folder): Watched => {
      const closed = absent.filter((path) => isInside(folder, path));
      return { folder, closed, names: guardedNames(folder, closed) };
    });
    const { isDiskOpen } = boundary;
    const prepared = await this.#engine.prepare(call, { mounts, isDiskOpen, absent });
    this.#live.add(mounts);
    const temporary = join(base, "tmp");
    let isSettled = false;
    return {
      file: prepared.file,
      args: prepared.args,
      environment: (own) => prepared.environment(this.#withoutSecrets(own)),
      explain: (end) => {
        const isOver = end.exitCode !== null;
        const movedAside = isOver ? before.flatMap((watched) => this.#refuse(watched)) : [];
        isSettled ||= isOver;
        return explainViolations({
          ...end,
          cwd: call.cwd,
          mounts,
          isDiskOpen,
          hosts: prepared.hosts(),
          hasNetwork: prepared.hasNetwork,
          seen: prepared.seen(),
          ignored: ignoredFor(call.input.command, settings.ignoreViolations),
          mayLeave: this.mayLeave,
          movedAside,
          temporary,
        });
      },
      release: () => {
        prepared.release();
        this.#live.delete(mounts);
        if (!isSettled) this.#tellNewcomers(call, before);
        isSettled = true;
      },
    };
  }

  #refuse({ folder, closed, names }: Watched): string[] {
    const found = this.#newcomers({ folder, closed, names });
    for (const path of found) {
      try {
        moveAside(path, names);
      } catch (error) {
        const why = errorText(error);
        this.#options.notice(
          `A sandboxed command made ${path}, which can make other programs run something, and it could not be renamed (${why}): look at it.`,
        );
      }
    }
    return found;
  }

  /** What is empty makes nobody run anything, and at the next command it is there already, and closed. */
  #newcomers({ folder, closed, names }: Watched): string[] {
    const found = newcomers(folder, names, closed);
    return this.#engine.laysEmpty ? found.filter((path) => !isEmpty(path)) : found;
  }

  /** What ran long is no longer the only one that may have made it. */
  #tellNewcomers({ input }: SandboxCall, before: readonly Watched[]): void {
    const found = before.flatMap((watched) => this.#newcomers(watched));
    if (found.length > 0)
      this.#options.notice(
        `While the sandboxed command ${JSON.stringify(input.command.slice(0, 80))} ran, ${found.join(", ")} appeared, which can make other programs run something: look at it.`,
      );
  }

  #withoutSecrets(own: Record<string, string>): Record<string, string> {
    const { credentials, network } = this.#options.settings;
    const withheld = new Set(credentials.envVars);
    if (!network.allowAllUnixSockets) withheld.add("SSH_AUTH_SOCK");
    const kept = Object.entries(own).filter(
      ([name]) => !withheld.has(name) && !/^(?:https?|all|no|ftp)_proxy$/iu.test(name),
    );
    return Object.fromEntries(kept);
  }

  dispose(): void {
    this.#engine.dispose();
    letGoOfEmpty(this.#keptEmpty);
    this.#keptEmpty.clear();
    rmSync(this.#options.base, { recursive: true, force: true });
  }
}

function isEmpty(path: string): boolean {
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

function ignoredFor(command: string, ignored: SandboxSettings["ignoreViolations"]): string[] {
  return Object.entries(ignored).flatMap(([part, paths]) => (part === "*" || command.includes(part) ? paths : []));
}
