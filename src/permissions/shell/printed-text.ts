/** The output of a substitution that only prints its own text: `$(cat <<'EOF' … EOF)`, `$(echo x)`, `$(printf x)`. */
import { lexCommands } from "./lexer.ts";
import { readDocument, textsOf } from "./text.ts";

export interface PrintedText {
  text: string;
  /** The index after the substitution. */
  end: number;
}

const catDocumentForm = /\$\(\s*cat[ \t]*<<(-?)[ \t]*(["']?)([\w.-]+)\2[ \t]*\n/y;
const documentEnd = /\s*\)/y;
/** Nothing in it except quotes is special to the shell. */
const printCommandForm = /(?:\$\(\s*((?:echo|printf)[ \t][^()`$\\\n\0#]*)\)|`((?:echo|printf)[ \t][^()`$\\\n\0#]*)`)/y;

/** Undefined if there is something else at `start`. */
export function printedTextAt(text: string, start: number): PrintedText | undefined {
  return readCatDocument(text, start) ?? readPrintCommand(text, start);
}

function readCatDocument(text: string, start: number): PrintedText | undefined {
  catDocumentForm.lastIndex = start;
  const [, tabs, quote, delimiter = ""] = catDocumentForm.exec(text) ?? [];
  if (tabs === undefined) return undefined;
  const { body, next } = readDocument(text, catDocumentForm.lastIndex, delimiter, tabs !== "");
  documentEnd.lastIndex = next;
  if (!documentEnd.test(text) || body.includes("\0") || (quote === "" && /[$`\\]/u.test(body))) return undefined;
  const content = tabs === "" ? body : body.replaceAll(/^\t+/gmu, "");
  return { text: content.replace(/\n+$/u, ""), end: documentEnd.lastIndex };
}

function readPrintCommand(text: string, start: number): PrintedText | undefined {
  printCommandForm.lastIndex = start;
  const found = printCommandForm.exec(text);
  if (found === null) return undefined;
  const { commands, understood } = lexCommands(found[1] ?? found[2] ?? "");
  const [command] = commands;
  if (command === undefined || commands.length > 1 || !understood || command.redirects.length > 0) return undefined;
  if (command.documents.length > 0 || command.words.some(({ unsure }) => unsure !== undefined)) return undefined;
  const [program, ...words] = textsOf(command.words);
  const [first = "", second, ...more] = words;
  if (first.startsWith("-") || first.startsWith("~") || words.some((word) => word.startsWith("~"))) return undefined;
  const isPlain = program === "echo" || (words.length === 1 && !first.includes("%"));
  const isShown = first === "%s" && second !== undefined && more.length === 0;
  if (!isPlain && !isShown) return undefined;
  return { text: isPlain ? words.join(" ") : (second ?? ""), end: printCommandForm.lastIndex };
}
