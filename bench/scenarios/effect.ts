/** A tool that runs while the message still streams: the time from the end of its block to its effect on disk. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { effectFile } from "../scripts.ts";
import type { Scenario } from "../scenario.ts";
import { runWork } from "./agents.ts";

function effectScenario(name: string, script: string, label: string): Scenario {
  return {
    name,
    about: `${label}, while the message still streams`,
    sides: ["floor", "pawl"],
    async run(side, bench) {
      rmSync(join(bench.workspace.folder, effectFile), { force: true });
      // The floor has no Write tool. It shows the cost of waiting for the end of the message.
      const offered = side === "floor" ? "effectOfBash" : script;
      const { report } = await runWork(side, bench, {
        script: offered,
        turns: 2,
        pawlFlags: ["--allowed-tools", "Bash,Write"],
      });
      return { effect: report.effectMs ?? Number.NaN };
    },
    rows: [{ label, unit: "ms", figure: "effect", compare: "value", atMost: 40 }],
  };
}

export const effectOfBash = effectScenario("effect-bash", "effectOfBash", "block's end to a command's effect");
export const effectOfWrite = effectScenario("effect-write", "effectOfWrite", "block's end to a written file");
