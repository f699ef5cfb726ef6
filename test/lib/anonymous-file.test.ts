import { closeSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { anonymousFile } from "../../src/lib/anonymous-file.ts";

test.runIf(process.platform === "linux")("a text is read from its beginning, also by the descriptor's name", () => {
  const text = `${"é".repeat(100_000)}\n`;
  const file = anonymousFile(text)!;
  try {
    expect(readFileSync(`/proc/self/fd/${file}`, "utf8")).toBe(text);
    expect(readFileSync(file, "utf8")).toBe(text);
  } finally {
    closeSync(file);
  }
});

test("there is none where the system has no such files", () => {
  expect(anonymousFile("x", "darwin")).toBeUndefined();
});
