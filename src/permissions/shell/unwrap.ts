/** Derives what would run from what was written: removes assignments, keywords and wrappers, and reads text given to a shell in turn. */
import { commandOptionIndex, mayBeFromCommand, readsCommandsFromInput, shellOperands } from "./fed-shells.ts";
import { finderRuns } from "./finder-runs.ts";
import { optionWords } from "./given-words.ts";
import { gluedText, isOptionText, ownOptionsEnd } from "./option-texts.ts";
import { expandsAgain, startFile } from "./forms.ts";
import { withoutLeadingWords } from "./leading-words.ts";
import { lexCommands } from "./lexer.ts";
import { joinTexts, type Lexed, type LexedCommand, type Word } from "./text.ts";
import { LineVariables } from "./variables.ts";
import * as known from "./wrappers.ts";

/** One command that may run. */
export interface PlausibleCommand {
  words: Word[];
  /** Read from text that most likely nothing runs. */
  isIdle: boolean;
  /** Read from a word's own characters: it only runs if something expands the word once more. */
  isFromQuotedText?: boolean;
}

const maxDepth = 12;
/** Limits against text made to be slow. Beyond them nothing is followed, and the command counts as not understood. */
const maxCharacters = 1_000_000;
const maxUnwrapped = 500;
const maxWords = 200_000;
export const tooMuchText = "it holds too much to follow";

/** The names that Homebrew and MacPorts give to GNU programs. */
const gnuPrefixedName =
  /^g(?:env|nice|nohup|stdbuf|time|timeout|xargs|chmod|chown|cp|dd|install|ln|mkdir|mktemp|mv|rm|rmdir|shred|tee|touch|truncate|unlink)$/u;

export function programName(word: Word | undefined): string | null {
  if (word === undefined || word.known < word.text.length) return null;
  const name = word.text.slice(word.text.lastIndexOf("/") + 1).toLowerCase();
  return gnuPrefixedName.test(name) ? name.slice(1) : name;
}

export class Unwrapper {
  readonly commands: PlausibleCommand[] = [];
  /** The commands as written, with nothing removed. */
  readonly rawCommands: LexedCommand[] = [];
  understood = true;
  understoodAround = true;
  /** Why it may run anything, in one clause; undefined if it does not. */
  opaque: string | undefined;
  isForBash = false;
  readonly #source: string;
  readonly #expandsAgain: boolean;
  /** Text that a shell may be given on its standard input. */
  readonly #inputTexts: string[] = [];
  readonly #variables: LineVariables;
  #feeds: "nothing" | "idle" | "shell" = "nothing";
  #isIdle = false;
  #quotedDepth = 0;
  #characterCount = 0;
  #unwrapped = 0;
  #wordCount = 0;
  /** What each run of a finder used up of the limits. In nested finders, the same run comes again: it adds no commands, but counts again. */
  readonly #finderRuns = new Map<string, { unwrapped: number; words: number }>();

  constructor(source: string) {
    this.#source = source;
    this.#variables = new LineVariables(source);
    this.#expandsAgain = expandsAgain.test(source);
  }

  read(lexed: Lexed, depth = 0): void {
    this.isForBash ||= lexed.isForBash;
    if (!lexed.understood) this.#markOpaque("it cannot be read to its end as shell");
    for (const command of lexed.commands) this.#readCommand(command, depth);
    if (depth > 0 || this.#feeds === "nothing") return;
    this.#markNotUnderstood();
    if (this.#feeds === "shell") this.#markOpaque("it gives a shell its commands through a pipe or a file");
    for (const text of this.#inputTexts.splice(0)) this.#readText(text, 1, this.#feeds === "idle");
  }

  #markNotUnderstood(): void {
    this.understood = false;
    this.understoodAround &&= this.#quotedDepth > 0;
  }

  #markOpaque(why: string): void {
    this.#markNotUnderstood();
    if (!this.#isIdle) this.opaque ??= why;
  }

  #markTooMuch(): void {
    this.#markNotUnderstood();
    this.opaque ??= tooMuchText;
  }

  /** `isIdle`: most likely nothing runs the text. */
  #readText(text: string, depth: number, isIdle = false): void {
    this.#characterCount += text.length;
    if (depth > maxDepth || this.#characterCount > maxCharacters) {
      this.#markTooMuch();
      return;
    }
    this.#readAsIdle(isIdle, () => this.read(lexCommands(text, depth), depth));
  }

