/** What the shell of this machine reads otherwise than a newer one, in a locale of UTF-8. */

export interface ShellLimits {
  /** By the user's locale, it takes characters beyond ASCII for others. */
  isMisread?: boolean | undefined;
  /** Before bash 4, as on macOS: it looks for the end of a substitution without minding here-documents and remarks. */
  isOld?: boolean | undefined;
}

/** Each quote, bracket and backquote has its other one in the same line, and nothing but plain text between them. */
const paired = /^(?:[^'"`\\()$]|\$(?![({'"])|(['"`])[^'"`\\()$#\n]*\1|\(#?[^'"`\\()$#\n]*\))*$/u;
const documentOrRemark = /(?<!<)<<(?!<)-?[ \t]*(?:(['"])(\w+)\1|\\?(\w+))?|(?<=^|[\s;&|()])#(?!\d+\))(.*)/gu;

/** Whether an old shell may find another end of a substitution: a quote in such a text hides it, and what comes behind is no text any more. */
export function endsElsewhere(command: string): boolean {
  const start = /[$<>]\(/u.exec(command)?.index;
  if (start === undefined || !command.includes("\n")) return false;
  const rest = command.slice(start);
  return [...rest.matchAll(documentOrRemark)].some(({ index, 0: all, 2: quoted, 3: bare, 4: remark }) => {
    if (remark !== undefined) return !paired.test(remark);
    const name = quoted ?? bare;
    const begin = rest.indexOf("\n", index + all.length);
    if (begin < 0) return false;
    if (name === undefined) return true;
    const end = new RegExp(`\\n\\t*${name}(?=\\n|$)`, "u").exec(rest.slice(begin))?.index;
    return end === undefined || !paired.test(rest.slice(begin, begin + end));
  });
}
