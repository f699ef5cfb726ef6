// npm runs this after it has installed a clone, to build it. npm also runs it in an unpacked package that is linked to. It is plain
// JavaScript, because an install without development dependencies has no Node that runs TypeScript, and no build tools.
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const left = "as this install left out the development dependencies";
// A package has no source and is built already.
if (!existsSync(join(root, "src"))) process.exit();
if (isThere("rolldown")) await import("./build.ts");
else if (existsSync(join(root, "dist/command"))) console.error(`prepare: dist/ stays as it was built, ${left}`);
else {
  console.error(
    `prepare: pawl cannot be built, ${left}: run npm ci --include=dev, and then npm prune --omit=dev to be rid of them`,
  );
  process.exitCode = 1;
}

/** Returns whether a package is installed. In a workspace, it may be in a folder above. */
function isThere(name) {
  try {
    return import.meta.resolve(name) !== "";
  } catch {
    return false;
  }
}
