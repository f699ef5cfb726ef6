import { expect, test } from "vitest";
import { commandWords } from "../../src/lib/command-words.ts";

test.each([
  ["vim", ["vim"]],
  ["  code  --wait ", ["code", "--wait"]],
  [`emacsclient -t -a ''`, ["emacsclient", "-t", "-a", ""]],
  [`"/a b/ed" -x='1 2'`, ["/a b/ed", "-x=1 2"]],
  [String.raw`/a\ b/ed "say \"it\" \n"`, ["/a b/ed", String.raw`say "it" \n`]],
  // Nothing is filled in, or run; a quote that is not closed is a character.
  ["$HOME/ed `x` $(y) 'z", ["$HOME/ed", "`x`", "$(y)", "'z"]],
  ["", []],
  [" \n", []],
])("splits %j into words", (text, words) => {
  expect(commandWords(text)).toEqual(words);
});
