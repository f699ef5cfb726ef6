import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import {
  acquireLock,
  isLocked,
  nodeFileSystem,
  TranscriptError,
  transcriptPath,
  type TranscriptFileSystem,
} from "../../src/transcript/index.ts";
import { nodeProcesses, type ProcessTable } from "../../src/transcript/process-table.ts";
import { breakable, refusalOf, sessionId, systemError } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { byTestDepth } from "../support/test-depth.ts";

const lockOf = (path: string) => path.replace(/\.jsonl$/, ".lock");

function place(): string {
  return transcriptPath(temporaryFolder(), sessionId);
}

function writeLock(path: string, holder: object | string): void {
  writeFileSync(
    lockOf(path),
    typeof holder === "string" ? holder : JSON.stringify({ host: "here", nonce: "dead-0", ...holder }),
  );
}

/** Processes of a made-up machine: those in `alive`, each with the start time given. */
function machine(pid: number, alive: Record<number, string>): ProcessTable {
  let nonces = 0;
  return {
    pid,
    host: "here",
    isAlive: (each) => each in alive,
    startTimeOf: (each) => alive[each],
    nonce: () => `${pid}-${nonces++}`,
    onExit: () => undefined,
    offExit: () => undefined,
  };
}

const alive = { 1: "s1", 2: "s2", 3: "s3" };

