// The declarations of every entry of the package, each in one file, made anew from the sources.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rollup, type Rollup } from "./rollup.ts";

/** Name of the published file → its source, below `src`. */
const sources = {
  index: "index",
  loop: "loop/index",
  protocol: "protocol/index",
  testing: "testing/index",
};

export type EntryName = keyof typeof sources;

export interface EntryDeclarations {
  name: EntryName;
  rollup: Rollup;
}

/** Throws where tsc cannot write them, or types that are published reach what is not. */
export function declarationsOf(root: string): EntryDeclarations[] {
  const folder = mkdtempSync(join(tmpdir(), "pawl-declarations-"));
  try {
    // Whether the types hold is the check's to say, of tests and scripts too: here it would take two thirds of the time once more.
    const given = ["-p", "tsconfig.build.json", "--noCheck", "--singleThreaded", "--outDir", folder];
    const { status, stdout, error } = spawnSync("tsc", given, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`tsc could not write the declarations:\n${error?.message ?? stdout}`);
    return Object.entries(sources).map(([name, source]) => ({
      name: name as EntryName,
      rollup: rollup(join(folder, `${source}.d.ts`)),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
