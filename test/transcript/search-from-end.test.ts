// Lines are found from a file's end on, a part of it at a time: also one whose beginning lies across two parts.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findLinesFromEnd } from "../../src/transcript/search-from-end.ts";
import { nodeFileSystem } from "../../src/transcript/file-system.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const part = 256 * 1024;
const starts = ['{"short', '{"one that is rather longer than the other'];

test("finds lines by short and long beginnings, wherever the end of a chunk falls", () => {
  const path = join(temporaryFolder(), "file");
  for (const start of starts)
    for (const before of [0, 1, 5, start.length, start.length + 1]) {
      const rest = `${start}${"x".repeat(part - start.length + before - 1)}`;
      writeFileSync(path, `first line\n${rest}`);
      const descriptor = nodeFileSystem.open(path, "read");
      const found = [...findLinesFromEnd(nodeFileSystem, descriptor, "first line\n".length + rest.length, starts)];
      nodeFileSystem.close(descriptor);
      expect(found, `${start} ${before}`).toEqual(["first line\n".length]);
    }
});
