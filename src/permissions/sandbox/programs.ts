/** Finds bubblewrap and socat on this machine, and checks whether they work here. */
import { spawn } from "node:child_process";
import { isProgram } from "../../lib/is-program.ts";
import type { Environment } from "../../lib/environment.ts";
import { signalGroup } from "../../lib/process-tree.ts";
import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { isInside } from "../paths/path-forms.ts";

export interface ProgramPlaces {
  /** The user's `PATH`. */
  searchPath: string | undefined;
  /** Folders in which no file is accepted as a program of the machine. */
  folders: readonly string[];
}

/** Returns where to look for programs of the user or the machine: never in a working directory, whose files may be anybody's. */
export function programPlaces({ environment, around, folders }: PlaceOptions): ProgramPlaces {
  const { cwd } = around;
  return { searchPath: environment["PATH"], folders: [cwd, ...folders().map((folder) => resolve(cwd, folder))] };
}

interface PlaceOptions {
  environment: Environment;
  around: { cwd: string };
  folders: () => readonly string[];
}

const systemFolders = ["/usr/bin", "/bin", "/usr/local/bin", "/run/current-system/sw/bin"];

/** The program's real path. Undefined if it is neither in the system's folders nor, outside `folders`, on the user's `PATH`. */
export function findProgram(name: string, { searchPath, folders }: ProgramPlaces): string | undefined {
  for (const place of systemFolders) {
    const found = realProgramPath(join(place, name));
    if (found !== undefined) return found;
  }
  for (const place of (searchPath ?? "").split(delimiter)) {
    const found = isAbsolute(place) ? realProgramPath(join(place, name)) : undefined;
    if (found !== undefined && !folders.some((folder) => isInside(folder, found))) return found;
  }
  return undefined;
}

export function realProgramPath(path: string): string | undefined {
  try {
    return isProgram(path) ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

export interface TrialClock {
  timer(ms: number, onFire: () => void): () => void;
}

const trialTimeoutMs = 10_000;

/** Resolves to null if the program succeeds, or else to the reason for its failure. */
export function tryRun(file: string, args: readonly string[], clock: TrialClock): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe"], env: {}, cwd: "/", detached: true });
    let output = "";
    const stop = clock.timer(trialTimeoutMs, () => {
      if (child.pid !== undefined) signalGroup(child.pid, "SIGKILL");
      // A process that left the group may still hold this pipe, and is not waited for.
      child.stderr?.destroy();
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      if (output.length < 1_000) output += text;
    });
    child.once("error", (error) => {
      stop();
      resolve(error.message);
    });
    child.once("close", (code) => {
      stop();
      resolve(code === 0 ? null : (output.trim().split("\n")[0] ?? "") || `it ended with code ${String(code)}`);
    });
  });
}
