/** Expansions that only show something. */
import type { DoubleQuotedChild, WordPart } from "unbash";

export const plainName = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|[?#$])$/u;
/** Numbers, which no shell splits: no variable that a command may set here changes that. */
export const numericExpansion = /^\$[?#$]$/u;
export const plainSum = /^\$\(\([\d\s+*/%()-]+\)\)$/u;

/** Bash removes escaped line ends before it reads anything else: `$` and `(` on both sides of one begin a command. */
export const escapedLineEnd = /(?<![\s&|;])\\\n(?=\S)|(?<=[&|;])\\\n(?=[\\&|;<>(){}])/u;

/** With these, bash expands once more what a variable or single quotes hold. */
export const expandsAgain =
  /@P\b|\(\(|\$\[|\[\[|\]\+?=|\$\{[^}]{0,60}[[:]|\bPS4|\bENV=|\b(?:let|declare|typeset|local|readonly|unset|read|mapfile|readarray|getopts|wait|test|printf\s+-v)\b|(?:^|[\s;&|(])\[\s/u;
/** Builtins that do so with their own words, because they evaluate subscripts and arithmetic. */
export const expandingBuiltins: readonly string[] =
  "let declare typeset local unset read mapfile readarray getopts wait compgen".split(" ");
/** A plain name, as in `ENV=prod`, does not count: a file of this folder is a script like any other. */
export const startFile = /^(?:BASH_)?ENV(?:\+=|=(?![\w.-]*$))|^PROMPT_COMMAND\+?=/u;

/** The names of the variables in a word in which only plain variables, quoted or not, are open; undefined if anything else is. */
export function shownVariables(parts: readonly (WordPart | DoubleQuotedChild)[]): string[] | undefined {
  const names: string[] = [];
  for (const part of parts) {
    let found: string[] | undefined;
    if (part.type === "DoubleQuoted") found = shownVariables(part.parts);
    else if (part.type === "SimpleExpansion" || part.type === "ParameterExpansion") found = namesIn(part.text);
    else if (["Literal", "SingleQuoted", "AnsiCQuoted"].includes(part.type)) found = [];
    if (found === undefined) return undefined;
    names.push(...found);
  }
  return names;
}

function namesIn(text: string): string[] | undefined {
  const match = plainName.exec(text);
  return match === null ? undefined : match.slice(1).filter((name) => name !== undefined);
}
