/**
 * Confines the commands of a session with bubblewrap: the disk read-only but for the working folders, no network but through a proxy
 * that knows the allowed hosts, and nothing left running at the end. `boundary.ts` says what of the disk, `hosts.ts` what of the net.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Confinement, ConfinedCommand, SandboxCall, SandboxInput, SandboxPort } from "../../protocol/sandbox.ts";
import type { SandboxSettings } from "../../settings/sandbox.ts";
import { Boundary, type BoundaryOptions } from "./boundary.ts";
import { confinedCommand, type Profile, type Programs } from "./bubblewrap.ts";
import { isInside } from "../path-forms.ts";
import type { CommandPattern } from "../command-pattern.ts";
import { excludedPatterns, isExcluded } from "./excluded.ts";
import { keepEmpty, letGoOfEmpty } from "./guarded-places.ts";
import { guardedNames, moveAside, newcomers, type GuardedNames } from "./newcomers.ts";
import { heldMounts, type Mount } from "./mounts.ts";
import { openNetwork, type HostPolicy, type Network } from "./network.ts";
import { findProgram, programAt, tryRun, type TrialClock } from "./programs.ts";
import { socketFilter } from "./seccomp.ts";
import { explainViolations } from "./violations.ts";

export interface SandboxOptions extends Omit<BoundaryOptions, "files" | "credentials">, Omit<HostPolicy, "settings"> {
  settings: SandboxSettings;
  platform: string;
  processor: string;
  clock: TrialClock;
}

export type OpenedSandbox = { ok: true; sandbox: SandboxPort } | { ok: false; /** One clause. */ why: string };

/** Makes `base`, and tries whether this machine can confine anything; where it cannot, `base` is gone again. */
export async function openSandbox(options: SandboxOptions): Promise<OpenedSandbox> {
  const { settings, platform, processor, environment, around, base, clock } = options;
  if (platform !== "linux") return { ok: false, why: `there is none for ${platform} yet, only for Linux` };
  const filter = socketFilter(processor, settings.network.allowAllUnixSockets);
  if (filter === undefined) return { ok: false, why: `there is none for the processor ${processor}` };
  const places = { searchPath: environment["PATH"], folders: [around.cwd] };
  const find = (name: string, given: string | undefined): string | undefined =>
    given === undefined ? findProgram(name, places) : programAt(given);
  const bwrap = find("bwrap", settings.bwrapPath);
  if (bwrap === undefined) return { ok: false, why: "bwrap was not found (install bubblewrap and socat)" };
  const socat = find("socat", settings.socatPath);
  const programs: Programs = { bwrap, ...(socat === undefined ? {} : { socat }) };
  mkdirSync(base, { mode: 0o700 });
  mkdirSync(join(base, "tmp"), { mode: 0o700 });
  const filterFile = join(base, "filter");
  writeFileSync(filterFile, filter, { flag: "wx", mode: 0o600 });
  const chosen = await firstThatWorks(programs, profilesOf(settings, filterFile), clock);
  if (typeof chosen !== "string") return { ok: true, sandbox: new Bubblewrap(options, programs, chosen) };
  rmSync(base, { recursive: true, force: true });
  return { ok: false, why: `bubblewrap cannot be used here (${chosen})` };
}

type Ground = Pick<Profile, "filter" | "keepsProc" | "mayNest">;

/** The strictest first; what is weaker is only tried where that is a matter of the machine's version, or the user said so. */
function profilesOf(settings: SandboxSettings, filter: string): Ground[] {
  const nesting = settings.allowNestedUserNamespaces ? [true] : [false, true];
  const procs = settings.enableWeakerNestedSandbox ? [false, true] : [false];
  return procs.flatMap((keepsProc) => nesting.map((mayNest) => ({ filter, keepsProc, mayNest })));
}

/** A text: why the first did not. */
async function firstThatWorks(
  programs: Programs,
  grounds: readonly Ground[],
  clock: TrialClock,
): Promise<Ground | string> {
  let problem = "";
  for (const ground of grounds) {
    const profile: Profile = { ...ground, mounts: [], isDiskOpen: false, cwd: "/", ways: [] };
    const { file, args } = confinedCommand(programs, profile, programs.bwrap, ["--version"]);
    const failed = await tryRun(file, args, clock);
    if (failed === null) return ground;
    problem ||= failed;
  }
  return problem;
}

/** A working folder as it was before a command. */
interface Watched {
  folder: string;
  /** Where nothing may be made. */
  closed: readonly string[];
  names: GuardedNames;
}

