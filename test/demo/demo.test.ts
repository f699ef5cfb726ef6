// The offline demo, run as `npm run demo` runs it: the real command, real files, a scripted model over HTTP.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { replaySessions, type ReplayReport } from "../../src/index.ts";
import { demo, removeSamplesAfterwards } from "./samples.ts";

removeSamplesAfterwards();

/** What does not change from run to run: places, ids and figures do. */
function steady(told: string): string[] {
  const lines = told.trim().split("\n");
  return lines.map((line) =>
    line
      .replace(/^folder .*/u, "folder")
      .replace(/127\.0\.0\.1:[\d…]+/u, "127.0.0.1")
      .replace(/req_[\w…]+/u, "req_")
      .replace(/(?<=^Tokens.*|Retrying in .*)[\d.]+/gu, "0"),
  );
}

describe("the demo", () => {
  test("fixes the sample, with one call denied and one overload retried", async () => {
    const reports: ReplayReport[] = [];
    const { exitCode, result, transitions, code, diff, told } = await demo((text) => text, {
      async inspect({ work, home }) {
        reports.push(await replaySessions(undefined, { cwd: work, home, env: { PAWL_HOME: home } }));
      },
    });
    expect(reports).toMatchObject([{ same: 1, differs: 0, skipped: 0 }]);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ subtype: "success", is_error: false, terminal_reason: "completed" });
    expect(code).toContain("Math.ceil(total / perPage)");
    expect(code).toContain("(page - 1) * perPage");
    expect(diff).toContain("-  return Math.floor(total / perPage);");
    expect(result?.permission_denials.map((denial) => denial.tool_name)).toEqual(["Bash"]);
    expect(transitions).toEqual(Array.from({ length: 6 }, () => "next_turn"));
    expect(result?.usage.cache_read_input_tokens).toBeGreaterThan(0);
    for (const part of ["(thinks)", "overloaded", "ℹ fail 1", "ℹ fail 0", "The model was a script"]) {
      expect(told).toContain(part);
    }
    expect(told).toMatch(/Cost at list prices: \$0\.\d+; the scripted server billed \$0\.\d+/);
    const readme = await readFile(join(import.meta.dirname, "../../README.md"), "utf8");
    const shown = readme.slice(readme.indexOf("pawl demo: "), readme.indexOf("```\n\nThe tests:"));
    expect(steady(shown)).toEqual(steady(told));
  });

  test("fixes renamed functions, and one that is an arrow function", async () => {
    const { code, told, result } = await demo(
      (text) =>
        text
          .replace(/export function pageCount([^]*?) \{\n {2}return (.*);\n\}/u, "export const countOf = $1 => $2;")
          .replaceAll("pageOf", "sliceOf"),
      { rename: { pageCount: "countOf", pageOf: "sliceOf" } },
    );
    expect(code).toContain("export const countOf = (total, perPage) => Math.ceil(total / perPage);");
    expect(code).toContain("(page - 1) * perPage");
    expect(told).toContain("Fixed: `countOf` rounds up and `sliceOf` counts from 1, both in src/paginate.js.");
    expect(result).toMatchObject({ result: expect.stringContaining("All tests pass") as string });
  });

  test("ends at the turn limit if no test can be run", async () => {
    const { result } = await demo((text) => text, { env: { ...process.env, PATH: "/nowhere" } });
    expect(result?.terminal_reason).toBe("max_turns");
  });

  test("edits nothing if there is no bug, and says so", async () => {
    const { exitCode, diff, told, result } = await demo((text) =>
      text.replace("Math.floor", "Math.ceil").replace("page * perPage;", "(page - 1) * perPage;"),
    );
    expect(exitCode).toBe(0);
    expect(diff).toBe("");
    expect(told).toContain("No file was changed.");
    expect(result).toMatchObject({
      result: "The tests already pass. There was nothing to fix, and I changed nothing.",
    });
    expect(result?.permission_denials).toEqual([]);
  });
});
