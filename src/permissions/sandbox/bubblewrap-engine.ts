/** Confines commands with the machine's bubblewrap and socat, on Linux only. `bubblewrap.ts` builds the argument lists. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxCall } from "../../protocol/sandbox.ts";
import type { SandboxSettings } from "../../settings/sandbox.ts";
import { confinedCommand, type Profile, type Programs } from "./bubblewrap.ts";
import type { Engine, EngineOptions, CommandConfinement, OpenedEngine, PreparedCommand } from "./engine.ts";
import { openNetwork, type HostPolicy, type Network } from "./network.ts";
import { findProgram, realProgramPath, programPlaces, tryRun, type TrialClock } from "./programs.ts";
import { socketFilter } from "./seccomp.ts";

/** Checks whether this machine can confine commands, and opens the engine if so. */
export async function openBubblewrap(options: EngineOptions): Promise<OpenedEngine> {
  const { settings, platform, processor, base, clock } = options;
  if (platform !== "linux") return { ok: false, why: `there is none for ${platform} yet, only for Linux` };
  const filter = socketFilter(processor, settings.network.allowAllUnixSockets);
  if (filter === undefined) return { ok: false, why: `there is none for the processor ${processor}` };
  const places = programPlaces(options);
  const find = (name: string, configured: string | undefined): string | undefined =>
    configured === undefined ? findProgram(name, places) : realProgramPath(configured);
  const bwrap = find("bwrap", settings.bwrapPath);
  if (bwrap === undefined) return { ok: false, why: "bwrap was not found (install bubblewrap and socat)" };
  const socat = find("socat", settings.socatPath);
  const programs: Programs = { bwrap, ...(socat === undefined ? {} : { socat }) };
  const filterFile = join(base, "filter");
  writeFileSync(filterFile, filter, { flag: "wx", mode: 0o600 });
  const chosen = await findWorkingProfile(programs, profilesToTry(settings, filterFile), clock);
  if (typeof chosen !== "string") return { ok: true, engine: new BubblewrapEngine(options, programs, chosen) };
  return { ok: false, why: `bubblewrap cannot be used here (${chosen})` };
}

type ProfileBase = Pick<Profile, "filter" | "keepsProc" | "mayNest">;

/** The profiles to try, strictest first. Weaker ones are only tried for older versions, or if the user allows it. */
function profilesToTry(settings: SandboxSettings, filter: string): ProfileBase[] {
  const nesting = settings.allowNestedUserNamespaces ? [true] : [false, true];
  const procs = settings.enableWeakerNestedSandbox ? [false, true] : [false];
  return procs.flatMap((keepsProc) => nesting.map((mayNest) => ({ filter, keepsProc, mayNest })));
}

/** The first profile base that works, or the reason why the first one failed. */
async function findWorkingProfile(
  programs: Programs,
  profileBases: readonly ProfileBase[],
  clock: TrialClock,
): Promise<ProfileBase | string> {
  let problem = "";
  for (const profileBase of profileBases) {
    const profile: Profile = { ...profileBase, mounts: [], isDiskOpen: false, cwd: "/", portBridges: [] };
    const { file, args } = confinedCommand(programs, profile, programs.bwrap, ["--version"]);
    const failed = await tryRun(file, args, clock);
    if (failed === null) return profileBase;
    problem ||= failed;
  }
  return problem;
}

class BubblewrapEngine implements Engine {
  readonly createsPlaceholders = false;
  readonly #options: EngineOptions;
  readonly #programs: Programs;
  readonly #profileBase: ProfileBase;
  readonly #networks = new Set<Network>();
  #commandCount = 0;

  constructor(options: EngineOptions, programs: Programs, profileBase: ProfileBase) {
    this.#options = options;
    this.#programs = programs;
    this.#profileBase = profileBase;
  }

  async prepare(call: SandboxCall, { mounts, isDiskOpen }: CommandConfinement): Promise<PreparedCommand> {
    const { base, settings } = this.#options;
    this.#commandCount += 1;
    const policy: HostPolicy = { ...this.#options, settings: settings.network };
    const hasBridge = this.#programs.socat !== undefined;
    const network = await openNetwork(policy, join(base, `net${this.#commandCount}`), hasBridge, call);
    this.#networks.add(network);
    const profile = { ...this.#profileBase, mounts, isDiskOpen, cwd: call.cwd, portBridges: network.portBridges };
    return {
      ...confinedCommand(this.#programs, profile, call.file, call.args),
      environment: (own) => ({ ...own, TMPDIR: join(base, "tmp"), ...network.environment(own) }),
      refusedHosts: () => network.refusedHosts(),
      hasNetwork: network.portBridges.length > 0,
      observedRefusals: () => [],
      release: () => {
        network.close();
        this.#networks.delete(network);
      },
    };
  }

  dispose(): void {
    for (const network of this.#networks) network.close();
  }
}
