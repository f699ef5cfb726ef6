import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { reveal } from "../../src/lib/sanitize.ts";
import { visibleWord } from "../../src/lib/shell-quote.ts";

test.each([
  "plain",
  "ünï (1)",
  "it's",
  "9.41\u202fAM",
  "a\u00a0b\u200bc",
  "'\u00a0\\'",
  "$x `y` !z\u00a0",
  "two\nlines\tof\u001btext",
  `far${" ".repeat(20)}apart`,
  "tag\u{e0041}\u{1f600}",
  "9\u00a09",
])("visibleWord shows every character of a word, and bash reads the word back unchanged: %j", (text) => {
  const word = visibleWord(text);
  expect(reveal(word)).toBe(word);
  // Seen: as in a container, where no language is set, a character that is spelled by its number stayed spelled.
  for (const locale of ["C.UTF-8", "C"]) {
    const read = execFileSync("bash", ["-c", `printf %s ${word}`], { env: { ...process.env, LC_ALL: locale } });
    expect(read.toString()).toBe(text);
  }
});
