import fc from "fast-check";
import { expect, test } from "vitest";
import { stripControls } from "../../../src/lib/sanitize.ts";
import { Markdown, renderMarkdown } from "../../../src/surface/line/markdown/markdown.ts";
import { clusters, displayWidth } from "../../../src/surface/line/width.ts";
import { plainStyle, styleFor } from "../../../src/surface/show/style.ts";
import { blockEvent, delta, failure, success, system } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { start } from "./talk.ts";

const style = styleFor(true, {});
const rows = (text: string, columns = 20): string[] => renderMarkdown(text, style, columns).split("\n");

test.each([
  ["words continue in the next row", "The total is rounded to cents once.", ["The total is rounded", "to cents once."]],
  ["a list item continues below its text", "- one two three four five six", ["- one two three four", "  five six"]],
  ["a numbered item continues below its text", "  10. one two three four", ["  10. one two three", "      four"]],
  ["an indented line continues below its beginning", "   one two three four", ["   one two three", "   four"]],
  ["a quote continues after its mark", "> one two three four five", ["> one two three four", "> five"]],
  ["and behind those of a quote in a quote", "> > one two three four", ["> > one two three", "> > four"]],
  ["below the text of an item in a quote", "> - one two three four", ["> - one two three", ">   four"]],
  ["a sign in an item marks no quote", "- > one two three four", ["- > one two three", "  four"]],
  [
    "an address is not broken, and what follows stays on its row",
    "see https://example.com/a/long/one and on",
    ["see", "https://example.com/a/long/one and on"],
  ],
  ["a row that is just full is one row", "one two three fourxy\nfive", ["one two three fourxy", "five"]],
  [
    "scripts without blanks are parted anywhere, but not before a full stop",
    "一二三四五六七八九十。一",
    ["一二三四五六七八九", "十。一"],
  ],
  ["a fence's lines stay as they are", "```\nlet total = sum + sum + sum;\n```", undefined],
] as const)("%s", (_, text, want) => {
  expect(rows(text).map(stripControls)).toEqual(want ?? text.split("\n"));
});

test("a colour ends with its row and starts again in the next", () => {
  expect(rows("a **bold one that is long** b")).toEqual(["a \x1b[1mbold one that is\x1b[22m", "\x1b[1mlong\x1b[22m b"]);
});

test("text without colours is not wrapped", () => {
  const text = "The total is rounded to cents once, at the end.";
  expect(renderMarkdown(text, plainStyle, 20)).toBe(text);
});

test("blanks after a row that other output ended do not begin the next row", () => {
  const stream = new Markdown(style, () => 20);
  expect(stream.push("one two ")).toBe("one two");
  stream.rowEnded();
  expect(stream.push("  three ")).toBe("three");
  expect(stream.push("four\n  five ")).toBe(" four\n  five");
});

test("a quote whose row other output ended continues behind its mark", () => {
  const stream = new Markdown(style, () => 20);
  expect(stream.push("> one two ")).toBe("> one two");
  stream.rowEnded();
  expect(stream.push("three four five six ")).toBe("> three four five\n> six");
});

test("a list item whose row other output ended continues below its text", () => {
  const stream = new Markdown(style, () => 20);
  expect(stream.push("- one two ")).toBe("- one two");
  stream.rowEnded();
  expect(stream.push("three four five six ")).toBe("  three four five\n  six");
  stream.rowEnded();
  expect(stream.push("\n- 一二")).toBe("\n- 一");
  stream.rowEnded();
  expect(stream.push("三四\n  10. ")).toBe("  二三四\n  10.");
  stream.rowEnded();
  expect(stream.push("one two three four\nlast ")).toBe("      one two three\n      four\nlast");
});

const word = fc.constantFrom(
  "a",
  "bc",
  "word",
  "**bold",
  "on**",
  "`code",
  "it`",
  "日本語",
  "👩‍👩‍👧",
  "e\u0301",
  "-",
  "1.",
  ">",
  "longer-than-a-row",
);
const lines = fc.array(fc.array(word, { maxLength: 12, size: "max" }), { maxLength: 4 });

