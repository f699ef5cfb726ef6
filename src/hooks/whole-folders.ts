/** Folders that a command names by a variable without quotes: kept in one word where their own names have blanks. */

/** Of other variables, such as a plugin's options, several words may be meant. */
const isFolder = /^(?:CLAUDE|PAWL)_(?:PLUGIN_(?:DATA|ROOT)|(?:PROJECT|SKILL)_DIR)$/u;
/** The shell would take it apart, or for a pattern. */
const isApart = /[\s*?[\\]/u;
/** There, quotes may stand in others, or are text. */
const isNested = /<<|`|\$\(|(?:^|\s)#/u;
const piece = /\\[^]|\$'(?:\\[^]|[^'\\])*'|'[^']*'|"(?:\\[^]|[^"\\])*"|\$(?:\{(\w+)\}|(\w+))/gu;

/** `sh ${CLAUDE_PLUGIN_ROOT}/check.sh`, as hooks of plugins often have it, also in a home such as `/Users/A B`. */
export function withWholeFolders(command: string, variables: Readonly<Record<string, string>>): string {
  const names = new Set(
    Object.keys(variables).filter((name) => isFolder.test(name) && isApart.test(variables[name] ?? "")),
  );
  if (names.size === 0 || isNested.test(command)) return command;
  return command.replaceAll(piece, (text: string, braced?: string, bare?: string) =>
    names.has(braced ?? bare ?? "") ? `"${text}"` : text,
  );
}
