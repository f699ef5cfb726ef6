/** What a terminal sends, taken apart into keys, text and pastes. A paste of many lines stays one. */
import { StringDecoder } from "node:string_decoder";
import { characterName, keypadName, sequenceName } from "./key-names.ts";

export const pasteOn = "\x1b[?2004h";
export const pasteOff = "\x1b[?2004l";

export type Key = { type: "press"; name: string } | { type: "text"; text: string } | { type: "paste"; text: string };

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
/** An ESC behind which nothing comes for so many milliseconds is a key, and no beginning of another. */
export const loneEscape = 100;
/** An ESC this long before a key is one of its own, in milliseconds. */
const longestPrefix = 500;
/** An answer of the terminal that stops for so long has lost its end, in milliseconds: what follows is typed. */
const longestPause = 1_000;

/** What a terminal answers to what somebody else has asked it, by how it begins, and what stands in it. Nobody types so fast behind an Alt+]. */
const answer = String.raw`\x1b(?:\][\dlL]|P[\d>!]|_G)`;
const inAnswer = String.raw`[^\x00-\x1f\x7f]*`;

/** Text; or one key: a control character, ESC and a sequence or a character behind it. */
const piece = new RegExp(
  [
    String.raw`(?<text>[^\x00-\x1f\x7f-\x9f]+)`,
    String.raw`(?<lineEnd>\r\n)`,
    String.raw`(?<alt>\x1b)?(?:\x1b\[\[[A-E]|\x1b(?:\[(?<shifted>[2-8])\$|\[(?<parameters>[\x30-\x3f]*)[\x20-\x2f]*(?<final>[\x40-\x7e])|O(?<keypad>[A-Za-z])))`,
    String.raw`\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)`,
    // Another key has cut it off.
    String.raw`${answer}${inAnswer}(?=[\x00-\x1f\x7f]|$)`,
    String.raw`\x1b(?<second>[^\x1b])`,
    String.raw`(?<control>[^])`,
  ].join("|"),
  "uyg",
);
/** The beginning of a sequence, at the end of what has come. */
const begun = new RegExp(
  String.raw`\x1b?\x1b\[(?:\[|(?![2-8]\$)[\x30-\x3f]*[\x20-\x2f]*)$|${answer}${inAnswer}\x1b?$|\x1b[\]P_]$|\x1b{1,2}O?$`,
);
const ending = new RegExp(String.raw`(?:^|[^\x1b])\r$`);
const openAnswer = new RegExp(String.raw`^(${answer})${inAnswer}(\x1b?)$`);
/** What is something else with an ESC before it; other keys are themselves, however soon they follow. */
const known = new RegExp(String.raw`^(?:[bdfyBDFY\x7f\r]|\[[\x20-\x7e]|O[A-Z])`);
const escapes = new RegExp(String.raw`^\x1b+[O\]P_]?$`);

export class KeyReader {
  readonly #now: () => number;
  /** Whoever types sends lines, with the end that they have elsewhere: the shell of an editor. */
  readonly #sendsLines: boolean;
  /** Nobody has keys with Alt and a character: such a one is Esc, and what follows it at once. */
  readonly #partsAlt: boolean;
  /** A terminal gives 4 KiB at a time, and cuts characters. */
  readonly #decoder = new StringDecoder("utf8");
  #pasted: string[] | undefined;
  #rest = "";
  /** When an ESC was a key that had no effect: with what is typed behind it, it is one with Alt. */
  #escapedAt: number | undefined;
  /** When a return came last: a line feed at once behind it is its other half. */
  #returnedAt: number | undefined;
  #isFirst = true;
  #isEarly = false;

  constructor(now: () => number, { sendsLines = false, partsAlt = false } = {}) {
    this.#now = now;
    this.#sendsLines = sendsLines;
    this.#partsAlt = partsAlt;
  }

