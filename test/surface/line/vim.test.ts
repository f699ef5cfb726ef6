import { describe, expect, test } from "vitest";
import { Grid } from "./grid.ts";
import { echo, start } from "./talk.ts";
import { typed, typing } from "./vim-typed.ts";

describe("Vim's keys act as in Vim 9", () => {
  test.each([
    ["|foo bar(baz)", "w", "foo |bar(baz)"],
    ["|foo bar(baz)", "3w", "foo bar(|baz)"],
    ["|foo bar(baz) x", "2W", "foo bar(baz) |x"],
    ["|foo bar", "e", "fo|o bar"],
    ["foo ba|r", "b", "foo |bar"],
    ["foo bar|", "ge", "fo|o bar"],
    ["a\n\n|b", "b", "a\n|\nb"],
    ["  foo b|ar", "^", "  |foo bar"],
    ["  foo b|ar", "0", "|  foo bar"],
    ["|foo bar", "$", "foo ba|r"],
    ["a\n  b\n|c", "gg", "|a\n  b\nc"],
    ["a\n  b\n|c", "2G", "a\n  |b\nc"],
    ["|a\n  b\nc", "G", "a\n  b\n|c"],
    ["|a-b-c", "f-;", "a-b|-c"],
    ["|a-b-c", "2f-,", "a|-b-c"],
    ["|ab-c", "t-", "a|b-c"],
    ["x (a [b] |c)", "%", "x |(a [b] c)"],
    ["|foo bar", "dw", "|bar"],
    ["|foo\nbar", "dw", "|\nbar"],
    ["|foo bar baz", "d2w", "|baz"],
    ["foo |bar", "cwx y^[", "foo x |y"],
    ["foo |b bar", "cwx^[", "foo |x bar"],
    ["foo |bar baz", "D", "foo| "],
    ["a\n|b\nc", "dd", "a\n|c"],
    ["a\n|b", "dd", "|a"],
    ["a\n|b", "3dd", "a\n|b"],
    ["|a\nb\nc", "dj", "|c"],
    ["a\n|b", "dj", "a\n|b"],
    ["|a\nb", "yyjp", "a\nb\n|a"],
    ["|a\nb", "ddp", "b\n|a"],
    ["|ab", "xp", "b|a"],
    ["|ab", "x3P", "aa|ab"],
    ["say 'a |b' now", "ci'x^[", "say '|x' now"],
    ["|foo bar baz", "d3iw", "| baz"],
    ["|foo bar baz qux", "2daw", "|baz qux"],
    ["foo |bar baz", "d2aw", "fo|o"],
    ["f(a, (b, |c))", "2di(", "f(|)"],
    ["f(a, (b, |c))", "d2a(", "|f"],
    ["f(a, (b, |c))", "3di(", "f(a, (b, |c))"],
    ["a\n  |bar", "daw", "a\n | "],
    ["say |'a b' now", "da'", "say |now"],
    ["f(a, (b|), c)", "di(", "f(a, (|), c)"],
    ["f(a, |b)", "cibx^[", "f(|x)"],
    ["a [x {y: |1}]", "da{", "a [x |]"],
    ["foo b|ar baz", "daw", "foo |baz"],
    ["foo b|ar", "daw", "fo|o"],
    ["|foo", "rx", "|xoo"],
    ["|foo", "5rx", "|foo"],
    ["|fOo", "3~", "Fo|O"],
    ["|a\n  b", "J", "a| b"],
    ["|a\nb", ">>", "  |a\nb"],
    ["    |a", "<<", "  |a"],
    ["|foo bar", "cwx^[w.", "x |x"],
    ["|a", "oyes^[", "a\nye|s"],
    ["|a", "Oyes^[", "ye|s\na"],
    ["|a", "A!^[2.", "a!!|!"],
    ["|ab", "3ix^[", "xx|xab"],
    ["|abcdef", "x2.", "|def"],
    ["|foo bar", "dwu", "|foo bar"],
    ["|日本 語", "x", "|本 語"],
    ["a 日|本", "diw", "a| "],
    ["|foo", "2dx", "|foo"],
    ["a\n\nb\n|c", "{", "a\n|\nb\nc"],
    ["|a\nb\n\nc", "}", "a\nb\n|\nc"],
    ["|a\nb\n\nc", "d}", "|\nc"],
    ["|a\n  b", "+", "a\n  |b"],
    ["a\n  b\n|c", "-", "a\n  |b\nc"],
    ["a\n  |b c\nd", "d_", "a\n|d"],
    ["|ab\nc", "3$", "ab\n|c"],
    ["a|b", "3D", "a|b"],
    ["|ab\ncd", "2D", "|"],
    ["|ab", "cb^[", "|ab"],
    ["a|b\n\nc", "jj", "ab\n\n|c"],
    ["abc|d\na\nabcd", "jj", "abcd\na\nabc|d"],
    ["a|bc\nabcde", "$j", "abc\nabcd|e"],
    ["a\n|b\n\nc", "dip", "|\nc"],
    ["a\n|b\n\nc", "dap", "|c"],
    ["a\n\n|c", "dap", "|a"],
    ["{\n  |a\n}", "ci{x^[", "{\n|x\n}"],
    ["{\n  |a\n}", "di{", "{\n|}"],
    ["f(|a\n)", "di(", "f|(\n)"],
    ["|a (b)", "ci(x^[", "a (|x)"],
    ["|a\n\n(b)", "di(", "a\n\n(|)"],
    ["|a) (b)", "di(", "|a) (b)"],
    ["|", "ciwx^[", "|x"],
    ["a\n|\nb", "ciwx^[", "a\n|x\nb"],
    ["a\n|\n\n  b", "dw", "a\n|\n  b"],
    ["|foo\n  \n\n  b", "dw", "|\n  \n\n  b"],
    ["|a\n  b", "jyykp", "a\n  |b\n  b"],
    ["a\n  |b", "yyggP", "  |b\na\n  b"],
    ["|ab\ncd", "vjywP", "ab\n|ab\nccd"],
    ["a|b", "ddddp", "\n|ab"],
    ["|  ", "d^", "| "],
    ["a|b\n\ncd", "vjjd", "|a"],
    ["a|bc\nd\nefg", "l2kjjx", "abc\nd\ne|f"],
    ["foo |bar baz", "gUw", "foo |BAR baz"],
    ["|foo bar", "gUww.", "FOO |BAR"],
    ["|ABC abc", "gUww.", "ABC |ABC"],
    ["|aa\nba", "raj.", "aa\n|aa"],
    ["foo b|ar", "gUiw", "foo |BAR"],
    ["  F|oO\nBar", "guu", "  |foo\nBar"],
    ["Fo|o\nBar\nBaz", "2g~~", "fO|O\nbAR\nBaz"],
    ["|Foo\nBar", "gugu", "|foo\nBar"],
    ["|foo\nbar", "gUj", "|FOO\nBAR"],
    ["|foo bar", "g~$u", "|foo bar"],
  ])("%j %s", (text, keys, expected) => {
    expect(typed(text, keys)).toBe(expected);
  });

  test.each([
    ["|foo bar", "cwx y^[u", "|foo bar"],
    ["foo b|ar", "A one two three^[u", "foo ba|r"],
    ["|foo", "3iab^[u", "|foo"],
    ["|foo", "oone^[u", "|foo"],
    ["|a b c", "cwx y^[w.u", "x y |b c"],
    ["|a\nb\nc", "3Ju", "|a\nb\nc"],
    ["|ab", "ione‹left›two^[u", "on|eab"],
    ["|a b", "dwu^R", "|b"],
    ["|a b c", "dwdwuu2^R", "|c"],
    ["|a b", "cwx y^[u^R", "|x y b"],
    ["|a b", "dwux^R", "| b"],
  ])("u takes a whole change back, and Ctrl+R makes it again: %j %s", (text, keys, expected) => {
    expect(typed(text, keys)).toBe(expected);
  });

  test("an operator for letters leaves the register alone", () => {
    expect(typed("|foo bar", "ywgUiwP")).toBe("foo| FOO bar");
  });

  test("a paste ends a half-typed command, and what it replaced can be selected again", () => {
    const pasted = (text: string, keys: string, next: string): string => {
      const { type, take, shown } = typing(text);
      type(keys);
      take({ type: "paste", text: "XY" });
      type(next);
      return shown();
    };
    expect(pasted("ab|c", "d", "h")).toBe("abc|XY");
    expect(pasted("|foo bar", "ve", "gvd")).toBe("|bar");
    expect(pasted("|foo bar", "vly$v", "gvd")).toBe("foo ba|Y");
  });

  test("a configured escape sequence ends the insert mode and is not inserted", () => {
    expect(typed("|", "iabjj", ["jj"])).toBe("a|b");
    expect(typed("|", "iajbj", ["jj"])).toBe("ajbj|");
    expect(typed("|", "iajjx", ["jj"])).toBe("|");
  });
});

