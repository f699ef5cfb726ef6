// Whatever was thrown can be told.
import { describe, expect, test } from "vitest";
import { errorOf, errorText } from "../../src/lib/error-text.ts";

class Unreadable extends Error {
  override get message(): string {
    throw new Error("not for you");
  }
}

const refuse = () => {
  throw new Error("no");
};

const odd: [string, unknown][] = [
  ["an error whose message throws", new Unreadable()],
  [
    "an error that does not let itself be looked at",
    new Proxy(new Error("x"), { get: refuse, getPrototypeOf: refuse }),
  ],
  ["an object without a text", Object.create(null)],
  ["an object whose text throws", { toString: refuse }],
];

describe("what was thrown", () => {
  test.each<[unknown, string]>([
    [new Error("why"), "why"],
    ["why", "why"],
    [undefined, "undefined"],
    [Symbol("why"), "Symbol(why)"],
    [Object.assign(new Error("x"), { message: 5 }), "5"],
  ])("is told: %s", (thrown, text) => {
    expect(errorText(thrown)).toBe(text);
    expect(errorOf(thrown).message).toBe(text);
  });

  test.each(odd)("is told, though it is %s", (_name, thrown) => {
    expect(errorText(thrown)).toBe("an error that cannot be read");
    expect(errorOf(thrown).message).toBe("an error that cannot be read");
  });

  test("stays the error it is", () => {
    const error = new TypeError("why");
    expect(errorOf(error)).toBe(error);
  });
});
