// Files of public repositories that tests read, beside the collections that PAWL_VECTORS names; not part of this repository.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "vitest";

export interface CorpusFile {
  /** Below the corpus. */
  name: string;
  text: string;
}

/** A `describe` over the JSON files of one corpus; without it one skipped test gives the reason. */
export function describeCorpus(name: string, define: (files: CorpusFile[]) => void): void {
  const vectors = process.env["PAWL_VECTORS"];
  const folder = vectors ? join(vectors, "../corpora", name) : "";
  describe(`corpus of ${name}`, () => {
    if (folder === "" || !existsSync(folder))
      test("its files", (context) => context.skip(`there is no corpora/${name} beside PAWL_VECTORS`));
    else {
      const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
      define(names.toSorted().map((file) => ({ name: file, text: readFileSync(join(folder, file), "utf8") })));
    }
  });
}
