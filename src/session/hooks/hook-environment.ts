/**
 * Variables that hooks set for commands: `export` lines in files of the session's own, one per hook, since hooks run side by
 * side. The files are read only when such a hook has ended: what anybody else writes there reaches no command.
 */
import { errorText } from "../../lib/error-text.ts";
import type { Environment } from "../../lib/environment.ts";
import { closeSync, constants, lstatSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { runHookProcess } from "../../hooks/command-process.ts";
import { preferMachineProgram } from "../../lib/repository-programs.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import type { ClockPort } from "../../loop/ports.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { makeOwnedFolder, removeAbandonedFolders } from "../surroundings/owned-folder.ts";

type Variables = Record<string, string>;

export interface HookEnvironmentOptions {
  env: Environment;
  cwd: () => string;
  clock: ClockPort;
  notice: (text: string) => void;
  processes: ProcessTable;
}

const maxBytes = 100_000;
const maxVariables = 500;
const limitMs = 10_000;
/** Variables of the shell itself, which change with every run. */
const shellVariables = /^(?:_|SHLVL|PWD|OLDPWD|PAWL_HOOK|CLAUDE_ENV_FILE)$/u;
const endMark = "the shell was ended";
// The variables are printed however the lines end; output of the lines is discarded. Only a syntax check of failed lines, and the mark of a
// shell that ended before all lines were read, reach stderr. `exit` ends the lines of its own hook only.
const syntaxCheck = String.raw`[ $? = 0 ] || "$BASH" -n -c "$PAWL_HOOK" 2>&8`;
const evalLoop = `for PAWL_HOOK do . /dev/stdin <<<"$PAWL_HOOK"; ${syntaxCheck}; done; PAWL_HOOK=`;
const onExit = `[ -z "$PAWL_HOOK" ] || echo "${endMark}" >&8; command -p env -0 >&9`;
const evalScript = [
  `exec 8>&2 9>&1 >/dev/null 2>&1; trap '${onExit}' EXIT; set -a; shopt -s expand_aliases; alias exit=return`,
  evalLoop,
].join("\n");

const folderPrefix = "pawl-hooks-";

export class HookEnvironment {
  readonly #options: HookEnvironmentOptions;
  #folder: string | undefined;
  /** Files of the hooks that may write, in the order in which the hooks last began. */
  readonly #files = new Map<string, string>();
  #variables: Promise<Variables> = Promise.resolve({});
  #endingProcesses: Promise<void>[] = [];

  constructor(options: HookEnvironmentOptions) {
    this.#options = options;
  }

  /** Returns the file of a hook that begins. The first call creates it, for this user alone. What the hook appends starts on a new line. */
  path(hook: string): string {
    const folder = (this.#folder ??= this.#createFolder());
    const known = this.#files.get(hook);
    const path = known ?? join(folder, `environment-${this.#files.size}.sh`);
    if (known === undefined) {
      // Removes whatever somebody may have placed there.
      rmSync(path, { recursive: true, force: true });
      writeFileSync(path, "", { flag: "wx", mode: 0o600 });
    } else ensureTrailingNewline(path);
    this.#files.delete(hook);
    this.#files.set(hook, path);
    return path;
  }

  /** Called when a hook that may have written has ended. */
  scheduleRead(): void {
    if (this.#files.size > 0) this.#variables = this.#variables.then((known) => this.#read(known));
  }

  /** Waits for reads in progress. */
  variables(): Promise<Variables> {
    return this.#variables;
  }

  async cleanUp(): Promise<void> {
    await this.#variables;
    await Promise.all(this.#endingProcesses.splice(0));
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
    this.#files.clear();
  }

  #createFolder(): string {
    const { env, processes, clock } = this.#options;
    const temporary = temporaryFolder(env);
    removeAbandonedFolders(temporary, folderPrefix, processes, clock.now());
    return makeOwnedFolder(temporary, folderPrefix, processes);
  }

  async #read(known: Variables): Promise<Variables> {
    const { notice } = this.#options;
    const read = readTexts([...this.#files.values()]);
    if ("why" in read) {
      notice(`Environment variables from hooks were ignored: ${read.why}.`);
      return known;
    }
    if (read.texts.length === 0) return {};
    try {
      return await this.#evaluate(read.texts);
    } catch (error) {
      const why = errorText(error);
      notice(`Environment variables from hooks could not be read: ${why}.`);
      return known;
    }
  }

  async #evaluate(texts: readonly string[]): Promise<Variables> {
    const { env, cwd, clock, notice } = this.#options;
    const before = scrubEnvironment(env);
    const limit = new AbortController();
    const stop = clock.timer(limitMs, () => limit.abort());
    try {
      const file = preferMachineProgram("bash", env, cwd());
      const process = { file, args: ["-c", evalScript, "bash", ...texts], cwd: cwd(), environment: before, input: "" };
      const own = { ending: (work: Promise<void>) => void this.#endingProcesses.push(work), follow: () => undefined };
      const { stdout, stderr } = await runHookProcess(process, limit.signal, clock, own);
      const [slip = ""] = stderr.split("\n");
      // Without the path of the shell.
      const shellError = oneLine(slip.replace(/^.*?: (?=line \d)/u, ""), 200);
      if (shellError === endMark)
        notice(
          "The environment lines of a hook end their shell; later lines, also those of other hooks, were not read.",
        );
      else if (shellError !== "")
        notice(`The environment lines that hooks wrote are not valid shell from some line on (${shellError}).`);
      return changedVariables(stdout, before);
    } finally {
      stop();
    }
  }
}

/** Writes only if the path is still the regular file that was created: a link may lead anywhere. */
function ensureTrailingNewline(path: string): void {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status?.isFile() !== true || status.nlink > 1) return;
  const read = readRegularFile(path, maxBytes);
  if (!read.ok || read.text === "" || read.text.endsWith("\n")) return;
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW);
  try {
    writeSync(descriptor, "\n");
  } finally {
    closeSync(descriptor);
  }
}

/** The contents of the files, without blank ones; or why they cannot be used. */
function readTexts(paths: readonly string[]): { texts: string[] } | { why: string } {
  const texts: string[] = [];
  for (const path of paths) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) continue;
    const read = readRegularFile(path, maxBytes);
    if (!read.ok) return { why: read.why };
    if (read.text.trim() !== "") texts.push(read.text);
  }
  const isTooMuch = Buffer.byteLength(texts.join("")) > maxBytes;
  return isTooMuch ? { why: `it is larger than ${Math.round(maxBytes / 1024)} KiB` } : { texts };
}

function changedVariables(printed: string, before: Variables): Variables {
  const variables: Variables = Object.create(null) as Variables;
  const found = printed.split("\0").flatMap((entry) => {
    const [, name, value] = /^(\w+)=([^]*)$/u.exec(entry) ?? [];
    return name === undefined || value === undefined || shellVariables.test(name) || before[name] === value
      ? []
      : [[name, value] as const];
  });
  if (found.length > maxVariables) throw new Error(`there are more than ${maxVariables} variables`);
  for (const [name, value] of found) variables[name] = value;
  return variables;
}
