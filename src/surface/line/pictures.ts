/** Pictures from the clipboard: a mark in the prompt says where each belongs, and they are sent with it. */
import { errorText } from "../../lib/error-text.ts";
import type { ContentBlock } from "../../protocol/message.ts";
import type { ClipboardContext } from "./clipboard.ts";
import type { Editor } from "./editor.ts";

const pictureMark = /\[Image #(\d{1,6})\]/gu;

export interface PicturesOptions extends ClipboardContext {
  /** The text at the prompt was changed. */
  onChange: () => void;
  /** Reports an error as a sentence. */
  notice: (text: string) => void;
}

export class Pictures {
  readonly #options: PicturesOptions;
  /** Kept until pawl exits, because a prompt may be sent again. */
  readonly #pictures: Buffer[] = [];
  #reading: Promise<void> | undefined;

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  /** Inserts a mark for the clipboard's picture at the cursor once it is read. Reads one at a time. */
  insertFromClipboard(editor: Editor): void {
    this.#reading ??= this.#readClipboard(editor)
      .catch((error: unknown) => this.#options.notice(errorText(error)))
      .finally(() => (this.#reading = undefined));
  }

  async #readClipboard(editor: Editor): Promise<void> {
    const { clipboardPicture } = await import("./clipboard.ts");
    const found = await clipboardPicture(this.#options);
    if (this.#options.signal.aborted) return;
    if (!found.ok) return this.#options.notice(found.why);
    this.#pictures.push(found.data);
    editor.insert(`[Image #${this.#pictures.length}] `);
    this.#options.onChange();
  }

  /** Returns the prompt with the pictures that it names. */
  withPictures(text: string): string | ContentBlock[] {
    const numbers = new Set([...text.matchAll(pictureMark)].map(([, digits]) => Number(digits)));
    const pictures = [...numbers].flatMap((number) => this.#pictures[number - 1] ?? []);
    if (pictures.length === 0) return text;
    return [{ type: "text", text }, ...pictures.map(imageBlock)];
  }

  async close(): Promise<void> {
    await this.#reading;
  }
}

function imageBlock(picture: Buffer): ContentBlock {
  return { type: "image", source: { type: "base64", media_type: "image/png", data: picture.toString("base64") } };
}
