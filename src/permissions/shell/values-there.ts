/** Of the values that a line gives a variable one after another: which may count where one of its commands stands. */
import { filledWord, hasHole, hole, maxFilled, type ValueOf } from "./fill.ts";
import { behindStart, joined, type LexedCommand, type Word } from "./text.ts";
import { programOf } from "./unwrap.ts";
import { setters } from "./values.ts";
import { maxCommandLength } from "./words.ts";
import { keywords } from "./wrappers.ts";

const openers = new Set("if case while until for select {".split(" "));
const closers = new Set(["fi", "done", "esac", "}"]);

/** `told`: all that the line says of a variable. It stays where that is set once, or not plainly one after another. */
export function valuesThere(
  written: readonly LexedCommand[],
  source: string,
  told: ValueOf,
): (program: Word | undefined) => ValueOf {
  const open = source.length > maxCommandLength ? undefined : inTurn(source);
  return (program) => {
    const place = program === undefined ? -1 : written.findIndex(({ words }) => words.includes(program));
    if (open === undefined || place < 0) return told;
    return (name) => (isInTurn(name, written, open) ? valuesAt(name, place, written, told) : told(name));
  };
}

/** What is no text, a line's command behind one to which it belongs, and no shell of its own runs; undefined where nobody knows what is called when. */
function inTurn(source: string): string | undefined {
  let open = source.replace(/'[^']*'|"(?:[^"\\]|\\.)*"/gsu, "''").replace(/\\\n/gu, " ");
  if (/\(\s*\)|\b(?:function|trap)\b/u.test(open)) return undefined;
  open = open.replace(/(&&|\|\|?)\s*(?:#.*\n\s*)*/gu, "$1 ");
  for (let depth = 0; depth < 4; depth += 1) open = open.replace(/(?<!=)\([^()]*\)/gu, "");
  return open.replace(/=\(/gu, "=").includes("(") ? undefined : open;
}

/** Each time it is set stands where that surely happens once the line comes there, and nothing else looks as if it set it. */
function isInTurn(name: string, written: readonly LexedCommand[], open: string): boolean {
  const isOdd = new RegExp(String.raw`\b${name}(?:\[|\+?=\()|\$\{!?${name}[^}]*=`, "u");
  if (!/^[A-Za-z_]\w*$/u.test(name) || isOdd.test(open)) return false;
  const times = written.filter(({ words }) => wordsFor(name, words).length > 0).length;
  if (times < 2) return false;
  const isChain = !/[;\n]|\|\||[^&>]&(?![&>])/u.test(open);
  const before = String.raw`(?:^|[;\n]|\b(?:do|then|else)\s${isChain ? "|&&" : ""})\s*`;
  const setting = String.raw`(?:for\s+${name}\s+in\b|(?:(?:${[...setters].join("|")})\s+)?${name}\+?=)`;
  const isAlone = String.raw`(?![^;\n&|]*(?:\|(?!\|)|(?<!>)&(?![&>])))`;
  const found = (form: string): number => [...open.matchAll(new RegExp(form, "gu"))].length;
  return found(before + setting + isAlone) === times && found(String.raw`(?<![\w$-])${setting}`) === times;
}

/** What it is set to, `NAME=` in front of it but for a loop. */
function wordsFor(name: string, words: readonly Word[]): Word[] {
  const start = words.findIndex(({ text }) => !keywords.has(text));
  const rest = start < 0 ? [] : words.slice(start);
  const program = programOf(rest[0]) ?? "";
  if (program === "for") return rest[1]?.text === name ? rest.slice(3) : [];
  const isSetting = setters.has(program) || rest.every(({ text }) => /^\w+\+?=/u.test(text));
  return isSetting ? rest.filter(({ text }) => text.startsWith(`${name}=`) || text.startsWith(`${name}+=`)) : [];
}

/** What is set in no branch ends what was set before, in a loop as long as it lasts: it may go round for nothing. There, what stands behind the place comes before it as well. */
function valuesAt(name: string, place: number, written: readonly LexedCommand[], told: ValueOf) {
  let values: readonly string[] = [];
  let outside = values;
  let depth = 0;
  for (const [at, { words }] of written.entries()) {
    if (at > place && depth === 0) break;
    const before = values;
    const made = wordsFor(name, words).flatMap((word) => valuesOf(word, name, before, told));
    if (made.length > 0) values = depth === 0 ? made : [...new Set([...before, ...made])];
    if (depth === 0) outside = before;
    depth += deeper(words);
    if (depth === 0 && deeper(words) < 0 && at < place) values = [...new Set([...outside, ...values])];
    if (values.length > maxFilled) return told(name);
  }
  return values.length > 0 ? values : undefined;
}

/** How many branches and loops a command opens, less those it ends. */
function deeper(words: readonly Word[]): number {
  let depth = 0;
  for (const { text } of words) {
    if (openers.has(text)) depth += 1;
    else if (closers.has(text)) depth -= 1;
    else if (!keywords.has(text)) break;
  }
  return depth;
}

function valuesOf(word: Word, name: string, before: readonly string[], told: ValueOf): string[] {
  const [start = "", adds] = /^\w+(\+?)=/u.exec(word.text) ?? [];
  const value = behindStart(word, start.length);
  const plain: Word = value.unsure === undefined || start === "" ? value : { ...value, unsure: "value" };
  const known = before.length > 0 ? before : undefined;
  const texts = filledWord(plain, (each) => (each === name ? known : told(each))).map(joined);
  const all = adds === "+" ? (known ?? [hole]).flatMap((first) => texts.map((text) => first + text)) : texts;
  const values = all.map((text) => (hasHole(text) ? hole : text));
  // What is made of a folder's name in a way that nobody follows may still be that folder, or one above it.
  const isOfItself = new RegExp(String.raw`\$\{?${name}\b`, "u").test(word.text);
  return isOfItself && all.includes(hole) ? [...before, ...values] : values;
}
