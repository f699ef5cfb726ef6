import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { loadVectors } from "../support/vectors.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

test("a collection is parsed from the folder", () => {
  writeFileSync(join(folder, "edit.json"), '[{"id": 1}]');
  expect(loadVectors("edit", folder)).toEqual([{ id: 1 }]);
});

test("without a folder there is no collection", () => {
  expect(loadVectors("edit", "")).toBeUndefined();
});

test("a name that the folder does not have is an error, not a skip", () => {
  expect(() => loadVectors("edits", folder)).toThrow("PAWL_VECTORS has no edits.json");
});
