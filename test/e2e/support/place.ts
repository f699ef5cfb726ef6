/** A folder, a home and the real command as a child process in them; what it leaves behind can be looked at. */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jsonLines } from "../../support/json-lines.ts";
import { commandWords } from "../command.ts";
import type { Json } from "./strict.ts";

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** stdout as JSON lines; throws where one is none. */
  lines: Json[];
}

export interface Started {
  child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** Resolves once the pattern is in what came so far; rejects when the process ends without it. */
  saw(pattern: RegExp): Promise<void>;
  ended: Promise<Ended>;
}

export interface Place {
  folder: string;
  home: string;
  env: Record<string, string>;
  write(name: string, content: string | Buffer, mode?: number): string;
  start(args: readonly string[], options?: PlaceOptions): Started;
  run(args: readonly string[], options?: PlaceOptions): Promise<Ended>;
  /** Processes whose working folder is in this place: what a run left behind. */
  leftovers(): string[];
  clear(): void;
}

export interface PlaceOptions {
  input?: string | Buffer;
  stdin?: "open";
  env?: Record<string, string | undefined>;
  cwd?: string;
}

export function makePlace(url: string): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-wild-")));
  const folder = join(root, "work");
  const home = join(root, "home");
  mkdirSync(folder);
  mkdirSync(home);
  const env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    TMPDIR: root,
    LANG: "C.UTF-8",
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-wild-0123456789",
  };
  const children = new Set<ChildProcessWithoutNullStreams>();
  const start: Place["start"] = (args, options = {}) => {
    const started = begin([process.execPath, ...commandWords(), ...args], { folder, env }, options);
    children.add(started.child);
    return started;
  };
  return {
    folder,
    home,
    env,
    write(name, content, mode) {
      const path = join(folder, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, content);
      if (mode !== undefined) chmodSync(path, mode);
      return path;
    },
    start,
    run: (args, options) => start(args, options).ended,
    leftovers: () => processesIn(root),
    clear() {
      for (const child of children) child.kill("SIGKILL");
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function begin(
  words: readonly string[],
  place: { folder: string; env: Record<string, string> },
  options: PlaceOptions,
): Started {
  const merged = Object.entries({ ...place.env, ...options.env }).filter(([, value]) => value !== undefined);
  const child = spawn(words[0]!, words.slice(1), {
    cwd: options.cwd ?? place.folder,
    env: Object.fromEntries(merged) as Record<string, string>,
    stdio: "pipe",
  });
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
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      resolve({
        code,
        signal,
        ...seen,
        get lines() {
          return jsonLines<Json>(seen.stdout);
        },
      });
    });
  });
  const saw = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const watch = (): void => {
        if (!pattern.test(seen.stdout) && !pattern.test(seen.stderr)) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
      ended.then(
        (end) => reject(new Error(`ended with ${end.code} without ${pattern}:\n${end.stdout}${end.stderr}`)),
        reject,
      );
    });
  return { child, stdout: () => seen.stdout, stderr: () => seen.stderr, saw, ended };
}

/** From /proc; a system without one has nothing to tell. */
function processesIn(root: string): string[] {
  const found: string[] = [];
  let entries: string[];
  try {
    entries = readdirSync("/proc");
  } catch {
    return found;
  }
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const environment = readFileSync(`/proc/${entry}/environ`, "utf8");
      if (environment.includes(`HOME=${root}`) || environment.includes(`TMPDIR=${root}`))
        found.push(`${entry} ${readFileSync(`/proc/${entry}/cmdline`, "utf8").replaceAll("\0", " ")}`);
    } catch {
      continue;
    }
  }
  return found;
}
