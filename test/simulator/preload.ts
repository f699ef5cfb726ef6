// Modules that the engine loads with their first use, loaded before the first run: loading one takes real time.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { loadJudge } from "../../src/permissions/load-judge.ts";

const rooms = ["loop", "context", "session", "transcript", "hooks", "permissions", "model", "lib"];

export async function preload(): Promise<void> {
  const root = resolve(import.meta.dirname, "../../src");
  const wanted = new Set<string>();
  for (const room of rooms)
    for (const file of globSync(join(root, room, "**/*.ts")))
      for (const [, path] of readFileSync(file, "utf8").matchAll(/import\("([^"]+)"\)/g))
        if (path !== undefined) wanted.add(path.startsWith(".") ? pathToFileURL(join(dirname(file), path)).href : path);
  for (const each of wanted) await import(each);
  // Once it is there, nobody waits for it any more.
  await loadJudge();
}
