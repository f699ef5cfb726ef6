// A session's tools over a folder of their own, with a clock the test holds, and nothing left when the test is over.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, watch, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { ToolInput, ToolProgress, ToolResult } from "../../src/protocol/tool.ts";
import { createCwd } from "../../src/tools/cwd.ts";
import type { ToolDependencies } from "../../src/tools/dependencies.ts";
import type { ToolClock } from "../../src/tools/tool-clock.ts";
import { createReadFileState } from "../../src/tools/read-state.ts";
import { createTools, findTool } from "../../src/tools/registry.ts";
import { createBackgroundTasks } from "../../src/tools/shell/background.ts";
import { createTodoStore } from "../../src/tools/todo-store.ts";

/** Short timers run; long ones (from a quarter of a second) wait until the test lets their time pass. */
export class HeldClock implements ToolClock {
  #timers: { ms: number; fire: () => void }[] = [];
  #arrivals: (() => void)[] = [];
  readonly from: number;

  constructor(from = 250) {
    this.from = from;
  }

  now = (): number => Date.now();

  elapsed = (): number => performance.now();

  timer = (ms: number, fire: () => void): (() => void) => {
    if (ms < this.from) {
      const timer = setTimeout(fire, ms);
      return () => clearTimeout(timer);
    }
    const entry = { ms, fire };
    this.#timers.push(entry);
    for (const arrive of this.#arrivals.splice(0)) arrive();
    return () => {
      this.#timers = this.#timers.filter((one) => one !== entry);
    };
  };

  /** Lets the timer of exactly `ms` fire, once it is there. */
  async pass(ms: number): Promise<void> {
    for (;;) {
      // What pipes and files have brought comes first.
      await new Promise((resolve) => setImmediate(resolve));
      const entry = this.#timers.find((one) => one.ms === ms);
      if (entry !== undefined) {
        this.#timers = this.#timers.filter((one) => one !== entry);
        entry.fire();
        return;
      }
      await new Promise<void>((resolve) => this.#arrivals.push(resolve));
    }
  }

  get heldCount(): number {
    return this.#timers.length;
  }
}

export interface CallOptions {
  signal?: AbortSignal;
  cwd?: string;
  onProgress?: (progress: ToolProgress) => void;
}

export interface ToolBox {
  /** A folder of the test's own; the working directory at first. */
  root: string;
  dependencies: ToolDependencies;
  clock: HeldClock;
  path: (...parts: string[]) => string;
  /** Writes a file below the root, with its folders. */
  put: (name: string, content: string | Uint8Array) => string;
  read: (name: string) => string;
  call: (name: string, input: ToolInput, options?: CallOptions) => Promise<ToolResult>;
}

export function openToolBox(overrides: Partial<ToolDependencies> = {}): ToolBox {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pawl-tools-")));
  const root = join(base, "work");
  mkdirSync(root);
  const spill = join(base, "spill");
  const clock = new HeldClock();
  const dependencies: ToolDependencies = {
    readState: createReadFileState(),
    cwd: createCwd(root),
    todos: createTodoStore(),
    background: createBackgroundTasks({ clock, killGraceMs: 300 }),
    spillDirectory: () => {
      mkdirSync(spill, { recursive: true, mode: 0o700 });
      return spill;
    },
    environment: { PATH: process.env["PATH"], HOME: base },
    home: base,
    clock,
    ...overrides,
  };
  const tools = createTools(dependencies);
  onTestFinished(async () => {
    await dependencies.background.dispose(0);
    rmSync(base, { recursive: true, force: true });
  });
  let calls = 0;
  return {
    root,
    dependencies,
    clock,
    path: (...parts) => join(root, ...parts),
    put: (name, content) => {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    read: (name) => readFileSync(join(root, name), "utf8"),
    call: async (name, input, options = {}) => {
      const tool = findTool(tools, name);
      if (tool === undefined) throw new Error(`no tool ${name}`);
      calls += 1;
      const context = {
        sessionId: "session",
        key: `t1.tool.${calls}`,
        toolUseId: `toolu_${calls}`,
        signal: options.signal ?? new AbortController().signal,
        cwd: options.cwd ?? dependencies.cwd.get(),
        registerTurnEnd: () => undefined,
      };
      const verdict = (await tool.validateInput?.(input, context)) ?? { ok: true };
      if (!verdict.ok) return { content: verdict.message, isError: true };
      return await tool.call(input, context, options.onProgress ?? (() => {}));
    },
  };
}

/** The text the model gets. */
export function textOf(result: ToolResult): string {
  if (typeof result.content === "string") return result.content;
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** What a command of Bash tells of itself while it waits, after `printing`. */
export async function progressOf(box: ToolBox, printing: string): Promise<ToolProgress[]> {
  const seen: ToolProgress[] = [];
  await box.call("Bash", { command: "mkfifo go" });
  const command = `${printing}; echo ok > ready; read < go`;
  const result = box.call("Bash", { command }, { onProgress: (progress) => seen.push(progress) });
  await whenFile(box.path("ready"));
  while (seen.length === 0) await box.clock.pass(1000);
  writeFileSync(box.path("go"), "\n");
  await result;
  return seen;
}

/** Resolves once the file is there and has a whole line in it. */
export async function whenFile(path: string): Promise<string> {
  const look = (): string => (existsSync(path) ? readFileSync(path, "utf8") : "");
  const whole = Promise.withResolvers<string>();
  const check = (): void => {
    const text = look();
    if (text.endsWith("\n")) whole.resolve(text);
  };
  // Watches from here on, before the first look: the one of fs/promises begins with its first `next()`, and what came between is missed.
  const watcher = watch(dirname(path), check);
  check();
  try {
    return await whole.promise;
  } finally {
    watcher.close();
  }
}

/** A process that is there and is no zombie. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX] /.test(stat.slice(stat.lastIndexOf(")")));
  } catch {
    return false;
  }
}

export function hasCommand(name: string): boolean {
  return (process.env["PATH"] ?? "").split(":").some((folder) => existsSync(join(folder, name)));
}

/** ripgrep, where its optional package is installed. */
export function findRg(): string | null {
  try {
    const path = createRequire(import.meta.url).resolve(`@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`);
    return existsSync(path) ? path : null;
  } catch {
    return null;
  }
}
