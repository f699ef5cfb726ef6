/** Splits a command such as that in `EDITOR` into words as shells do: `code --wait`, `emacsclient -a ''`. Nothing is run or expanded. */
const word = /(?:"(?:\\[^]|[^"\\])*"|'[^']*'|\\[^]|[^\s"'\\]|["'\\])+/gu;
const quoted = /"((?:\\[^]|[^"\\])*)"|'([^']*)'|\\([^])/gu;

export function commandWords(text: string): string[] {
  return Array.from(text.matchAll(word), ([written]) =>
    written.replace(
      quoted,
      (_all, double?: string, single?: string, escaped?: string) =>
        double?.replace(/\\(["\\$`])/gu, "$1") ?? single ?? escaped ?? "",
    ),
  );
}
