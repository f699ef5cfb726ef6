/**
 * A snapshot of the repository for the system prompt, taken without letting the repository run anything: its configuration
 * can name programs (fsmonitor, hooks, filters, pagers, signature checkers), so every one that could be asked is switched off,
 * and where a filter is configured the status is not asked for at all.
 */
import { execFile } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";

export interface GitStatusOptions {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Default 2,000. */
  timeoutMs?: number;
}

const maxStatusCharacters = 2_000;

const safeConfig = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.sshCommand=false",
  "core.askPass=",
  "core.untrackedCache=false",
  "diff.external=",
  "log.showSignature=false",
  "gpg.program=false",
  "gpg.ssh.program=false",
  "gpg.x509.program=false",
  "credential.helper=",
  "protocol.allow=never",
  "safe.bareRepository=explicit",
  "submodule.recurse=false",
  "status.submoduleSummary=false",
].flatMap((setting) => ["-c", setting]);

/** Undefined outside a repository, without git, and where git refuses the folder. */
export async function gitStatus(options: GitStatusOptions): Promise<string | undefined> {
  if (findGitFolder(options.cwd) === undefined) return undefined;
  const run = (...args: string[]): Promise<string | undefined> => git(args, options);
  const [config, log, branches] = await Promise.all([
    run("config", "--list", "--name-only", "-z"),
    run("log", "-n", "5", "--no-show-signature", "--no-color", "--format=%h %s"),
    run("for-each-ref", "--format=%(refname:short)", "refs/heads/main", "refs/heads/master"),
  ]);
  if (config === undefined) return undefined;
  const status = mayRun(config) ? undefined : await run("status", "--short", "--ignore-submodules=all", "--no-renames");
  return render({
    branch: readBranch(options.cwd),
    main: branches?.split("\n")[0],
    status,
    log,
    filtered: mayRun(config),
  });
}

/** Settings by which a plain `status` would start a program. */
function mayRun(names: string): boolean {
  return names
    .split("\0")
    .some((name) => /^filter\..*\.(clean|smudge|process)$/i.test(name) || /^merge\..*\.driver$/i.test(name));
}

function git(args: string[], { cwd, env, timeoutMs = 2_000 }: GitStatusOptions): Promise<string | undefined> {
  const argv = ["--no-pager", "--no-optional-locks", ...safeConfig, ...args];
  return new Promise((resolveWith) => {
    const limits = {
      cwd,
      env: cleanEnvironment(env),
      timeout: timeoutMs,
      killSignal: "SIGKILL" as const,
      maxBuffer: 1024 * 1024,
    };
    const child = execFile("git", argv, limits, (error, stdout) => resolveWith(error === null ? stdout : undefined));
    child.stdin?.end();
  });
}

/** Nothing that redirects git, and no credentials. */
function cleanEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    GIT_ASKPASS: "",
    GIT_SSH_COMMAND: "false",
    GIT_NO_LAZY_FETCH: "1",
  };
  for (const name of ["PATH", "HOME", "USER", "XDG_CONFIG_HOME", "SYSTEMROOT", "TMPDIR"]) {
    const value = env[name];
    if (value !== undefined) clean[name] = value;
  }
  return clean;
}

interface Facts {
  branch: string | undefined;
  main: string | undefined;
  status: string | undefined;
  log: string | undefined;
  filtered: boolean;
}

function render({ branch, main, status, log, filtered }: Facts): string {
  const lines = ["Git, as it was when the session began:", `Branch: ${visible(branch ?? "detached")}`];
  if (main !== undefined && main !== "" && main !== branch) lines.push(`Main branch: ${visible(main)}`);
  if (filtered) lines.push("Status: not taken, because the repository configures filters that would run programs.");
  else if (status === undefined) lines.push("Status: not taken in time.");
  else lines.push(status.trim() === "" ? "Status: clean" : `Status:\n${visible(cut(status.trimEnd()))}`);
  if (log !== undefined && log.trim() !== "") lines.push(`Last commits:\n${visible(cut(log.trimEnd()))}`);
  return lines.join("\n");
}

function cut(text: string): string {
  return text.length <= maxStatusCharacters ? text : `${text.slice(0, maxStatusCharacters)}\n… (cut)`;
}

/** Names and subjects are data: no control character reaches the prompt. */
function visible(text: string): string {
  return text.replaceAll(/(?!\n)\p{Cc}|[\u200b-\u200f\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu, "�");
}

/** The nearest `.git` upward, a folder or the file that names one. Looks, and runs nothing. */
export function findGitFolder(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, ".git");
    if (existsSync(path)) return gitFolderAt(path);
    if (dirname(folder) === folder) return undefined;
  }
}

function gitFolderAt(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return path;
    const target = /^gitdir: (.+)$/m.exec(readFileSync(path, "utf8"))?.[1];
    if (target === undefined) return undefined;
    return isAbsolute(target) ? target : resolve(dirname(path), target);
  } catch {
    // Gone or unreadable since we saw it: as if there were no repository.
    return undefined;
  }
}

/** The checked-out branch, from the file that says so; undefined where none is, or outside a repository. */
export function readBranch(cwd: string): string | undefined {
  const folder = findGitFolder(cwd);
  if (folder === undefined) return undefined;
  try {
    return /^ref: refs\/heads\/(.+)$/m.exec(readFileSync(join(folder, "HEAD"), "utf8"))?.[1];
  } catch {
    // A repository without a readable HEAD is on no branch that could be named.
    return undefined;
  }
}
