/** Puts Vim's keys before the keyboard, and the mode in a row under the prompt. */
import type { Editor } from "../editor.ts";
import type { KeyboardOptions, VimMode } from "../keyboard-options.ts";
import type { Key } from "../keys.ts";
import type { LinesBelow } from "../prompt-area.ts";
import { truncateToWidth } from "../width.ts";
import { Vim } from "./vim.ts";

export interface VimKeys {
  /** Handles keys one after another, because each can change the meaning of the next. */
  keys: (keys: readonly Key[]) => void;
  below: LinesBelow | undefined;
  /** To be called before the prompt is painted. */
  settleCursor: () => void;
}

type VimKeyboardOptions = Pick<KeyboardOptions, "vim" | "style" | "below">;

interface VimContext {
  isAtPrompt: () => boolean;
  /** Handles the keys that Vim leaves. `next` is the key that came with them. */
  handle: (keys: readonly Key[], next?: Key) => void;
  /** The Esc had an effect, so a key right after it is not a key with Alt. */
  noteEscapeUsed: () => void;
  /** Writes a line above the prompt. */
  show: (line: string) => void;
}

export function vimKeys(
  { vim: vimSettings, style, below }: VimKeyboardOptions,
  editor: Editor,
  context: VimContext,
): VimKeys {
  const { isAtPrompt, handle, noteEscapeUsed, show } = context;
  if (vimSettings === undefined) return { keys: (keys) => handle(keys), below, settleCursor: () => {} };
  const { escapes, isHidden } = vimSettings;
  const onModeChange = (mode: VimMode): void => {
    if (style.isSpoken) show(`(${mode.toLowerCase()} mode)`);
    vimSettings.onModeChange?.(mode);
  };
  const vim = new Vim({ editor, isAtPrompt, escapes, onModeChange });
  const belowWithLabel: LinesBelow = (rows, columns) => {
    const own = isHidden() ? [] : [style.dim(truncateToWidth(`  ${vim.label}`, columns))];
    return [...own, ...(below?.(rows - own.length, columns) ?? [])].slice(0, rows);
  };
  return {
    below: belowWithLabel,
    settleCursor: () => vim.settleCursor(),
    keys: (keys) => {
      for (const [at, key] of keys.entries()) {
        const left = vim.handle(key);
        if (!left.includes(key)) noteEscapeUsed();
        handle(left, keys[at + 1]);
      }
    },
  };
}
