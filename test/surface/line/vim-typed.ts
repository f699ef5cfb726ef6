// What Vim's keys make of a text, without a terminal.
import { Editor } from "../../../src/surface/line/editor.ts";
import type { Key } from "../../../src/surface/line/keys.ts";
import { Vim } from "../../../src/surface/line/vim/vim.ts";

interface Typing {
  editor: Editor;
  vim: Vim;
  /** `^[` is Esc, `^R` Ctrl+R, and `‹name›` a key with that name. */
  type: (keys: string) => void;
  take: (key: Key) => void;
  /** The text, with `|` as the cursor. */
  shown: () => string;
}

/** A prompt in normal mode. `|` in the text is the cursor. */
export function typing(text: string, escapes: string[] = []): Typing {
  const editor = new Editor();
  const vim = new Vim({ editor, isAtPrompt: () => true, escapes });
  vim.handle({ type: "press", name: "escape" });
  editor.set(text.replace("|", ""), text.indexOf("|"));
  const take = (key: Key): void => {
    for (const left of vim.handle(key))
      if (left.type !== "press") editor.insert(left.text);
      else if (left.name === "up" || left.name === "down") editor.moveLine(left.name);
      else if (left.name === "left") editor.do("left");
  };
  const press = (name: string): void => take({ type: "press", name });
  const type = (keys: string): void => {
    for (const [part] of keys.matchAll(/\^\[|\^R|‹\w+›|[^]/gu))
      if (part === "^[") press("escape");
      else if (part === "^R") press("ctrl+r");
      else if (part.length > 1 && part.startsWith("‹")) press(part.slice(1, -1));
      else take({ type: "text", text: part });
  };
  const shown = (): string => `${editor.text.slice(0, editor.cursor)}|${editor.text.slice(editor.cursor)}`;
  return { editor, vim, type, take, shown };
}

/** The text after the keys. */
export function typed(text: string, keys: string, escapes: string[] = []): string {
  const { type, shown } = typing(text, escapes);
  type(keys);
  return shown();
}
