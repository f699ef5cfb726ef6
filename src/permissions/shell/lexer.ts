/**
 * Reads a bash command line into the simple commands it may run, including those in substitutions, subshells and groups. It rather finds
 * too many: its result is only matched against deny and ask rules, never against allow rules.
 */
import {
  arithmeticEnd,
  emptyCommand,
  endOfLine,
  documentMayEndEarly,
  harmlessQuoted,
  ambiguousArithmetic,
  readAnsiQuoted,
  readDocument,
  redirection,
  roughCommands,
  variableName,
  WordBuilder,
  type Lexed,
  type LexedCommand,
  type Word,
} from "./text.ts";

class UnreadableText extends Error {}
const maxDepth = 40;
const wordEnd = new Set([" ", "\t", "\n", ";", "&", "|", "(", ")", "<", ">"]);

export function lexCommands(text: string, depth = 0): Lexed {
  const lexer = new Lexer(text, depth);
  try {
    lexer.readList(null, "");
    return { commands: lexer.commands, understood: true, isForBash: lexer.isForBash };
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    for (const command of lexer.commands) command.before = undefined;
    return { commands: [...lexer.commands, ...roughCommands(text)], understood: false, isForBash: lexer.isForBash };
  }
}

class Lexer {
  readonly commands: LexedCommand[] = [];
  isForBash = false;
  readonly #text: string;
  readonly #depth: number;
  #at = 0;
  #nesting = 0;
  #pendingDocuments: { delimiter: string; isQuoted: boolean; stripsTabs: boolean; command: LexedCommand }[] = [];

  constructor(text: string, depth: number) {
    if (depth > maxDepth) throw new UnreadableText();
    this.#text = text;
    this.#depth = depth;
  }

