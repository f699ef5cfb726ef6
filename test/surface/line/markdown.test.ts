import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stripControls } from "../../../src/lib/sanitize.ts";
import { Markdown, renderMarkdown } from "../../../src/surface/line/markdown/markdown.ts";
import { displayWidth } from "../../../src/surface/line/width.ts";
import { plainStyle, styleFor } from "../../../src/surface/show/style.ts";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { assistant, blockEvent, delta, failure, success } from "../support/messages.ts";
import { start } from "./talk.ts";
import { byTestDepth } from "../../support/test-depth.ts";

const style = styleFor(true, {});
const colour = new RegExp(String.raw`\x1b\[(\d+)m`, "gu");

/** Colours as tags, to be read. */
function shown(text: string, columns = 80): string {
  const names: Record<string, string> = { 1: "<b>", 2: "<d>", 22: "</>", 3: "<i>", 23: "</i>", 36: "<c>", 39: "</c>" };
  const tags: Record<string, string> = { ...names, 31: "<red>", 32: "<green>" };
  return renderMarkdown(text, style, columns).replaceAll(colour, (_, code: string) => tags[code] ?? `<${code}>`);
}

function inPieces(text: string, cuts: readonly number[], columns = 80, look = style): string {
  const stream = new Markdown(look, () => columns);
  const places = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  const pieces = [...places, text.length].map((to, at) => text.slice(places[at - 1] ?? 0, to));
  return pieces.map((piece) => stream.push(piece)).join("") + stream.end();
}

describe("emphasis and code", () => {
  test.each([
    ["a **bold** word", "a <b>bold</> word"],
    ["an *italic* one, and ***both***", "an <i>italic</i> one, and <b><i>both</i></>"],
    ["`npm test` and ``a `b` c``", "<c>npm test</c> and <c>a `b` c</c>"],
    ["`` `a` ``", "<c>`a`</c>"],
    ["**see `src/a.ts`:**", "<b>see <c>src/a.ts</c>:</>"],
    ["**--verbose**, **.env**", "<b>--verbose</>, <b>.env</>"],
    ["重要**的**事", "重要<b>的</>事"],
    [String.raw`\*plain\* \`plain\` C:\Users`, String.raw`*plain* ${"`plain`"} C:\Users`],
  ])("renders %j", (text, want) => {
    expect(shown(text)).toBe(want);
  });

  test.each([
    "def f(*args, **kwargs): and g(**options)",
    "src/*.ts and test/*.ts, **/*.md and **/x/**",
    "*args, src/*.ts",
    "2*3*4 and a * b * c, 2 ** 3 ** 4",
    "__init__.py, __all__, snake_case_name",
    "https://example.org/a*b*c?q=**x**",
    "an **unclosed one, and `another",
    "* a point\n- another\n1. first",
    "[text](https://example.org/x) and <br>",
    "> said",
    "#!/bin/sh and #5 and #",
    "---",
  ])("changes nothing in %j", (text) => {
    expect(shown(text)).toBe(text);
  });

  test("does not render marks that are closed only on the next line", () => {
    expect(shown("a **b\nc** d `e\nf`")).toBe("a **b\nc** d `e\nf`");
  });

  test("changes nothing without colours, in whichever pieces the text comes", () => {
    const units = [
      "# ",
      "a",
      "**",
      " ",
      "\t",
      "\n",
      "| a |",
      "| - |\n",
      "```\n",
      "```ts",
      "> ",
      "- ",
      "日本",
      "`",
      "long ".repeat(30),
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...units), { maxLength: 30 }), fc.array(fc.nat()), (parts, cuts) => {
        expect(inPieces(parts.join(""), cuts, 20, plainStyle)).toBe(parts.join(""));
      }),
    );
  });
});

