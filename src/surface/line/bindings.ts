/** Maps keys to actions. Keys that are not listed do nothing. */
import type { Edit } from "./editor.ts";
import type { Key } from "./keys.ts";

export type Action =
  | Edit
  | "send"
  | "newLine"
  | "tab"
  | "tabBack"
  | "up"
  | "down"
  | "interrupt"
  | "endOfInput"
  | "suspend"
  | "clearScreen"
  | "searchOlder"
  | "searchNewer"
  | "escape"
  | "giveUp"
  | "edit"
  | "transcript"
  | "picture"
  | "prefix";

const bindings: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["enter", "send"],
  // The same keys in terminals that were not asked to distinguish them.
  ["ctrl+m", "send"],
  ["ctrl+i", "tab"],
  ["ctrl+[", "escape"],
  ["alt+enter", "newLine"],
  ["shift+enter", "newLine"],
  ["ctrl+enter", "newLine"],
  ["ctrl+j", "newLine"],
  // ESC and a line feed: editors and terminals are often set up to send this for Shift+Enter.
  ["alt+ctrl+j", "newLine"],
  ["tab", "tab"],
  ["shift+tab", "tabBack"],
  ["up", "up"],
  ["down", "down"],
  ["ctrl+p", "up"],
  ["ctrl+n", "down"],
  ["left", "left"],
  ["ctrl+b", "left"],
  ["right", "right"],
  ["ctrl+f", "right"],
  ["alt+b", "wordLeft"],
  ["ctrl+left", "wordLeft"],
  ["alt+left", "wordLeft"],
  ["alt+f", "wordRight"],
  ["ctrl+right", "wordRight"],
  ["alt+right", "wordRight"],
  ["home", "lineStart"],
  ["ctrl+a", "lineStart"],
  ["end", "lineEnd"],
  ["ctrl+e", "lineEnd"],
  ["backspace", "eraseLeft"],
  ["shift+backspace", "eraseLeft"],
  ["ctrl+h", "eraseLeft"],
  ["delete", "eraseRight"],
  ["ctrl+w", "killBlankLeft"],
  ["alt+backspace", "killWordLeft"],
  ["ctrl+backspace", "killWordLeft"],
  ["alt+d", "killWordRight"],
  ["ctrl+delete", "killWordRight"],
  ["alt+delete", "killWordRight"],
  ["ctrl+u", "killLineStart"],
  ["ctrl+k", "killLineEnd"],
  ["ctrl+y", "yank"],
  ["alt+y", "yankOlder"],
  ["ctrl+_", "undo"],
  ["ctrl+/", "undo"],
  ["ctrl+-", "undo"],
  ["ctrl+shift+-", "undo"],
  ["ctrl+c", "interrupt"],
  ["ctrl+d", "endOfInput"],
  ["ctrl+z", "suspend"],
  ["ctrl+l", "clearScreen"],
  ["ctrl+r", "searchOlder"],
  ["ctrl+s", "searchNewer"],
  ["ctrl+g", "giveUp"],
  ["ctrl+o", "transcript"],
  ["ctrl+v", "picture"],
  ["ctrl+x", "prefix"],
  ["escape", "escape"],
]);

/** Returns whether the key types or deletes text. */
export function isEdit({ type }: Key, action: Action | undefined): boolean {
  return type !== "press" || /^(?:erase|kill)/u.test(action ?? "");
}

/** `before` is the action of the previous key. */
export function actionOf(name: string, before?: Action): Action | undefined {
  // Ctrl+X Ctrl+E, as in shells.
  if (before === "prefix" && name === "ctrl+e") return "edit";
  return bindings.get(name);
}
