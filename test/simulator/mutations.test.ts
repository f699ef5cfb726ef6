// The engine broken on purpose: each way applies to the source as it is. That one is caught: mutations.wide; all of them: mutations.long.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { mutations } from "./mutations.ts";

const root = join(import.meta.dirname, "../..");

test("more than twenty mutations of loop, context, session, model and transcript each apply to exactly one place", () => {
  expect(mutations.length).toBeGreaterThan(20);
  expect(new Set(mutations.map(({ file }) => file.split("/")[0]))).toEqual(
    new Set(["loop", "session", "context", "model", "transcript"]),
  );
  for (const { name, file, from, to } of mutations) {
    expect(readFileSync(join(root, "src", file), "utf8").split(from).length - 1, name).toBe(1);
    expect(to, name).not.toBe(from);
  }
});
