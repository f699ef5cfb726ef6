// Whatever was thrown can be told.
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { errorCode, toError, errorText, hasErrorCode, isError } from "../../src/lib/error-text.ts";

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
  ["an error that throws when it is inspected", new Proxy(new Error("x"), { get: refuse, getPrototypeOf: refuse })],
  ["an object without a text", Object.create(null)],
  ["an object whose text throws", { toString: refuse }],
];

describe("a thrown value", () => {
  test.each<[unknown, string]>([
    [new Error("why"), "why"],
    ["why", "why"],
    [undefined, "undefined"],
    [Symbol("why"), "Symbol(why)"],
    [Object.assign(new Error("x"), { message: 5 }), "5"],
  ])("is turned into text: %s", (thrown, text) => {
    expect(errorText(thrown)).toBe(text);
    expect(toError(thrown).message).toBe(text);
  });

  test.each<[string, unknown, boolean]>([
    ["an error that throws when it is inspected", new Proxy(new Error("x"), { getPrototypeOf: refuse }), false],
    ["an object whose tag throws", Object.defineProperty({}, Symbol.toStringTag, { get: refuse }), false],
    ["an error whose code throws", Object.defineProperty(new Error("x"), "code", { get: refuse }), true],
  ])("can be inspected without an exception although it is %s", (_name, thrown, is) => {
    expect(isError(thrown)).toBe(is);
    expect(errorCode(thrown)).toBeUndefined();
    expect(hasErrorCode(thrown, "ENOENT")).toBe(false);
  });

  test.each(odd)("is turned into text although it is %s", (_name, thrown) => {
    expect(errorText(thrown)).toBe("an error that cannot be read");
    expect(toError(thrown).message).toBe("an error that cannot be read");
  });

  test("stays the same object if it is an error", () => {
    const error = new TypeError("why");
    expect(toError(error)).toBe(error);
  });

  test.each<[string, unknown, string]>([
    ["by its code", Object.assign(new Error(""), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
    [
      "by the errors that it combines",
      new AggregateError([new Error("connect ECONNREFUSED ::1:80"), new Error("connect ECONNREFUSED 127.0.0.1:80")]),
      "connect ECONNREFUSED ::1:80; connect ECONNREFUSED 127.0.0.1:80",
    ],
    ["by its name", new TypeError(""), "TypeError"],
    ["by its message although it is not an Error", { message: "no such customer", hint: null }, "no such customer"],
  ])("is described %s", (_how, thrown, text) => {
    expect(errorText(thrown)).toBe(text);
    expect(errorText(toError(thrown))).toBe(text);
  });
});

// Under jest, and wherever else a context of its own runs the library, Node's errors are none of that context's.
describe("an error of another realm", () => {
  const foreign: unknown = runInNewContext("Object.assign(new Error('no such file'), { code: 'ENOENT' })");

  test("is recognised as an error", () => {
    expect(foreign instanceof Error).toBe(false);
    expect(isError(foreign)).toBe(true);
    expect(errorText(foreign)).toBe("no such file");
    expect(toError(foreign)).toBe(foreign);
  });

  test("keeps its code", () => {
    expect(errorCode(foreign)).toBe("ENOENT");
    expect(hasErrorCode(foreign, "ENOENT")).toBe(true);
    expect(hasErrorCode(foreign, "EACCES")).toBe(false);
  });
});
