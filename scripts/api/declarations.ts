// Generates the declarations of every entry of the package from the sources, one file for each.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rollup, type Rollup } from "./rollup.ts";

/** The source of each published file below `src`, by the file's name. */
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

/** Throws if tsc cannot write the declarations, or if published types refer to unpublished ones. */
export function entryDeclarations(root: string): EntryDeclarations[] {
  const folder = mkdtempSync(join(tmpdir(), "pawl-declarations-"));
  try {
    // The typecheck step checks the types, also of tests and scripts. Checking them here again would take two thirds of the time.
    const args = ["-p", "tsconfig.build.json", "--noCheck", "--singleThreaded", "--outDir", folder];
    const { status, stdout, error } = spawnSync("tsc", args, { cwd: root, encoding: "utf8" });
    if (status !== 0) throw new Error(`tsc could not write the declarations:\n${error?.message ?? stdout}`);
    return Object.entries(sources).map(([name, source]) => ({
      name: name as EntryName,
      rollup: rollup(join(folder, `${source}.d.ts`)),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
