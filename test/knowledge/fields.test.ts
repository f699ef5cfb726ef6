import { describe, expect, test } from "vitest";
import { Fields, splitNames } from "../../src/knowledge/fields.ts";

/** What `read` returns for the value, and what is reported. */
function of(value: unknown, read: (fields: Fields) => unknown): [unknown, ...string[]] {
  const fields = new Fields({ x: value }, "/a.md", () => 3);
  const got = read(fields);
  expect(fields.problems.every(({ path, line }) => path === "/a.md" && line === 3)).toBe(true);
  return [got, ...fields.problems.map(({ reason }) => reason)];
}

describe("the field reader", () => {
  test.each<[unknown, unknown, string?]>([
    [true, true],
    [" Yes ", true],
    ["on", true],
    [1, true],
    [false, false],
    ["NO", false],
    ["off", false],
    [0, false],
    [null, undefined],
    ["maybe", undefined, '"x" should be true or false'],
    [["yes"], undefined, '"x" should be true or false'],
  ])("reads %j as the flag %j", (value, flag, told) => {
    expect(of(value, (fields) => fields.flag("x"))).toEqual(told === undefined ? [flag] : [flag, told]);
  });

  test.each<[unknown, unknown, string?]>([
    [3, 3],
    [" 3 ", 3],
    ["", undefined, '"x" should be a whole number above 0'],
    [0, undefined, '"x" should be a whole number above 0'],
    [1.5, undefined, '"x" should be a whole number above 0'],
    [true, undefined, '"x" should be a whole number above 0'],
  ])("reads %j as the whole number %j", (value, number, told) => {
    expect(of(value, (fields) => fields.wholeNumber("x"))).toEqual(told === undefined ? [number] : [number, told]);
  });

  test.each<[unknown, unknown, string?]>([
    [" a ", "a"],
    [3, "3"],
    [false, "false"],
    ["  ", undefined],
    [["a"], undefined, '"x" should be text'],
  ])("reads %j as the text %j", (value, text, told) => {
    expect(of(value, (fields) => fields.text("x"))).toEqual(told === undefined ? [text] : [text, told]);
  });

  test.each<[unknown, unknown, string?]>([
    ["a, b", ["a", "b"]],
    [
      [" a ", "", "b"],
      ["a", "b"],
    ],
    [["a", 3], ["a"], '"x" should be a list of texts; other values were left out'],
    [3, undefined, '"x" should be a list'],
  ])("reads %j as the list %j", (value, list, told) => {
    expect(of(value, (fields) => fields.list("x"))).toEqual(told === undefined ? [list] : [list, told]);
  });

  test("accepts one of the given words only, and ignores inherited properties", () => {
    const read = (fields: Fields) => fields.oneOf("x", ["low", "high"]);
    expect([of(" low", read), of("lower", read)]).toEqual([["low"], [undefined, '"x" should be one of low, high']]);
    expect(new Fields({}, "/a.md").has("constructor")).toBe(false);
  });
});

test.each([
  ["Read, Bash(git add *)  Edit", ["Read", "Bash(git add *)", "Edit"]],
  ["*.{ts, tsx}, docs/**", ["*.{ts, tsx}", "docs/**"]],
  ["a) b} c", ["a)", "b}", "c"]],
  [`"src/**", 'Bash(git add *)' "a b'`, ["src/**", "Bash(git add *)", '"a', "b'"]],
  ["Bash(echo {a, b}) x", ["Bash(echo {a, b})", "x"]],
  [" , ", []],
])("splits %j into the names %j", (text, names) => {
  expect(splitNames(text)).toEqual(names);
});
