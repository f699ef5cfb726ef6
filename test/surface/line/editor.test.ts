import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Editor, type Edit } from "../../../src/surface/line/editor.ts";
import { PromptHistory } from "../../../src/surface/line/history.ts";
import type { Action } from "../../../src/surface/line/bindings.ts";
import type { Key } from "../../../src/surface/line/keys.ts";
import { HistorySearch } from "../../../src/surface/line/search.ts";
import { characters } from "./characters.ts";

/** The text with the cursor as a `|`, after these edits. */
function edited(from: string, ...edits: Edit[]): string {
  const editor = at(from);
  for (const edit of edits) editor.do(edit);
  return shown(editor);
}

function at(from: string): Editor {
  const editor = new Editor();
  editor.set(from.replace("|", ""), from.indexOf("|"));
  return editor;
}

function shown({ text, cursor }: { text: string; cursor: number }): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

describe("Editor", () => {
  test.each<[string, Edit[], string]>([
    ["one\ntwo| three\nfour", ["lineStart"], "one\n|two three\nfour"],
    ["one\ntwo| three\nfour", ["lineEnd"], "one\ntwo three|\nfour"],
    ["one two.three|", ["wordLeft"], "one two.|three"],
    ["one |two.three", ["wordRight"], "one two|.three"],
    ["one two.three|", ["killBlankLeft"], "one |"],
    ["one two.three|", ["killWordLeft"], "one two.|"],
    ["日本 語|", ["killWordLeft", "killWordLeft"], "|"],
    ["|one two", ["killWordRight"], "| two"],
    ["one\ntwo| three\nfour", ["killLineEnd"], "one\ntwo|\nfour"],
    ["one\ntwo|\nfour", ["killLineEnd"], "one\ntwo|four"],
    ["one\ntwo| three\nfour", ["killLineStart"], "one\n| three\nfour"],
    ["one\n|two", ["killLineStart"], "one|two"],
    ["one two| three", ["killBlankLeft", "killLineEnd", "yank"], "one two three|"],
    ["one two|", ["killBlankLeft", "left", "killBlankLeft", "yank", "yankOlder"], "two| "],
    ["ab|", ["eraseLeft", "undo"], "ab|"],
    ["one two|", ["killBlankLeft", "killBlankLeft", "undo", "undo"], "one two|"],
    ["👩‍👩‍👧x|", ["left", "eraseLeft"], "|x"],
    ["|🇩🇪🇫🇷", ["right", "eraseRight"], "🇩🇪|"],
    ["e\u0301|", ["eraseLeft"], "|"],
    ["|", ["left", "right", "eraseLeft", "killLineEnd", "killLineStart", "yank", "yankOlder", "undo"], "|"],
  ])("%j: %j", (from, edits, want) => {
    expect(edited(from, ...edits)).toBe(want);
  });

  test("undoes typed words one by one", () => {
    const editor = new Editor();
    for (const character of "one two  three") editor.insert(character);
    const seen = Array.from({ length: 4 }, () => {
      editor.do("undo");
      return editor.text;
    });
    expect(seen).toEqual(["one two", "one", "", ""]);
  });

  test("keeps the cursor at character boundaries, and can undo everything", () => {
    const edits = fc.constantFrom<Edit>(
      ...(["left", "right", "wordLeft", "wordRight", "lineStart", "lineEnd", "eraseLeft", "eraseRight"] as const),
      ...(["killWordLeft", "killBlankLeft", "killWordRight", "killLineStart", "killLineEnd"] as const),
      ...(["yank", "yankOlder", "undo"] as const),
    );
    const typed = fc.constantFrom(" ", "\n", ...characters.map(([character]) => character));
    const step = fc.oneof(edits, typed, fc.constantFrom("up" as const, "down" as const));
    const known: ReadonlySet<string> = new Set(["up", "down"]);
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
        const editor = new Editor();
        for (const each of steps) {
          if (known.has(each)) editor.moveLine(each as "up" | "down");
          else if (/^[a-zA-Z]{2,}$/u.test(each)) editor.do(each as Edit);
          else editor.insert(each);
          expect(editor.cursor).toBeGreaterThanOrEqual(0);
          expect(editor.cursor).toBeLessThanOrEqual(editor.text.length);
          expect(shown(editor)).not.toMatch(/[\ud800-\udbff]\|/u);
        }
        for (let tries = 0; tries <= steps.length; tries += 1) editor.do("undo");
        expect(editor.text).toBe("");
      }),
    );
  });

  test("moves between lines and keeps the column", () => {
    const editor = at("first line\n日本\nthird li|ne");
    expect([editor.moveLine("up"), shown(editor)]).toEqual([true, "first line\n日本|\nthird line"]);
    expect([editor.moveLine("up"), shown(editor)]).toEqual([true, "first li|ne\n日本\nthird line"]);
    expect([editor.moveLine("up"), shown(editor)]).toEqual([false, "first li|ne\n日本\nthird line"]);
    editor.do("lineStart");
    for (const line of [2, 3]) expect([line, editor.moveLine("down")]).toEqual([line, true]);
    expect(editor.moveLine("down")).toBe(false);
    expect(shown(editor)).toBe("first line\n日本\n|third line");
  });
});

