// `npm run api` documents the package's exports: it writes `api/*.d.ts`, a snapshot in which changes of the API show, and the
// reference `docs/api/*.md`. With `--check` it writes nothing and fails if these files do not match the sources.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { entryDeclarations } from "./api/declarations.ts";
import { referencePage } from "./api/reference.ts";
import { changedLines } from "./api/changes.ts";

const root = join(import.meta.dirname, "..");

/** Returns the text of each file, by path. */
function generateFiles(): Map<string, string> {
  const entries = entryDeclarations(root);
  const protocol = new Set(
    entries.filter(({ name }) => name === "protocol").flatMap(({ rollup }) => rollup.exports.map(({ name }) => name)),
  );
  const files = new Map<string, string>();
  for (const entry of entries) {
    const name = entry.name === "index" ? "pawl" : entry.name;
    files.set(`api/${name}.d.ts`, entry.rollup.text);
    files.set(`docs/api/${name}.md`, referencePage(entry, protocol));
  }
  return files;
}

const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [path, text] of generateFiles()) {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before === text) continue;
  stale++;
  if (isCheck) {
    if (path.startsWith("api/")) console.error([`${path}:`, ...changedLines(before, text)].join("\n"));
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`api: ${path} written`);
}
if (isCheck && stale > 0) {
  console.error(
    `api: the package's exports or their comments do not match api/ and docs/api/. Run \`npm run api\`, look at the difference and\n` +
      `commit it: a removed export, or one with another meaning, breaks those who use it (CONTRIBUTING.md, "Versions").`,
  );
  process.exitCode = 1;
}
