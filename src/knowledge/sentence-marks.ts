/** Scripts that put no blanks between words: what stands around a name there, as blanks, commas and brackets do elsewhere. */

const closing = "，。、；：！？）」』】》〉〕｝”’…";
const opening = "（「『【《〈〔｛“‘";
/** Chinese characters, kana and hangul: as ranges, which cost nothing to parse. */
const letters = String.raw`\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af`;

/** For a character class: what a name may stand behind. */
export const beforeNames = `${letters}${closing}${opening}`;
/** Where the sentence goes on to the next name. Bounded: it is looked for at each mark. */
export const beforeNext = `[${closing}${opening}][^\\s@]{0,200}@`;

const marked = new RegExp(`^[^${closing}]+(?=[${closing}])`, "u");

/** What is written, and that without what follows such a mark: it may be the sentence's, or the name's own (`报告（1）.md`). */
export function asNames(written: string): string[] {
  const shorter = marked.exec(written)?.[0];
  return shorter === undefined ? [written] : [written, shorter];
}
