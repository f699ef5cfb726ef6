/** The words of a command that a variable such as `EDITOR` holds, taken apart as shells do it: `code --wait`, `emacsclient -a ''`. Nothing in it is run, or filled in. */
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
