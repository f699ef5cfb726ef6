/** Quotes folders that a command names by an unquoted variable, so that a path with blanks stays one word. */

/** Other variables, such as a plugin's options, may be meant as several words. */
const folderVariable = /^(?:CLAUDE|PAWL)_(?:PLUGIN_(?:DATA|ROOT)|(?:PROJECT|SKILL)_DIR)$/u;
/** Characters at which the shell would split the word or treat it as a pattern. */
const splittingCharacter = /[\s*?[\\]/u;
/** In such commands, quotes may be nested or be plain text. */
const nestedQuoting = /<<|`|\$\(|(?:^|\s)#/u;
const shellPiece = /\\[^]|\$'(?:\\[^]|[^'\\])*'|'[^']*'|"(?:\\[^]|[^"\\])*"|\$(?:\{(\w+)\}|(\w+))/gu;

/** Handles `sh ${CLAUDE_PLUGIN_ROOT}/check.sh`, common in plugins' hooks, in a home such as `/Users/A B`. */
export function quoteFolderVariables(command: string, variables: Readonly<Record<string, string>>): string {
  const names = new Set(
    Object.keys(variables).filter(
      (name) => folderVariable.test(name) && splittingCharacter.test(variables[name] ?? ""),
    ),
  );
  if (names.size === 0 || nestedQuoting.test(command)) return command;
  return command.replaceAll(shellPiece, (text: string, braced?: string, bare?: string) =>
    names.has(braced ?? bare ?? "") ? `"${text}"` : text,
  );
}