describe("Markdown blocks", () => {
  test("renders a heading in bold with its inner marks", () => {
    expect(shown("## What **I** found in `a.ts` ##\ntext")).toBe("<b>What I found in <c>a.ts</c></>\ntext");
  });

  test("renders no marks inside a fence, which only its own marks close", () => {
    const code = "# no **heading**\n| a | b |\n``\n~~~\n  `x`";
    expect(shown(`\`\`\`ts\n${code}\n\`\`\`\n**after**`)).toBe(`<d>\`\`\`ts</>\n${code}\n<d>\`\`\`</>\n<b>after</>`);
    expect(shown("   ~~~~\n~~~\n   ~~~~\n**after**")).toBe("<d>   ~~~~</>\n~~~\n<d>   ~~~~</>\n<b>after</>");
  });

  test("ends an unclosed fence with the text", () => {
    const stream = new Markdown(style, () => 80);
    stream.push("```\n**a**");
    stream.end();
    expect(stream.push("**b**") + stream.end()).toBe(style.bold("b"));
  });

  test("colours added and removed lines of a diff", () => {
    expect(shown("```diff\n-a\n+b\n c\n```")).toBe("<d>```diff</>\n<red>-a</c>\n<green>+b</c>\n c\n<d>```</>");
  });

  test("lays out a table in columns aligned as its second line says", () => {
    expect(shown("| a | b | c |\n|---|---:|:-:|\n| `x` | 1 | **m** |\n| 你好 | 1200 | a \\| b |\nafter")).toBe(
      [
        "<b>a   </><d> │ </><b>   b</><d> │ </><b>  c</>",
        "<d>─────┼──────┼──────</>",
        "<c>x</c>   <d> │ </>   1<d> │ </>  <b>m</>",
        "你好<d> │ </>1200<d> │ </>a | b",
        "after",
      ].join("\n"),
    );
  });

  test("wraps the words of a wide table's cells", () => {
    const rows = stripControls(renderMarkdown("| a | b |\n| - | - |\n| x | one two three four |\n", style, 20)).split(
      "\n",
    );
    expect(rows).toEqual(["a │ b", "──┼────────────────", "x │ one two three", "  │ four", ""]);
  });

  test("gives several wide columns equal widths", () => {
    const [some, more] = ["word ".repeat(30), "text ".repeat(20)];
    const rows = stripControls(
      renderMarkdown(`| a | b | c |\n| - | - | - |\n| x | ${some}| ${more}|\n`, style, 80),
    ).split("\n");
    expect(rows[1]).toBe(`──┼─${"─".repeat(36)}─┼─${"─".repeat(36)}`);
  });

  test("keeps the bars of a table aligned if terminals disagree on an emoji's width", () => {
    const text = "| a | b | c |\n| - | - | - |\n| ⚠️ | ok | x |\n| word | ✔️ ok | y |\n| 👨‍👩‍👧 | ⚠️ | z |\n";
    const rows = renderMarkdown(text, style, 80).replaceAll(colour, "").split("\n");
    expect(rows.slice(2, 4)).toEqual(["⚠️  \x1b[5G │ ok   \x1b[13G │ x", "word\x1b[5G │ ✔️ ok\x1b[13G │ y"]);
    // Where one is wider, a bar would stand on what is behind it.
    expect(rows[4]).toBe("👨‍👩‍👧   │ ⚠️    │ z");
    expect(renderMarkdown(text, style, 80, 4).split("\n")[2]).toContain("⚠️  \x1b[9G");
  });

  // Seen: behind the 500th row the bars and the columns were gone.
  test("keeps the columns of a long table, and widens them where later rows need it", () => {
    const row = (at: number): string => `| ${at} | ${at === 1200 ? "a longer name" : "name"} |\n`;
    const text = `| id | name |\n| -: | - |\n${Array.from({ length: 1600 }, (_, at) => row(at)).join("")}after`;
    const rows = stripControls(renderMarkdown(text, style, 80)).split("\n");
    expect(rows).toHaveLength(1603);
    expect(rows.slice(0, 3)).toEqual([" id │ name", "────┼─────", "  0 │ name"]);
    expect(rows.slice(502, 504)).toEqual(["500 │ name", "501 │ name"]);
    expect(rows.filter((each) => each.includes("│"))).toHaveLength(1601);
    expect(rows[1202]).toBe("1200 │ a longer name");
    expect(rows[1601]).toBe("1599 │ name");
    expect(rows[1602]).toBe("after");
  });

  test("reads the header with each row of a long table to a screen reader", () => {
    const text = `| a | b |\n| - | - |\n${"| x | y |\n".repeat(600)}`;
    const spoken = renderMarkdown(text, styleFor(true, {}, true), 80)
      .trimEnd()
      .split("\n");
    expect(new Set(spoken)).toEqual(new Set(["a: x; b: y"]));
    expect(spoken).toHaveLength(600);
  });

  test("shows text as it is if it is no table or does not fit", () => {
    expect(shown("| a | b |\ntext")).toBe("| a | b |\ntext");
    expect(shown("| a | b | c |\n| - | - |\n")).toBe("| a | b | c |\n| - | - |\n");
    const wide = `| ${"word | ".repeat(20)}\n|${"-|".repeat(20)}\n`;
    expect(shown(wide, 40)).toBe(wide);
  });
});

