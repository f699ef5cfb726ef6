// Files that people wrote, collected from public repositories: a folder beside the one that PAWL_VECTORS names.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";

export interface CorpusFile {
  /** Absolute. */
  path: string;
  text: string;
}

/** A `describe` over the files of one kind, such as `skills`. Without the files, a single skipped test gives the reason. */
export function describeCorpus(
  kind: string,
  accepts: (name: string) => boolean,
  define: (files: CorpusFile[]) => void,
) {
  const vectors = process.env["PAWL_VECTORS"];
  const folder = vectors === undefined ? undefined : join(vectors, "../corpora", kind);
  describe(`${kind} corpus`, () => {
    if (folder === undefined || !existsSync(folder)) {
      test("its files", (context) => context.skip(`PAWL_VECTORS is not set to a folder beside corpora/${kind}`));
      return;
    }
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(accepts).toSorted();
    const paths = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
    define(paths.map((path) => ({ path, text: readFileSync(path, "utf8") })));
  });
}
