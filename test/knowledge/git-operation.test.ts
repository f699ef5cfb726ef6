// What git waits to go on with, as its files tell it.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readOperation } from "../../src/knowledge/git-folder.ts";
import { put } from "../support/put.ts";

// Seen: where the first of several commits was committed by hand, git has no other mark of those that wait.
test.each([
  ["pick 1f3a two\npick 2c4b three\n", "cherry-pick"],
  ["revert 1f3a two\n", "revert"],
  ["", undefined],
])("reads the operation from a sequencer between two commits: %j", (todo, operation) => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-git-")));
  try {
    put(join(root, ".git/HEAD"), "ref: refs/heads/main\n");
    put(join(root, ".git/sequencer/todo"), todo);
    expect(readOperation(root)).toBe(operation);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
