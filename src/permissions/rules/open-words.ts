/**
 * What words that only the shell will know may become, against a pattern with a star in front of what it names. A command of which all
 * is open that a substitution merely says is judged by that text. An option that the pattern names behind a star has to stand there, or
 * has to be what one of the open words may begin with.
 */
import { matchesCommand, type CommandPattern } from "./command-pattern.ts";
import { textsOf } from "./command-text.ts";
import { optionValues } from "./option-values.ts";
import { filledWord, hasHole, hole, maxFilled, outputs, type ValueOf } from "../shell/fill.ts";
import { saidAt } from "../shell/said-text.ts";
import { certainWord, type Word } from "../shell/text.ts";

interface NamedOption {
  text: string;
  /** Nothing more stands in its word. */
  isWhole: boolean;
}

/** What the line tells of its own words. */
export interface OpenLine {
  /** What its variables hold or may hold, nothing included. */
  valueOf: ValueOf;
  /** Whether a file whose name begins with a hyphen may be what a pattern finds that stands there. */
  findsDashed: (word: Word) => boolean;
}

/**
 * The word of an open command by which it may become one that the pattern means; undefined where there is none, as what is open in it is
 * only said in it and says something else, or becomes none of the options that the pattern names.
 */
export function openWord(
  pattern: CommandPattern,
  words: readonly Word[] | undefined,
  line: OpenLine,
): Word | undefined {
  const first = words?.find(({ unsure }) => unsure !== undefined);
  if (words === undefined || first === undefined) return certainWord("");
  const said = saidForms(words, line);
  if (said !== undefined) {
    const isMeant = said.some((form) =>
      textsOf({ words: form, isIdle: false }).some(({ text }) => matchesCommand(pattern, text)),
    );
    return isMeant ? first : undefined;
  }
  const texts = words.map(({ text }) => text).join(" ");
  const open = optionsNamed(pattern).filter(({ text }) => !texts.includes(text));
  const found = open.map((option) => mayName(option, words, line));
  return found.includes(undefined) ? undefined : (found[0] ?? first);
}

export const untold: OpenLine = { valueOf: () => undefined, findsDashed: () => true };

/** Some that begin with one hyphen are the end of another word: `*-prod`. */
const optionForm = /(?:(?<= )-{1,2}|^--)[A-Za-z][^\s{},'"*?[\]]*(?=$| )/gu;

/** Those that the pattern names behind its first star. */
function optionsNamed({ pieces, endsAtWord }: CommandPattern): NamedOption[] {
  return pieces.slice(1).flatMap((piece, index) =>
    [...piece.matchAll(optionForm)].map((found): NamedOption => {
      const [text] = found;
      const isLast = found.index + text.length === piece.length;
      return { text, isWhole: !isLast || (index + 2 === pieces.length && (endsAtWord || piece !== "")) };
    }),
  );
}

/** All that the words may be, where what is open of them is only said by substitutions; undefined where something else is. */
function saidForms(words: readonly Word[], line: OpenLine): Word[][] | undefined {
  // Programs of the line's own may be called like those that print.
  if (line.valueOf(outputs.number) === undefined) return undefined;
  let forms: Word[][] = [[]];
  for (const word of words) {
    const text = word.unsure === undefined ? word.text : saidWord(word);
    if (text === undefined) return undefined;
    const isApart = word.spread === undefined && word.unsure !== undefined && /\s/u.test(text);
    const parts = isApart ? [text.split(/\s+/u).filter((part) => part !== ""), [text]] : [[text]];
    forms = forms.flatMap((before) => parts.map((each) => [...before, ...each.map(certainWord)]));
    if (forms.length > maxFilled) return undefined;
  }
  return forms;
}

function saidWord({ text, known, spread, tail = 0 }: Word): string | undefined {
  let said = text.slice(0, known);
  for (let at = known; at < tail;) {
    const found = saidAt(text, at);
    // Without quotes, what is said may be a pattern, too.
    if (found === undefined && /[$`*?[{]/u.test(text.charAt(at))) return undefined;
    if (found !== undefined && spread === undefined && /[*?[]/u.test(found.text)) return undefined;
    said += found?.text ?? text.charAt(at);
    at = found?.end ?? at + 1;
  }
  return said + text.slice(tail);
}

/** The word that may become one that begins with the option. */
function mayName({ text, isWhole }: NamedOption, words: readonly Word[], line: OpenLine): Word | undefined {
  const option = { text, isWhole };
  const open = words.filter((word) => word.unsure !== undefined && mayBegin(option, word, line));
  if (open.length === 0) return undefined;
  const values = optionValues(words);
  return open.find((word) => !values.has(word));
}

function mayBegin(option: NamedOption, word: Word, line: OpenLine): boolean {
  const { text, known, spread } = word;
  const begin = text.slice(0, known);
  if (spread !== undefined && !isBeginning(begin, option)) return false;
  if (spread === "braces") return begin !== "" || text.split(/[{},]/u).some((part) => mayBeginPart(option, part));
  if (datesDashed.test(text)) return true;
  // Several words may come of braces that stand beside an expansion.
  if (spread === undefined && text.includes("{") && /(?<!\$)\{/u.test(text)) return true;
  const forms = filledWord(word, line.valueOf).flat();
  if (spread === undefined && forms.some((form) => hasHole(form.text))) return true;
  return forms.some((form) => mayBeForm(option, form.text, word, line));
}

/** Each word that braces make begins where one of these begins. */
function mayBeginPart(option: NamedOption, part: string): boolean {
  return part !== "" && (/^[$`*?[]/u.test(part) || isBeginning(/^[^$`*?[]*/u.exec(part)?.[0] ?? "", option));
}

function mayBeForm(option: NamedOption, text: string, word: Word, line: OpenLine): boolean {
  const open = text.search(openCharacter);
  if (open < 0) return option.isWhole ? text === option.text : text.startsWith(option.text);
  if (!isBeginning(text.slice(0, open), option)) return false;
  const tail = text.slice(text.search(/[^*?[\]\u{e001}\u{e002}]*$/u));
  if (option.isWhole && !option.text.endsWith(tail)) return false;
  return hasHole(text.charAt(open)) || line.findsDashed(word);
}

/** What `date` is told to put out may begin with a hyphen, or a line of it may. */
const datesDashed = /\bdate\b[^)]*\+(?:[^)]*(?:%[nt]|\s))?["'\\]*-/u;
const openCharacter = /[*?[\u{e001}\u{e002}]/u;

/** Whether what goes on behind it may make it the option. */
function isBeginning(begin: string, { text, isWhole }: NamedOption): boolean {
  return text.startsWith(begin) || (!isWhole && begin.startsWith(text));
}

/** What variables of these names hold is a whole path, whoever sets them. */
const ofFolders = new Set(["OLDPWD", "TMPDIR"]);

/** Where the line itself says nothing of them. Where there is no repository, git puts out nothing. */
export function withFolders(valueOf: ValueOf): ValueOf {
  return (name) => {
    if (name === outputs.top && valueOf(name) !== undefined) return [`/${hole}`, ""];
    return valueOf(name) ?? (ofFolders.has(name) ? [`/${hole}`] : undefined);
  };
}
