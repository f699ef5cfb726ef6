import { expect, test } from "vitest";
import { bareHost, isThisMachine } from "../../src/lib/hosts.ts";

const hostOf = (url: string): string => new URL(url).hostname;

test.each([
  ["http://localhost:1", true],
  ["http://LOCALHOST.", true],
  ["http://api.localhost", true],
  ["http://127.0.0.1", true],
  ["http://127.1", true],
  ["http://2130706433", true],
  ["http://[::1]", true],
  ["http://0.0.0.0:8080", true],
  ["http://[::]:8080", true],
  ["http://localhost.example", false],
  ["http://notlocalhost", false],
  ["http://128.0.0.1", false],
  ["http://127.0.0.1.example", false],
  ["http://[::2]", false],
])("isThisMachine(%s) is %s", (url, expected) => {
  expect(isThisMachine(hostOf(url))).toBe(expected);
});

test("bareHost removes the brackets around an IPv6 address", () => {
  expect(["http://[::1]:1", "http://127.0.0.1", "http://a.example"].map((url) => bareHost(hostOf(url)))).toEqual([
    "::1",
    "127.0.0.1",
    "a.example",
  ]);
});
