/** Finds ripgrep, and runs it by argument list alone: no configuration file, no value that could be taken for an option. */
import { createRequire } from "node:module";
import { hasPlantedAbove } from "../../lib/planted.ts";
import { systemCode } from "../../lib/system-reason.ts";
import type { ToolDependencies } from "../dependencies.ts";
import { ToolError } from "../failure.ts";
import { namedRipgrep } from "./named-ripgrep.ts";
import { findProgram, runProgram, type ProgramResult } from "../run-program.ts";

const found = new WeakMap<ToolDependencies, Promise<string | null>>();

/** `$PAWL_RG`, then PATH, then the optional package; null where there is none. Looked for once a session. */
export function findRipgrep(dependencies: ToolDependencies): Promise<string | null> {
  let looking = found.get(dependencies);
  if (looking === undefined) {
    looking = ripgrepOf(dependencies);
    found.set(dependencies, looking);
  }
  return looking;
}

/** The same, looked for at each call. */
export async function ripgrepOf({
  rgPath,
  environment,
  cwd,
}: Pick<ToolDependencies, "rgPath" | "environment"> & { cwd: Pick<ToolDependencies["cwd"], "get"> }): Promise<
  string | null
> {
  if (rgPath !== undefined) return rgPath;
  const named = namedRipgrep(environment);
  if (named?.ok === true) return named.path;
  const onPath = findProgram("rg", environment, cwd.get());
  if (onPath !== undefined) return onPath;
  try {
    // Not by import: some bundlers run what is imported later at once, and the package throws where its program did not come along.
    const require = createRequire(import.meta.url);
    const { platform, arch } = process;
    const own = createRequire(require.resolve("@vscode/ripgrep"));
    return own.resolve(`@vscode/ripgrep-${platform}-${arch}/bin/${platform === "win32" ? "rg.exe" : "rg"}`);
  } catch {
    // The optional dependency is not installed, or has no build for this machine.
    return null;
  }
}

/** Of a machine that is short of something: another moment may do. */
const passing: readonly string[] = ["EAGAIN", "ENOMEM", "EMFILE", "ENFILE"];

/** By hand where there is no ripgrep, and where the one there is can never do it: on a disk that runs nothing, made for another system, without its libraries, or too old. */
export async function byRipgrepOr<Found>(
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
    if (passing.includes(systemCode(error.cause) ?? "")) throw error;
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

/** Bytes of output that are taken in. */
const maxBytes = 16 << 20;

/** What ripgrep looks for in every folder above: what another user left in /tmp would hide files of the projects below. */
const looksAbove = [".git", ".gitignore", ".ignore", ".rgignore"];

/** It does not know an option that others have. */
const tooOld = /^(?:error: )?(?:Found argument '-|rg: unrecognized flag )/;

/** Throws a `ToolError` where it came to no end of its own: what it printed until then would pass for all there is. */
export async function runRipgrep(
  program: string,
  args: readonly string[],
  target: string,
  scope: SearchScope,
): Promise<ProgramResult> {
  const alone = hasPlantedAbove(scope.directory, looksAbove) ? ["--no-ignore-parent"] : [];
  const result = await runProgram({
    file: program,
    // A configuration file could name programs to run (--pre).
    args: ["--no-config", "--color=never", "--no-messages", ...alone, ...args, "--", target],
    cwd: scope.directory,
    signal: scope.signal,
    maxBytes,
    limit: (onExpired) => scope.clock.timer(scope.limitMs, onExpired),
  });
  const { code, stderr, ended } = result;
  const isUnfit = code === 126 || code === 127 || (code === 2 && tooOld.test(stderr));
  if (isUnfit && result.stdout.length === 0 && ended === undefined)
    throw new ToolError(`rg cannot search: ${stderr}`, { cause: new Error(stderr) });
  // It found some, found none, or names an error of its own.
  if (ended !== undefined || code === 0 || code === 1 || code === 2) return result;
  const how = code === null ? "was killed, as the system does where memory runs out" : `broke with exit code ${code}`;
  const said = stderr === "" ? "" : `: ${stderr}`;
  throw new ToolError(`The search was not finished: rg ${how}${said}. Try again, or in a smaller folder.`);
}

/** Folders of version control systems: their objects are no files of the project. */
export const notSearched: readonly string[] = [".git", ".hg", ".svn", ".jj"];
