// What an Edit that found nothing says of the file, and what it takes to say it.
import { expect, test, vi } from "vitest";
import { editHint } from "../../src/tools/edit-hint.ts";

test("a failed edit of a large file normalises each line once per kind of difference", () => {
  const lines = Array.from({ length: 500 }, (_, at) => `const value${at} = “${at}”;`);
  const normalize = vi.spyOn(String.prototype, "normalize");
  const hint = editHint(lines.join("\n"), "const nothing = 1;\nconst more = 2;");
  const times = normalize.mock.calls.length;
  normalize.mockRestore();
  expect(hint).toBe("");
  // Alike in its characters, and in those without their case; the lines that were looked for besides.
  expect(times).toBeLessThan(2 * lines.length + 50);
});

test.each([
  ["\tif (z) {\r\n\t\ta();\r\n", "  if (z) {\n    a();"],
  ["\tif (z) {\r\n", "  if (z) {"],
])("the hint shows a differing line without its line end: %j", (text, oldString) => {
  expect(editHint(text, oldString)).toContain(String.raw`the file:   "\tif (z) {"`);
});

test.each([
  ["zero\none\ntwo\n", "one\r\nthree"],
  ["zero\r\none\r\ntwo\r\n", "one\nthree"],
])("the hint names the line where the passage begins, whatever its line end is: %j", (text, oldString) => {
  expect(editHint(text, oldString)).toContain("Its first line is there (line 2)");
});

// Seen: each of these got the hint to read the place again, although it looks the same.
test.each([
  ["foo\u200bbar\n", "foobar", String.raw`the file:   "foo\u200bbar"`],
  ["one\ntwo", "one\ntwo\n", "ends with this text but has no line end"],
  ["one\r\ntwo", "two\r\n", "ends with this text but has no line end"],
  ["\tif (z) {\n", "     1→\tif (z) {", "Leave out the line numbers"],
])("the hint explains a difference that is not visible in the file: %j", (text, oldString, said) => {
  expect(editHint(text, oldString)).toContain(said);
});

test("the hint shows a line that differs far to the right around its first difference", () => {
  const start = "x".repeat(250);
  expect(editHint(`a\n${start} \u00a0end\nb`, `${start}  end`)).toBe(
    ` Line 2 differs only in whitespace:\n  the file:   … "${"x".repeat(59)} \\u00a0end"\n  old_string: … "${"x".repeat(59)}  end"`,
  );
});
