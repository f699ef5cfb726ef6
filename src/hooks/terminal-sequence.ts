/**
 * The terminal sequences that hooks may use, by convention: a title (OSC 0, 1, 2), a notification (OSC 9, 99, 777), the bell. Forms that do
 * more in some terminals are excluded: running programs and macros (9;6, 9;7), and queries whose answer arrives as typed input.
 */
const mostCharacters = 4_096;

// No control characters (C0 or C1) and no half surrogates: nothing in the text can end the sequence or begin another.
const text = String.raw`[^\x00-\x1f\x7f-\x9f\ud800-\udfff]*`;
const end = String.raw`(?:\x07|\x1b\\)`;
const titles = `[012];${text}`;
// Progress, or a text that does not begin like one of the numbered commands.
const notification = String.raw`9;(?:4;[0-4](?:;\d{1,3})?|(?!\d+(?:;|\x07|\x1b))${text})`;
const kittyKeys = String.raw`99;(?:(?:p=(?:title|body)|[defginostuw]=[\w+/=,.-]*)(?::(?=[a-z]=)|(?=;)))*;${text}`;
const urxvt = `777;notify;${text}`;
const permitted = new RegExp(`^(?:\\x07|\\x1b\\](?:${titles}|${notification}|${kittyKeys}|${urxvt})${end})+$`, "u");

export function isTerminalSequence(sequence: string): boolean {
  return sequence.length <= mostCharacters && permitted.test(sequence);
}
