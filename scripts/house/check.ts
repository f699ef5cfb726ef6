// Runs all house rules on one tree.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { checkCircles } from "./circles.ts";
import { checkDirection } from "./direction.ts";
import { checkLinterSettings, checkSwitches } from "./exceptions.ts";
import { checkRooms } from "./rooms.ts";
import { listSources, readSource, type Problem } from "./sources.ts";

const codeFolders = ["src", "test", "bench", "demo", "examples", "scripts", "bin"];

/** Returns the problems below `root` (absolute), and the number of files in src/ that were read. */
export function checkHouse(root: string): { problems: Problem[]; files: number } {
  const folders = codeFolders.filter((folder) => existsSync(join(root, folder)));
  const sources = folders.flatMap((folder) => listSources(root, folder)).map((file) => readSource(root, file));
  const ours = sources.filter(({ file }) => file.startsWith("src/"));
  const problems = [
    ...checkDirection(ours),
    ...checkCircles(ours),
    ...checkRooms(root, ours),
    ...checkSwitches(sources),
    ...checkLinterSettings(root),
  ];
  return { problems, files: ours.length };
}
