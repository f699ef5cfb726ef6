/** Finds and runs ripgrep, by argument list only: no configuration file, and no value that could be read as an option. */
import { createRequire } from "node:module";
import { hasPlantedAbove } from "../../lib/planted.ts";
import { systemCode } from "../../lib/system-reason.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { ToolError } from "../failure.ts";
import { configuredRipgrep } from "./configured-ripgrep.ts";
import { withLiteralNames } from "./literal-names.ts";
import { findProgram, runProgram, type ProgramResult } from "../run-program.ts";

const foundPrograms = new WeakMap<ToolDependencies, Promise<string | null>>();

/** Looks in `$PAWL_RG`, then PATH, then the optional package; null if there is none. Cached for the session. */
export function findRipgrep(dependencies: ToolDependencies): Promise<string | null> {
  let lookup = foundPrograms.get(dependencies);
  if (lookup === undefined) {
    lookup = findRipgrepUncached(dependencies);
    foundPrograms.set(dependencies, lookup);
  }
  return lookup;
}

/** Like `findRipgrep`, but not cached. */
export async function findRipgrepUncached({
  rgPath,
  environment,
  cwd,
}: Pick<ToolDependencies, "rgPath" | "environment"> & { cwd: Pick<ToolDependencies["cwd"], "get"> }): Promise<
  string | null
> {
  if (rgPath !== undefined) return rgPath;
  const configured = configuredRipgrep(environment);
  if (configured?.ok === true) return configured.path;
  const onPath = findProgram("rg", environment, cwd.get());
  if (onPath !== undefined) return onPath;
  try {
    // Not an import: some bundlers run dynamic imports at once, and the package throws if its binary was not bundled.
    const require = createRequire(import.meta.url);
    const { platform, arch } = process;
    const own = createRequire(require.resolve("@vscode/ripgrep"));
    return own.resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${platform === "win32" ? "rg.exe" : "rg"}`);
  } catch {
    // The optional dependency is not installed, or has no build for this machine.
    return null;
  }
}

/** The errors of a machine that is short of resources: another attempt may succeed. */
const transientCodes: readonly string[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

/** Searches by hand if there is no ripgrep or it can never run: not executable, built for another system, missing libraries, or too old. */
export async function withRipgrepOr<Found>(
  byHand: () => Promise<Found>,
  dependencies: ToolDependencies,
  byRipgrep: (program: string) => Promise<Found>,
): Promise<Found> {
  const program = await findRipgrep(dependencies);
  if (program === null) return await byHand();
  try {
    return await byRipgrep(program);
  } catch (error) {
    if (!(error instanceof ToolError) || error.cause === undefined) throw error;
    if (transientCodes.includes(systemCode(error.cause) ?? "")) throw error;
    return await byHand();
  }
}

export interface SearchScope {
  /** Where the search starts. Absolute. */
  directory: string;
  signal: AbortSignal;
  clock: ToolDependencies["clock"];
  limitMs: number;
}

/** The most bytes of output that are read. */
const maxBytes = 16 << 20;

/** The files ripgrep looks for in every parent folder: one left in /tmp by another user would hide files of projects below. */
const parentIgnoreFiles = [".git", ".gitignore", ".ignore", ".rgignore"];

/** The error of a ripgrep that is too old to know an option. */
const tooOldPattern = /^(?:error: )?(?:Found argument '-|rg: unrecognized flag )/;

/** ripgrep gives up if the system's limit of processes leaves it too few threads (`ulimit -u`, a container's `pids.max`). */
const hasTooFewThreads = ({ code, stderr }: ProgramResult): boolean =>
  code === 101 && stderr.includes("failed to spawn");

/** Throws a `ToolError` if ripgrep crashed or was killed: its output so far would pass for a complete result. */
export async function runRipgrep(
  program: string,
  args: readonly string[],
  target: string,
  scope: SearchScope,
): Promise<ProgramResult> {
  const alone = hasPlantedAbove(scope.directory, parentIgnoreFiles) ? ["--no-ignore-parent"] : [];
  const systemNames = scope.directory === "/" ? systemFolders : [];
  const leftOut = [...unsearchedFolders, ...systemNames].map((name) => `--glob=!${name}`);
  const search = async (threads: readonly string[]): Promise<ProgramResult> =>
    await runProgram({
      file: program,
      // A configuration file could name programs to run (--pre).
      args: ["--no-config", "--color=never", "--no-messages", ...threads, ...alone, ...args, ...leftOut, "--", target],
      cwd: scope.directory,
      signal: scope.signal,
      maxBytes,
      limit: (onExpired) => scope.clock.timer(scope.limitMs, onExpired),
    });
  let result = await search([]);
  if (hasTooFewThreads(result)) result = await search(["--threads=1"]);
  const { code, stderr, endReason } = result;
  const isUnfit = code === 126 || code === 127 || (code === 2 && tooOldPattern.test(stderr));
  if (isUnfit && result.stdout.length === 0 && endReason === undefined)
    throw new ToolError(`rg cannot search: ${stderr}`, { cause: new Error(stderr) });
  // Exit codes: 0 for matches, 1 for none, 2 for an error that ripgrep reported itself.
  if (endReason !== undefined || code === 0 || code === 1 || code === 2) return result;
  const how = code === null ? "was killed, as the system does when memory runs out" : `failed with exit code ${code}`;
  const stderrText = stderr === "" ? "" : `: ${stderr}`;
  throw new ToolError(`The search was not finished: rg ${how}${stderrText}. Try again, or in a smaller folder.`);
}

/** ripgrep reads a glob like a line of a .gitignore: `#` begins a comment, which would select every file, and a blank at the end is removed. */
export function globOptions(glob: string): string[] {
  return withLiteralNames(glob).map((each) => `--glob=${each.replace(/^#/, "[#]").replace(/(?<!\\)\s$/, "[$&]")}`);
}

/** Folders of version control systems: their objects are not project files. */
export const unsearchedFolders: readonly string[] = [".git", ".hg", ".svn", ".jj"];

/** The system's folders of processes and devices, which a search of the whole disk leaves out: in them it may not end. */
export const systemFolders: readonly string[] = ["/proc", "/sys", "/dev"];
