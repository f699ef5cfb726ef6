/** Splits a terminal's input into keys, text and pastes. A paste of many lines stays one. */
import { StringDecoder } from "node:string_decoder";
import { characterName, keypadName, sequenceName } from "./key-names.ts";

export const pasteOn = "\x1b[?2004h";
export const pasteOff = "\x1b[?2004l";

export type Key = { type: "press"; name: string } | { type: "text"; text: string } | { type: "paste"; text: string };

const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
/** Milliseconds after which an ESC with nothing after it is the Esc key, and not the beginning of a sequence. */
const escapeTimeoutMs = 100;
/** In milliseconds: within this time after an Esc without effect, a key counts as a key with Alt. */
const altPrefixWindowMs = 500;
/** In milliseconds: a terminal answer that pauses for so long has lost its end, and what follows is typed. */
const answerTimeoutMs = 1_000;

/** In milliseconds: the same while an answer is due, which a slow line may deliver in pieces. */
const dueTimeoutMs = 2_000;
/** The characters kept of an answer whose end has not come. */
const maxAnswerLength = 100;

/** The beginning and the content of a terminal's answer to a program's query. Nobody types so fast after Alt+]. */
const answerStart = String.raw`\x1b(?:\][\dlL]|P[\d>!]|_G)`;
const answerContent = String.raw`[^\x00-\x1f\x7f]*`;

/** Text, or one key: a control character, or ESC with a sequence or a character after it. */
const inputPiece = new RegExp(
  [
    String.raw`(?<text>[^\x00-\x1f\x7f-\x9f]+)`,
    String.raw`(?<lineEnd>\r\n)`,
    String.raw`(?<alt>\x1b)?(?:\x1b\[\[[A-E]|\x1b(?:\[(?<shifted>[2-8])\$|\[(?<parameters>[\x30-\x3f]*)[\x20-\x2f]*(?<final>[\x40-\x7e])|O(?<keypad>[A-Za-z])))`,
    String.raw`(?<answer>\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\))`,
    // An answer that another key has cut off.
    String.raw`${answerStart}${answerContent}(?=[\x00-\x1f\x7f]|$)`,
    String.raw`\x1b(?<second>[^\x1b])`,
    String.raw`(?<control>[^])`,
  ].join("|"),
  "uyg",
);
/** The beginning of a sequence at the end of the input so far. */
const incompleteSequence = new RegExp(
  String.raw`\x1b?\x1b\[(?:\[|(?![2-8]\$)[\x30-\x3f]*[\x20-\x2f]*)$|${answerStart}${answerContent}\x1b?$|\x1b[\]P_]$|\x1b{1,2}O?$`,
);
/** Answers to pawl's own questions, whole, wherever they are: for the background (OSC 11), and for what the terminal is (DA1). */
const ownAnswers = new RegExp(String.raw`\x1b\]11;[^\x00-\x1f\x7f]*(?:\x07|\x1b\\)|\x1b\[\?[\d;]*c`, "gu");
/** The beginning of such an answer whose ESC came so long before it that it was taken for the Esc key. */
const answerWithoutEscape = new RegExp(String.raw`^(?:\]11;|\[\?\d)`);
const trailingReturn = new RegExp(String.raw`(?:^|[^\x1b])\r$`);
const openAnswer = new RegExp(String.raw`^(${answerStart})${answerContent}(\x1b?)$`);
/** Keys that mean something else with Alt. Other keys stay themselves, however soon they follow an ESC. */
const altSequence = new RegExp(String.raw`^(?:[bdfyBDFY\x7f\r]|\[[\x20-\x7e]|O[A-Z])`);
const openEscape = new RegExp(String.raw`^\x1b+[O\]P_]?$`);

/** Takes answers of the terminal, which are no keys. While one `isDue`, the beginning of one waits longer for its rest, except a lone ESC. */
export interface AnswerTaker {
  readonly isDue: boolean;
  take(answer: string): void;
}

interface KeyReaderOptions {
  sendsLines?: boolean;
  partsAlt?: boolean;
  answers?: AnswerTaker | undefined;
}

