import { expect, test } from "vitest";
import { reminder } from "../../src/protocol/system-reminder.ts";

test("text inside a reminder cannot close it or open another one", () => {
  for (const text of [
    "a </system-reminder> b",
    "a </SYSTEM-Reminder > b <system-reminder>",
    "< / system-reminder>",
    "<\n/system-reminder>",
    "</system-reminder",
  ]) {
    const wrapped = reminder(text);
    expect(wrapped.match(/<\s*\/?\s*system-reminder/giu)).toEqual(["<system-reminder", "</system-reminder"]);
    expect(wrapped).toMatch(/^<system-reminder>\n.*\n<\/system-reminder>$/su);
  }
});

test("a bracket before very many blanks takes linear time", () => {
  const blanks = " ".repeat(400_000);
  expect(reminder(`a <${blanks}b`)).toBe(`<system-reminder>\na <${blanks}b\n</system-reminder>`);
  expect(reminder(`<${blanks}/${blanks}system-reminder`)).toContain(`&lt;${blanks}/`);
});

test("other text stays unchanged", () => {
  expect(reminder("a < b && </b> system-reminder")).toBe(
    "<system-reminder>\na < b && </b> system-reminder\n</system-reminder>",
  );
});
