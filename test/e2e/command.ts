/** The real command as a child process, against a scripted model on loopback. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isBuildFresh } from "../../scripts/run/fresh-build.ts";
import { startScriptedServer, type ScriptedServer } from "../../src/testing/index.ts";
import type { Script } from "../../src/testing/index.ts";
import {
  startWatched,
  type EndedProcess,
  type ProcessOptions,
  type WatchedProcess,
} from "./support/watched-process.ts";

const root = join(import.meta.dirname, "..", "..");

let words: readonly string[] | undefined;

/**
 * Returns the published command if the build is newer than every source, otherwise the sources, because nobody would notice that a stale build is
 * tested. Checked once: checking a thousand sources before each of hundreds of starts would cost a tenth of what they cost.
 */
export function commandWords(): readonly string[] {
  words ??= isBuildFresh()
    ? [join(root, "bin", "pawl.js")]
    : [fileURLToPath(new URL("./from-sources.ts", import.meta.url))];
  return words;
}

export interface Running extends Pick<WatchedProcess, "child" | "saw"> {
  done: Promise<EndedProcess>;
}

export interface World {
  /** The command's working directory, empty at first. */
  folder: string;
  home: string;
  server: ScriptedServer;
  env: Record<string, string>;
  start: (args: readonly string[], options?: StartOptions) => Running;
  run: (args: readonly string[], options?: StartOptions) => Promise<EndedProcess>;
  close: () => Promise<void>;
}

export interface StartOptions extends ProcessOptions {
  /** A Bash script that runs the command as `"$@"`. */
  shell?: string;
  /** The path of a program that runs in place of the command. */
  script?: string;
}

/** Makes a working directory, a home and a scripted model for one test. */
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
  const children = new Set<WatchedProcess["child"]>();
  const start: World["start"] = (args, options = {}) => {
    const { child, saw, ended } = startWatched(wordsOf(args, options), { folder, env }, options);
    children.add(child);
    return { child, saw, done: ended };
  };
  return {
    folder,
    home,
    server,
    env,
    start,
    run: (args, options) => start(args, options).done,
    close: async () => {
      for (const child of children) child.kill("SIGKILL");
      await server.close();
      rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function wordsOf(args: readonly string[], { script, shell }: StartOptions): string[] {
  const words = [process.execPath, ...(script === undefined ? commandWords() : [script]), ...args];
  return shell === undefined ? words : ["bash", "-c", shell, "bash", ...words];
}
