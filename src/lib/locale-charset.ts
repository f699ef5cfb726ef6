/**
 * Locales in which no part of a longer character is an ASCII sign, so that shells and programs read a command as it is written. In others
 * (GBK, Big5, Shift JIS) the second byte of a character may be `\`, `|` or a backquote: a byte of UTF-8 text takes such a sign with it.
 */
import type { Environment } from "./environment.ts";

const asciiSafeCharsets = /^(?:utf-?8|(?:us-?)?ascii|iso-?8859-?\d+|koi8-?[ru]|euc-?(?:jp|kr|cn)|gb2312)$/iu;

export function isAsciiSafeLocale(locale: string): boolean {
  // macOS names a charset without a language, and its terminal sets LC_CTYPE so.
  if (asciiSafeCharsets.test(locale)) return true;
  const [, language = "", charset] = /^(\w*)(?:\.([\w-]+))?(?:@\w+)?$/u.exec(locale) ?? [];
  if (charset !== undefined) return asciiSafeCharsets.test(charset);
  return locale === "" || /^(?!zh|ja|ko)\w/iu.test(language);
}

/** The locale by which a program with this environment reads characters. */
export function charsetLocale({ LC_ALL, LC_CTYPE, LANG }: Environment): string {
  return [LC_ALL, LC_CTYPE, LANG].find((value) => value !== undefined && value !== "") ?? "";
}