test("a second process is refused with the first one's pid until the lock is released", () => {
  const path = place();
  const atExit = new Set<() => void>();
  const first = acquireLock(path, {
    processes: { ...nodeProcesses, onExit: (run) => void atExit.add(run), offExit: (run) => void atExit.delete(run) },
  });
  expect(isLocked(path)).toBe(true);
  expect(atExit.size).toBe(1);
  const refusal = refusalOf(() => acquireLock(path));
  expect(refusal).toMatchObject({ code: "locked", pid: process.pid });
  expect(refusal.message).toMatch(new RegExp(`this process \\(${process.pid}\\).*--fork-session`));
  first.release();
  first.release();
  expect(isLocked(path)).toBe(false);
  expect(atExit.size).toBe(0);
  const second = acquireLock(path);
  first.release();
  expect(existsSync(second.path)).toBe(true);
  second.release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test.each([
  ["a dead process", machine(99, { 99: "s99" })],
  ["a process whose pid was reused", machine(2, { 2: "older" })],
])("the lock of %s is taken over", (_name, dead) => {
  const path = place();
  acquireLock(path, { processes: dead });
  const processes = machine(1, alive);
  expect(isLocked(path, { processes })).toBe(false);
  acquireLock(path, { processes });
  expect(refusalOf(() => acquireLock(path, { processes: machine(2, alive) })).pid).toBe(1);
  expect(readdirSync(join(path, ".."))).toEqual([`${sessionId}.lock`]);
});

test("a pid alone counts if start times are not known", () => {
  const path = place();
  const untold: ProcessTable = { ...machine(1, alive), startTimeOf: () => undefined };
  for (const [holder, processes] of [
    [{ pid: 2 }, machine(1, alive)],
    [{ pid: 2, started: "s2" }, untold],
  ] as const) {
    writeLock(path, holder);
    expect(isLocked(path, { processes })).toBe(true);
    expect(refusalOf(() => acquireLock(path, { processes })).pid).toBe(2);
  }
});

test("the lock of a living process, or of another machine, is never taken over", () => {
  const path = place();
  writeLock(path, { pid: 2, started: "s2" });
  expect(refusalOf(() => acquireLock(path, { processes: machine(1, alive) })).pid).toBe(2);
  writeLock(path, { pid: 99, started: "s99", host: "elsewhere" });
  const refusal = refusalOf(() => acquireLock(path, { processes: machine(1, alive) }));
  expect(refusal.message).toMatch(/process 99 on elsewhere.*remove .*\.lock/);
});

// Seen: after a crash under sudo the folder, which was the user's, was said to be root's, and PAWL_HOME to be set.
test("a lock that may not be read counts as held, and the error says what to do", () => {
  const path = place();
  writeLock(path, { pid: 99, started: "s99" });
  const fs: TranscriptFileSystem = {
    ...nodeFileSystem,
    open(file, how) {
      if (file === lockOf(path) && how === "read") throw systemError("EACCES");
      return nodeFileSystem.open(file, how);
    },
  };
  expect(isLocked(path, { fs })).toBe(true);
  const refusal = refusalOf(() => acquireLock(path, { fs }));
  expect(refusal).toMatchObject({ code: "locked", pid: undefined });
  expect(refusal.message).toMatch(/another user.*\.lock may not be read.*remove that file; .*--fork-session/);
  expect(readdirSync(join(path, ".."))).toEqual([`${sessionId}.lock`]);
});

/** Of containers of one machine, which may have one name. */
const inContainer = (space: string, pid: number, living: Record<number, string>): ProcessTable & { beat(): void } => {
  const beats = new Set<() => void>();
  return {
    ...machine(pid, living),
    space,
    boot: "one",
    onHeartbeat(run) {
      beats.add(run);
      return () => beats.delete(run);
    },
    beat: () => beats.forEach((run) => run()),
  };
};

test("the lock of another container is respected as long as its heartbeat lasts, and then taken over", () => {
  const path = place();
  const later = () => Date.now() + 130_000;
  const [one, other] = [inContainer("a", 7, { 7: "s7" }), inContainer("b", 8, { 8: "s8" })];
  const held = acquireLock(path, { processes: one });
  const ago = new Date(Date.now() - 100_000);
  utimesSync(lockOf(path), ago, ago);
  const refusal = refusalOf(() => acquireLock(path, { processes: other }));
  expect(refusal.message).toMatch(/process 7 of another container \(here\).*in 2 minutes; or copy .*--fork-session/u);
  expect(isLocked(path, { processes: other })).toBe(true);
  one.beat();
  expect(Date.now() - statSync(lockOf(path)).mtimeMs).toBeLessThan(50_000);
  expect(isLocked(path, { processes: other, now: later })).toBe(false);
  const taken = acquireLock(path, { processes: other, now: later });
  held.release();
  expect(refusalOf(() => acquireLock(path, { processes: one })).pid).toBe(8);
  taken.release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("a lock from before a reboot is not taken for another container's", () => {
  const path = place();
  writeLock(path, { pid: 7, started: "s7", space: "a", boot: "before" });
  const processes = inContainer("b", 8, { 8: "s8" });
  acquireLock(path, { processes });
  expect(refusalOf(() => acquireLock(path, { processes })).pid).toBe(8);
});

test("a half written lock is respected while it is new, and taken over when it is old", () => {
  const path = place();
  writeLock(path, "{");
  const processes = machine(1, alive);
  expect(refusalOf(() => acquireLock(path, { processes })).code).toBe("locked");
  acquireLock(path, { processes, now: () => Date.now() + 60_000 });
  expect(refusalOf(() => acquireLock(path, { processes: machine(2, alive) })).pid).toBe(1);
});

test.each<[string, unknown]>([
  ["nothing", null],
  ["a list", []],
  ["no process", { pid: 0, host: "here", nonce: "n-0" }],
  ["a group of processes", { pid: -1, host: "here", nonce: "n-0" }],
  ["half a process", { pid: 1.5, host: "here", nonce: "n-0" }],
  ["a process as text", { pid: "1", host: "here", nonce: "n-0" }],
  ["no machine", { pid: 1, nonce: "n-0" }],
  ["no mark", { pid: 1, host: "here" }],
  ["a mark that points elsewhere", { pid: 99, host: "here", nonce: "../n-0" }],
  ["a mark without end", { pid: 99, host: "here", nonce: "n".repeat(300) }],
])("a lock that names %s is respected while it is new, and taken over when it is old", (_, holder) => {
  const path = place();
  writeFileSync(lockOf(path), JSON.stringify(holder));
  const processes = machine(1, { ...alive, 0: "s0", [-1]: "s-1", 1.5: "s1.5" });
  expect(refusalOf(() => acquireLock(path, { processes }))).toMatchObject({ code: "locked", pid: undefined });
  acquireLock(path, { processes, now: () => Date.now() + 60_000 }).release();
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("the next process with the lock removes what dead processes left while taking it", () => {
  const path = place();
  const beside = (name: string, holder: object | string) =>
    writeFileSync(`${lockOf(path)}.${name}`, typeof holder === "string" ? holder : JSON.stringify(holder));
  const dead = { pid: 99, started: "s99", host: "here" };
  beside("99-a-0", { ...dead, nonce: "99-a-0" });
  beside("99-b-0", "");
  beside("99-c-0", "{");
  beside("over-88-x-0", { ...dead, nonce: "99-d-0" });
  beside("over-88-x-0.99-d-0", '{"pid":');
  beside("2-e-0", { pid: 2, started: "s2", host: "here", nonce: "2-e-0" });
  beside("2-f-0", "");
  beside("99-g-0", { ...dead, host: "elsewhere", nonce: "99-g-0" });
  acquireLock(path, { processes: machine(1, alive), mayHaveLeftovers: true }).release();
  const rest = ["2-e-0", "2-f-0", "99-g-0"].map((name) => `${sessionId}.lock.${name}`);
  expect(readdirSync(join(path, "..")).toSorted()).toEqual(rest);
});

test("the lock is written in place if the file system has no links", () => {
  const path = place();
  const fs = breakable((call) => (call === "link" ? systemError("EPERM") : undefined));
  acquireLock(path, { fs, processes: machine(1, alive) });
  expect(refusalOf(() => acquireLock(path, { fs, processes: machine(2, alive) })).pid).toBe(1);
});

// Seen: a draft that could not be removed, and a folder that could not be listed, refused the session, which stayed locked by the
// process that had been refused it.
test.each([
  ["if no process has the session", undefined],
  ["if a dead process has it", "dead-0"],
])("a failing disk call gives an error with a sentence, and leaves no lock behind, %s", (_, nonce) => {
  const calls = (failAt: number) => {
    const path = place();
    if (nonce !== undefined) writeLock(path, { pid: 99, started: "s99", nonce });
    const fs = breakable((_call, index) => (index === failAt ? systemError("EIO") : undefined));
    writeFileSync(`${lockOf(path)}.99-left`, "{");
    const taken = () => acquireLock(path, { fs, processes: machine(1, alive), mayHaveLeftovers: true });
    let lock: ReturnType<typeof taken> | undefined;
    try {
      lock = taken();
    } catch (error) {
      expect(error).toMatchObject({
        code: "io",
        message: expect.stringContaining("the disk reported an error") as string,
      });
    }
    expect(isLocked(path, { processes: machine(2, alive) }), `${failAt}`).toBe(lock !== undefined);
    return { count: fs.calls(), isRefused: lock === undefined };
  };
  const { count } = calls(-1);
  const refused = Array.from({ length: count }, (_each, failAt) => calls(failAt)).filter(({ isRefused }) => isRefused);
  expect(refused.length).toBeGreaterThan(4);
});

/** Runs `intrude` before the `at`th call. */
function interrupted(at: number, intrude: () => void): TranscriptFileSystem & { calls(): number } {
  let done = false;
  return breakable((_call, index) => {
    if (index !== at || done) return undefined;
    done = true;
    intrude();
    return undefined;
  });
}

const tries = (path: string, pid: number, fs: TranscriptFileSystem, nested?: number): boolean => {
  try {
    acquireLock(path, { fs, processes: machine(pid, nested === undefined ? alive : { ...alive, [nested]: "s" }) });
    return true;
  } catch (error) {
    if (error instanceof TranscriptError && error.code === "locked") return false;
    throw error;
  }
};

test.each([
  ["no lock", () => undefined],
  ["a lock of a dead process", (path: string) => writeLock(path, { pid: 99, started: "s99" })],
  [
    "a dead process's lock that another dead process was taking over",
    (path: string) => {
      writeLock(path, { pid: 99, started: "s99" });
      writeFileSync(
        `${lockOf(path)}.over-dead-0`,
        JSON.stringify({ pid: 98, started: "s98", host: "here", nonce: "dead-1" }),
      );
    },
  ],
])(
  "exactly one of three processes gets the lock, whenever the others come in: %s",
  (_name, prepare: (path: string) => void) => {
    const outcome = (first: number, second: number) => {
      const path = place();
      prepare(path);
      const wins: number[] = [];
      const take = (pid: number, fs: TranscriptFileSystem) => tries(path, pid, fs) && wins.push(pid);
      const inner = interrupted(second, () => take(3, nodeFileSystem));
      const outer = interrupted(first, () => take(2, inner));
      take(1, outer);
      expect(wins, `first at ${first}, second at ${second}`).toHaveLength(1);
      return { outer: outer.calls(), inner: inner.calls() };
    };
    const { outer } = outcome(-1, -1);
    // Of the instants of the third each is met, though not with each of the second's.
    const stride = byTestDepth(Math.ceil(outer / 4), 1);
    let interleavings = 0;
    for (let first = 0; first < outer; first++) {
      const { inner } = outcome(first, -1);
      for (let second = first % stride; second < inner; second += stride)
        interleavings += outcome(first, second).inner > 0 ? 1 : 0;
    }
    expect(interleavings).toBeGreaterThanOrEqual(byTestDepth(12, 40));
  },
);

interface Child {
  pid: number;
  process: ChildProcess;
  ask(line: string): Promise<string>;
}

async function startChild(): Promise<Child> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve("./lock-child.ts"))], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => String((await answers.next()).value);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  expect(await next()).toBe("ready");
  return {
    pid: child.pid!,
    process: child,
    ask: (line) => {
      child.stdin.write(`${line}\n`);
      return next();
    },
  };
}

test("of six processes that take over a dead process's lock at once, exactly one gets it", async () => {
  const children = await Promise.all(Array.from({ length: 6 }, startChild));
  const path = place();
  const pids = children.map((child) => String(child.pid));
  for (let round = 0; round < byTestDepth(8, 30); round++) {
    writeLock(path, { pid: 2 ** 22 + 1, started: "1", host: hostname(), nonce: `dead-${round}` });
    const answers = await Promise.all(children.map((child) => child.ask(`take ${path}`)));
    expect(
      answers.filter((answer) => answer === "won"),
      answers.join(),
    ).toHaveLength(1);
    for (const answer of answers) {
      if (answer !== "won") expect(answer).toMatch(new RegExp(`^lost locked (${pids.join("|")}|undefined)$`));
    }
    await Promise.all(children.map((child) => child.ask("release")));
  }
  expect(readdirSync(join(path, ".."))).toEqual([]);
});

test("the lock of a killed process is taken over, and a process that exits removes its lock", async () => {
  const path = place();
  const [one, two] = await Promise.all([startChild(), startChild()]);
  expect(await one.ask(`take ${path}`)).toBe("won");
  expect(refusalOf(() => acquireLock(path))).toMatchObject({ pid: one.pid });
  const gone = new Promise((resolve) => one.process.once("exit", resolve));
  one.process.kill("SIGKILL");
  await gone;
  expect(await two.ask(`take ${path}`)).toBe("won");
  const ended = new Promise((resolve) => two.process.once("exit", resolve));
  two.process.stdin!.end();
  await ended;
  expect(existsSync(lockOf(path))).toBe(false);
});

test("the real process table knows live and dead processes, and gives each call another nonce", () => {
  expect(nodeProcesses.isAlive(process.pid)).toBe(true);
  expect(nodeProcesses.isAlive(2 ** 22 + 1)).toBe(false);
  const started = nodeProcesses.startTimeOf(process.pid);
  expect(nodeProcesses.startTimeOf(process.pid)).toBe(started);
  if (process.platform === "linux") expect(started).toMatch(/\d/u);
  expect(nodeProcesses.nonce()).not.toBe(nodeProcesses.nonce());
});
