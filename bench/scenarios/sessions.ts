/** 200 sessions in one process: what each costs a server that hosts agents. */
import { measure, type Command, type Measured } from "../measure.ts";
import type { Bench, Scenario } from "../scenario.ts";

const sessionCount = 200;
const turns = 20;

async function runSessions({ server, workspace }: Bench, commandFor: (url: string) => Command): Promise<Measured> {
  workspace.clean();
  const { folder } = workspace;
  const { result, report } = await server.serve("read", { folder, turns }, (url) =>
    measure({ ...commandFor(url), keepOutput: true }),
  );
  const expected = turns * sessionCount;
  // The memory run has more sessions, for its warm-up.
  if (report.exchanges.length < expected) throw new Error(`${report.exchanges.length} requests instead of ${expected}`);
  return result;
}

export const manySessions: Scenario = {
  name: "sessions",
  about: "200 sessions in one process, 20 read turns each, pawl's transcripts on",
  sides: ["floor", "pawl"],
  async run(side, bench) {
    const program = side === "floor" ? "floor-sessions" : "pawl-sessions";
    const { cpuMs, peakMb } = await runSessions(bench, (url) =>
      bench.workspace.program(program, [String(sessionCount)], url),
    );
    return { cpu: cpuMs / (sessionCount * turns), peak: peakMb };
  },
  rows: [
    { label: "200 sessions: CPU per turn", unit: "ms", figure: "cpu", compare: "ratio", atMost: 2 },
    { label: "200 sessions: peak RSS", unit: "MB", figure: "peak", compare: "ratio", atMost: 1.6 },
  ],
};

interface MemoryAnswer {
  messageKilobytes: number;
  beyondKilobytes: number;
  leftKilobytes: number;
  left: string[];
}

export const sessionMemory: Scenario = {
  name: "session-memory",
  about: "what 200 open sessions hold after a collection, and what is left of them when closed",
  maxRuns: 3,
  sides: ["pawl"],
  async run(_, bench) {
    const { output } = await runSessions(bench, (url) => {
      const command = bench.workspace.program("pawl-sessions", [String(sessionCount), "--memory"], url);
      return { ...command, argv: ["--expose-gc", ...command.argv] };
    });
    const answer = JSON.parse(output) as MemoryAnswer;
    if (answer.left.length > 0) console.error(`left after closing: ${answer.left.join(", ")}`);
    return {
      messages: answer.messageKilobytes,
      beyond: answer.beyondKilobytes,
      left: answer.left.length,
      leftKilobytes: answer.leftKilobytes,
    };
  },
  rows: [
    { label: "a session beyond its messages", unit: "KB", figure: "beyond", compare: "value", atMost: 150 },
    { label: "a session's messages", unit: "KB", figure: "messages", compare: "value" },
    { label: "after closing: handles, listeners", unit: "", figure: "left", compare: "value", atMost: 0 },
    { label: "after closing: still held a session", unit: "KB", figure: "leftKilobytes", compare: "value" },
  ],
};
