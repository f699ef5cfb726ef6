/** The cost of a long history: of a request made of ten thousand messages, and of a thousand turns in a row. */
import { join } from "node:path";
import { writeHistory } from "../long-session.ts";
import { measure } from "../measure.ts";
import { middleOf, type Bench, type Figures, type Scenario } from "../scenario.ts";
import { model } from "../workspace.ts";

interface HistoryFigures {
  /** CPU time from the prompt to the first request. */
  firstMs: number;
  stringifyMs: number;
  /** CPU time from a second prompt to its request. */
  promptMs: number;
  /** CPU time at the arrival of each request. */
  arrivals: number[];
}

async function runHistory({ workspace }: Bench, args: string[]): Promise<HistoryFigures> {
  const command = workspace.program("pawl-history", args, "http://127.0.0.1:9");
  const { output } = await measure({ ...command, keepOutput: true });
  return JSON.parse(output) as HistoryFigures;
}

/** Returns the median CPU time of a turn, of `arrivals` from index `from` on. */
function turnMs(arrivals: readonly number[], from: number): number {
  return middleOf(arrivals.slice(from + 1).map((at, index) => at - (arrivals[from + index] ?? Number.NaN)));
}

const preparedTurns = 150;
/** The number of turns after which the code is compiled. */
const warmTurns = 50;
const sessions = new Map<string, string>();

export const prepareLong: Scenario = {
  name: "prepare-10k",
  about: "turns of a session of 10,000 messages, and of one with 10,000 behind its boundary, beside a short one",
  maxRuns: 5,
  sides: ["short", "long"],
  prepare: async ({ workspace }) => {
    workspace.clean();
    const place = { home: join(workspace.home, ".pawl"), cwd: workspace.folder, model };
    sessions.set("short", writeHistory(place, { before: 0, after: 10 }));
    sessions.set("long", writeHistory(place, { before: 0, after: 10_000 }));
    sessions.set("behind", writeHistory(place, { before: 10_000, after: 10 }));
    return () => workspace.clean();
  },
  async run(side, bench): Promise<Figures> {
    // Each run continues a copy, so that the next one finds the session unchanged.
    const continueSession = async (name: string): Promise<HistoryFigures> =>
      runHistory(bench, [String(preparedTurns), sessions.get(name) ?? ""]);
    const own = await continueSession(side);
    const other = side === "long" ? await continueSession("behind") : own;
    return {
      turn: turnMs(own.arrivals, warmTurns),
      behind: turnMs(other.arrivals, warmTurns),
      prompt: own.promptMs,
      first: own.firstMs - own.stringifyMs,
    };
  },
  rows: [
    { label: "10,000 messages: a turn, CPU", unit: "ms", figure: "turn", compare: "difference", atMost: 3 },
    { label: "10,000 messages: a prompt, CPU", unit: "ms", figure: "prompt", compare: "difference", atMost: 3 },
    { label: "10,000 behind a boundary: a turn", unit: "ms", figure: "behind", compare: "difference", atMost: 0.5 },
    { label: "10,000 messages: first, unstringified", unit: "ms", figure: "first", compare: "difference" },
  ],
};

export const thousandTurns: Scenario = {
  name: "thousand-turns",
  about: "1,000 turns of one session, nothing uploaded: whether the last cost what the first did",
  maxRuns: 5,
  sides: ["pawl"],
  async run(_, bench): Promise<Figures> {
    bench.workspace.clean();
    const { arrivals } = await runHistory(bench, ["1000"]);
    const hundreds = Array.from({ length: 10 }, (_, at) => {
      const [from = Number.NaN, to = Number.NaN] = [arrivals[at * 100], arrivals[Math.min(at * 100 + 100, 999)]];
      return to - from;
    });
    process.stderr.write(`\nCPU of each 100 turns, ms: ${hundreds.map((ms) => ms.toFixed(0)).join(" ")}\n`);
    const pairs = hundreds.slice(1).map((ms, at) => (ms + (hundreds[at] ?? Number.NaN)) / 200);
    const last = pairs.at(-1) ?? Number.NaN;
    // Compare with the cheapest pair, because the code is compiled at some point before the end.
    return { growth: last / Math.min(...pairs.slice(0, -2)), each: last };
  },
  rows: [
    { label: "turns 801–1,000 by the cheapest: CPU", unit: "×", figure: "growth", compare: "value", atMost: 1.5 },
    { label: "a turn of them: CPU", unit: "ms", figure: "each", compare: "value" },
  ],
};
