// Locales in which the second byte of a character may be a shell sign: text quoted in UTF-8 is not quoted there.
import { afterAll, beforeAll, expect, test } from "vitest";
import { charsetLocale, isAsciiSafeLocale } from "../../src/lib/locale-charset.ts";
import { bash, make, makePlace, type Place } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const hidden = 'echo "中\\$(touch x)"';

test("a line with non-ASCII characters is asked about if the shell's locale misreads it, whatever permits it", async () => {
  expect(await bash(make(place), place.cwd, hidden)).toBe("allow");
  const limits = { isMisread: true };
  for (const allow of [[], ["Bash(echo:*)"]])
    expect(await bash(make(place, { limits, allow }), place.cwd, hidden)).toBe("ask");
  const deny = ["Bash(touch:*)"];
  expect(await bash(make(place, { limits, deny, mode: "bypassPermissions" }), place.cwd, hidden)).not.toBe("allow");
  expect(await bash(make(place, { limits }), place.cwd, 'echo "a\\$(touch x)"')).toBe("allow");
});

test.each([
  "",
  "C",
  "POSIX",
  "C.UTF-8",
  "UTF-8",
  "en_US.utf8",
  "de_DE",
  "de_DE@euro",
  "sr_RS.UTF-8@latin",
  "ja_JP.eucJP",
  "ru_RU.KOI8-R",
])("the locale %s keeps shell signs apart from other characters", (locale) => {
  expect(isAsciiSafeLocale(locale)).toBe(true);
});

test.each([
  "zh_CN.GBK",
  "zh_CN.gb18030",
  "zh_TW",
  "zh_HK.big5hkscs",
  "ja_JP.SJIS",
  "ja_JP",
  "japanese",
  "ko_KR.johab",
  "chinese-t",
  "../x",
])("the locale %s may use shell signs as parts of characters", (locale) => {
  expect(isAsciiSafeLocale(locale)).toBe(false);
});

test("the locale is taken from LC_ALL, then LC_CTYPE, then LANG", () => {
  expect(charsetLocale({ LC_ALL: "", LC_CTYPE: "zh_TW", LANG: "C" })).toBe("zh_TW");
  expect(charsetLocale({ LC_ALL: "C", LANG: "zh_TW" })).toBe("C");
  expect(charsetLocale({})).toBe("");
});