describe("Vim mode at the prompt", () => {
  const vim = { escapes: [], isHidden: () => false };
  const escapeSequences = new RegExp(String.raw`\x1b\[[\x30-\x3f]*[\x40-\x7e]`, "gu");
  const lastRow = (raw: string): string => raw.replace(escapeSequences, "").split("\n").at(-1)!.replace(/\r.*/su, "");

  test("shows the normal mode after Esc, and sends with Enter", async () => {
    const { type, press, raw, engine } = start(echo, { vim });
    await type("fix thes");
    await type("\x1b");
    expect(lastRow(raw())).toContain("-- NORMAL --");
    await type("2");
    // Below the prompt's text, as the rows of a status line are.
    expect(lastRow(raw())).toBe("  -- NORMAL -- 2");
    await type("x");
    await press("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["fix thes".slice(0, -1)]);
    await type("iis typed");
    expect(lastRow(raw())).toContain("-- INSERT --");
  });

  test("takes Esc with a key right after it as Esc and a command, not as Alt", async () => {
    const { type, press, pause, engine } = start(echo, { vim });
    await type("one two");
    await press("\x1bbiX");
    await press("\x1bA!");
    // The beginning of what terminals send, too.
    await press("\x1bO");
    await pause(100);
    await press("new\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["new\none Xtwo!"]);
    await type("again");
    await type("\x1b");
    await press("b");
    await press("iY");
    await press("\x1b\r");
    await type("\x1b");
    await type("\r");
    expect(engine.prompts.at(-1)).toMatchObject({ prompt: expect.stringMatching(/^Y\nagain$/u) as string });
  });

  test("interrupts with Esc while nothing is typed, and recalls prompts with k", async () => {
    const { type, engine, pause } = start(
      async function* (each) {
        while (each.causes.length === 0) await pause(10);
        yield* [];
      },
      { vim },
    );
    await type("go\r");
    await type("\x1b");
    expect(engine.causes).toHaveLength(1);
    await type("\x1b");
    await type("kA on\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go", "go on"]);
  });

  test("shows the cursor on the last character of a recalled prompt, and puts a paste behind it", async () => {
    const { type, raw, engine } = start(echo, { vim });
    await type("abc\r");
    await type("\x1b");
    await type("k");
    const grid = new Grid(80, 24);
    grid.write(raw().replaceAll(new RegExp(String.raw`\x1b\[\?\d+[hl]`, "gu"), ""));
    expect(grid.text[grid.row]).toBe("> abc");
    expect(grid.column).toBe("> ab".length);
    await type("\x1b[200~ and d\x1b[201~");
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["abc", "abc and d"]);
  });

  test("takes a key soon after Esc as a command, not as Alt", async () => {
    const { type, press, pause, engine } = start(echo, { vim });
    await type("one two");
    await press("\x1b");
    await pause(150);
    await press("F");
    await press("ox");
    await press("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["ne two"]);
  });

  test("redoes with Ctrl+R in normal mode, and searches with it where there is nothing to redo", async () => {
    const { type, raw, engine } = start(echo, { vim });
    await type("before\r");
    await type("one two");
    await type("\x1b");
    await type("dbu");
    await type("\x12");
    expect(lastRow(raw())).toContain("-- NORMAL --");
    await type("Aend\r");
    await type("\x1b");
    await type("\x12");
    expect(raw()).toContain("(reverse-i-search)");
    await type("bef\r");
    await type("one\x1bxui\x12one\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["before", "one oend", "before", "one oend"]);
  });

  test("keeps the tab of an unmarked paste", async () => {
    const { press, engine } = start(echo, { vim });
    await press("one\ttwo\x1b[D");
    await press("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one\ttwo"]);
  });
});
