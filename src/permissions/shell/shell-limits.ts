/** How this machine's shell may read text differently from a newer shell in a UTF-8 locale. */

export interface ShellLimits {
  /** In the user's locale, the shell misreads characters beyond ASCII. */
  isMisread?: boolean | undefined;
  /** bash before version 4, as on macOS: it looks for the end of a substitution without regard to here-documents and comments. */
  isOld?: boolean | undefined;
}

/** Every quote, bracket and backquote is closed on the same line, with only plain text in between. */
const balancedText = /^(?:[^'"`\\()$]|\$(?![({'"])|(['"`])[^'"`\\()$#\n]*\1|\(#?[^'"`\\()$#\n]*\))*$/u;
const documentOrComment = /(?<!<)<<(?!<)-?[ \t]*(?:(['"])(\w+)\1|\\?(\w+))?|(?<=^|[\s;&|()])#(?!\d+\))(.*)/gu;

/** Whether an old shell may find another end of a substitution: a quote in such a text hides it and changes what follows. */
export function substitutionMayEndElsewhere(command: string): boolean {
  const start = /[$<>]\(/u.exec(command)?.index;
  if (start === undefined || !command.includes("\n")) return false;
  const rest = command.slice(start);
  return [...rest.matchAll(documentOrComment)].some(({ index, 0: all, 2: quoted, 3: bare, 4: comment }) => {
    if (comment !== undefined) return !balancedText.test(comment);
    const name = quoted ?? bare;
    const begin = rest.indexOf("\n", index + all.length);
    if (begin < 0) return false;
    if (name === undefined) return true;
    const end = new RegExp(`\\n\\t*${name}(?=\\n|$)`, "u").exec(rest.slice(begin))?.index;
    return end === undefined || !balancedText.test(rest.slice(begin, begin + end));
  });
}
