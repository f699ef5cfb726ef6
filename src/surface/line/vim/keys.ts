/** Puts Vim's keys before the keyboard, and the mode in a row under the prompt. */
import type { Editor } from "../editor.ts";
import type { KeyboardOptions } from "../keyboard-options.ts";
import type { Key } from "../keys.ts";
import type { Below } from "../prompt-area.ts";
import { fitted } from "../width.ts";
import { Vim } from "./vim.ts";

export interface VimKeys {
  /** Handles keys one after another, because each can change the meaning of the next. */
  keys: (keys: readonly Key[]) => void;
  below: Below | undefined;
}

type Given = Pick<KeyboardOptions, "vim" | "style" | "below">;

interface Around {
  isAtPrompt: () => boolean;
  /** Handles the keys that Vim leaves. `next` is the key that came with them. */
  take: (keys: readonly Key[], next?: Key) => void;
  /** The Esc had an effect, so a key right after it is not a key with Alt. */
  tookEscape: () => void;
  /** Writes a line above the prompt. */
  say: (line: string) => void;
}

export function vimKeys({ vim: wanted, style, below }: Given, editor: Editor, around: Around): VimKeys {
  const { isAtPrompt, take, tookEscape, say } = around;
  if (wanted === undefined) return { keys: (keys) => take(keys), below };
  const { escapes, isHidden } = wanted;
  const changed = (isNormal: boolean): void => {
    if (style.isSpoken) say(`(${isNormal ? "normal" : "insert"} mode)`);
    wanted.changed?.(isNormal);
  };
  const vim = new Vim({ editor, isAtPrompt, escapes, changed });
  const labelled: Below = (rows, columns) => {
    const own = isHidden() ? [] : [style.dim(fitted(vim.label, columns))];
    return [...own, ...(below?.(rows - own.length, columns) ?? [])].slice(0, rows);
  };
  return {
    below: labelled,
    keys: (keys) => {
      for (const [at, key] of keys.entries()) {
        const left = vim.read(key);
        if (!left.includes(key)) tookEscape();
        take(left, keys[at + 1]);
      }
    },
  };
}
