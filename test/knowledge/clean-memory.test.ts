import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanMemory } from "../../src/knowledge/clean-memory.ts";

const clean = (text: string): string => cleanMemory(text).text;

describe("comments", () => {
  test.each([
    ["one line", "a\n<!-- x -->\nb", "a\nb"],
    ["several lines", "a\n<!-- x\ny\n-->\nb", "a\nb"],
    ["indented", "a\n   <!-- x -->\nb", "a\nb"],
    ["with text after it", "<!-- x --> b", "b"],
    ["two", "<!-- x -->\n@one.md\n<!-- y -->\n@two.md", "@one.md\n@two.md"],
    ["in a code fence", "```html\n<!-- x -->\n```", "```html\n<!-- x -->\n```"],
    ["in a tilde fence", "~~~\n```\n<!-- x -->\n~~~\n<!-- y -->z", "~~~\n```\n<!-- x -->\n~~~\nz"],
    [
      "after a line that only looks like the end of a fence",
      "```\n```js\n<!-- x -->\n```\n<!-- y -->z",
      "```\n```js\n<!-- x -->\n```\nz",
    ],
    ["in a fence of four", "````\n```\n<!-- x -->\n````\n<!-- y -->z", "````\n```\n<!-- x -->\n````\nz"],
    // Seen: the end of the fence was taken for its beginning, and an open comment within it for one of all that follows.
    ["in a fence behind the mark of a list", "- ```\n  <!-- x\n  ```\n<!-- y -->z", "- ```\n  <!-- x\n  ```\nz"],
    [
      "in an indented fence of a nested list",
      "10) - ~~~ a\n      <!-- x\n      ~~~\n<!-- y -->z",
      "10) - ~~~ a\n      <!-- x\n      ~~~\nz",
    ],
    ["after a list whose fence is open", "- ```\n  <!-- x\n\n<!-- y -->z", "- ```\n  <!-- x\n\nz"],
    ["in a fence right after such a list item", "1. ~~~\n```\n<!-- x -->\n```", "1. ~~~\n```\n<!-- x -->\n```"],
    ["in a fence with a list of fences", "```\n- ```\n<!-- x -->\n```\n<!-- y -->z", "```\n- ```\n<!-- x -->\n```\nz"],
    ["in indented code", "    <!-- x -->\na", "<!-- x -->\na"],
    ["in the middle of a line", "a <!-- x --> b", "a <!-- x --> b"],
    ["in a code span", "use `<!-- x -->`", "use `<!-- x -->`"],
    ["that ends immediately", "<!-->a", "a"],
    // Seen: the second one stayed, which no page shows.
    ["two in a line", "<!-- x --><!-- y -->\na", "a"],
    ["with another comment in its last line", "<!-- x\n--> <!-- y\nz --> <!--> a <!-- b -->", "a <!-- b -->"],
    ["before indented code with another comment", "<!-- x -->\n    <!-- y -->", "<!-- y -->"],
  ])("%s", (_name, text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  test("that never end hide the text after them, which is reported", () => {
    expect(cleanMemory("a\n<!-- x\nevil\n")).toEqual({ text: "a", hidden: [], isCutByComment: true });
    expect(cleanMemory("a\n<!--")).toEqual({ text: "a", hidden: [], isCutByComment: false });
    expect(cleanMemory("a\n<!-- x --><!-- y\nevil")).toEqual({ text: "a", hidden: [], isCutByComment: true });
  });

  test("are removed in linear time", () => {
    const start = process.cpuUsage();
    clean("<!--\n".repeat(400_000));
    clean("<!-- -->\n".repeat(200_000));
    clean("<!-- -->".repeat(400_000));
    clean("```\n~~~\n".repeat(200_000));
    expect(process.cpuUsage(start).user / 1_000).toBeLessThan(8_000);
  });
});

describe("invisible characters", () => {
  const tags = Array.from("rm -rf", (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join("");

  test("are removed, and named", () => {
    expect(cleanMemory(`Use tabs.${tags}\u200b\u202e`)).toMatchObject({
      text: "Use tabs.",
      hidden: ["U+E0072", "U+E006D", "U+E0020", "U+E002D", "U+E0066", "U+200B", "U+202E"],
    });
    for (const hidden of [
      "\u2066",
      "\u2028",
      "\u00ad",
      "\u3164",
      "\ufeff",
      "\u{e0100}",
      "\u0007",
      "\u001b",
      "\u0000",
      "\u180e",
      "\u2061",
      "\ufe00",
      "\ufe0f",
      "\ufff0",
      "\u{1bca0}",
      "\u{e0fff}",
    ]) {
      expect(clean(`a${hidden}b`), hidden).toBe("ab");
    }
  });

  test("cannot hide the beginning of a comment", () => {
    expect(clean("<\u200b!-- x -->a")).toBe("a");
  });

  test.each(["👨‍👩‍👧 family", "👩🏽‍💻", "🏳️‍🌈", "1️⃣ ☎︎", "می‌خواهم", "क्‍ष", "naïve café", "日本語", "tab\there"])(
    "are kept if they change what is visible: %s",
    (text) => {
      expect(cleanMemory(text)).toMatchObject({ text, hidden: [] });
    },
  );

  test("are removed between letters that they do not join", () => {
    expect(clean("a\u200db \u200c c\u200c\u200dd")).toBe("ab  cd");
  });

  test("are all removed by one cleaning", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const once = clean(text);
        expect(cleanMemory(once).hidden).toEqual([]);
      }),
    );
  });
});

test("converts line ends of all systems to \\n", () => {
  expect(clean("a\r\nb\rc\n")).toBe("a\nb\nc");
});
