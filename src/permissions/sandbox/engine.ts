/** What puts a sandbox around one command. Which places it is to hold, and what is told of its end, is not its to say. */
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
  /** The session's own folder, there; of it `tmp` is for commands. */
  base: string;
  notice: (text: string) => void;
}

/** What one command is to be held in. */
export interface Hold {
  mounts: readonly Mount[];
  isDiskOpen: boolean;
  /** Where nothing may be made, and nothing is yet. */
  absent: readonly string[];
}

/** `release` is called once, when nothing of the command runs any more. */
export interface Prepared {
  file: string;
  args: readonly string[];
  environment(own: Record<string, string>): Record<string, string>;
  hosts(): RefusedHost[];
  hasNetwork: boolean;
  /** What it saw itself being refused, a line each, as it came. */
  seen(): string[];
  release(): void;
}

export interface Engine {
  /** It lays empty files and folders where nothing may be made, and takes them away when no command runs: those are not the command's. */
  readonly laysEmpty: boolean;
  /** Rejects where the command cannot be held: then it must not run. */
  prepare(call: SandboxCall, hold: Hold): Promise<Prepared>;
  dispose(): void;
}

export type OpenedEngine = { ok: true; engine: Engine } | { ok: false; /** One clause. */ why: string };
