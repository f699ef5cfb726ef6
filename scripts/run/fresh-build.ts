// Whether what is built is what the sources say.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** What a build reads: folders with all that is below, and files. The last is npm's note of what is installed. */
const inputs = [
  "src",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "node_modules/.package-lock.json",
];

/** Folders count as well: what is taken out of one makes it younger. */
export function isBuildFresh(from = root): boolean {
  const changedAt = (path: string): number => statSync(join(from, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = changedAt("dist/command/main.cjs");
  const below = (path: string): string[] =>
    statSync(join(from, path), { throwIfNoEntry: false })?.isDirectory() === true
      ? readdirSync(join(from, path), { recursive: true, encoding: "utf8" }).map((file) => join(path, file))
      : [];
  return inputs.flatMap((path) => [path, ...below(path)]).every((path) => changedAt(path) <= built);
}