test("wrapping loses no text, splits no word, and exceeds no row, however the text is split", () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 10, max: 40 }), fc.array(fc.nat()), (given, columns, cuts) => {
      const text = given.map((words) => words.join(" ")).join("\n");
      const stream = new Markdown(style, () => columns);
      // A character of several parts comes whole: see delta-text.ts.
      const characters = clusters(text);
      const places = [...new Set(cuts.map((cut) => cut % (characters.length + 1)))].toSorted((a, b) => a - b);
      const pieces = [...places, characters.length].map((to, at) => characters.slice(places[at - 1] ?? 0, to).join(""));
      const shown = pieces.map((piece) => stream.push(piece)).join("") + stream.end();
      expect(shown).toBe(renderMarkdown(text, style, columns));
      const unwrapped = renderMarkdown(text, style, 10_000);
      // The further rows of a quote repeat its marks.
      const bare = (all: string): string => stripControls(all).replaceAll(/[\s>]/gu, "");
      expect(bare(shown)).toBe(bare(unwrapped));
      // A row may be too long if one of its words is, behind the marks of its quotes and its indent.
      for (const row of stripControls(shown).split("\n"))
        if (displayWidth(row) > columns) {
          const begin = displayWidth(/^[\s>]*/u.exec(row)?.[0] ?? "");
          const widest = Math.max(...row.split(" ").map(displayWidth));
          expect(begin + widest).toBeGreaterThan(columns);
        }
      const whole = stripControls(unwrapped)
        .split(/\s/u)
        .filter((each) => /^[\w.-]+$/u.test(each));
      expect(stripControls(shown).split(/\s/u)).toEqual(expect.arrayContaining(whole));
    }),
    { numRuns: 2_000 },
  );
});

test("a word is not split by typing, and continues in a row of its own", async () => {
  const proceed: (() => void)[] = [];
  const wait = (): Promise<void> => new Promise((resolve) => void proceed.push(resolve));
  const talk = start(
    async function* () {
      yield blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
      yield delta(`${"word ".repeat(14)}one twen`);
      await wait();
      yield delta(`ty ${"more ".repeat(14)}last\n`);
      yield success("x");
    },
    { env: {} },
  );
  await talk.type("go\r");
  await talk.press("x");
  proceed.pop()?.();
  await settled(4);
  await talk.press("\x7f");
  expect(talk.text()).toContain(`one\n+ x`);
  expect(talk.text()).toContain(`twenty ${"more ".repeat(14)}\nlast\n`.replace(" \n", "\n"));
});

test("notices and failures are wrapped between words", async () => {
  const failed = Array.from({ length: 20 }, () => "failed").join(" ");
  const talk = start(() => [
    system({ subtype: "informational", content: "noted ".repeat(20), level: "warning" }),
    failure("error_during_execution", "model_error", [failed]),
  ]);
  await talk.type("go\r");
  expect(talk.text()).toContain(`${"noted ".repeat(13).trim()}\n${"noted ".repeat(7).trim()}\n`);
  expect(talk.text()).toContain(`${"failed ".repeat(11).trim()}\n${"failed ".repeat(9).trim()}\n`);
});

test("the row with the cost of a turn is wrapped between words", async () => {
  const talk = start(() => [success("x")], { env: {} });
  talk.output.columns = 20;
  await talk.type("go\r");
  expect(talk.text()).toContain("(1 turn, $0.0123 so\nfar)\n");
});

// Seen: the terminal broke the word, which would have fitted in a row of its own.
test("the first word of a list item goes below its marker if it fits only there", () => {
  const shown = (text: string, columns: number): string => renderMarkdown(text, style, columns);
  expect(shown("> > 1. longer-than-a-row", 23)).toBe("> > 1.\n> > longer-than-a-row");
  expect(shown("- longer-than-a-row again", 18)).toBe("-\nlonger-than-a-row\nagain");
  expect(shown("- longer-than-a-row", 12)).toBe("- longer-than-a-row");
});
