// Progress bars in long output: they do not push the lines around them out of what the model sees.
import fc from "fast-check";
import { expect, test } from "vitest";
import { OutputCollector } from "../../src/tools/shell/output.ts";
import { ProgressBarFolder } from "../../src/tools/shell/progress-bar-folder.ts";
import { renderOutput } from "../../src/tools/shell/result.ts";
import { textForModel } from "../../src/tools/shell/text-for-model.ts";
import { openToolBox, textOf } from "./support.ts";

const bar = (states: number, word = "MB"): string =>
  Array.from({ length: states }, (_, at) => `\r\u001b[K[${"█".repeat(at % 30)}] ${at}/${states} ${word}`).join("");
const lines = (count: number, word: string): string =>
  Array.from({ length: count }, (_, at) => `${word} ${at}\n`).join("");

function folded(bytes: Buffer, cuts: readonly number[]): string {
  const folder = new ProgressBarFolder();
  const passed: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    passed.push(folder.push(bytes.subarray(from, cut)));
    from = cut;
  }
  return Buffer.concat([...passed, folder.held]).toString();
}

test("a progress bar of 200 KB leaves all lines before and after it to the model", async () => {
  const box = openToolBox();
  const draw = String.raw`for (let at = 1; at <= 4000; at += 1) process.stderr.write("\r[" + "#".repeat(at / 100) + "] " + at + " of 4000");`;
  const command = `seq 1 1000 >&2; node -e '${draw}'; echo >&2; seq 1001 2000 >&2`;
  const numbers = (from: number): string => Array.from({ length: 1000 }, (_, at) => from + at).join("\n");
  expect(textOf(await box.call("Bash", { command }))).toBe(
    `${numbers(1)}\n[${"#".repeat(40)}] 4000 of 4000\n[… 3999 earlier states of this line, overwritten by \\r, left out …]\n${numbers(1001)}`,
  );
});

test("a bar that is still being drawn shows its newest state", () => {
  const output = new OutputCollector({ memory: 1000, file: 1e6, total: 1e6 }, () => "/nowhere/at/all");
  for (const part of ["begun\n", ...bar(5000).split(/(?=\r)/u)]) output.push("stdout", Buffer.from(part));
  const { stdout, isCut } = renderOutput(output, 1000);
  expect(isCut).toBe(false);
  expect(textForModel(stdout)).toBe(
    `begun\n[${"█".repeat(4999 % 30)}] 4999/5000 MB\n[… 4999 earlier states of this line, overwritten by \\r, left out …]`,
  );
});

test("a failure whose bar is longer than what a failure may show is shown whole", () => {
  const output = new OutputCollector({ memory: 30_000, file: 1e6, total: 1e6 }, () => "/nowhere/at/all");
  output.push("stderr", Buffer.from(`${lines(50, "compiled")}${bar(400)}\nerror: it failed\n`));
  expect(output.total).toBeGreaterThan(10_000);
  const { stderr, isCut } = renderOutput(output, 10_000);
  expect(isCut).toBe(false);
  expect(stderr).toMatch(
    /^compiled 0\n[^]*compiled 49\n.* 399\/400 MB\n\[… 399 earlier [^\n]*\]\nerror: it failed\n$/u,
  );
});

test("an unfinished last line is there to be judged beside a long other stream", () => {
  const output = new OutputCollector({ memory: 1000, file: 1e6, total: 1e6 }, () => "/nowhere/at/all");
  output.push("stdout", Buffer.from(lines(500, "found")));
  output.push("stderr", Buffer.from("warning: no newline"));
  const { head, dropped, tail } = output.stream("stderr");
  expect([head.toString(), dropped, tail.length]).toEqual(["warning: no newline", 0, 0]);
  output.push("stderr", Buffer.alloc(200, 1));
  expect(renderOutput(output, 1000).stderr).toMatch(/^\[binary output/u);
});

test("what follows a bar on its row stays whole, after the count of the states left out", () => {
  const words = Array.from(
    { length: 400 },
    (_, at) => `日本語 ${at.toString(2).replaceAll("0", "o").replaceAll("1", "l")}`,
  );
  const rest = words.map((word) => `\r${word}`).join("");
  const text = folded(Buffer.from(`begun\n${bar(200)}${rest}`), [3_000, 6_000, 9_001, 12_001, 15_002]);
  expect(text).toMatch(/^begun\n\[… \d+ earlier states [^\n]*\]\n\r[^\n]+$/u);
  expect(
    text.endsWith(
      words
        .slice(-300)
        .map((word) => `\r${word}`)
        .join(""),
    ),
  ).toBe(true);
});

// Seen: 30,000 bytes of such rows became 280 KB.
test("thousands of tiny bars do not reach the model as more than was printed, but for some counts", () => {
  const text = "\r1\r2\r3\r4\n".repeat(3_300);
  const output = new OutputCollector({ memory: 30_000, file: 1e6, total: 1e6 }, () => "/nowhere/at/all");
  output.push("stdout", Buffer.from(text));
  const shown = textForModel(renderOutput(output, 30_000).stdout);
  expect(shown.length).toBeLessThan(text.length + 1_100);
  expect(shown).toMatch(/^4\n\[… 3 earlier states [^\n]*\]\n4\n/u);
  expect(shown.endsWith("4")).toBe(true);
  expect(folded(Buffer.from(text), [10_000]).length).toBe(text.length);
});

test("short lines beside a bar cost as little as others", () => {
  const folder = new ProgressBarFolder();
  const chunk = Buffer.from(`${"a\n".repeat(32_000)}\rb`);
  const start = process.cpuUsage();
  for (let count = 0; count < 300; count += 1) folder.push(chunk);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(2_000);
});

test("the lines of a file that end in \\r are no states of a bar, however many there are", () => {
  const text = Array.from(
    { length: 5000 },
    (_, at) => `row ${"abcdefghij"[at % 10]}${"klmnopqrst"[((at / 10) % 10) | 0]}${at}`,
  );
  const whole = Buffer.from(text.join("\r"));
  expect(folded(whole, [100, 5000])).toBe(whole.toString());
  const numbers = Buffer.from(Array.from({ length: 5000 }, (_, at) => `${at},${at * 2}`).join("\r"));
  expect(folded(numbers, [100, 5000])).toBe(numbers.toString());
  const afterLine = Buffer.from(`head\n${text.join("\r")}`);
  expect(folded(afterLine, [100, 5000])).toBe(afterLine.toString());
});

test("however output is cut into chunks, the model gets what it would get of the whole", () => {
  const piece = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\r", "")),
    fc.constantFrom("\n", "\r\n", "\n\n", "line of text\n", "日本語\n", "\u001b[1mbold\u001b[0m\n"),
    fc.nat(300).map((states) => `\n${bar(states)}\n`),
    fc
      .nat(300)
      .map((states) => `\n${bar(states, "日本語")}`)
      .map((text) => `${text}\r\n`),
    fc.nat(100).map((count) => `\n${lines(count, "one").replaceAll("\n", "\r")}\n`),
    fc.nat(20_000).map((length) => "x".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(), { maxLength: 20 }), (pieces, cuts) => {
      const text = pieces.join("");
      expect(textForModel(folded(Buffer.from(text), cuts))).toBe(textForModel(text));
      if (!text.includes("\r")) expect(folded(Buffer.from(text), cuts)).toBe(text);
    }),
  );
});
