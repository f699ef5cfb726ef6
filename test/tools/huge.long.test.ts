// A file of 1 GB, 1 GB of output and output without end: none may cost memory, and none may stay behind.
import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { openToolBox, textOf } from "./support.ts";

const mostGrowth = 200e6;

/** The highest resident size while `work` runs, over that before it. */
async function growthDuring(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 20);
  try {
    await work();
  } finally {
    clearInterval(look);
  }
  return Math.max(most, process.memoryUsage.rss()) - before;
}

test("Read shows ranges of a file of 1 GB in little memory", async () => {
  const box = openToolBox();
  await box.call("Bash", {
    command: "seq -f 'line %.0f of a long file, with some text to fill it' 1 20000000 | head -c 1G > big.txt",
  });
  expect(statSync(box.path("big.txt")).size).toBe(2 ** 30);
  const growth = await growthDuring(async () => {
    const first = await box.call("Read", { file_path: box.path("big.txt"), limit: 2 });
    expect(textOf(first)).toMatch(/^1\tline 1 of a long file.*\n2\tline 2 of/);
    const late = await box.call("Read", { file_path: box.path("big.txt"), offset: 15_000_000, limit: 2 });
    expect(textOf(late)).toMatch(/^15000000\tline 15000000 of a long file.*\n15000001\tline 15000001 of/);
    expect(textOf(await box.call("Read", { file_path: box.path("big.txt") }))).toMatch(
      /PARTIAL view: lines 1 to \d+ of at least/,
    );
    const edit = await box.call("Edit", { file_path: box.path("big.txt"), old_string: "line 1 ", new_string: "x" });
    expect(textOf(edit)).toMatch(/too large to change here \(1\.1 GB\)/);
    expect(
      textOf(await box.call("Grep", { pattern: "line 15000000 ", path: "big.txt", output_mode: "content" })),
    ).toMatch(/^15000000:line/);
  });
  expect(growth).toBeLessThan(mostGrowth);
});

test("Bash takes little memory for 1 GB of output in one line", async () => {
  const box = openToolBox();
  const growth = await growthDuring(async () => {
    const result = await box.call("Bash", { command: "head -c 1G /dev/zero | tr '\\0' a", timeout: 600_000 });
    expect(textOf(result).length).toBeLessThan(31_000);
    const { persistedOutputPath, persistedOutputSize } = result.output as {
      persistedOutputPath: string;
      persistedOutputSize: number;
    };
    expect(persistedOutputSize).toBe(2 ** 30);
    expect(statSync(persistedOutputPath).size).toBeLessThan((64 << 20) + 31_000);
  });
  expect(growth).toBeLessThan(mostGrowth);
});

test("Bash ends a command with endless output at 5 GB", async () => {
  const box = openToolBox();
  const growth = await growthDuring(async () => {
    const result = await box.call("Bash", {
      command: "yes a line of some length that goes on without end",
      timeout: 600_000,
    });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toMatch(/^The command printed 5\d{9} bytes and was ended/);
  });
  expect(growth).toBeLessThan(mostGrowth);
});

test("Glob lists a tree of 30,000 files within its limits", async () => {
  const box = openToolBox();
  await box.call("Bash", { command: "for d in $(seq 1 30); do mkdir d$d; (cd d$d; seq 1 1000 | xargs touch); done" });
  for (const rgPath of [undefined, null]) {
    const other = openToolBox(rgPath === undefined ? {} : { rgPath });
    const result = await other.call("Glob", { pattern: "**/*" }, { cwd: box.root });
    expect(result.output).toMatchObject({ numFiles: 100, totalMatches: 30_000, truncated: true });
  }
});
