/** The same prompts from a program in two ways: through an executable over pipes, and by query() in its own process. */
import { measure } from "../measure.ts";
import type { Bench, Figures, Scenario } from "../scenario.ts";

const sides = ["child process", "query()"] as const;

interface PromptWork {
  script: string;
  turns: number;
  prompts: number;
  flags?: string[];
}

async function runPrompts(side: string, { server, workspace }: Bench, work: PromptWork): Promise<Figures> {
  workspace.clean();
  const { folder } = workspace;
  const { script, turns, prompts, flags = [] } = work;
  const { result, report } = await server.serve(script, { folder, turns }, async (url) => {
    const [command = ""] = workspace.pawl([], url).argv;
    const args = [side === "child process" ? "child" : "here", String(prompts), ...flags];
    const program = workspace.program("pawl-query", args, url);
    return await measure({ ...program, env: { ...program.env, BENCH_COMMAND: command }, keepOutput: true });
  });
  const { middle, messages } = JSON.parse(result.output) as { middle: number; messages: number };
  if (report.exchanges.length < prompts || messages < prompts * 3)
    throw new Error("this is not the work that was asked for");
  return { wall: middle, cpu: result.cpuMs / prompts };
}

export const onePromptByQuery: Scenario = {
  name: "query",
  about: "ten prompts of a program, a session each: a child process for each against query() in the program",
  sides,
  run: (side, bench) => runPrompts(side, bench, { script: "reply", turns: 1, prompts: 10 }),
  rows: [
    { label: "a prompt of a program: time", unit: "ms", figure: "wall", compare: "ratio", atMost: 0.5 },
    { label: "a prompt of a program: CPU", unit: "ms", figure: "cpu", compare: "ratio", atMost: 0.5 },
  ],
};

export const turnsByQuery: Scenario = {
  name: "query-turns",
  about: "three prompts of 20 turns with a call each, the same two ways",
  sides,
  run: (side, bench) => runPrompts(side, bench, { script: "read", turns: 20, prompts: 3 }),
  rows: [
    { label: "20 turns of a program: time", unit: "ms", figure: "wall", compare: "ratio", atMost: 1 },
    { label: "20 turns of a program: CPU", unit: "ms", figure: "cpu", compare: "ratio", atMost: 1 },
  ],
};

export const deltasByQuery: Scenario = {
  name: "query-deltas",
  about: "20,000 deltas, each a message, the same two ways",
  sides,
  run: (side, bench) => runPrompts(side, bench, { script: "deltas", turns: 20_000, prompts: 1, flags: ["--deltas"] }),
  rows: [
    { label: "20,000 deltas of a program: time", unit: "ms", figure: "wall", compare: "ratio", atMost: 1 },
    { label: "20,000 deltas of a program: CPU", unit: "ms", figure: "cpu", compare: "ratio", atMost: 1 },
  ],
};
