/** Runs the two agents against one scripted server: what each kind of work costs compared with the floor. */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { measure, type Measured } from "../measure.ts";
import { middleOf, type Bench, type Figures, type Scenario } from "../scenario.ts";
import type { ServerReport } from "../server-types.ts";

const sides = ["floor", "pawl"] as const;
const prompt = "Look at every note in turn and say when you are done.";

interface AgentWork {
  script: string;
  turns: number;
  floorFlags?: string[];
  pawlFlags?: string[];
}

export interface FinishedWork {
  measured: Measured;
  report: ServerReport;
}

export async function runWork(side: string, { server, workspace }: Bench, agentWork: AgentWork): Promise<FinishedWork> {
  workspace.clean();
  const { folder } = workspace;
  const { result, report } = await server.serve(agentWork.script, { folder, turns: agentWork.turns }, async (url) => {
    const command =
      side === "floor"
        ? workspace.program("floor", [prompt, ...(agentWork.floorFlags ?? [])], url)
        : workspace.pawl(["-p", prompt, ...(agentWork.pawlFlags ?? [])], url);
    return await measure(command);
  });
  return { measured: result, report };
}

/** Returns the ms between spawning the process and the arrival of its first request. */
export function msToFirstRequest({ measured, report }: FinishedWork): number {
  return (report.firstArrivedEpoch ?? Number.NaN) - measured.spawnedEpoch;
}

/** Returns the ms between the end of each reply and the arrival of the next request. */
export function gapsIn({ exchanges }: ServerReport): number[] {
  return exchanges.slice(1).map(({ arrivedAt }, index) => arrivedAt - (exchanges[index]?.endedAt ?? Number.NaN));
}

export function expectTurns({ report }: FinishedWork, turns: number): void {
  const seen = report.exchanges.length;
  if (seen !== turns) throw new Error(`${seen} requests instead of ${turns}: this is not the work that was asked for`);
}

async function runReply(side: string, bench: Bench): Promise<Figures> {
  const done = await runWork(side, bench, { script: "reply", turns: 1 });
  expectTurns(done, 1);
  const { cpuMs, peakMb } = done.measured;
  return { start: msToFirstRequest(done), cpu: cpuMs, peak: peakMb };
}

export const oneReply: Scenario = {
  name: "reply",
  about: "one prompt, one short reply",
  sides,
  run: runReply,
  rows: [
    { label: "one reply: spawn to first request", unit: "ms", figure: "start", compare: "ratio", atMost: 1.6 },
    { label: "one reply: CPU", unit: "ms", figure: "cpu", compare: "ratio", atMost: 1.6 },
    { label: "one reply: peak RSS", unit: "MB", figure: "peak", compare: "value", atMost: 80 },
  ],
};

/** pawl tells the model the repository's branch, changes and last commits. The floor does not read them. */
export const oneReplyInRepository: Scenario = {
  name: "reply-git",
  about: "the same in a git repository",
  sides,
  prepare: ({ workspace }) => {
    const git = (...args: string[]): void => {
      const { status } = spawnSync("git", ["-C", workspace.folder, ...args], { stdio: "ignore" });
      if (status !== 0) throw new Error(`git ${args.join(" ")} failed`);
    };
    git("init", "--initial-branch=main");
    git("add", ".");
    git("-c", "user.name=bench", "-c", "user.email=bench@localhost", "commit", "-m", "Notes");
    return Promise.resolve(() => rmSync(join(workspace.folder, ".git"), { recursive: true, force: true }));
  },
  run: runReply,
  rows: [
    { label: "the same in a repository: to first request", unit: "ms", figure: "start", compare: "ratio", atMost: 1.6 },
    { label: "the same in a repository: CPU", unit: "ms", figure: "cpu", compare: "ratio", atMost: 1.6 },
  ],
};

