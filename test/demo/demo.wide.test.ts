// The demo on more samples that somebody changed; one of them is in demo.test.ts.
import { describe, expect, test } from "vitest";
import { demo, removeSamplesAfterwards } from "./samples.ts";

removeSamplesAfterwards();

describe("the demo", () => {
  test("still works on a sample somebody edited beforehand, whose lines the script has never seen", async () => {
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

  test("finds the two lines by what they do, whatever things are named and whatever else the file holds", async () => {
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

  test("names only what it fixed where one of the bugs is gone", async () => {
    const { told } = await demo((text) => text.replace("page * perPage;", "(page - 1) * perPage;"));
    expect(told).toContain("Fixed: `pageCount` rounds up in src/paginate.js. All tests pass.");
  });
});