function sent(...prompts: string[]): PromptHistory {
  const history = new PromptHistory();
  for (const prompt of prompts) history.add(prompt);
  return history;
}

const draft = (text: string): { text: string; cursor: number } => ({ text, cursor: text.length });

describe("PromptHistory and HistorySearch", () => {
  test("returns sent prompts from the newest on, each once, and finally the draft", () => {
    const history = sent("one", "two", "one", " ");
    expect(history.older({ text: "dra", cursor: 1 })).toEqual(draft("one"));
    expect(history.older(draft("one"))).toEqual(draft("two"));
    expect(history.older(draft("two"))).toBeUndefined();
    expect(history.newer(draft("two"))).toEqual(draft("one"));
    expect(history.newer(draft("one"))).toEqual({ text: "dra", cursor: 1 });
    expect(history.newer(draft("dra"))).toBeUndefined();
  });

  test("keeps the changes of an edited earlier prompt", () => {
    const history = sent("one", "two");
    history.older(draft(""));
    history.older(draft("two, changed"));
    history.newer(draft("one"));
    expect(history.newer(draft("two"))).toEqual(draft("two, changed"));
  });

  test("searches while words are typed, and finds older and newer matches", () => {
    const search = new HistorySearch(sent("fix the Parser", "fix the shed", "paint it"), "");
    search.type("f");
    search.type("ix");
    expect([search.prompt, shown(search.foundPrompt)]).toEqual(["(reverse-i-search)`fix': ", "|fix the shed"]);
    search.next("older");
    expect(shown(search.foundPrompt)).toBe("|fix the Parser");
    const onward = new HistorySearch(sent("fix the Parser", "fix the shed"), "");
    onward.type("fix");
    onward.next("older");
    onward.type(" the");
    expect(onward.foundPrompt.text).toBe("fix the Parser");
    search.next("older");
    expect([search.prompt, search.foundPrompt.text]).toEqual(["(failed reverse-i-search)`fix': ", "fix the Parser"]);
    search.next("newer");
    expect(search.foundPrompt.text).toBe("fix the shed");
    const ctrl = { type: "press", name: "z", ctrl: true } as unknown as Key;
    const actions = ["suspend", "clearScreen", "left", undefined, "giveUp", "interrupt"] as const;
    expect(actions.map((action) => search.press(ctrl, action as Action | undefined))).toEqual([
      "passed",
      "passed",
      "taken",
      "taken",
      "givenUp",
      "givenUp",
    ]);
    for (const word of [" the p", "x"]) search.type(word);
    expect([search.prompt, shown(search.foundPrompt)]).toEqual([
      "(failed reverse-i-search)`fix the px': ",
      "|fix the Parser",
    ]);
  });

  test("searches case-sensitively for capitals, and repeats the previous search", () => {
    const history = sent("Read", "reader");
    const search = new HistorySearch(history, "");
    search.type("R");
    expect(search.foundPrompt.text).toBe("Read");
    search.erase();
    expect([search.prompt, search.foundPrompt.text]).toEqual(["(reverse-i-search)`': ", ""]);
    const again = new HistorySearch(history, search.words);
    again.next("older");
    expect(again.foundPrompt.text).toBe("");
    const third = new HistorySearch(history, "read");
    third.next("older");
    expect([third.prompt, third.foundPrompt.text]).toEqual(["(reverse-i-search)`read': ", "reader"]);
  });
});
