// The offline demo, run as `npm run demo` runs it: the real command, real files, a scripted model over HTTP.
import { chmod, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runDemo } from "../../demo/run.ts";
import { replaySessions, type ReplayReport } from "../../src/index.ts";
import { demo, removeSamplesAfterwards, sampleCopy } from "./samples.ts";

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
  test("fixes the sample: the bytes change, the tests run, one call is denied, one overload is survived", async () => {
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

  test("fixes functions that somebody renamed, and one that is a short arrow", async () => {
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

  test("is the same beside a proxy, and whatever limits and modes are set for the user's own sessions", async () => {
    const set = { http_proxy: "http://127.0.0.1:9", PAWL_MAX_TURNS: "1", CLAUDE_CODE_MAX_RETRIES: "0" };
    const { exitCode, code } = await demo((text) => text, { env: { ...process.env, ...set } });
    expect(exitCode).toBe(0);
    expect(code).toContain("Math.ceil(total / perPage)");
  });

  test("works on files and folders that may only be read", async () => {
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
    ["is gone", (file: string) => rm(file), "There is no src/paginate.js that I could read or fix."],
    ["holds no text", (file: string) => writeFile(file, new Uint8Array(9)), "There is no src/paginate.js that I could"],
    ["is empty", (file: string) => writeFile(file, ""), "The tests still fail, and I do not see why from this file."],
  ])("says what it found where the file %s", async (_, change, found) => {
    const sample = await sampleCopy();
    await change(join(sample, "src/paginate.js"));
    const { exitCode, diff, result } = await runDemo({ sample, write: () => undefined });
    expect(exitCode).toBe(0);
    expect(diff).toBe("");
    expect(result).toMatchObject({ result: expect.stringContaining(found) as string });
  });

  test("ends where no test can be run", async () => {
    const { result } = await demo((text) => text, { env: { ...process.env, PATH: "/nowhere" } });
    expect(result?.terminal_reason).toBe("max_turns");
  });

  test("ends differently where there is no bug: nothing is edited, and it says so", async () => {
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
