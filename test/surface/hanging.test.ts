import { expect, test } from "vitest";
import { wrapHanging } from "../../src/surface/show/wrap-hanging.ts";

test("wrapping takes linear time for a line with very many blanks", () => {
  const start = process.cpuUsage();
  for (const filling of [" ", "\t", " a"])
    expect(wrapHanging(`a${filling.repeat(400_000)}`, 80).startsWith("a")).toBe(true);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(8_000);
});

test("wrapping does not count colour sequences as columns", () => {
  expect(wrapHanging("\x1b[33mone two three\x1b[39m", 9)).toBe("\x1b[33mone two\nthree\x1b[39m");
});

test("wrapping gives an indented description below a long name the room of a narrow terminal", () => {
  const list = `/rewind <number> conversation\n${" ".repeat(29)}go on from before that message`;
  expect(wrapHanging(list, 40)).toBe("/rewind <number> conversation\n    go on from before that message");
  expect(wrapHanging(list, 80)).toBe(list);
});

test("wrapping breaks scripts without blanks between characters, below the start of the text", () => {
  const about = "長い説明がここに入ります。端末の幅で折り返します。";
  expect(wrapHanging(`  3  キャッシュ - ${about}`, 30).split("\n")).toEqual([
    "  3  キャッシュ - 長い説明が",
    "     ここに入ります。端末の幅",
    "     で折り返します。",
  ]);
  expect(wrapHanging("abc「引用」、と続く。", 9).split("\n")).toEqual(["abc「引", "用」、と", "続く。"]);
});

test("wrapping keeps Latin words in such scripts whole, and marks with their characters", () => {
  expect(wrapHanging("使用TypeScript编写", 13).split("\n")).toEqual(["使用", "TypeScript编", "写"]);
  expect(wrapHanging("かか\u3099きき\u3099", 7)).toBe("かか\u3099\nきき\u3099");
});