  #peek(offset = 0): string {
    return this.#text.charAt(this.#at + offset);
  }

  /** Reads commands up to the `)` that closes them, or to the end. `start`: the value of `before` for the first of them. */
  readList(close: ")" | null, start = "$("): void {
    this.#nesting += 1;
    if (this.#nesting + this.#depth > maxDepth) throw new UnreadableText();
    let command = emptyCommand(start);
    let [openCases, wordEndedAt] = [0, -1];
    const end = (operator = ""): void => {
      const isFed = command.documents.length > 0 || this.#pendingDocuments.some((each) => each.command === command);
      const isCommand = isFed || command.words.length + command.redirects.length > 0;
      if (isCommand) this.commands.push(command);
      if (command.words[0]?.text === "esac") openCases -= 1;
      command = emptyCommand((isCommand ? start : command.before) + operator);
    };
    while (this.#at < this.#text.length) {
      const character = this.#peek();
      if (character === " " || character === "\t") this.#at += 1;
      else if (character === "\\" && this.#peek(1) === "\n") this.#at += 2;
      else if (character === "#") this.#at = endOfLine(this.#text, this.#at);
      else if (character === "&" && this.#peek(1) === ">") this.#at += 1;
      else if (";&|\n".includes(character)) {
        this.#at += 1;
        end(character);
        if (character === "\n") this.#readDocuments();
      } else if (character === ")") {
        const isPattern = command.words.some((word) => word.text === "case");
        end();
        if (isPattern) openCases += 1;
        this.#at += 1;
        if (close === ")" && openCases <= 0) {
          this.#nesting -= 1;
          return;
        }
      } else if (character === "(") {
        end();
        if (this.#arithmetic()) continue;
        this.#at += 1;
        this.readList(")", `(${command.before}`);
        command.before += "()";
      } else if ((character === "<" || character === ">") && this.#peek(1) !== "(") {
        const descriptor = wordEndedAt === this.#at && /^\d+$/u.test(command.words.at(-1)?.text ?? "");
        if (descriptor) command.words.pop();
        this.#redirect(command);
      } else {
        command.words.push(this.#word());
        wordEndedAt = this.#at;
      }
    }
    end();
    if (close !== null) throw new UnreadableText();
    this.#nesting -= 1;
  }

  #redirect(command: LexedCommand): void {
    redirection.lastIndex = this.#at;
    const operator = redirection.exec(this.#text)?.[0] ?? "<";
    if (this.#text.charAt(this.#at - 1) === "&") this.isForBash = true;
    this.#at += operator.length;
    while (/[ \t]/u.test(this.#peek()) || (this.#peek() === "\\" && this.#peek(1) === "\n"))
      this.#at += this.#peek() === "\\" ? 2 : 1;
    const start = this.#at;
    const target = this.#word();
    if (this.#at === start) throw new UnreadableText();
    if (operator === "<<<") command.documents.push(target.text);
    else if (operator.startsWith("<<")) {
      const isQuoted = /["'\\]/u.test(this.#text.slice(start, this.#at));
      this.#pendingDocuments.push({ delimiter: target.text, isQuoted, stripsTabs: operator === "<<-", command });
    } else if (!operator.endsWith("&") || !/^(?:\d+|-)$/u.test(target.text)) {
      command.redirects.push({ target, isWrite: operator.includes(">") });
    }
  }

  #readDocuments(): void {
    for (const { delimiter, isQuoted, stripsTabs, command } of this.#pendingDocuments.splice(0)) {
      const { body, next } = readDocument(this.#text, this.#at, delimiter, stripsTabs);
      if (this.#nesting > 1 && documentMayEndEarly(body, delimiter)) throw new UnreadableText();
      this.#at = next;
      command.documents.push(body);
      if (!isQuoted) this.#nested(body, (lexer) => lexer.#quoted(new WordBuilder(), null));
    }
  }

  /** Reads another text (a here-document, the content of backquotes) into the same commands. */
  #nested(text: string, read: (lexer: Lexer) => void): void {
    const lexer = new Lexer(text, this.#depth + this.#nesting + 1);
    try {
      read(lexer);
    } finally {
      this.commands.push(...lexer.commands);
      this.isForBash ||= lexer.isForBash;
    }
  }

  #word(): Word {
    const word = new WordBuilder();
    while (this.#at < this.#text.length) {
      const character = this.#peek();
      const isSubstitution = (character === "<" || character === ">") && this.#peek(1) === "(";
      if (wordEnd.has(character) && !isSubstitution) break;
      if (isSubstitution) {
        word.addUnknown("words", character);
        this.#at += 2;
        this.readList(")");
      } else this.#unquoted(word, character);
    }
    if (word.text === "[[") this.isForBash = true;
    return word.build();
  }

  #unquoted(word: WordBuilder, character: string): void {
    const next = this.#peek(1);
    if (character === "\\") {
      if (next !== "\n") word.text += next === "" ? character : next;
      this.#at += 2;
    } else if (character === "'") {
      const end = this.#text.indexOf("'", this.#at + 1);
      if (end < 0) throw new UnreadableText();
      word.text += this.#text.slice(this.#at + 1, end);
      this.#at = end + 1;
    } else if (character === '"') {
      this.#at += 1;
      this.#quoted(word, '"');
    } else if (character === "$" && next === "'") this.#ansiQuoted(word);
    else if (character === "$" && next === '"') this.#at += 1;
    else if (character === "$") this.#dollar(word, false);
    else if (character === "`") this.#backquoted(word, false);
    else {
      const isLast = next === "" || wordEnd.has(next);
      const isBracket = character === "[" && !isLast && !(next === "[" && word.text === "");
      const isBrace = character === "{" && !isLast && next !== "}";
      if (isBracket && next === "^") this.isForBash = true;
      if (character === "*" || character === "?" || isBracket) word.addUnknown("files", character);
      else if (isBrace) word.addUnknown("words", character);
      else word.text += character;
      this.#at += 1;
    }
  }

  /** Reads inside double quotes up to the closing one; if `close` is null, the whole text is read like this. */
  #quoted(word: WordBuilder, close: '"' | null): void {
    while (this.#at < this.#text.length) {
      const character = this.#peek();
      const next = this.#peek(1);
      if (character === close) {
        this.#at += 1;
        return;
      }
      if (character === "\\" && '$`"\\\n'.includes(next) && next !== "") {
        if (next !== "\n") word.text += next;
        this.#at += 2;
      } else if (character === "$") this.#dollar(word, true);
      else if (character === "`") this.#backquoted(word, true);
      else {
        word.text += character;
        this.#at += 1;
      }
    }
    if (close !== null) throw new UnreadableText();
  }

  #ansiQuoted(word: WordBuilder): void {
    const quoted = readAnsiQuoted(this.#text, this.#at);
    if (quoted === undefined) throw new UnreadableText();
    this.isForBash = true;
    word.text += quoted.text;
    this.#at = quoted.end;
  }

  #dollar(word: WordBuilder, isQuoted: boolean): void {
    const start = this.#at;
    const next = this.#peek(1);
    this.#at += 1;
    if (next === "\\" && this.#peek(1) === "\n") throw new UnreadableText();
    if (next === "(") {
      if (!this.#arithmetic()) {
        this.#at += 1;
        this.readList(")");
      }
    } else if (next === "{") this.#braced();
    else {
      variableName.lastIndex = this.#at;
      const name = variableName.exec(this.#text)?.[0] ?? "";
      this.#at += name.length;
      if (name === "") {
        word.text += "$";
        return;
      }
    }
    const source = this.#text.slice(start, this.#at);
    // An indirect expansion may yield a list: `"${!X}"`.
    word.addUnknown(isQuoted && !/@|\$\{!/u.test(source) ? "value" : "words", source);
  }

  /** `${…}`. Quotes inside mean different things in different places, and a blank after the brace runs commands: not understood. */
  #braced(): void {
    this.#at += 1;
    const inner = new WordBuilder();
    this.#nesting += 1;
    if (/[\s|]/u.test(this.#peek()) || this.#nesting + this.#depth > maxDepth) throw new UnreadableText();
    while (this.#at < this.#text.length) {
      const character = this.#peek();
      if (character === "}") {
        this.#at += 1;
        this.#nesting -= 1;
        return;
      }
      harmlessQuoted.lastIndex = this.#at;
      const harmless = character === "'" ? harmlessQuoted.exec(this.#text)?.[0] : "";
      if (harmless === undefined) throw new UnreadableText();
      if (harmless !== "") this.#at += harmless.length;
      else if (character === "\\") this.#at += 2;
      else if (character === '"') {
        this.#at += 1;
        this.#quoted(inner, '"');
      } else if (character === "$") this.#dollar(inner, true);
      else if (character === "`") this.#backquoted(inner, true);
      else this.#at += 1;
    }
    throw new UnreadableText();
  }

  /** Skips `((…))` after reading its substitutions. Returns false, and skips nothing, if it is two subshells. */
  #arithmetic(): boolean {
    const end = arithmeticEnd(this.#text, this.#at);
    if (end < 0) return false;
    const body = this.#text.slice(this.#at + 2, end);
    if (this.#text.charAt(this.#at - 1) !== "$") this.isForBash = true;
    if (ambiguousArithmetic.test(body)) throw new UnreadableText();
    this.#at = end + 2;
    this.#nested(body, (lexer) => lexer.#quoted(new WordBuilder(), null));
    return true;
  }

  #backquoted(word: WordBuilder, isQuoted: boolean): void {
    const start = this.#at + 1;
    let end = start;
    while (end < this.#text.length && this.#text.charAt(end) !== "`") end += this.#text.charAt(end) === "\\" ? 2 : 1;
    if (end >= this.#text.length) throw new UnreadableText();
    const escaped = isQuoted ? /\\([$`\\"])/gu : /\\([$`\\])/gu;
    this.#nested(this.#text.slice(start, end).replace(escaped, "$1"), (lexer) => lexer.readList(null));
    word.addUnknown(isQuoted ? "value" : "words", this.#text.slice(start - 1, end + 1));
    this.#at = end + 1;
  }
}
