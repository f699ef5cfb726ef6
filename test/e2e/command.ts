/** The real command as a child process, against a scripted model on loopback. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuildFresh } from "../../scripts/run/fresh-build.ts";
import { startScriptedServer, type ScriptedServer } from "../../src/testing/index.ts";
import type { Script } from "../../src/testing/index.ts";

const root = join(import.meta.dirname, "..", "..");

let words: readonly string[] | undefined;

/**
 * What is published where the build is newer than every source, else the sources: a stale build would be tested unseen. Looked at once: a thousand
 * sources before each of hundreds of starts are a tenth of what a start costs.
 */
export function commandWords(): readonly string[] {
  words ??= isBuildFresh()
    ? [join(root, "bin", "pawl.js")]
    : [fileURLToPath(new URL("./from-sources.ts", import.meta.url))];
  return words;
}

export interface Finished {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcessWithoutNullStreams;
  /** Resolves once stdout and stderr together contain the text. Rejects when the process ends without it. */
  saw: (text: string) => Promise<void>;
  done: Promise<Finished>;
}

export interface World {
  /** A new empty folder the command works in. */
  folder: string;
  home: string;
  server: ScriptedServer;
  env: Record<string, string>;
  start: (args: readonly string[], options?: StartOptions) => Running;
  run: (args: readonly string[], options?: StartOptions) => Promise<Finished>;
  close: () => Promise<void>;
}

export interface StartOptions {
  /** Written to stdin, which is then closed. */
  input?: string | Buffer;
  /** Left open. Default: closed. */
  stdin?: "open";
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Bash that runs the command as `"$@"`. */
  shell?: string;
  /** Runs this instead of the command. */
  script?: string;
}

/** A folder, a home and a scripted model of its own. */
export async function createWorld(script: Script): Promise<World> {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "pawl-e2e-")));
  const folder = join(place, "work");
  const home = join(place, "home");
  mkdirSync(folder);
  mkdirSync(home);
  const server = await startScriptedServer(script);
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    TMPDIR: place,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "test-key-123",
  };
  const running = new Set<ChildProcessWithoutNullStreams>();
  const start: World["start"] = (args, options = {}) => begin(running, { folder, env }, args, options);
  return {
    folder,
    home,
    server,
    env,
    start,
    run: (args, options) => start(args, options).done,
    close: async () => {
      for (const child of running) child.kill("SIGKILL");
      await server.close();
      rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function begin(
  running: Set<ChildProcessWithoutNullStreams>,
  { folder, env }: Pick<World, "folder" | "env">,
  args: readonly string[],
  options: StartOptions,
): Running {
  const words = [process.execPath, ...(options.script === undefined ? commandWords() : [options.script]), ...args];
  const [file = "", ...rest] = options.shell === undefined ? words : ["bash", "-c", options.shell, "bash", ...words];
  const child = spawn(file, rest, {
    cwd: options.cwd ?? folder,
    env: Object.fromEntries(Object.entries({ ...env, ...options.env }).filter(([, value]) => value !== undefined)),
    stdio: "pipe",
  });
  running.add(child);
  const seen = { stdout: "", stderr: "" };
  const watchers = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      seen[name] += text;
      for (const watch of watchers) watch();
    });
  }
  child.stdin.on("error", () => undefined);
  if (options.stdin !== "open") child.stdin.end(options.input);
  const done = new Promise<Finished>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      running.delete(child);
      resolve({ code, signal, ...seen });
    });
  });
  const saw = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (!seen.stdout.includes(text) && !seen.stderr.includes(text)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
      done.then(
        (end) => reject(new Error(`ended with ${end.code} without "${text}":\n${end.stdout}${end.stderr}`)),
        reject,
      );
    });
  return { child, saw, done };
}
