// The demo on more samples that somebody changed, and in other surroundings.
import { chmod, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runDemo } from "../../demo/run.ts";
import { demo, removeSamplesAfterwards, sampleCopy } from "./samples.ts";

removeSamplesAfterwards();

describe("the demo", () => {
  test("is unaffected by a proxy, limits and modes in the user's environment", async () => {
    const set = { http_proxy: "http://127.0.0.1:9", PAWL_MAX_TURNS: "1", CLAUDE_CODE_MAX_RETRIES: "0" };
    const { exitCode, code } = await demo((text) => text, { env: { ...process.env, ...set } });
    expect(exitCode).toBe(0);
    expect(code).toContain("Math.ceil(total / perPage)");
  });

  test("works on read-only files and folders", async () => {
    const modes: number[] = [];
    const sample = await sampleCopy();
    await chmod(join(sample, "src/paginate.js"), 0o444);
    await chmod(join(sample, "src"), 0o555);
    const { exitCode } = await runDemo({
      sample,
      write: () => undefined,
      async inspect({ work }) {
        for (const path of ["src", "src/paginate.js"]) modes.push((await stat(join(work, path))).mode & 0o200);
      },
    });
    await chmod(join(sample, "src"), 0o755);
    expect(exitCode).toBe(0);
    expect(modes).toEqual([0o200, 0o200]);
  });

  test.each([
    ["has been deleted", (file: string) => rm(file), "There is no src/paginate.js that I could read or fix."],
    ["holds no text", (file: string) => writeFile(file, new Uint8Array(9)), "There is no src/paginate.js that I could"],
    ["is empty", (file: string) => writeFile(file, ""), "The tests still fail, and I do not see why from this file."],
  ])("says what it found if the file %s", async (_, change, found) => {
    const sample = await sampleCopy();
    await change(join(sample, "src/paginate.js"));
    const { exitCode, diff, result } = await runDemo({ sample, write: () => undefined });
    expect(exitCode).toBe(0);
    expect(diff).toBe("");
    expect(result).toMatchObject({ result: expect.stringContaining(found) as string });
  });

  test("works on a sample with edited lines that the script does not know", async () => {
    const { exitCode, code, result } = await demo((text) =>
      text
        .replace(
          "return Math.floor(total / perPage);",
          "const pages = Math.floor(total / perPage); // all of them\n  return pages;",
        )
        .replace("const start = page * perPage;", "const first = page * perPage;")
        .replace("items.slice(start, start + perPage)", "items.slice(first, first + perPage)"),
    );
    expect(exitCode).toBe(0);
    expect(code).toContain("const pages = Math.ceil(total / perPage); // all of them");
    expect(code).toContain("const first = (page - 1) * perPage;");
    expect(result?.subtype).toBe("success");
  });

  test("finds the two lines by their computation, with other names and other code in the file", async () => {
    const { code, result } = await demo((text) =>
      `export const half = (n) => Math.floor(n / 2);\n${text}`
        .replace("page * perPage", "perPage * page")
        .replaceAll("perPage", "size"),
    );
    expect(code).toContain("half = (n) => Math.floor(n / 2);");
    expect(code).toContain("Math.ceil(total / size)");
    expect(code).toContain("size * (page - 1)");
    expect(result).toMatchObject({ result: expect.stringContaining("All tests pass") as string });
  });

  test("names only what it fixed if one of the bugs is gone", async () => {
    const { told } = await demo((text) => text.replace("page * perPage;", "(page - 1) * perPage;"));
    expect(told).toContain("Fixed: `pageCount` rounds up in src/paginate.js. All tests pass.");
  });
});
