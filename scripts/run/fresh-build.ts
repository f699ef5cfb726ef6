// Checks whether the build is newer than the sources.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The inputs of a build: files, and folders with everything below. The last is npm's record of installed packages. */
const inputs = [
  "src",
  "scripts",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
  "node_modules/.package-lock.json",
];

/** Also checks the times of folders, because removing a file changes the time of its folder. */
export function isBuildFresh(from = root): boolean {
  const changedAt = (path: string): number => statSync(join(from, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const built = changedAt("dist/command/main.cjs");
  const below = (path: string): string[] =>
    statSync(join(from, path), { throwIfNoEntry: false })?.isDirectory() === true
      ? readdirSync(join(from, path), { recursive: true, encoding: "utf8" }).map((file) => join(path, file))
      : [];
  return inputs.flatMap((path) => [path, ...below(path)]).every((path) => changedAt(path) <= built);
}
