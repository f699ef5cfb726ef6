/**
 * A rough parser for command lines: enough to know which program decides the exit code and whether the line does more than its programs do.
 * It guards nothing: that is the permission engine's work, with a real grammar.
 */

export interface SimpleCommand {
  /** The words without their quotes. */
  words: string[];
  /** False if something in the command is not literal: an expansion, an assignment before it, or a redirection. */
  isPlain: boolean;
  /** The shell may expand a word into options. */
  mayAddOptions: boolean;
  /** The number of operators of the line before this command. */
  operatorsBefore: number;
}

export interface CommandLine {
  /** In order; never empty. */
  commands: SimpleCommand[];
  /** The operators between and around the commands: `|`, `&&`, `;`, … */
  operators: string[];
  /** The line does no more than its programs do: no expansion, no assignment, nothing written to a file. */
  isInert: boolean;
}

interface Reading {
  text: string;
  at: number;
}

/** Undefined if quotes, brackets or here-documents are beyond this parser. */
export function readCommandLine(text: string): CommandLine | undefined {
  const reading: Reading = { text, at: 0 };
  const line: CommandLine = { commands: [], operators: [], isInert: true };
  let current = emptyCommand();
  for (;;) {
    skipBlanks(reading);
    if (reading.at >= text.length) break;
    const operator = readOperator(reading, current.words.length === 0);
    if (operator === "<<") return undefined;
    if (operator !== undefined) {
      if (/[<>]/.test(operator)) {
        current.isPlain = false;
        skipBlanks(reading);
        const target = readWord(reading);
        if (target === undefined) return undefined;
        if (!isInertRedirection(operator, target)) line.isInert = false;
        continue;
      }
      addCommand(line, current);
      line.operators.push(operator);
      current = emptyCommand();
      continue;
    }
    const word = readWord(reading);
    if (word === undefined) return undefined;
    addWord(current, word, line);
  }
  addCommand(line, current);
  return line.commands.length === 0 ? undefined : line;
}

function emptyCommand(): SimpleCommand {
  return { words: [], isPlain: true, mayAddOptions: false, operatorsBefore: 0 };
}

/** Call this before the operator after the command is added. */
function addCommand(line: CommandLine, command: SimpleCommand): void {
  if (command.words.length === 0) return;
  command.operatorsBefore = line.operators.length;
  line.commands.push(command);
}

