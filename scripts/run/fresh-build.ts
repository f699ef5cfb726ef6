// Whether what is built is what the sources say.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

export function isBuildFresh(): boolean {
  const built = statSync(join(root, "dist", "command", "main.cjs"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" });
  return sources.every((file) => statSync(join(root, "src", file)).mtimeMs <= built);
}