export const readLoop: Scenario = {
  name: "read-loop",
  about: "400 turns, a file read in each",
  sides,
  async run(side, bench) {
    const turns = 400;
    const done = await runWork(side, bench, { script: "read", turns });
    expectTurns(done, turns);
    const { cpuMs, peakMb } = done.measured;
    return { cpu: cpuMs / turns, gap: middleOf(gapsIn(done.report).slice(-10)), peak: peakMb };
  },
  rows: [
    { label: "400 read turns: CPU per turn", unit: "ms", figure: "cpu", compare: "ratio", atMost: 1.8 },
    { label: "turn 400: reply's end to next request", unit: "ms", figure: "gap", compare: "ratio", atMost: 2 },
    { label: "400 read turns: peak RSS", unit: "MB", figure: "peak", compare: "ratio" },
  ],
};

export const shellLoop: Scenario = {
  name: "shell-loop",
  about: "50 turns, a command run in each",
  sides,
  async run(side, bench) {
    const turns = 50;
    const done = await runWork(side, bench, { script: "shell", turns, pawlFlags: ["--allowed-tools", "Bash"] });
    expectTurns(done, turns);
    return { cpu: done.measured.cpuMs / turns };
  },
  rows: [{ label: "50 shell turns: CPU per turn", unit: "ms", figure: "cpu", compare: "ratio", atMost: 2.2 }],
};

/** The flags that make each delta a JSON line. */
const eventFlags = {
  floorFlags: ["--json"],
  pawlFlags: ["--output-format", "stream-json", "--include-partial-messages", "--verbose"],
};

export const deltas: Scenario = {
  name: "deltas",
  about: "20,000 text deltas as JSON events",
  sides,
  async run(side, bench) {
    const count = 20_000;
    const done = await runWork(side, bench, { script: "deltas", turns: count, ...eventFlags });
    const single = await runWork(side, bench, { script: "deltas", turns: 1, ...eventFlags });
    expectTurns(done, 1);
    const { cpuMs, peakMb } = done.measured;
    return { cpu: cpuMs, net: (cpuMs - single.measured.cpuMs) / (count / 1000), peak: peakMb };
  },
  rows: [
    { label: "20,000 deltas as JSON events: CPU", unit: "ms", figure: "cpu", compare: "ratio", atMost: 3.3 },
    { label: "the same per 1,000 without the start", unit: "ms", figure: "net", compare: "ratio" },
    { label: "20,000 deltas: peak RSS", unit: "MB", figure: "peak", compare: "ratio" },
  ],
};

/** @param forks requests that our side makes in addition to the turns; the bill includes them. */
export async function measureMoney(side: string, bench: Bench, pawlFlags: string[] = [], forks = 0): Promise<Figures> {
  const turns = 100;
  const done = await runWork(side, bench, { script: "read", turns, pawlFlags });
  expectTurns(done, turns + (side === "pawl" ? forks : 0));
  const { prefix, dollars, cacheReadShare } = done.report;
  const { system = Number.NaN, tools = Number.NaN, messages = Number.NaN } = prefix ?? {};
  return { system, tools, prefix: system + tools, first: messages, dollars, share: cacheReadShare * 100 };
}

export const prefixAndMoney: Scenario = {
  name: "money",
  about: "tokens of the first request, and what 100 read turns cost",
  // Every run gives the same figures, because the server counts bytes.
  maxRuns: 1,
  sides,
  run: (side, bench) => measureMoney(side, bench),
  rows: [
    { label: "system prompt and tools", unit: "tokens", figure: "prefix", compare: "value", atMost: 2800 },
    { label: "of these: system prompt", unit: "tokens", figure: "system", compare: "value" },
    { label: "of these: tools", unit: "tokens", figure: "tools", compare: "value" },
    { label: "first message", unit: "tokens", figure: "first", compare: "value" },
    { label: "100 read turns: dollars", unit: "$", figure: "dollars", compare: "ratio", atMost: 1.15 },
    { label: "100 read turns: cache reads", unit: "%", figure: "share", compare: "value", atLeast: 97 },
  ],
};