/** A word with a pattern or a set that may become an option: `-{a,b}`, `*`, `{a,-b}`, `{a,}-b`, but not `{src,test}`. */
const mayBeOption = /^(?:\{(?:.*[{,}.])?)?[-*?[]/s;

function addWord(command: SimpleCommand, word: Word, line: CommandLine): void {
  if (!word.isLiteral) command.isPlain = false;
  if (word.hasPattern && mayBeOption.test(word.text)) command.mayAddOptions = true;
  if (word.expands) line.isInert = false;
  if (command.words.length === 0 && /^[A-Za-z_]\w*\+?=/.test(word.text)) command.isPlain = line.isInert = false;
  else command.words.push(word.text);
}

/** Whether a redirection only reads a file, discards output, or duplicates a descriptor. */
function isInertRedirection(operator: string, target: Word): boolean {
  if (target.expands) return false;
  if (operator === "<" || target.text === "/dev/null") return true;
  return (operator === ">&" || operator === "<&") && /^(?:\d+|-)$/.test(target.text);
}

function skipBlanks(reading: Reading): void {
  const { text } = reading;
  while (reading.at < text.length) {
    if (text.startsWith("\\\n", reading.at)) reading.at += 2;
    else if (text[reading.at] === "#") {
      const end = text.indexOf("\n", reading.at);
      reading.at = end === -1 ? text.length : end;
    } else if (text[reading.at] === " " || text[reading.at] === "\t") reading.at += 1;
    else return;
  }
}

const operatorPattern = /(?:\d*(<<|<>|<&|<|&>>|&>|>>|>\||>&|>))|(&&|\|\||;;|\|&|[|&;\n(){}!])/y;

/** Redirections come back without their number. Braces and `!` are operators only as separate words where a command begins. */
function readOperator(reading: Reading, begins: boolean): string | undefined {
  if (isSubstitution(reading)) return undefined;
  operatorPattern.lastIndex = reading.at;
  const match = operatorPattern.exec(reading.text);
  if (match === null) return undefined;
  const [whole, redirection, control] = match;
  const after = reading.text[reading.at + whole.length];
  const isWord = !begins || (after !== undefined && !/[\s;]/.test(after));
  if ((whole === "{" || whole === "}" || whole === "!") && isWord) return undefined;
  reading.at += whole.length;
  return redirection ?? control;
}

/** `<(…)` and `>(…)` are words of the program they are passed to. */
function isSubstitution({ text, at }: Reading): boolean {
  return (text[at] === "<" || text[at] === ">") && text[at + 1] === "(";
}

interface Word {
  text: string;
  isLiteral: boolean;
  /** The word contains a variable or a command. */
  expands: boolean;
  /** The shell may turn the word into other words. */
  hasPattern: boolean;
}

function readWord(reading: Reading): Word | undefined {
  const { text } = reading;
  const word: Word = { text: "", isLiteral: true, expands: false, hasPattern: false };
  const start = reading.at;
  while (reading.at < text.length) {
    const character = text[reading.at] ?? "";
    if (/[\s;&|<>()]/.test(character) && !isSubstitution(reading)) break;
    if (!readPart(reading, word, character)) return undefined;
  }
  return reading.at === start ? undefined : word;
}

/** False if a quote or bracket is never closed. */
function readPart(reading: Reading, word: Word, character: string): boolean {
  const { text } = reading;
  if (character === "'") return readQuoted(reading, word);
  if (character === '"') return readDoubleQuoted(reading, word);
  if (character === "\\") {
    const escaped = text[reading.at + 1] ?? "";
    // An escaped line end is removed with its backslash.
    if (escaped !== "\n") word.text += escaped;
    word.isLiteral = false;
    reading.at += 2;
    return true;
  }
  if (character === "$" || character === "`" || isSubstitution(reading)) {
    word.isLiteral = false;
    word.expands = true;
    const end = endOfExpansion(text, reading.at);
    if (end === undefined) return false;
    word.text += text.slice(reading.at, end);
    reading.at = end;
    return true;
  }
  if (/[*?[\]{}~]/.test(character)) word.isLiteral = false;
  if (/[*?[{]/.test(character)) word.hasPattern = true;
  word.text += character;
  reading.at += 1;
  return true;
}

function readQuoted(reading: Reading, word: Word): boolean {
  const end = reading.text.indexOf("'", reading.at + 1);
  if (end === -1) return false;
  word.text += reading.text.slice(reading.at + 1, end);
  reading.at = end + 1;
  return true;
}

function readDoubleQuoted(reading: Reading, word: Word): boolean {
  const { text } = reading;
  reading.at += 1;
  while (reading.at < text.length) {
    const character = text[reading.at] ?? "";
    if (character === '"') {
      reading.at += 1;
      return true;
    }
    if (character === "\\" || character === "$" || character === "`") {
      if (!readPart(reading, word, character)) return false;
    } else {
      word.text += character;
      reading.at += 1;
    }
  }
  return false;
}

/** The offset just after `$(…)`, `<(…)`, `${…}`, `` `…` `` or a lone `$`. Brackets are counted; quoted text inside is skipped. */
function endOfExpansion(text: string, at: number): number | undefined {
  if (text[at] === "`") {
    const end = text.indexOf("`", at + 1);
    return end === -1 ? undefined : end + 1;
  }
  const open = text[at + 1];
  if (open !== "(" && open !== "{") return at + 1;
  const close = open === "(" ? ")" : "}";
  let depth = 0;
  for (let index = at + 1; index < text.length; index += 1) {
    const character = text[index];
    if (character === "\\") index += 1;
    else if (character === "'" || character === '"') {
      const end = text.indexOf(character, index + 1);
      if (end === -1) return undefined;
      index = end;
    } else if (character === open) depth += 1;
    else if (character === close) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}