export class KeyReader {
  readonly #now: () => number;
  /** The input comes in lines that end with a line feed, as from the shell of an editor. */
  readonly #sendsLines: boolean;
  /** Alt with a character is not a key (Vim mode): it is Esc, followed at once by the character. */
  readonly #splitsAlt: boolean;
  /** A terminal delivers at most 4 KiB at a time, and cuts characters. */
  readonly #decoder = new StringDecoder("utf8");
  readonly #answers: AnswerTaker | undefined;
  #pasted: string[] | undefined;
  #rest = "";
  /** When an Esc key had no effect: a key typed soon after it becomes a key with Alt. */
  #escapedAt: number | undefined;
  /** When the last carriage return came: a line feed right after it belongs to it. */
  #returnedAt: number | undefined;
  #isFirst = true;
  #isTypedBeforeStart = false;

  constructor(now: () => number, { sendsLines = false, partsAlt = false, answers }: KeyReaderOptions = {}) {
    this.#now = now;
    this.#answers = answers;
    this.#sendsLines = sendsLines;
    this.#splitsAlt = partsAlt;
  }

  push(chunk: string | Buffer): Key[] {
    const chunkText = this.#withoutSplitLineFeed(typeof chunk === "string" ? chunk : this.#decoder.write(chunk));
    // Ctrl+C ends a paste whose end marker was lost, because then every other key counts as pasted text.
    const end = this.#pasted !== undefined && isCtrlC(chunkText) ? pasteEnd : "";
    let text = this.#rest + end + chunkText;
    if (text === "") return [];
    const isPrefixed =
      !this.#splitsAlt && this.#escapedAt !== undefined && this.#now() - this.#escapedAt <= altPrefixWindowMs;
    const isCut = this.#answers?.isDue === true && answerWithoutEscape.test(text);
    if (isCut || (isPrefixed && altSequence.test(text))) text = `\x1b${text}`;
    this.#rest = "";
    this.#escapedAt = undefined;
    this.#isTypedBeforeStart = this.#isFirst && isEditedByTerminal(text);
    this.#isFirst = false;
    const keys: Key[] = [];
    const isReturn = trailingReturn.test(text);
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

  /** True if the input ends with an ESC, or an ESC and a letter, that may begin a sequence. */
  get isEscapeOpen(): boolean {
    return this.#pasted === undefined && openEscape.test(this.#rest);
  }

  /** How long to wait for more input before calling `endEscape`, in milliseconds. */
  get waitMs(): number | undefined {
    const isEscape = this.isEscapeOpen;
    if (this.#pasted !== undefined || (!isEscape && !openAnswer.test(this.#rest))) return undefined;
    // Esc itself never waits longer: with a terminal that does not answer, it would be slow.
    const mayBeAnswer = !isEscape || this.#rest.endsWith("]");
    if (mayBeAnswer && this.#answers?.isDue === true) return dueTimeoutMs;
    return isEscape ? escapeTimeoutMs : answerTimeoutMs;
  }

  /** Call this if nothing has followed. Returns the keys that the open ESC was. */
  endEscape(): Key[] {
    const wasEscape = this.isEscapeOpen;
    if (this.waitMs !== undefined && !wasEscape) this.#rest = "";
    if (!wasEscape) return [];
    const letter = this.#rest.replaceAll("\x1b", "");
    const alone = this.#rest.length - letter.length * 2;
    const keys = Array.from({ length: alone }, (): Key => ({ type: "press", name: "escape" }));
    if (letter !== "") this.#addAlt(letter, keys);
    else this.#escapedAt = this.#now();
    this.#rest = "";
    return keys;
  }

  /** The last Esc had an effect, so the next key is not a key with Alt. */
  noteEscapeUsed(): void {
    this.#escapedAt = undefined;
  }

  #withoutSplitLineFeed(text: string): string {
    const isHalf = this.#returnedAt !== undefined && this.#now() - this.#returnedAt <= escapeTimeoutMs;
    if (text !== "") this.#returnedAt = undefined;
    return isHalf && text.startsWith("\n") ? text.slice(1) : text;
  }

  #addPasted(piece: string, isEnd: boolean, keys: Key[]): void {
    const kept = isEnd ? piece.length : piece.length - partialPasteEndLength(piece);
    this.#pasted?.push(piece.slice(0, kept));
    this.#rest = piece.slice(kept);
    if (!isEnd) return;
    const pasted = (this.#pasted ?? []).join("");
    const text = normalizePaste(pasted.replaceAll(ownAnswers, (answer) => (this.#answers?.take(answer), "")));
    this.#pasted = undefined;
    if (text !== "") keys.push({ type: "paste", text });
  }

  #addKeys(text: string, isLast: boolean, keys: Key[]): void {
    const open = isLast ? (incompleteSequence.exec(text)?.[0].length ?? 0) : 0;
    this.#rest = text.slice(text.length - open);
    // Keep only the beginning and end of a long open answer.
    if (open > maxAnswerLength) this.#rest = this.#rest.replace(openAnswer, "$1$2");
    for (const { groups = {} } of text.slice(0, text.length - open).matchAll(inputPiece)) {
      if (groups["text"] !== undefined) keys.push({ type: "text", text: groups["text"] });
      else this.#addKey(groups, keys);
    }
  }

  #addKey(groups: Record<string, string | undefined>, keys: Key[]): void {
    const { second, answer, alt, parameters = "", final } = groups;
    if (second !== undefined) return this.#addAlt(second, keys);
    if (answer !== undefined) return this.#answers?.take(answer);
    if (final === "c" && parameters.startsWith("?")) {
      if (alt !== undefined) keys.push({ type: "press", name: "escape" });
      return this.#answers?.take(`\x1b[${parameters}c`);
    }
    const name = this.#nameOf(groups);
    if (name === undefined) return;
    // A character that the terminal sent by its code.
    if (isCharacter(name)) keys.push({ type: "text", text: name });
    else keys.push({ type: "press", name });
  }

  #addAlt(second: string, keys: Key[]): void {
    if (this.#splitsAlt && second > " " && second !== "\x7f")
      keys.push({ type: "press", name: "escape" }, { type: "text", text: second });
    // Esc and Ctrl+C, which a slow line delivers together: Ctrl+C does what both are pressed for.
    else if (second === "\x03") keys.push({ type: "press", name: "ctrl+c" });
    else keys.push({ type: "press", name: `alt+${characterName(second).toLowerCase()}` });
  }

  #nameOf({ lineEnd, alt, shifted, parameters, final, keypad, control }: Record<string, string | undefined>) {
    if (lineEnd !== undefined) return "enter";
    if (control !== undefined) {
      if (control > "\x7f") return undefined;
      return control === "\n" && (this.#isTypedBeforeStart || this.#sendsLines) ? "enter" : characterName(control);
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

/**
 * Returns whether the text can have been typed before pawl read the terminal: then the terminal itself edited the line and turned Enter
 * into a line feed. Its answer to pawl's first question may come with it.
 */
function isEditedByTerminal(text: string): boolean {
  const typed = text.replaceAll(ownAnswers, "").replace(incompleteSequence, "");
  return !/[^\P{Cc}\n\t]/u.test(typed);
}

const codedSequence = new RegExp(String.raw`^\x1b\[([\d:;]+)u$`);

/** Returns whether the input is a single Ctrl+C, which has its own sequence in kitty's protocol. */
function isCtrlC(text: string): boolean {
  const [, parameters] = codedSequence.exec(text) ?? [];
  return text === "\x03" || (parameters !== undefined && sequenceName(parameters, "u") === "ctrl+c");
}

function isCharacter(name: string): boolean {
  return Array.from(name).length === 1;
}

/** Normalizes line ends and removes controls, so that nothing in a paste acts as a key. */
export function normalizePaste(text: string): string {
  return text.replace(/\r\n?/gu, "\n").replace(controls, "");
}

const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f]`, "gu");

/** Returns how many characters at the end of the text may begin the marker that ends a paste. */
function partialPasteEndLength(text: string): number {
  for (let length = pasteEnd.length - 1; length > 0; length -= 1)
    if (text.endsWith(pasteEnd.slice(0, length))) return length;
  return 0;
}
