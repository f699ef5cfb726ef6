// The case collections that tests share with other projects: JSON files in the folder that PAWL_VECTORS names.
// They are not part of this repository, so a test that needs one is skipped, and says so, when the variable is unset.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";

/**
 * Returns the parsed collection `<folder>/<name>.json`, or undefined if no folder is given.
 * Throws if the folder does not contain the file: a wrong name must not look like a skip.
 */
export function loadVectors<Collection = unknown>(
  name: string,
  folder: string | undefined = process.env["PAWL_VECTORS"],
): Collection | undefined {
  if (!folder) return undefined;
  const file = join(folder, `${name}.json`);
  if (!existsSync(file)) throw new Error(`PAWL_VECTORS has no ${name}.json (looked for ${file})`);
  return JSON.parse(readFileSync(file, "utf8")) as Collection;
}

/** A `describe` over a collection, which `define` gets parsed. Without the collection, a single skipped test gives the reason. */
export function describeVectors<Collection = unknown>(name: string, define: (collection: Collection) => void): void {
  const collection = loadVectors<Collection>(name);
  describe(`${name} collection`, () => {
    if (collection !== undefined) define(collection);
    else test("its cases", (context) => context.skip(`PAWL_VECTORS is not set to a folder with ${name}.json`));
  });
}
