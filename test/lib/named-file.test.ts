import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readNamedFile } from "../../src/lib/named-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

test("reads a named file to its end, up to the limit, and does not read an endless file for ever", () => {
  const folder = temporaryFolder();
  const path = join(folder, "prompt.md");
  const text = "grüße ".repeat(30_000);
  writeFileSync(path, text);
  expect(readNamedFile(path, Buffer.byteLength(text))).toBe(text);
  expect(readNamedFile(path, Buffer.byteLength(text) - 1)).toBeUndefined();
  expect(readNamedFile("/dev/zero", 1_000_000)).toBeUndefined();
  for (const bytes of [Buffer.from("\ufeffgrüße"), Buffer.from("\ufeffgrüße", "utf16le")]) {
    writeFileSync(path, bytes);
    expect(readNamedFile(path, 1_000)).toBe("grüße");
  }
  expect(() => readNamedFile(join(path, "gone"), 10)).toThrow(/ENOTDIR/u);
});
