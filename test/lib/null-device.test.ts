import { closeSync, openSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isNullDevice } from "../../src/lib/null-device.ts";

function judge(path: string): boolean {
  const descriptor = openSync(path, "r");
  try {
    return isNullDevice(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

describe.skipIf(process.platform === "win32")("the null device", () => {
  test("is told from other devices, files and folders", () => {
    expect(["/dev/null", "/dev/zero", import.meta.filename, "/"].map(judge)).toEqual([true, false, false, false]);
  });

  test("is not what a descriptor without a file leads to", () => {
    expect(isNullDevice(2 ** 30)).toBe(false);
  });
});
