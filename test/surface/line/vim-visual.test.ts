import { describe, expect, test } from "vitest";
import { echo, start } from "./talk.ts";
import { typed, typing } from "./vim-typed.ts";

describe("Vim's visual mode acts as in Vim 9", () => {
  test.each([
    ["|foo bar", "ved", "| bar"],
    ["foo |bar", "vbd", "|ar"],
    ["|foo bar baz", "v2wd", "|az"],
    ["|foo bar", "vfad", "|r"],
    ["a|bc\ndef", "v$d", "a|def"],
    ["a|bc\ndef", "vjd", "a|f"],
    ["abc|d\na\nabcd", "vjjd", "ab|c"],
    ["a|bc\nabcde\nf", "v$jd", "a|f"],
    ["a|bcd", "vlohd", "|d"],
    ["a|bcd\ne", "vlVd", "|e"],
    ["a\n|b\nc", "Vjd", "|a"],
    ["|a\nb\nc", "VGkd", "|c"],
    ["a|b\nc", "Vvd", "|a\nc"],
    ["a|b\nc", "vvx", "|a\nc"],
    ["foo b|ar baz", "viwd", "foo | baz"],
    ["foo b|ar baz", "vawd", "foo |baz"],
    ["foo b|ar baz", "viwiwd", "foo |baz"],
    ["foo baz b|ar", "vhiwd", "foo baz|r"],
    ["say 'a |b' c", "vi'd", "say '|' c"],
    ["f(a, (|b))", "vi(d", "f(a, (|))"],
    ["f(a, (|b))", "vi(a(a(d", "|f"],
    ["a\nb|b\n\nc", "vipd", "|\nc"],
    ["a\nb|b\n\nc", "vipipd", "|c"],
    ["|foo bar", "vecx y^[", "x |y bar"],
    ["a\n|b\nc", "Vcx^[", "a\n|x\nc"],
    ["a\nb|b\nc", "vCx^[", "a\n|x\nc"],
    ["a\nb|b\nc", "vSx^[", "a\n|x\nc"],
    ["f|oo\nb", "vD", "|b"],
    ["f|oo\nb", "vYjp", "foo\nb\n|foo"],
    ["|foo bar", "veywP", "foo fo|obar"],
    ["a\nb|b", "Vkyp", "a\n|a\nbb\nbb"],
    ["a|b\ncd", "vjrx", "a|x\nxx"],
    ["f|oO b", "ve~", "f|Oo b"],
    ["f|oO b", "veU", "f|OO b"],
    ["f|oO b", "veu", "f|oo b"],
    ["|a\nb\nc\nd", "VjjJ", "a b| c\nd"],
    ["|a\nb", "vJ", "a| b"],
    ["|a\nb\nc", "Vj2>", "    |a\n    b\nc"],
    ["    |a", "v<", "  |a"],
    ["|foo bar", "yiwwviwp", "foo fo|o"],
    ["|foo bar baz", "yiwwviwpwviwp", "foo foo ba|r"],
    ["|foo bar baz", "yiwwviwPwviwP", "foo foo fo|o"],
    ["|foo bar", "yiwwviw3p", "foo foofoofo|o"],
    ["|foo\nbar", "yiwjVp", "foo\n|foo"],
    ["fo|o\nbar", "yyjlvp", "foo\nba\n|foo\n"],
    ["|foo bar baz", "viwd.", "|r baz"],
    ["|a b c", "viwcx^[w.w.", "x x |x"],
    ["|a\nb\nc\nd", "Vjd.", "|"],
    ["|ab\nab\nab", "vlUj0.", "AB\n|AB\nab"],
    ["|foo bar", "vecx^[u", "|foo bar"],
    ["|foo bar", "v^[x", "|oo bar"],
    ["fo|o\nbar", "v$^[x", "f|o\nbar"],
    ["|日本 語", "vld", "| 語"],
    ["a|b\nc", "Vukp", "|ab\nc"],
    ["|{\n  a\n}", "vi{d", "{\n|}"],
    ["|ab c", "v‹right›d", "| c"],
    ["a|b\nc", "v‹down›‹up›‹end›d", "a|c"],
    ["f|oO b", "veg~", "f|Oo b"],
    ["f|oO b", "vegU", "f|OO b"],
    ["|foo bar", "vey$gvd", "| bar"],
    ["|a\nb\nc", "Vj>gv>", "    |a\n    b\nc"],
    ["|foo bar", "viw^[wviwgvd", "| bar"],
    ["|foo bar", "viw^[wviwgvgvd", "foo| "],
    ["|foo bar", "gvx", "|oo bar"],
  ])("%j %s", (text, keys, expected) => {
    expect(typed(text, keys)).toBe(expected);
  });

  test("a change of the text from elsewhere ends it", () => {
    const { editor, vim, type } = typing("|foo");
    type("vl");
    editor.set("other");
    expect(vim.mode).toBe("NORMAL");
    type("x");
    expect(editor.text).toBe("othe");
  });

  test("an undo takes back a paste over a selection at once", () => {
    const { type, take, shown } = typing("foo |bar baz");
    type("viw");
    take({ type: "paste", text: "x y" });
    expect(shown()).toBe("foo x y| baz");
    type("u");
    expect(shown()).toBe("foo |bar baz");
  });

  test("u makes small letters, and the dot repeats that", () => {
    expect(typed("|AB CD", "viwuw.")).toBe("ab |cd");
  });
});