class Bubblewrap implements SandboxPort {
  readonly mayLeave: boolean;
  readonly #options: SandboxOptions;
  readonly #programs: Programs;
  readonly #ground: Ground;
  readonly #boundary: Boundary;
  readonly #excluded: CommandPattern[];
  readonly #networks = new Set<Network>();
  /** Of the commands that run. */
  readonly #live = new Set<readonly Mount[]>();
  readonly #keptEmpty = new Set<string>();
  #entered = 0;

  constructor(options: SandboxOptions, programs: Programs, ground: Ground) {
    const { settings } = options;
    this.#options = options;
    this.#programs = programs;
    this.#ground = ground;
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
    for (const folder of folders) for (const kept of keepEmpty(folder, this.#keptEmpty)) this.#keptEmpty.add(kept);
    boundary.close();
    const mounts = heldMounts(boundary.mounts(), this.#live);
    const absent = boundary.closedAndAbsent();
    const before = folders.map((folder): Watched => {
      const closed = absent.filter((path) => isInside(folder, path));
      return { folder, closed, names: guardedNames(folder, closed) };
    });
    this.#entered += 1;
    const policy: HostPolicy = { ...this.#options, settings: settings.network };
    const network = await openNetwork(
      policy,
      join(base, `net${this.#entered}`),
      this.#programs.socat !== undefined,
      call,
    );
    this.#networks.add(network);
    this.#live.add(mounts);
    const profile = { ...this.#ground, mounts, isDiskOpen: boundary.isDiskOpen, cwd: call.cwd, ways: network.ways };
    const temporary = join(base, "tmp");
    let isSettled = false;
    return {
      ...confinedCommand(this.#programs, profile, call.file, call.args),
      environment: (own) => this.#environment(own, network, temporary),
      explain: (end) => {
        const isOver = end.exitCode !== null;
        const movedAside = isOver ? before.flatMap((watched) => this.#refuse(watched)) : [];
        isSettled ||= isOver;
        return explainViolations({
          ...end,
          cwd: call.cwd,
          mounts,
          isDiskOpen: boundary.isDiskOpen,
          hosts: network.refused(),
          hasNetwork: network.ways.length > 0,
          ignored: ignoredFor(call.input.command, settings.ignoreViolations),
          mayLeave: this.mayLeave,
          movedAside,
          temporary,
        });
      },
      release: () => {
        network.close();
        this.#networks.delete(network);
        this.#live.delete(mounts);
        if (!isSettled) this.#tellNewcomers(call, before);
        isSettled = true;
      },
    };
  }

  #refuse({ folder, closed, names }: Watched): string[] {
    const found = newcomers(folder, names, closed);
    for (const path of found) {
      try {
        moveAside(path, names);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        this.#options.notice(
          `A sandboxed command made ${path}, which can make other programs run something, and it could not be renamed (${why}): look at it.`,
        );
      }
    }
    return found;
  }

  /** What ran long is no longer the only one that may have made it. */
  #tellNewcomers({ input }: SandboxCall, before: readonly Watched[]): void {
    const found = before.flatMap(({ folder, closed, names }) => newcomers(folder, names, closed));
    if (found.length > 0)
      this.#options.notice(
        `While the sandboxed command ${JSON.stringify(input.command.slice(0, 80))} ran, ${found.join(", ")} appeared, which can make other programs run something: look at it.`,
      );
  }

  #environment(own: Record<string, string>, network: Network, temporary: string): Record<string, string> {
    const { credentials, network: hosts } = this.#options.settings;
    const withheld = new Set(credentials.envVars);
    if (!hosts.allowAllUnixSockets) withheld.add("SSH_AUTH_SOCK");
    const kept = Object.entries(own).filter(
      ([name]) => !withheld.has(name) && !/^(?:https?|all|no|ftp)_proxy$/iu.test(name),
    );
    return { ...Object.fromEntries(kept), TMPDIR: temporary, ...network.environment(own) };
  }

  dispose(): void {
    for (const network of this.#networks) network.close();
    letGoOfEmpty(this.#keptEmpty);
    this.#keptEmpty.clear();
    rmSync(this.#options.base, { recursive: true, force: true });
  }
}

function ignoredFor(command: string, ignored: SandboxSettings["ignoreViolations"]): string[] {
  return Object.entries(ignored).flatMap(([part, paths]) => (part === "*" || command.includes(part) ? paths : []));
}
