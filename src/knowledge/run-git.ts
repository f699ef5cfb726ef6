/**
 * Runs git so that the repository it looks at can start nothing. A repository's configuration can name programs (monitors, hooks, pagers,
 * signature checkers, transports); every program that the commands used here could reach is disabled.
 */
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { delimiter, isAbsolute } from "node:path";
import type { Readable } from "node:stream";
import type { Environment } from "../lib/environment.ts";
import { afterMs } from "../lib/after-ms.ts";
import { hasPipes } from "../lib/has-pipes.ts";
import { isWithin } from "../lib/is-within.ts";
import { onAbort } from "../lib/on-abort.ts";
import { findProgramOutside } from "../lib/repository-programs.ts";
import { reasonOf } from "../lib/system-reason.ts";

export interface GitPlace {
  cwd: string;
  /** The folder that contains `.git`. */
  top: string;
  /** Absolute path of the git program. */
  program: string;
  env: Environment;
  /** The time limit of one command, ms. */
  limitMs: number;
  /** The repository's git folder, if the `.git` in `top` must not be trusted. Absolute. */
  gitFolder?: string;
  /**
   * Where git may fetch from; by default nowhere. `disk`: a repository on this disk. `network`: anything the user's own git can reach, with
   * the user's configuration and environment. Only for a `gitFolder` that was made here, with nobody else's configuration.
   */
  reach?: "disk" | "network";
  /** If it prints too much, the beginning is enough. */
  mayBeCut?: true;
  /** Aborting it ends the command. */
  signal?: AbortSignal;
}

/** `why`: what git said, or what became of it. One line. */
export type GitResult = { ok: true; output: string } | { ok: false; why: string };

const safeSettings: readonly string[] = [
  // An empty value disables it in every version: older versions take any word for the name of a program.
  "core.fsmonitor=",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.untrackedCache=false",
  "core.quotePath=true",
  "color.ui=false",
  "diff.external=",
  "gpg.program=false",
  "gpg.ssh.program=false",
  "gpg.x509.program=false",
  "log.showSignature=false",
  "safe.bareRepository=explicit",
  "status.submoduleSummary=false",
  "submodule.recurse=false",
];

/** Settings that prevent any communication with other machines. */
const offline: readonly string[] = [
  "core.sshCommand=false",
  "core.gitProxy=",
  "core.askPass=",
  "credential.helper=",
  "protocol.allow=never",
];

const maxCharacters = 256 * 1024;
const maxStderrLength = 4 * 1024;

/** Returns the first git on the PATH that is not part of the repository. */
export function findGit(env: GitPlace["env"], top: string): string | undefined {
  return findProgramOutside("git", env["PATH"] ?? "", top);
}

/** Returns what the command printed; undefined if it failed, took too long or printed too much. */
export async function runGit(args: readonly string[], place: GitPlace): Promise<string | undefined> {
  const end = await runGitResult(args, place);
  return end.ok ? end.output : undefined;
}

