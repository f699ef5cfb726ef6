import { closeSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openAnonymousFile } from "../../src/lib/anonymous-file.ts";

test.runIf(process.platform === "linux")(
  "the file is read from its beginning, also when it is opened by the name of its descriptor",
  () => {
    const text = `${"é".repeat(100_000)}\n`;
    const file = openAnonymousFile(text)!;
    try {
      expect(readFileSync(`/proc/self/fd/${file}`, "utf8")).toBe(text);
      expect(readFileSync(file, "utf8")).toBe(text);
    } finally {
      closeSync(file);
    }
  },
);

test("there is no anonymous file on a system without them", () => {
  expect(openAnonymousFile("x", "darwin")).toBeUndefined();
});