  push(chunk: string | Buffer): Key[] {
    const came = this.#withoutHalf(typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
    // Whoever presses Ctrl+C where the end of a paste was lost could not leave otherwise: no key is one any more.
    const end = this.#pasted !== undefined && isCtrlC(came) ? pasteEnd : "";
    let text = this.#rest + end + came;
    if (text === "") return [];
    const isPrefixed =
      !this.#partsAlt && this.#escapedAt !== undefined && this.#now() - this.#escapedAt <= longestPrefix;
    if (isPrefixed && known.test(text)) text = `\x1b${text}`;
    this.#rest = "";
    this.#escapedAt = undefined;
    // Typed before the terminal was read: it has made line ends of its Enters, and has edited the line itself.
    this.#isEarly = this.#isFirst && !/[^\P{Cc}\n\t]/u.test(text);
    this.#isFirst = false;
    const keys: Key[] = [];
    const isReturn = ending.test(text);
    while (text !== "") {
      const isPasting = this.#pasted !== undefined;
      const mark = isPasting ? pasteEnd : pasteStart;
      const found = text.indexOf(mark);
      const before = found === -1 ? text : text.slice(0, found);
      text = found === -1 ? "" : text.slice(found + mark.length);
      if (isPasting) this.#addPasted(before, found !== -1, keys);
      else {
        this.#addKeys(before, found === -1, keys);
        if (found !== -1) this.#pasted = [];
      }
    }
    if (isReturn && this.#pasted === undefined) this.#returnedAt = this.#now();
    return keys;
  }

  /** An ESC came last, or one with a letter that more may follow: what it is shows within `loneEscape`, by what follows. */
  get isEscapeOpen(): boolean {
    return this.#pasted === undefined && escapes.test(this.#rest);
  }

  /** How long `endEscape` waits for what follows, in milliseconds. */
  get isOpenFor(): number | undefined {
    if (this.isEscapeOpen) return loneEscape;
    return this.#pasted === undefined && openAnswer.test(this.#rest) ? longestPause : undefined;
  }

  /** Nothing has followed it. */
  endEscape(): Key[] {
    const wasEscape = this.isEscapeOpen;
    if (this.isOpenFor !== undefined && !wasEscape) this.#rest = "";
    if (!wasEscape) return [];
    const letter = this.#rest.replaceAll("\x1b", "");
    const alone = this.#rest.length - letter.length * 2;
    const keys = Array.from({ length: alone }, (): Key => ({ type: "press", name: "escape" }));
    if (letter !== "") this.#addAlt(letter, keys);
    else this.#escapedAt = this.#now();
    this.#rest = "";
    return keys;
  }

  /** The ESC that came last has had its effect: what follows is no key with Alt. */
  tookEscape(): void {
    this.#escapedAt = undefined;
  }

  #withoutHalf(came: string): string {
    const isHalf = this.#returnedAt !== undefined && this.#now() - this.#returnedAt <= loneEscape;
    if (came !== "") this.#returnedAt = undefined;
    return isHalf && came.startsWith("\n") ? came.slice(1) : came;
  }

  #addPasted(piece: string, isEnd: boolean, keys: Key[]): void {
    const kept = isEnd ? piece.length : piece.length - markBeginning(piece);
    this.#pasted?.push(piece.slice(0, kept));
    this.#rest = piece.slice(kept);
    if (!isEnd) return;
    const text = flat((this.#pasted ?? []).join(""));
    this.#pasted = undefined;
    if (text !== "") keys.push({ type: "paste", text });
  }

  #addKeys(text: string, isLast: boolean, keys: Key[]): void {
    const open = isLast ? (begun.exec(text)?.[0].length ?? 0) : 0;
    // However long an answer is, nothing of it is kept.
    this.#rest = text.slice(text.length - open).replace(openAnswer, "$1$2");
    for (const { groups = {} } of text.slice(0, text.length - open).matchAll(piece)) {
      if (groups["text"] !== undefined) keys.push({ type: "text", text: groups["text"] });
      else this.#addKey(groups, keys);
    }
  }

  #addKey(groups: Record<string, string | undefined>, keys: Key[]): void {
    if (groups["second"] !== undefined) return this.#addAlt(groups["second"], keys);
    const name = this.#nameOf(groups);
    if (name === undefined) return;
    // Whole characters that the terminal gives by their code.
    if (isCharacter(name)) keys.push({ type: "text", text: name });
    else keys.push({ type: "press", name });
  }

  #addAlt(second: string, keys: Key[]): void {
    if (this.#partsAlt && second > " " && second !== "\x7f")
      keys.push({ type: "press", name: "escape" }, { type: "text", text: second });
    else keys.push({ type: "press", name: `alt+${characterName(second).toLowerCase()}` });
  }

  #nameOf({ lineEnd, alt, shifted, parameters, final, keypad, control }: Record<string, string | undefined>) {
    if (lineEnd !== undefined) return "enter";
    if (control !== undefined) {
      if (control > "\x7f") return undefined;
      return control === "\n" && (this.#isEarly || this.#sendsLines) ? "enter" : characterName(control);
    }
    if (keypad === "M") return "enter";
    const name = sequenceOf(shifted ?? parameters ?? "", shifted === undefined ? final : "$", keypad);
    return name !== undefined && alt !== undefined && !isCharacter(name) ? `alt+${name}` : name;
  }
}

function sequenceOf(parameters: string, final: string | undefined, keypad: string | undefined): string | undefined {
  if (keypad !== undefined) return keypadName(keypad);
  return final === undefined ? undefined : sequenceName(parameters, final);
}

const coded = new RegExp(String.raw`^\x1b\[([\d:;]+)u$`);

/** Alone, as a person presses it; in kitty's protocol it has a sequence of its own. */
function isCtrlC(came: string): boolean {
  const [, parameters] = coded.exec(came) ?? [];
  return came === "\x03" || (parameters !== undefined && sequenceName(parameters, "u") === "ctrl+c");
}

function isCharacter(name: string): boolean {
  return Array.from(name).length === 1;
}

/** Nothing in a paste may act as a key: its line ends submit nothing, and no control edits. */
export function flat(text: string): string {
  return text.replace(/\r\n?/gu, "\n").replace(controls, "");
}

const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f]`, "gu");

/** Length of the beginning of a paste's end, at the end of the text. */
function markBeginning(text: string): number {
  for (let length = pasteEnd.length - 1; length > 0; length -= 1)
    if (text.endsWith(pasteEnd.slice(0, length))) return length;
  return 0;
}
