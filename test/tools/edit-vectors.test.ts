// Cases of other projects, column `strict`: exact and unique, or refused with the file as it was. Rows marked `eol` want the file's own
// line ends whatever those of the strings, which is what `peer` holds; so may any row where the strict answer is to refuse.
import { expect, test } from "vitest";
import { describeVectors } from "../support/vectors.ts";
import { openToolBox, textOf } from "./support.ts";

interface Verdict {
  ok: boolean;
  content?: string;
  why?: "not_found" | "not_unique" | "identical";
  count?: number;
}

interface Row {
  id: string;
  name?: string;
  content?: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
  eol?: boolean;
  peer: Verdict;
  strict?: Verdict;
}

const words = { not_found: /not found/, not_unique: /occurs \d+ times/, identical: /identical/ };

/** A file with CRLF and a string with LF: other engines' strict answer is to refuse, ours is what the peer does. */
const findsOtherLineEnds = ["pi-edit-100"];

describeVectors<{ vectors: Row[] }>("edit", ({ vectors }) => {
  const rows = vectors.filter((row): row is Row & { strict: Verdict; content: string } => row.strict !== undefined);
  test("the vectors contain cases", () => expect(rows.length).toBeGreaterThan(40));
  test.each(rows.map((row) => [`${row.id} ${row.name ?? ""}`, row] as const))(
    "Edit gives the expected result for %s",
    async (_, row) => {
      const box = openToolBox();
      const path = box.put("file.txt", row.content);
      await box.call("Read", { file_path: path });
      const { old_string, new_string, replace_all } = row;
      const result = await box.call("Edit", { file_path: path, old_string, new_string, replace_all });
      const expected = row.eol === true || findsOtherLineEnds.includes(row.id) ? row.peer : row.strict;
      if (expected.ok) {
        expect(textOf(result)).toMatch(/^Edited /);
        expect(box.read("file.txt")).toBe(expected.content);
        return;
      }
      expect(result.isError).toBe(true);
      expect(box.read("file.txt")).toBe(row.content);
      const { why, count } = row.strict;
      if (why !== undefined) expect(textOf(result)).toMatch(words[why]);
      if (count !== undefined) expect(textOf(result)).toContain(`${count} times`);
    },
  );
});
