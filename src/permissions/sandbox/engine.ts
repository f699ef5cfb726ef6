/** Puts a sandbox around one command. The engine decides neither which places it confines nor what is reported at the end. */
import type { SandboxCall } from "../../protocol/sandbox.ts";
import type { SandboxSettings } from "../../settings/sandbox.ts";
import type { Mount } from "./mounts.ts";
import type { HostPolicy } from "./network.ts";
import type { TrialClock } from "./programs.ts";
import type { RefusedHost } from "./violations.ts";

export interface EngineOptions extends Omit<HostPolicy, "settings"> {
  settings: SandboxSettings;
  platform: string;
  processor: string;
  clock: TrialClock;
  around: { cwd: string; home: string };
  /** The working directories, absolute or relative to `cwd`. */
  folders: () => readonly string[];
  /** The session's own, existing folder, whose `tmp` is for commands. */
  base: string;
  notice: (text: string) => void;
}

/** The confinement of one command. */
export interface CommandConfinement {
  mounts: readonly Mount[];
  isDiskOpen: boolean;
  /** Places where nothing may be created and nothing exists yet. */
  absent: readonly string[];
}

/** `release` is called once, when nothing of the command runs any more. */
export interface PreparedCommand {
  file: string;
  args: readonly string[];
  environment(variables: Record<string, string>): Record<string, string>;
  refusedHosts(): RefusedHost[];
  hasNetwork: boolean;
  /** Refusals that the engine itself observed, one a line, in order. */
  observedRefusals(): string[];
  release(): void;
}

export interface Engine {
  /** Whether the engine creates empty placeholders where nothing may be made, and removes them later: they are not the command's. */
  readonly createsPlaceholders: boolean;
  /** Rejects if the command cannot be confined: then it must not run. */
  prepare(call: SandboxCall, confinement: CommandConfinement): Promise<PreparedCommand>;
  dispose(): void;
}

export type OpenedEngine = { ok: true; engine: Engine } | { ok: false; /** One clause. */ why: string };
