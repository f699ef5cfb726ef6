import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { OutputCollector } from "../../src/tools/shell/output.ts";
import { renderOutput } from "../../src/tools/shell/result.ts";
import { textForModel } from "../../src/tools/shell/text-for-model.ts";
import { openToolBox, progressOf, textOf } from "./support.ts";

interface BashOutput {
  stdout: string;
  stderr: string;
  persistedOutputPath?: string;
  persistedOutputSize?: number;
}

describe("long output", () => {
  test("of a success is cut to both ends, about 30,000 characters, and kept whole in a file", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "seq 1 100000" });
    const text = textOf(result);
    const output = result.output as BashOutput;
    expect(text.length).toBeGreaterThan(28_000);
    expect(text.length).toBeLessThan(31_000);
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\n99999\n100000$/);
    expect(text).toContain(`all of it is in ${output.persistedOutputPath}`);
    const all = Array.from({ length: 100_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(readFileSync(output.persistedOutputPath ?? "", "utf8")).toBe(all);
    expect(output.persistedOutputSize).toBe(all.length);
  });

  test("of a failure is cut to about 10,000 characters and kept whole in a file", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "seq 1 3000; echo broken >&2; exit 2" });
    const text = textOf(result);
    expect(text).toMatch(/^Exit code 2\n1\n2\n/);
    expect(text).toMatch(/\n3000\nbroken$/);
    expect(text.length).toBeLessThan(10_500);
    const { persistedOutputPath: path = "" } = result.output as BashOutput;
    expect(statSync(path).size).toBe(13_893 + 7);
  });

  test("up to the limit is shown whole and creates no file", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "head -c 30000 /dev/zero | tr '\\0' x" });
    expect(textOf(result)).toBe("x".repeat(30_000));
    expect(result.output).not.toHaveProperty("persistedOutputPath");
  });

  test("is limited by BASH_MAX_OUTPUT_LENGTH", async () => {
    const box = openToolBox({ environment: { PATH: process.env["PATH"], BASH_MAX_OUTPUT_LENGTH: "1000" } });
    expect(textOf(await box.call("Bash", { command: "seq 1 1000" })).length).toBeLessThan(1300);
  });

  test("of one stream leaves a short other stream whole", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "seq 1 100000; echo 'the reason' >&2" });
    expect(textOf(result)).toMatch(/100000\nthe reason$/);
  });

  test("of 100 MB in one line takes little memory", async () => {
    const box = openToolBox();
    const before = process.memoryUsage().rss;
    const result = await box.call("Bash", { command: "head -c 100000000 /dev/zero | tr '\\0' a" });
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
    expect(textOf(result).length).toBeLessThan(31_000);
    expect(textOf(result)).toMatch(/left out here; its first part and its end are in \//);
    const { persistedOutputPath: path = "" } = result.output as BashOutput;
    expect(statSync(path).size).toBeLessThan((64 << 20) + 31_000);
    expect(readFileSync(path).subarray(-30_100).toString()).toMatch(/\[… \d+ bytes are not kept …\]\na{30000}$/);
  });

  test("beyond the total limit ends the command", async () => {
    const ended: string[] = [];
    const output = new OutputCollector({ memory: 10, file: 20, total: 50 }, () => "/nowhere/at/all");
    output.onExcess = () => ended.push("ended");
    for (let round = 0; round < 10; round += 1) output.push("stdout", Buffer.from("12345678"));
    expect(ended).toEqual(["ended"]);
    expect(output.fileError).toMatch(/ENOENT/);
    expect(renderOutput(output, 10).stdout).toMatch(
      /^12345\n\[… 70 bytes left out here; the output could not be saved: ENOENT.* …\]\n45678$/,
    );
  });
});

