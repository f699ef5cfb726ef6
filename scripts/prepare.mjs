// What npm runs after it has installed a clone: the build. It runs it in a package that was unpacked as well, if that is linked to.
// Plain JavaScript, as an install without development dependencies has no Node that runs TypeScript, nor anything to build with.
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const left = "as this install left out the development dependencies";
// A package has no source, and is built.
if (!existsSync(join(root, "src"))) process.exit();
if (isThere("rolldown")) await import("./build.ts");
else if (existsSync(join(root, "dist/command"))) console.error(`prepare: dist/ stays as it was built, ${left}`);
else {
  console.error(
    `prepare: pawl cannot be built, ${left}: run npm ci --include=dev, and then npm prune --omit=dev to be rid of them`,
  );
  process.exitCode = 1;
}

/** Of a workspace, the packages may lie in a folder above. */
function isThere(name) {
  try {
    return import.meta.resolve(name) !== "";
  } catch {
    return false;
  }
}
