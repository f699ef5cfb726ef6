/** Names keys by what the terminal sends: `a`, `ctrl+a`, `alt+enter`, `shift+up`. Undefined for unknown keys. */

const namesByFinal: Readonly<Record<string, string>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  Z: "shift+tab",
};

const namesByNumber: Readonly<Record<string, string>> = { 1: "home", 3: "delete", 4: "end", 7: "home", 8: "end" };

const namesByCode: ReadonlyMap<number, string> = new Map([
  [8, "backspace"],
  [9, "tab"],
  [13, "enter"],
  [27, "escape"],
  [127, "backspace"],
  [57_414, "enter"],
  // Keys of the keypad without NumLock.
  [57_417, "left"],
  [57_418, "right"],
  [57_419, "up"],
  [57_420, "down"],
  [57_423, "home"],
  [57_424, "end"],
  [57_426, "delete"],
]);
/** Super, hyper and meta. */
const otherModifiers = 8 | 16 | 32;

/** `modifiers` as terminals count them: 1 plus the sum of shift 1, alt 2, ctrl 4. */
function withModifiers(name: string, modifiers: number): string {
  const held = Math.max(0, modifiers - 1);
  const parts = [(held & 4) > 0 ? "ctrl+" : "", (held & 2) > 0 ? "alt+" : "", (held & 1) > 0 ? "shift+" : ""];
  return `${parts.join("")}${name}`;
}

/** Names a key that the terminal sends as a character code (kitty's keyboard protocol, xterm's modifyOtherKeys). */
function codedKeyName(code: string, modifiers: string): string | undefined {
  const [typed = 0, shifted = 0, latin = 0] = code.split(":").map(Number);
  // For a letter of another script, take the key's place on a Latin keyboard.
  const point = typed > 127 && latin > 0 ? latin : typed;
  const held = Number(modifiers.split(":")[0] ?? "") || 1;
  const name = namesByCode.get(point);
  if (name !== undefined) return withModifiers(name, held);
  // Keys without a character have codes in a private use area.
  if (point < 32 || point > 0x10_ff_ff || (point >= 57_344 && point <= 63_743)) return undefined;
  // Shortcuts with Cmd or the Windows key that the terminal itself does not use: they type nothing.
  if (((held - 1) & otherModifiers) > 0) return undefined;
  const isTyped = ((held - 1) & 6) === 0;
  if (!isTyped) return withModifiers(String.fromCodePoint(point).toLowerCase(), held);
  const isShifted = ((held - 1) & 1) === 1;
  const character = String.fromCodePoint(isShifted && shifted > 0 ? shifted : typed);
  return isShifted && shifted === 0 ? character.toUpperCase() : character;
}

/** Names a control sequence by the text between `ESC [` or `ESC O` and its last character. */
export function sequenceName(parameters: string, final: string): string | undefined {
  // A mouse event, or the terminal's answer to a query.
  if (/[^\d;:]/u.test(parameters)) return undefined;
  const [first = "", second = "", third = ""] = parameters.split(";");
  if (final === "u") return codedKeyName(first, second);
  if (final === "~" && first === "27") return codedKeyName(third, second);
  // How urxvt sends keys with Shift and with Ctrl.
  if (final === "$" || final === "^") return keyNameWithModifiers(namesByNumber[first], final === "$" ? 2 : 5);
  const name = final === "~" ? namesByNumber[first] : namesByFinal[final];
  return keyNameWithModifiers(name, Number(second.split(":")[0]) || 1);
}

function keyNameWithModifiers(name: string | undefined, modifiers: number): string | undefined {
  return name === undefined ? undefined : withModifiers(name, modifiers);
}

/** Names a key by the letter after `ESC O`. With Ctrl, urxvt sends it in lower case. */
export function keypadName(letter: string): string | undefined {
  const isCtrl = /^[a-d]$/u.test(letter);
  return keyNameWithModifiers(namesByFinal[isCtrl ? letter.toUpperCase() : letter], isCtrl ? 5 : 1);
}

const namesByControl: ReadonlyMap<string, string> = new Map([
  ["\r", "enter"],
  ["\n", "ctrl+j"],
  ["\t", "tab"],
  ["\x1b", "escape"],
  ["\x7f", "backspace"],
]);

/** Names a key that is sent as one character. */
export function characterName(character: string): string {
  const controlName = namesByControl.get(character);
  if (controlName !== undefined) return controlName;
  return character < " " ? `ctrl+${String.fromCodePoint(character.charCodeAt(0) + 64).toLowerCase()}` : character;
}
