/** Cutting strings by length without leaving half a surrogate pair at the cut. */

/** The first `length` UTF-16 units of `text`, one less if the cut would split a pair. */
export function headOf(text: string, length: number): string {
  if (length <= 0) return "";
  if (length >= text.length) return text;
  return text.slice(0, isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length);
}

/** The last `length` UTF-16 units of `text`, one less if the cut would split a pair. */
export function tailOf(text: string, length: number): string {
  if (length <= 0) return "";
  if (length >= text.length) return text;
  const start = text.length - length;
  return text.slice(isLowSurrogate(text.charCodeAt(start)) ? start + 1 : start);
}

/** Both ends of `text` within `length` units, with `mark` between them; `text` itself if it fits. */
export function middleCut(text: string, length: number, mark = " … "): string {
  if (text.length <= length) return text;
  const room = Math.max(0, length - mark.length);
  return headOf(text, Math.ceil(room / 2)) + mark + tailOf(text, Math.floor(room / 2));
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
