/** Many open sessions: one process for each, driven over pipes, compared with all of them in one process. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Bench, Figures, Scenario } from "../scenario.ts";
import { treeMemory, type TreeMemory } from "../tree-memory.ts";

const sessions = 200;
const turns = 20;
/** The number of processes measured. A further process would add as much as one of these has to itself. */
const measuredCount = 20;

interface DrivenSession {
  child: ChildProcess;
  result: Promise<void>;
}

function driveSession(bench: Bench, url: string, index: number): DrivenSession {
  const flags = ["-p", "--verbose", "--input-format", "stream-json", "--output-format", "stream-json"];
  const { argv, cwd, env } = bench.workspace.pawl(flags, url);
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const message = { role: "user", content: `Session ${index}: read every note in turn.` };
  (child.stdin as Writable).write(`${JSON.stringify({ type: "user", message, parent_tool_use_id: null })}\n`);
  const result = new Promise<void>((resolve, reject) => {
    child.on("error", reject).on("exit", (code) => reject(new Error(`session ${index} ended early with ${code}`)));
    createInterface({ input: child.stdout as Readable }).on("line", (line) => {
      const { type, subtype } = JSON.parse(line) as { type: string; subtype?: string };
      if (type !== "result") return;
      if (subtype === "success") resolve();
      else reject(new Error(`session ${index} ended with ${subtype}`));
    });
  });
  return { child, result };
}

/** Measures processes whose sessions have all answered and are open. */
async function measureProcesses(bench: Bench, url: string): Promise<TreeMemory> {
  const driven = Array.from({ length: measuredCount }, (_, index) => driveSession(bench, url, index));
  try {
    await Promise.all(driven.map(({ result }) => result));
    return treeMemory(driven.flatMap(({ child: { pid } }) => (pid === undefined ? [] : [pid])));
  } finally {
    await Promise.all(
      driven.map(async ({ child }) => {
        (child.stdin as Writable).end();
        if (child.exitCode === null) await once(child, "exit");
      }),
    );
  }
}

/** Measures the same in one process, which prints a line once all sessions have answered. */
async function measureOneProcess(bench: Bench, url: string): Promise<TreeMemory> {
  const { argv, cwd, env } = bench.workspace.program("pawl-sessions", [String(sessions), "--hold"], url);
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "exit");
  await Promise.race([
    once(child.stdout as Readable, "data"),
    ended.then(([code]) => Promise.reject(new Error(`it ended early with ${String(code)}`))),
  ]);
  const memory = treeMemory(child.pid === undefined ? [] : [child.pid]);
  (child.stdin as Writable).end();
  await ended;
  return memory;
}

export const processTrees: Scenario = {
  name: "processes",
  about: "200 open sessions of 20 turns: a process for each (20 measured, scaled) against one process",
  maxRuns: 3,
  sides: ["processes", "one process"],
  async run(side, bench): Promise<Figures> {
    bench.workspace.clean();
    const { folder } = bench.workspace;
    const { result } = await bench.server.serve("read", { folder, turns }, (url) =>
      side === "processes" ? measureProcesses(bench, url) : measureOneProcess(bench, url),
    );
    const { pss, own } = result;
    // Shared pages count once, however many processes there are.
    const all = side === "processes" ? pss - own + (own / measuredCount) * sessions : pss;
    return { all: all / 1024, each: all / 1024 / sessions };
  },
  rows: [
    {
      label: "200 open sessions: memory of the process tree",
      unit: "MB",
      figure: "all",
      compare: "ratio",
      atMost: 0.1,
    },
    { label: "a session of them", unit: "MB", figure: "each", compare: "value" },
  ],
};
