/**
 * Keeps text from models, files and servers from acting on a terminal. Three strengths, each idempotent: `stripControls` for pipes and
 * files, `sanitize` for a terminal, `reveal` for text a person is asked to approve.
 */
import { codePointName, halfSurrogate, invisibleCharacters, joiningLetters } from "./invisible-characters.ts";

const csi = String.raw`(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]`;
// The payload excludes every introducer, so that a run of unterminated ones costs linear time.
const controlString = String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\|\x9c)`;
const escape = String.raw`\x1b[\x20-\x2f]*[\x30-\x7e]`;
const control = String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f]`;

const anyControl = new RegExp(control);
const controls = new RegExp(`\\r\\n?|${csi}|${controlString}|${escape}|${control}`, "g");

const anyInvisible = new RegExp(`[${invisibleCharacters}]|${halfSurrogate}`, "u");
const invisibles = new RegExp(`[${invisibleCharacters}]|${halfSurrogate}`, "gu");

const unusualSpaces = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000\ufe00-\ufe0f\u{e0100}-\u{e01ef}`;
const anyRevealed = new RegExp(
  `[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f${invisibleCharacters}${unusualSpaces}]|${halfSurrogate}| {17}|\\n{4}`,
  "u",
);
const revealed = new RegExp(
  `[\\x00-\\x09\\x0b-\\x1f\\x7f-\\x9f${invisibleCharacters}${unusualSpaces}]|${halfSurrogate}| {17,}|\\n{4,}`,
  "gu",
);

function spellOut(character: string): string {
  return `<${codePointName(character)}>`;
}

/** Removes escape sequences and control characters except newline and tab; line ends become `\n`. Other text is untouched. */
export function stripControls(text: string): string {
  if (!anyControl.test(text)) return text;
  return text.replace(controls, (found) => (found.startsWith("\r") ? "\n" : ""));
}

/** Like `stripControls`; also spells out bidirectional marks, zero-width and tag characters, and half surrogates: `<U+202E>`. */
export function sanitize(text: string): string {
  const stripped = stripControls(text);
  if (!anyInvisible.test(stripped)) return stripped;
  // Keep a zero-width joiner between two emoji, which joins them, and joiners in scripts whose words need them.
  return stripped.replace(invisibles, (found, offset: number) => {
    const isKept = (found === "\u200d" && joinsEmoji(stripped, offset)) || isJoinerInWord(found, stripped, offset);
    return isKept ? found : spellOut(found);
  });
}

/** `sanitize`, on one line. */
export function sanitizeLine(text: string): string {
  return sanitize(text).replaceAll("\n", " ");
}

const joiningLetter = new RegExp(`[${joiningLetters}]`);

function isJoinerInWord(character: string, text: string, offset: number): boolean {
  if (character !== "\u200c" && character !== "\u200d") return false;
  return joiningLetter.test(text.charAt(offset - 1)) && joiningLetter.test(text.charAt(offset + 1));
}

function joinsEmoji(text: string, offset: number): boolean {
  const pictograph = /^\p{Extended_Pictographic}/u;
  // Two alternatives: V8 14 (Node.js 26) does not find the characters of such a class union at the end of a text.
  const pictographEnd = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
  return (
    pictograph.test(text.slice(offset + 1, offset + 3)) &&
    pictographEnd.test(text.slice(Math.max(0, offset - 2), offset))
  );
}

/**
 * For a question: nothing is removed and nothing stays invisible. Controls (except newline), unusual spaces and invisible characters are
 * spelled out; runs of more than 16 spaces or 3 newlines, which could push text out of sight, are counted.
 */
export function reveal(text: string): string {
  if (!anyRevealed.test(text)) return text;
  return text.replace(revealed, (found) => {
    if (found.startsWith("  ")) return `<${found.length} spaces>`;
    if (found.startsWith("\n")) return `\n<${found.length - 1} empty lines>\n`;
    return spellOut(found);
  });
}

/** One line of at most `width` characters for a list or a status line; a cut is marked. */
export function oneLine(text: string, width: number): string {
  const line = sanitize(limitForWidth(text, width)).replace(/\s+/gu, " ");
  return cutToWidth(line.trim(), width);
}

/** Like `oneLine`, for text that runs or needs approval: nothing is removed. A shell does run what is between `ESC ]` and a bell. */
export function revealLine(text: string, width: number): string {
  const line = reveal(limitForWidth(text, width).replace(/[ \t\n]+/gu, " "));
  return cutToWidth(line.trim(), width);
}

/** Limits a very long text to what can matter for its line. */
function limitForWidth(text: string, width: number): string {
  const most = Math.max(1, width) * 8;
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** If a terminal has no room, only the mark remains. */
function cutToWidth(line: string, width: number): string {
  const room = Math.max(0, width);
  if (line.length <= room) return line;
  const kept = Array.from(line.slice(0, room)).slice(0, -1).join("");
  return `${kept}…`;
}
