/** Snapshots of a folder of 5,000 files around each prompt: the cost of the first, and of later ones without changes. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "../measure.ts";
import { middleOf, type Figures, type Scenario } from "../scenario.ts";

const folders = 250;
const filesInEach = 20;
const prompts = 8;

export const snapshots: Scenario = {
  name: "snapshots",
  about: "prompts that may change anything in a folder of 5,000 files (20 MB), kept for a rewind beside not kept",
  maxRuns: 5,
  sides: ["not kept", "kept"],
  prepare: async ({ workspace }) => {
    const tree = join(workspace.folder, "tree");
    for (let at = 0; at < folders; at++) {
      const folder = join(tree, `part-${at}`);
      mkdirSync(folder, { recursive: true });
      for (let file = 0; file < filesInEach; file++)
        writeFileSync(join(folder, `file-${file}.ts`), `export const value${file} = ${at};\n`.repeat(140));
    }
    return () => rmSync(tree, { recursive: true, force: true });
  },
  async run(side, { workspace }): Promise<Figures> {
    // Remove the snapshots of earlier sessions, so that the first one has nothing to reuse.
    rmSync(join(workspace.home, ".pawl"), { recursive: true, force: true });
    const command = workspace.program(
      "pawl-snapshots",
      [side === "kept" ? "on" : "off", String(prompts)],
      "http://127.0.0.1:9",
    );
    const { output } = await measure({ ...command, keepOutput: true });
    const { prompts: each } = JSON.parse(output) as { prompts: number[] };
    return { first: each[0] ?? Number.NaN, later: middleOf(each.slice(2)) };
  },
  rows: [
    { label: "5,000 files: first prompt that may change any, CPU", unit: "ms", figure: "first", compare: "difference" },
    {
      label: "5,000 files: later prompts, both looks, CPU",
      unit: "ms",
      figure: "later",
      compare: "difference",
      atMost: 120,
    },
  ],
};