export function runGitResult(
  args: readonly string[],
  place: GitPlace,
  settings: readonly string[] = [],
): Promise<GitResult> {
  const baseSettings = place.reach === "network" ? safeSettings : [...safeSettings, ...offline];
  const config = [...baseSettings, ...settings].flatMap((setting) => ["-c", setting]);
  const argv = ["--no-pager", "--no-optional-locks", ...config, ...args];
  const isWindows = process.platform === "win32";
  const { signal } = place;
  if (signal?.aborted === true) return Promise.resolve({ ok: false, why: "it was cancelled" });
  const failed = (why: string): GitResult => ({ ok: false, why });
  return new Promise((resolve) => {
    let child: ChildProcessByStdio<null, Readable, Readable>;
    try {
      child = spawn(place.program, argv, {
        cwd: place.cwd,
        env: cleanEnvironment(place),
        stdio: ["ignore", "pipe", "pipe"],
        detached: !isWindows,
        windowsHide: true,
      });
    } catch (error) {
      // A setting named in a repository may be longer than the system allows (E2BIG), which Node throws.
      return resolve(failed(reasonOf(error)));
    }
    if (!hasPipes(child)) return void child.once("error", ({ message }) => resolve(failed(message)));
    let output = "";
    let stderr = "";
    const finish = (end: GitResult): void => {
      cancel();
      stopListening();
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(end);
    };
    const failWith = (why: string): void => {
      killGroup(child.pid, isWindows);
      finish(failed(why));
    };
    const cancel = afterMs(place.limitMs, () => failWith(`it took longer than ${place.limitMs / 1000} s`));
    const stopListening = onAbort(signal, () => failWith("it was cancelled"));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length <= maxCharacters) return;
      if (place.mayBeCut !== true) return failWith("it printed too much");
      killGroup(child.pid, isWindows);
      finish({ ok: true, output });
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = (stderr + text).slice(-maxStderrLength);
    });
    child.on("error", ({ message }) => finish(failed(message)));
    child.on("close", (code) => finish(code === 0 ? { ok: true, output } : failed(failureReason(stderr, code))));
  });
}

const maxReasonLength = 400;

/** Returns git's reason for failing, with its advice, in one line; otherwise its last line. */
function failureReason(text: string, code: number | null): string {
  const why = /^fatal: ([^]+)/mu.exec(text)?.[1] ?? text.trim().split("\n").at(-1) ?? "";
  return why.replaceAll(/\s+/gu, " ").trim().slice(0, maxReasonLength) || `it ended with ${code ?? "a signal"}`;
}

function killGroup(pid: number | undefined, isWindows: boolean): void {
  if (pid === undefined) return;
  try {
    process.kill(isWindows ? pid : -pid, "SIGKILL");
  } catch {
    // Already gone, as intended.
  }
}

/** Variables that configure how the user's git reaches other machines. */
const networkVariables = /^GIT_(?:ASKPASS|CONFIG_(?:GLOBAL|NOSYSTEM|SYSTEM)|HTTP_\w+|PROXY_\w+|SSH\w*|SSL_\w+)$/u;

function networkEnvironment({ env, reach }: GitPlace): Record<string, string> {
  if (reach !== "network")
    return { GIT_ASKPASS: "", GIT_SSH_COMMAND: "false", GIT_ALLOW_PROTOCOL: reach === "disk" ? "file" : "none" };
  const users = Object.entries(env).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!entry[0].startsWith("GIT_") || networkVariables.test(entry[0])),
  );
  return { ...Object.fromEntries(users), GIT_ALLOW_PROTOCOL: "file:git:http:https:ssh" };
}

/** Variables that locate the user's and the system's configuration; and SUDO_UID: root also owns repositories of the user behind sudo. */
const userVariables =
  "HOME USER XDG_CONFIG_HOME GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM SUDO_UID SYSTEMROOT TMPDIR".split(
    " ",
  );

/** Returns an environment with nothing that redirects or traces git, and with credentials only if it may use the network. */
function cleanEnvironment(place: GitPlace): Record<string, string> {
  const { env, top, gitFolder } = place;
  const clean: Record<string, string> = {
    ...networkEnvironment(place),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_PAGER: "cat",
    // Missing objects stay missing: fetching them would run what the repository configures.
    GIT_NO_LAZY_FETCH: "1",
    // Overrides a `core.worktree` that points elsewhere.
    GIT_WORK_TREE: top,
    ...(gitFolder === undefined ? {} : { GIT_DIR: gitFolder }),
  };
  for (const name of userVariables) {
    const value = env[name];
    if (value !== undefined) clean[name] = value;
  }
  const folders = (env["PATH"] ?? "").split(delimiter).filter((folder) => isAbsolute(folder) && !isWithin(folder, top));
  clean["PATH"] = folders.join(delimiter);
  return clean;
}