describe("Vim's visual mode at the prompt", () => {
  const vim = { escapes: [], isHidden: () => false };
  const selected = (raw: string): string[] =>
    Array.from(raw.matchAll(new RegExp(String.raw`\x1b\[7m(.*?)\x1b\[27m`, "gsu")), ([, text = ""]) => text);

  test("shows what is selected, in several rows, and its mode", async () => {
    const { type, raw } = start(echo, { vim });
    await type("\x1b[200~one 日本\ntwo\x1b[201~");
    await type("\x1b");
    await type("gg");
    expect(selected(raw())).toEqual([]);
    await type("wv");
    expect(selected(raw())).toEqual(["日"]);
    expect(raw()).toContain("-- VISUAL --");
    await type("j");
    expect(selected(raw()).slice(1)).toEqual(["日本 ", "two"]);
    await type("V");
    expect(selected(raw()).slice(3)).toEqual(["one 日本 ", "two"]);
    expect(raw()).toContain("-- VISUAL LINE --");
    const before = raw().length;
    await type("\x1b");
    expect(selected(raw().slice(before))).toEqual([]);
    expect(raw().slice(before)).toContain("-- NORMAL --");
  });

  test("sends with Enter what is at the prompt, without the marks of the selection", async () => {
    const { type, raw, engine } = start(echo, { vim });
    await type("one two");
    await type("\x1b");
    await type("vb");
    const before = raw().length;
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one two"]);
    expect(selected(raw().slice(before))).toEqual([]);
  });

  test("Esc leaves it and does not interrupt the answer", async () => {
    const { type, engine, pause } = start(
      async function* (each) {
        while (each.causes.length === 0) await pause(10);
        yield* [];
      },
      { vim },
    );
    await type("go\r");
    await type("next");
    await type("\x1b");
    await type("v\x1b");
    expect(engine.causes).toEqual([]);
    await type("\x1b");
    expect(engine.causes).toHaveLength(1);
  });

  test("is told to a screen reader and not drawn", async () => {
    const { type, raw } = start(echo, { vim, screenReader: "flag" });
    await type("one two");
    await type("\x1b");
    await type("vb");
    expect(raw()).toContain("(visual mode)");
    expect(selected(raw())).toEqual([]);
    await type("V");
    expect(raw()).toContain("(visual line mode)");
  });
});
