/**
 * What hooks say commands are to find in their environment: lines of `export` in a file of the session's own. They are read when such
 * a hook has ended, and at no other time: what anybody else writes there reaches no command.
 */
import { errorText } from "../../lib/error-text.ts";
import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runHookProcess } from "../../hooks/command-process.ts";
import { notBrought } from "../../lib/program-outside.ts";
import { readRegularFile } from "../../lib/regular-file.ts";
import { oneLine } from "../../lib/sanitize.ts";
import { temporaryFolder } from "../../lib/temporary-folder.ts";
import type { ClockPort } from "../../loop/ports.ts";
import { scrubEnvironment } from "../../tools/shell/environment.ts";
import type { ProcessTable } from "../../transcript/process-table.ts";
import { makeOwnedFolder, removeLeftFolders } from "../surroundings/owned-folder.ts";

type Variables = Record<string, string>;

export interface HookEnvironmentOptions {
  env: Readonly<Record<string, string | undefined>>;
  cwd: () => string;
  clock: ClockPort;
  notice: (text: string) => void;
  processes: ProcessTable;
}

const maxBytes = 100_000;
const maxVariables = 500;
const limitMs = 10_000;
/** The shell's own, which every look changes. */
const shellsOwn = /^(?:_|SHLVL|PWD|OLDPWD|PAWL_HOOK|CLAUDE_ENV_FILE)$/u;
// What the lines say is made known however they end; what they print is nobody's. Bash says where they end too early, and that alone.
const check = String.raw`[ $? = 0 ] || "$BASH" -n -c "$1" 2>&8`;
const script = `exec 8>&2 9>&1 >/dev/null 2>&1; trap 'command -p env -0 >&9' EXIT; set -a; eval "$1"; ${check}`;

const folderStart = "pawl-hooks-";

export class HookEnvironment {
  readonly #options: HookEnvironmentOptions;
  #folder: string | undefined;
  #variables: Promise<Variables> = Promise.resolve({});
  #ending: Promise<void>[] = [];

  constructor(options: HookEnvironmentOptions) {
    this.#options = options;
  }

  /** Made, for this user alone, when the first hook may write it. */
  path(): string {
    if (this.#folder === undefined) {
      const { env, processes, clock } = this.#options;
      const temporary = temporaryFolder(env);
      removeLeftFolders(temporary, folderStart, processes, clock.now());
      this.#folder = makeOwnedFolder(temporary, folderStart, processes);
      writeFileSync(fileIn(this.#folder), "", { flag: "wx", mode: 0o600 });
    }
    return fileIn(this.#folder);
  }

  /** A hook that may have written is over. */
  learn(): void {
    const folder = this.#folder;
    if (folder === undefined) return;
    this.#variables = this.#variables.then((known) => this.#read(fileIn(folder), known));
  }

  /** Awaits what is being read. */
  variables(): Promise<Variables> {
    return this.#variables;
  }

  async cleanUp(): Promise<void> {
    await this.#variables;
    await Promise.all(this.#ending.splice(0));
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
    this.#folder = undefined;
  }

  async #read(path: string, known: Variables): Promise<Variables> {
    const { notice } = this.#options;
    const isThere = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    const read = isThere ? readRegularFile(path, maxBytes) : ({ ok: true, text: "" } as const);
    if (!read.ok) {
      notice(`What hooks wrote for commands' environment was not taken up: ${read.why}.`);
      return known;
    }
    if (read.text.trim() === "") return {};
    try {
      return await this.#evaluate(read.text);
    } catch (error) {
      const why = errorText(error);
      notice(`What hooks wrote for commands' environment could not be read: ${why}.`);
      return known;
    }
  }

  async #evaluate(text: string): Promise<Variables> {
    const { env, cwd, clock, notice } = this.#options;
    const before = scrubEnvironment(env);
    const limit = new AbortController();
    const stop = clock.timer(limitMs, () => limit.abort());
    try {
      const file = notBrought("bash", env, cwd());
      const process = { file, args: ["-c", script, "bash", text], cwd: cwd(), environment: before, input: "" };
      const own = { ending: (work: Promise<void>) => void this.#ending.push(work), follow: () => undefined };
      const { stdout, stderr } = await runHookProcess(process, limit.signal, clock, own);
      const [slip = ""] = stderr.split("\n");
      // Without the shell's own path.
      const said = oneLine(slip.replace(/^.*?: (?=line \d)/u, ""), 200);
      if (said !== "") notice(`What hooks wrote for commands' environment is no shell from some line on (${said}).`);
      return changed(stdout, before);
    } finally {
      stop();
    }
  }
}

function fileIn(folder: string): string {
  return join(folder, "environment.sh");
}

function changed(printed: string, before: Variables): Variables {
  const variables: Variables = Object.create(null) as Variables;
  const found = printed.split("\0").flatMap((entry) => {
    const [, name, value] = /^(\w+)=([^]*)$/u.exec(entry) ?? [];
    return name === undefined || value === undefined || shellsOwn.test(name) || before[name] === value
      ? []
      : [[name, value] as const];
  });
  if (found.length > maxVariables) throw new Error(`they are more than ${maxVariables} variables`);
  for (const [name, value] of found) variables[name] = value;
  return variables;
}
