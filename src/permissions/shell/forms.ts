/** Forms of what a shell expands, as far as they do nothing but show something. */
import type { DoubleQuotedChild, WordPart } from "unbash";

export const plainName = /^\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|[?#$])$/u;
/** These are numbers, which no shell takes apart: no variable that a command may set here changes that. */
export const number = /^\$[?#$]$/u;
export const plainSum = /^\$\(\([\d\s+*/%()-]+\)\)$/u;

/** Bash takes out the end of a line that goes on before it reads what stands there: `$` and `(` on both sides of one are a command. */
export const joined = /(?<![\s&|;])\\\n(?=\S)|(?<=[&|;])\\\n(?=[\\&|;<>(){}])/u;

/** With these bash expands once more what a variable or single quotes hold. */
export const expandsAgain =
  /@P\b|\(\(|\$\[|\[\[|\]\+?=|\$\{[^}]{0,60}[[:]|\bPS4|\bENV=|\b(?:let|declare|typeset|local|readonly|unset|read|mapfile|readarray|getopts|wait|test|printf\s+-v)\b|(?:^|[\s;&|(])\[\s/u;
/** Commands of bash that do so with their own words, as they calculate subscripts and sums. */
export const expanders: readonly string[] =
  "let declare typeset local unset read mapfile readarray getopts wait compgen".split(" ");
/** A file here is a script like another one: `ENV=prod`. */
export const startFile = /^(?:BASH_)?ENV(?:\+=|=(?![\w.-]*$))|^PROMPT_COMMAND\+?=/u;

/** Of a word of which nothing is open but what plain variables hold, quoted or not, their names; undefined where something else is. */
export function shownVariables(parts: readonly (WordPart | DoubleQuotedChild)[]): string[] | undefined {
  const names: string[] = [];
  for (const part of parts) {
    let found: string[] | undefined;
    if (part.type === "DoubleQuoted") found = shownVariables(part.parts);
    else if (part.type === "SimpleExpansion" || part.type === "ParameterExpansion") found = nameIn(part.text);
    else if (["Literal", "SingleQuoted", "AnsiCQuoted"].includes(part.type)) found = [];
    if (found === undefined) return undefined;
    names.push(...found);
  }
  return names;
}

function nameIn(text: string): string[] | undefined {
  const match = plainName.exec(text);
  return match === null ? undefined : match.slice(1).filter((name) => name !== undefined);
}