  #readAsIdle(isIdle: boolean, read: () => void): void {
    const before = this.#isIdle;
    this.#isIdle ||= isIdle;
    read();
    this.#isIdle = before;
  }

  #readCommand(command: LexedCommand, depth: number): void {
    if (!this.#isIdle) this.rawCommands.push(depth > 0 ? { ...command, before: undefined } : command);
    this.#inputTexts.push(...command.documents);
    for (const word of command.words) {
      if (/[\s;&|]/u.test(word.text)) this.#inputTexts.push(word.text);
      if (/^BASH_(?:ALIASES|CMDS)\b/u.test(word.text)) this.#markOpaque("it gives commands other names");
      if (startFile.test(word.text)) this.#markOpaque("it names what a shell runs when it begins");
      // A subscript, a prompt string or `eval` may still expand what single quotes protected.
      const hidden = word.known === word.text.length ? word.text.search(/\$\(|`/u) : -1;
      if (hidden < 0) continue;
      this.#quotedDepth += 1;
      this.#readText(word.text.slice(hidden), depth + 1, !this.#expandsAgain);
      this.#quotedDepth -= 1;
    }
    this.#unwrap(command.words, depth, new Set());
  }

  /** `visited`: the numbers of remaining words at the places of this command that have been unwrapped. */
  #unwrap(rawCommands: readonly Word[], depth: number, visited: Set<number>): void {
    if (this.#wordCount > maxWords) {
      this.#markTooMuch();
      return;
    }
    let words = withoutLeadingWords(rawCommands);
    const program = programName(words[0]);
    if (program !== null && known.takesInput(program)) words = known.withInput(program, words);
    if (words.length === 0 || visited.has(known.writtenWordCount(words))) return;
    visited.add(known.writtenWordCount(words));
    this.#wordCount += words.length;
    this.commands.push({ words, isIdle: this.#isIdle, isFromQuotedText: this.#quotedDepth > 0 });
    if (program === null || !known.runsOtherCommands(program)) return;
    this.#unwrapped += 1;
    if (depth > maxDepth || this.#unwrapped > maxUnwrapped) this.#markTooMuch();
    else this.#follow(program, words, depth, visited);
  }

  #follow(program: string, words: readonly Word[], before: number, visited: Set<number>): void {
    const depth = before + 1;
    const rest = words.slice(1);
    const isFed = readsCommandsFromInput(program, rest);
    if (isFed && !this.#isIdle) this.#feeds = "shell";
    else if (isFed && this.#feeds === "nothing") this.#feeds = "idle";
    if (known.shells.has(program)) this.#followShell(program, rest, depth);
    else if (known.finders.has(program)) this.#followFinder(program, rest, depth);
    else if (known.textRunners.has(program)) this.#followTextRunner(program, rest, depth);
    else if (!known.runsNoCommand(program, rest, this.#variables)) this.#followWrapper(program, rest, before, visited);
  }

  #followTextRunner(program: string, rawCommands: readonly Word[], depth: number): void {
    const rest = rawCommands[0]?.text === "--" ? rawCommands.slice(1) : rawCommands;
    const otherNames = "it gives commands other names";
    switch (program) {
      case "eval":
        return this.#readGivenWords(rest, depth);
      case "trap":
        return this.#readGivenWords(rest.slice(0, 1), depth);
      case "source":
      case ".":
        return this.#readFile(rest[0], true);
      case "hash":
      case "enable":
        return rest.some(({ text }) => /^-[A-Za-z]*[pf]/u.test(text)) ? this.#markOpaque(otherNames) : undefined;
      case "alias":
        if (rest.some((word) => word.unsure !== undefined || word.text.includes("="))) this.#markOpaque(otherNames);
        for (const word of rest) this.#readText(word.text.slice(word.text.indexOf("=") + 1), depth);
        return undefined;
      default:
        // The last `-C` value is run with more words appended.
        for (const words of optionWords(rest, "-C")) this.#readGivenWords([words], depth);
        return undefined;
    }
  }

  #readGivenWords(words: readonly Word[], depth: number): void {
    if (words.some((word) => word.known < word.text.length))
      this.#markOpaque("it gives a shell text of which a part is known only when it runs");
    this.#readText(joinTexts(words), depth);
  }

  /** A file that a shell reads. Its content is not followed, but output of another command given as a file makes it doubtful. */
  #readFile(file: Word | undefined, isSourced: boolean): void {
    if (file === undefined) return;
    if (mayBeFromCommand(file, this.#source))
      this.#markOpaque("it gives a shell its commands through a pipe or a file");
    else if (isSourced && file.known < file.text.length) this.#markNotUnderstood();
  }

  #followShell(program: string, rest: readonly Word[], depth: number): void {
    for (const file of optionWords(rest, "--rcfile", "--init-file")) this.#readFile(file, false);
    const flag = commandOptionIndex(program, rest);
    if (flag >= 0) {
      const string = rest.slice(flag + 1).find((word) => !/^[-+]/u.test(word.text));
      if (string !== undefined && known.plainShells.has(program) && lexCommands(string.text, depth).isForBash)
        this.#markOpaque("it gives another shell what is written for bash");
      this.#readGivenWords(string === undefined ? [] : [string], depth);
    } else this.#readFile(shellOperands(rest)[0], false);
  }

  #followFinder(program: string, rest: readonly Word[], depth: number): void {
    for (const { option, isOpen, run } of finderRuns(program, rest)) {
      if (isOpen && this.#variables.mayHoldWords(option)) this.#markOpaque(known.unquotedReason(option));
      if (run === undefined || this.#wordCount > maxWords) {
        this.#markTooMuch();
        continue;
      }
      const isFollowed = known.runsOtherCommands(programName(run[0]) ?? "");
      // A found file begins with its folder, so it cannot become an option.
      const filled = run.map((each, at) =>
        at > 0 && !isFollowed && each.text === "{}" ? each : known.withHole(each, at === 0 ? "{" : "{}"),
      );
      this.#unwrapRun(filled, depth);
    }
  }

  #unwrapRun(words: readonly Word[], depth: number): void {
    const key = JSON.stringify([this.#isIdle, this.#quotedDepth > 0, words]);
    const [unwrapped, wordCount] = [this.#unwrapped, this.#wordCount];
    const used = this.#finderRuns.get(key);
    if (used === undefined) this.#unwrap(words, depth, new Set());
    this.#unwrapped += used?.unwrapped ?? 0;
    this.#wordCount += used?.words ?? 0;
    this.#finderRuns.set(key, { unwrapped: this.#unwrapped - unwrapped, words: this.#wordCount - wordCount });
    if (this.#unwrapped > maxUnwrapped) this.#markTooMuch();
  }

  /** An option may take the next word, so both readings are kept, and also what is in front of the command. */
  #followWrapper(program: string, rest: readonly Word[], before: number, visited: Set<number>): void {
    const isFirst = visited.size === 1;
    if (program === "parallel" && (rest.length === 0 || /^(?::::|\{)/u.test(rest[0]?.text ?? "")))
      this.#markOpaque("it runs what it reads");
    this.#readWrapperText(program, rest, before, isFirst);
    const start = known.commandStart(program, rest);
    const isKnown = known.isStartCertain(program, rest.slice(0, start));
    let afterOption = false;
    for (const [index, word] of rest.entries()) {
      const { text } = word;
      const isOption = text.startsWith("-") || text.startsWith("+");
      const isCount = /^[\d.]+[a-z]*$/u.test(text);
      const isSetting = known.assignmentForm.test(text) || isCount;
      const isSpread = index < start && this.#variables.mayHoldWords(word);
      if (isSpread || ((isOption || isSetting) && this.#variables.mayHoldWords(word)))
        this.#markOpaque(known.unquotedReason(word));
      if (isOption || isSetting) {
        // After `--` options take no values, and a number is a value itself.
        afterOption = text !== "--" && !isCount && (afterOption || (isOption && !text.includes("=")));
        continue;
      }
      if (index < start && !isSpread && known.precedesCommand(program, rest, index)) {
        afterOption = false;
        continue;
      }
      if (this.#unwrapped > maxUnwrapped || this.#wordCount > maxWords) {
        this.#markTooMuch();
        return;
      }
      const isBefore = index < start && word.unsure !== undefined && !isSpread;
      const isNoCommand = isBefore || (index !== start && isKnown);
      if (isNoCommand && index > start && programName(word) === null) return;
      if (!visited.has(known.writtenWordCount(rest) - index))
        this.#readAsIdle(isNoCommand, () => this.#unwrap(rest.slice(index), before + 1, visited));
      if (!afterOption && index >= start && !/^[\w.@-]+@|^\//u.test(text)) return;
      afterOption &&= index < start && !isKnown;
    }
  }

  /** Reads text that a wrapper gives to a shell, or may give. */
  #readWrapperText(program: string, rest: readonly Word[], before: number, isFirst: boolean): void {
    const isOwn = known.createValueTest(program, rest);
    const end = ownOptionsEnd(program, rest);
    const joins = known.givesWordsToShell(program);
    rest.forEach((word, index) => {
      if (isOwn(index)) return;
      const isGiven = joins ? /\s/u.test(word.text) : isOptionText(program, rest, index, end);
      const split = program === "env" ? /^(?:-[A-Za-z]*S|--s[a-z-]*=?)([^]*)$/u.exec(word.text)?.[1] : undefined;
      const glued = index < end ? gluedText(program, word) : undefined;
      if (glued !== undefined) this.#readGivenWords([glued], before + 2);
      if (split !== undefined) {
        this.#markOpaque("it has text split into words by another program");
        this.#readText(split, before + 2);
      }
      if (isGiven || (isFirst && /\s/u.test(word.text) && known.mayRunTextWord(program)))
        this.#readAsIdle(!isGiven && split === undefined, () => this.#readGivenWords([word], before + 2));
    });
    const operands = rest.slice(known.commandStart(program, rest));
    if ((program === "watch" || program === "parallel") && operands.length > 1)
      this.#readGivenWords(
        operands.filter(({ text }) => text !== "{}"),
        before + 2,
      );
  }
}