describe("unusual output", () => {
  test.each([
    [
      "escape sequences",
      "printf '\\e[1;31mred\\e[0m \\e]0;title\\a\\e]8;;http://x\\e\\\\link\\e]8;;\\e\\\\'",
      "red link",
    ],
    ["progress bars", "printf '10%%\\r20%%\\r\\n'", "10%\n20%"],
    [
      "a long progress bar, of which a terminal would show the end",
      "for i in $(seq 1 50); do printf '\\r\\e[K%s%%' $i >&2; done; printf '\\r\\e[K\\n' >&2; echo done",
      "done\n50%\n[… 49 earlier states of this line, overwritten by \\r, left out …]",
    ],
    [
      "a bar for each of two files",
      "for f in a b; do printf '\\r%s' $f 1 $f 2; printf '\\r\\r\\n'; done",
      "2\n[… 3 earlier states of this line, overwritten by \\r, left out …]\n2\n[… 3 earlier states of this line, overwritten by \\r, left out …]",
    ],
    ["a file whose lines an old program ended by \\r", "printf '%s\\r' x,y 1,2 3,4 5,6 7,8", "x,y\n1,2\n3,4\n5,6\n7,8"],
    [
      "such a file followed by another line",
      "printf '%s\\r' one two three four five; echo done",
      "one\ntwo\nthree\nfour\nfive\ndone",
    ],
    ["CRLF", "printf 'a\\r\\nb\\r\\n'", "a\nb"],
    ["NUL between names", "printf 'a\\0b\\0'", "a\\0b\\0"],
    ["bytes that are not UTF-8", "printf 'caf\\xe9'", "caf�"],
    ["letters printed twice, for bold", "printf 'N\\bNA\\bAM\\bME\\bE ls'", "NAME ls"],
    ["underlined letters", "printf '_\\bf_\\bi_\\bl_\\be _\\bx\\bx a_b _\\b_'", "file x a_b _"],
    ["bells and backspaces", "printf 'a\\a\\bb'", "ab"],
  ])("is cleaned for the model: %s", async (_, command, shown) => {
    const box = openToolBox();
    expect(textOf(await box.call("Bash", { command }))).toBe(shown);
  });

  test("that is binary is named instead of shown", async () => {
    const box = openToolBox();
    expect(textOf(await box.call("Bash", { command: "head -c 2000 /dev/urandom" }))).toBe(
      "[binary output, 2.0 KB, not shown]",
    );
  });

  test.each([
    ["GBK", String.raw`\264\355\316\363\243\272\325\322\262\273\265\275\316\304\274\376\n`],
    ["KOI8-R", String.raw`\317\333\311\302\313\301: \306\301\312\314 \316\305 \316\301\312\304\305\316\n`],
    ["UTF-16", String.raw`\377\376a\000n\000 \000e\000r\000r\000o\000r\000:\000 \000\055\116\207\145`],
  ])("in %s is recognised as text, with a hint at how to convert it", async (encoding, bytes) => {
    const box = openToolBox();
    const told = textOf(await box.call("Bash", { command: `printf '${bytes}'` }));
    expect(told).toMatch(
      /^\[output that is not UTF-8, \d+ bytes, not shown\. .*\| iconv -f <its encoding> -t utf-8\]$/u,
    );
    expect(textOf(await box.call("Bash", { command: `printf '${bytes}' | iconv -f ${encoding} -t utf-8` }))).toMatch(
      /中文|错误|ошибка/u,
    );
  });

  test("keeps its escape sequences for clients, but not for the model", async () => {
    const box = openToolBox();
    const result = await box.call("Bash", { command: "printf '\\e[31mred'" });
    expect((result.output as BashOutput).stdout).toBe("\u001b[31mred");
    expect(textOf(result)).toBe("red");
  });

  test("is never cut inside a character", () => {
    for (let limit = 100; limit < 140; limit += 1) {
      const output = new OutputCollector({ memory: limit, file: 1e6, total: 1e9 }, () => "/nowhere/at/all");
      for (let round = 0; round < 100; round += 1) output.push("stdout", Buffer.from("€𝒳ä"));
      expect(renderOutput(output, limit).stdout).not.toContain("\ufffd");
    }
  });

  test("with very many states of a progress bar is shortened in linear time", () => {
    const start = process.cpuUsage();
    expect(textForModel(`${"\r".repeat(200_000)}${"\rab".repeat(200_000)}${" ".repeat(200_000)}`)).toMatch(
      /^ab\n\[… 199999 earlier states of this line, overwritten by \\r, left out …\]$/,
    );
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1_000).toBeLessThan(4_000);
  });

  test("loses blank lines at its start and end, but keeps its indentation", () => {
    expect(textForModel("\n \n  indented\nend \n\n")).toBe("  indented\nend");
  });
});

test("progress texts keep the carriage returns of a progress bar, but no escape sequences", async () => {
  const [first] = await progressOf(openToolBox(), "printf '1%%\\r\\033[K2%%\\r'");
  expect(first?.text).toBe("1%\r2%\r");
});
