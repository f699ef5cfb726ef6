// `npm run api` writes what the package exports: `api/*.d.ts`, the snapshot that a change of the API shows in, and `docs/api/*.md`, the
// reference. With `--check` it writes nothing and fails where they are not what the sources say.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { declarationsOf } from "./api/declarations.ts";
import { reference } from "./api/reference.ts";
import { changes } from "./api/changes.ts";

const root = join(import.meta.dirname, "..");

/** Path → text. */
function wanted(): Map<string, string> {
  const entries = declarationsOf(root);
  const protocol = new Set(
    entries.filter(({ name }) => name === "protocol").flatMap(({ rollup }) => rollup.exports.map(({ name }) => name)),
  );
  const files = new Map<string, string>();
  for (const entry of entries) {
    const name = entry.name === "index" ? "pawl" : entry.name;
    files.set(`api/${name}.d.ts`, entry.rollup.text);
    files.set(`docs/api/${name}.md`, reference(entry, protocol));
  }
  return files;
}

const isCheck = process.argv.includes("--check");
let stale = 0;
for (const [path, text] of wanted()) {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before === text) continue;
  stale++;
  if (isCheck) {
    if (path.startsWith("api/")) console.error([`${path}:`, ...changes(before, text)].join("\n"));
    continue;
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  console.log(`api: ${path} written`);
}
if (isCheck && stale > 0) {
  console.error(
    `api: what the package exports, or what is said of it, is not what api/ and docs/api/ have. Run \`npm run api\`, look at the\n` +
      `difference and commit it: what is taken away or means something else breaks those who use it (CONTRIBUTING.md, "Versions").`,
  );
  process.exitCode = 1;
}
