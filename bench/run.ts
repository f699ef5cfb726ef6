// Compares pawl with a floor that does the same work: interleaved runs against the scripted server, medians, ratios.
// Usage: npm run bench -- [--only name,…] [--runs n] [--side floor|pawl] [--save] [--check] [--list]
import { join } from "node:path";
import { parseFlags } from "../scripts/run/flags.ts";
import { saveBaseline, table } from "./report.ts";
import { resultsOf, type Bench, type Figures, type Result, type Scenario } from "./scenario.ts";
import { deltas, oneReply, oneReplyInRepository, prefixAndMoney, readLoop, shellLoop } from "./scenarios/agents.ts";
import { effectOfBash, effectOfWrite } from "./scenarios/effect.ts";
import { everything } from "./scenarios/everything.ts";
import { prepareLong, thousandTurns } from "./scenarios/history.ts";
import { sandboxedShell } from "./scenarios/sandbox.ts";
import { processTrees } from "./scenarios/processes.ts";
import { deltasByQuery, onePromptByQuery, turnsByQuery } from "./scenarios/query.ts";
import { resume } from "./scenarios/resume.ts";
import { manySessions, sessionMemory } from "./scenarios/sessions.ts";
import { snapshots } from "./scenarios/snapshots.ts";
import { ServerProcess } from "./server-process.ts";
import { makeWorkspace } from "./workspace.ts";

const scenarios: Scenario[] = [
  oneReply,
  oneReplyInRepository,
  readLoop,
  shellLoop,
  deltas,
  manySessions,
  sessionMemory,
  processTrees,
  onePromptByQuery,
  turnsByQuery,
  deltasByQuery,
  prepareLong,
  thousandTurns,
  prefixAndMoney,
  everything,
  resume,
  effectOfBash,
  effectOfWrite,
  sandboxedShell,
  snapshots,
];

const values = parseFlags({
  only: { type: "string" },
  side: { type: "string" },
  runs: { type: "string", default: "7" },
  save: { type: "boolean", default: false },
  check: { type: "boolean", default: false },
  list: { type: "boolean", default: false },
});

/** @param only names separated by commas; undefined for all. */
function chooseScenarios(only: string | undefined): Scenario[] {
  if (only === undefined) return scenarios;
  return only.split(",").map((name) => {
    const found = scenarios.find((scenario) => scenario.name === name);
    if (found === undefined) throw new Error(`No scenario is called ${name}; --list names them.`);
    return found;
  });
}

async function runScenario(scenario: Scenario, bench: Bench, runs: number): Promise<Result[]> {
  const undo = await scenario.prepare?.(bench);
  const sides = scenario.sides.filter((side) => values.side === undefined || side === values.side);
  const samples = new Map<string, Figures[]>(sides.map((side) => [side, []]));
  try {
    // A first run without figures, so that compiling code, the page cache and the server's warm-up do not count.
    for (const side of sides) if (scenario.maxRuns !== 1) await scenario.run(side, bench);
    for (let index = 0; index < runs; index++) {
      // Alternate the order, so that neither side always follows the other.
      const order = index % 2 === 0 ? sides : sides.toReversed();
      for (const side of order) samples.get(side)?.push(await scenario.run(side, bench));
      process.stderr.write(`\r${scenario.name} ${index + 1}/${runs} `);
    }
  } finally {
    process.stderr.write("\n");
    await undo?.();
  }
  return resultsOf(scenario, samples);
}

async function main(): Promise<void> {
  if (values.list) return console.log(scenarios.map(({ name, about }) => `${name.padEnd(16)}${about}`).join("\n"));
  const workspace = makeWorkspace(400);
  const bench: Bench = { server: new ServerProcess(), workspace };
  const results: Result[] = [];
  try {
    for (const scenario of chooseScenarios(values.only)) {
      const runs = Math.min(Number(values.runs), scenario.maxRuns ?? Number.POSITIVE_INFINITY);
      results.push(...(await runScenario(scenario, bench, runs)));
    }
  } finally {
    bench.server.close();
    workspace.remove();
  }
  console.log(table(results));
  const missed = results.filter(({ isMet }) => isMet === false);
  console.log(missed.length === 0 ? "Every target is met." : `${missed.length} targets are not met.`);
  if (values.check && missed.length > 0) process.exitCode = 1;
  if (values.save) saveBaseline(join(import.meta.dirname, "baseline.json"), results);
}

await main();
