// The offline demo, run as `npm run demo` runs it: the real command, real files, a scripted model over HTTP.
import { chmod, cp, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runDemo, type DemoOptions, type DemoOutcome } from "../../demo/run.ts";
import { replaySessions, type ReplayReport } from "../../src/index.ts";

const made: string[] = [];
afterAll(async () => {
  for (const folder of made) await rm(folder, { recursive: true, force: true });
});

interface Changes extends DemoOptions {
  /** Names of the sample's functions in its test. */
  rename?: Record<string, string>;
}

async function demo(
  change: (code: string) => string,
  { rename = {}, ...more }: Changes = {},
): Promise<DemoOutcome & { told: string }> {
  const sample = await mkdtemp(join(tmpdir(), "pawl-sample-"));
  made.push(sample);
  await cp(join(import.meta.dirname, "../../demo/sample"), sample, { recursive: true });
  const file = join(sample, "src/paginate.js");
  await writeFile(file, change(await readFile(file, "utf8")));
  const tests = join(sample, "test/paginate.test.js");
  let tested = await readFile(tests, "utf8");
  for (const [name, other] of Object.entries(rename)) tested = tested.replaceAll(name, other);
  await writeFile(tests, tested);
  let told = "";
  const write = (text: string): void => void (told += text);
  const outcome = await runDemo({ sample, write, ...more });
  return { ...outcome, told };
}

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

  test("names only what it fixed where one of the bugs is gone", async () => {
    const { told } = await demo((text) => text.replace("page * perPage;", "(page - 1) * perPage;"));
    expect(told).toContain("Fixed: `pageCount` rounds up in src/paginate.js. All tests pass.");
  });

  test("is the same beside a proxy, and whatever limits and modes are set for the user's own sessions", async () => {
    const set = { http_proxy: "http://127.0.0.1:9", PAWL_MAX_TURNS: "1", CLAUDE_CODE_MAX_RETRIES: "0" };
    const { exitCode, code } = await demo((text) => text, { env: { ...process.env, ...set } });
    expect(exitCode).toBe(0);
    expect(code).toContain("Math.ceil(total / perPage)");
  });

  test("works on files and folders that may only be read", async () => {
    const modes: number[] = [];
    const sample = await mkdtemp(join(tmpdir(), "pawl-sample-"));
    made.push(sample);
    await cp(join(import.meta.dirname, "../../demo/sample"), sample, { recursive: true });
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
    const sample = await mkdtemp(join(tmpdir(), "pawl-sample-"));
    made.push(sample);
    await cp(join(import.meta.dirname, "../../demo/sample"), sample, { recursive: true });
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
