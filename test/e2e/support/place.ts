/** A folder, a home, and the real command as a child process in them. Tests can look at what the command leaves behind. */
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
import { startWatched, type EndedProcess, type ProcessOptions, type WatchedProcess } from "./watched-process.ts";

export interface Ended extends EndedProcess {
  /** The JSON lines of stdout. Throws if a line is not JSON. */
  lines: Json[];
}

export interface Started extends WatchedProcess {
  ended: Promise<Ended>;
}

export interface Place {
  folder: string;
  home: string;
  env: Record<string, string>;
  write(name: string, content: string | Buffer, mode?: number): string;
  start(args: readonly string[], options?: ProcessOptions): Started;
  run(args: readonly string[], options?: ProcessOptions): Promise<Ended>;
  /** The processes with this place in their environment: what a run left behind. */
  leftovers(): string[];
  clear(): void;
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
  const children = new Set<WatchedProcess["child"]>();
  const start: Place["start"] = (args, options = {}) => {
    const started = startWatched([process.execPath, ...commandWords(), ...args], { folder, env }, options);
    children.add(started.child);
    return { ...started, ended: started.ended.then(withLines) };
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

function withLines(ended: EndedProcess): Ended {
  return {
    ...ended,
    get lines() {
      return jsonLines<Json>(ended.stdout);
    },
  };
}

/** The processes whose environment names the folder, as /proc lists them. Empty on a system without /proc. */
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
