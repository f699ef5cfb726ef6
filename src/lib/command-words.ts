/** Splits a command such as that in `EDITOR` into words as shells do: `code --wait`, `emacsclient -a ''`. Nothing is run or expanded. */
const wordPattern = /(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|[^\s"'\\]|["'\\])+/gu;
const quotedPartPattern = /"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])/gu;

export function commandWords(text: string): string[] {
  return Array.from(text.matchAll(wordPattern), ([written]) =>
    written.replace(
      quotedPartPattern,
      (_all, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(["\\$`])/gu, "$1") ?? single ?? escaped ?? "",
    ),
  );
}