const words = fc.constantFrom(
  ..."* ** *** ` `` ``` ~~~ # ## | |-|-| \\ \n \n\n > - 1. http https:// / . , a bc 你好 _ __ diff + -".split(" "),
  " ",
  "   ",
);
const sentences = fc.array(words, { maxLength: 40, size: "max" }).map((parts) => parts.join(""));
const cell = fc.array(words, { maxLength: 12, size: "max" }).map((parts) => parts.join("").replaceAll(/[|\n]/gu, ""));
const tables = fc.integer({ min: 1, max: 5 }).chain((count) =>
  fc.array(fc.array(cell, { minLength: count, maxLength: count }), { minLength: 1, maxLength: 4 }).map((rows) => {
    const [head = "", ...others] = rows.map((row) => `| ${row.join(" | ")} |\n`);
    return `${head}|${" --- |".repeat(count)}\n${others.join("")}`;
  }),
);
const texts = fc.oneof(
  sentences,
  fc.tuple(sentences, tables, sentences).map((parts) => parts.join("\n")),
);

test("Markdown shows a line without an end as it arrives", () => {
  const stream = new Markdown(style, () => 80);
  let most = 0;
  for (const begin of ["| ", "# ", "```", "x **", "x `"]) {
    let waiting = begin.length - stream.push(begin).length;
    for (let piece = 0; piece < 500; piece++) {
      waiting += 20 - stream.push("word ".repeat(4)).length;
      most = Math.max(most, waiting);
    }
    stream.end();
  }
  expect(most).toBeLessThan(5_000);
});

describe("properties of the Markdown renderer", () => {
  test("the output does not depend on how the text is split", () => {
    fc.assert(
      fc.property(texts, fc.array(fc.nat()), fc.integer({ min: 10, max: 80 }), (text, cuts, columns) => {
        expect(inPieces(text, cuts, columns)).toBe(renderMarkdown(text, style, columns));
      }),
      { numRuns: byTestDepth(1_000, 3_000) },
    );
  });

  test("outside of tables only marks are lost, and nothing is added", () => {
    fc.assert(
      fc.property(
        sentences.map((text) => text.replaceAll("|", "")),
        (text) => {
          const bare = stripControls(renderMarkdown(text, style, 10_000));
          const marks = /[*`#\\ ]/gu;
          expect(bare.replaceAll(marks, "")).toBe(text.replaceAll(marks, ""));
        },
      ),
      { numRuns: byTestDepth(1_000, 3_000) },
    );
  });

  test("no colour continues past its line, and no table row is wider than the terminal", () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 10, max: 60 }), (text, columns) => {
        for (const line of renderMarkdown(text, style, columns).split("\n")) {
          const open = Array.from(line.matchAll(colour), ([, code]) => code);
          expect(open.filter((code) => ["1", "2"].includes(code ?? "")).length).toBe(
            open.filter((code) => code === "22").length,
          );
          expect(["0", undefined, "22", "23", "39"]).toContain(open.at(-1));
          if (line.includes("│")) expect(displayWidth(stripControls(line))).toBeLessThan(columns);
        }
      }),
      { numRuns: byTestDepth(700, 2_000) },
    );
  });
});

const textEvents = (text: string): SDKMessage[] => [
  blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
  delta(text),
  blockEvent({ type: "content_block_stop", index: 0 }),
];

test("italics do not continue past their row", () => {
  const rows = renderMarkdown("*slanted words that go on and on*", style, 14).split("\n");
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows) expect(Array.from(row.matchAll(colour), ([, code]) => code)).toEqual(["3", "23"]);
});

test("code that was interrupted within a line stays code to its end", () => {
  const stream = new Markdown(style, () => 80);
  expect(stripControls(stream.push("```\na **b** ") + stream.flushInterrupted())).toBe("```\na **b** ");
  expect(stream.push("**c**\n# d\n")).toBe("**c**\n# d\n");
});

test("interrupted text is shown completely and does not affect the next answer", async () => {
  const turns = [
    [delta("```ts\ncode\n| a **b"), failure("error_during_execution", "aborted_streaming", ["Interrupted by user"])],
    [...textEvents("**bold**"), success("x")],
  ];
  const { type, text, raw } = start(() => turns.shift() ?? [], { env: {} });
  await type("go\r");
  expect(text()).toContain("```ts\ncode\n| a **b\n");
  await type("again\r");
  expect(raw()).toContain("\x1b[1mbold\x1b[22m");
});

test("leading empty lines of a text are not shown, streamed or not", async () => {
  const looks: Record<string, string>[] = [{}, { NO_COLOR: "1" }];
  for (const env of looks) {
    const pieces = ["\n", "\n", " said", "\n\nmore"].map((piece) => delta(piece));
    const [opening, , closing] = textEvents("");
    const streamed = [opening!, ...pieces, closing!, assistant({ type: "text", text: "\n\n said\n\nmore" })];
    const blank = [...textEvents("\n\n"), assistant({ type: "text", text: "\n\n" })];
    const whole = assistant({ type: "text", text: "\n\nat once" });
    const { type, text } = start(() => [...blank, ...streamed, ...blank, whole, success("x")], { env });
    await type("go\r");
    expect(text()).toContain("> go\n\n said\n\nmore\nat once\n\n(1 turn");
  }
});
