/** Quotes folders that a command names by an unquoted variable, so that a path with blanks stays one word. */

/** Other variables, such as a plugin's options, may be meant as several words. */
const isFolder = /^(?:CLAUDE|PAWL)_(?:PLUGIN_(?:DATA|ROOT)|(?:PROJECT|SKILL)_DIR)$/u;
/** Characters at which the shell would split the word or treat it as a pattern. */
const isApart = /[\s*?[\\]/u;
/** In such commands, quotes may be nested or be plain text. */
const isNested = /<<|`|\$\(|(?:^|\s)#/u;
const piece = /\\[^]|\$'(?:\\[^]|[^'\\])*'|'[^']*'|"(?:\\[^]|[^"\\])*"|\$(?:\{(\w+)\}|(\w+))/gu;

/** Handles `sh ${CLAUDE_PLUGIN_ROOT}/check.sh`, common in plugins' hooks, in a home such as `/Users/A B`. */
export function withWholeFolders(command: string, variables: Readonly<Record<string, string>>): string {
  const names = new Set(
    Object.keys(variables).filter((name) => isFolder.test(name) && isApart.test(variables[name] ?? "")),
  );
  if (names.size === 0 || isNested.test(command)) return command;
  return command.replaceAll(piece, (text: string, braced?: string, bare?: string) =>
    names.has(braced ?? bare ?? "") ? `"${text}"` : text,
  );
}
