/** Help from outside the conversation: an editor for the prompt, a pager for the conversation, pictures from the clipboard. */
import { errorText } from "../../lib/error-text.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { StopDesk } from "../stop.ts";
import type { Keyboard } from "./keyboard.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";
import { OutputGate } from "./output-gate.ts";
import { Pictures } from "./pictures.ts";
import type { Screen } from "./screen.ts";
import { asShellsHaveIt, type TerminalKind } from "./terminal-modes.ts";

export interface OutsideOptions {
  output: OutputGate["output"];
  screen: Screen;
  style: Style;
  kind: TerminalKind;
  env: Readonly<Record<string, string | undefined>>;
  cwd: string;
  after: KeyboardOptions["after"];
  stop: StopDesk;
  /** The text at the prompt was changed. */
  changed: () => void;
  /** Reports an error as a sentence. */
  notice: (text: string) => void;
}

type Lender = Pick<Keyboard, "lend" | "draft" | "put">;

export class Outside {
  readonly #options: OutsideOptions;
  readonly #gate: OutputGate;
  readonly #leaving = new AbortController();
  readonly pictures: Pictures;
  #open: Promise<void> | undefined;

  constructor(options: OutsideOptions) {
    this.#options = options;
    this.#gate = new OutputGate(options.output);
    const [{ platform }, { signal }] = [process, this.#leaving];
    this.pictures = new Pictures({ ...options, platform, signal });
  }

  /** The output that all other code writes to. */
  get output(): OutputGate["output"] {
    return this.#gate.output;
  }

  /** Opens the editor, and puts the saved text at the prompt. */
  edit(keyboard: Lender): void {
    this.#begin(async () => {
      const { editText } = await import("./outside-editor.ts");
      await keyboard.lend(async () => {
        const edited = await editText(keyboard.draft, this.#place);
        if (edited.ok) keyboard.put(edited.text);
        else this.#options.notice(edited.why);
      });
    });
  }

  transcript(keyboard: Lender, engine: Pick<Engine, "getMessages"> | undefined): void {
    this.#begin(async () => {
      const { output, style, kind, cwd, notice } = this.#options;
      const { wholeTalk } = await import("./whole-talk.ts");
      const text = wholeTalk(engine?.getMessages() ?? [], { style, columns: output.columns ?? 80, cwd });
      if (text === "") return this.#options.screen.now(style.dim("(the conversation is empty)"));
      const { showInPager } = await import("./pager.ts");
      let failed: { why?: string } | undefined = {};
      // A dumb terminal cannot scroll back in a pager, and a screen reader cannot follow what a pager redraws.
      if (kind !== "dumb" && !style.isSpoken)
        await keyboard.lend(async () => void (failed = await showInPager(text, this.#place)));
      if (failed?.why !== undefined) notice(failed.why);
      if (failed !== undefined) this.#options.screen.now(text.replace(/\n$/u, ""));
    });
  }

  /** From here on, output waits, and all keys are for the program, including Ctrl+C. */
  lends(): void {
    const { screen, stop } = this.#options;
    if (!screen.isHeld) screen.fresh();
    this.#gate.shut();
    stop.isLent = true;
  }

  returned(): void {
    this.#options.stop.isLent = false;
    this.#gate.open();
  }

  /** The person has left: ends the open program. */
  leave(): void {
    this.#leaving.abort("left");
  }

  async close(): Promise<void> {
    this.leave();
    await this.#open;
    await this.pictures.close();
    this.returned();
  }

  get #place() {
    const { env, cwd, after, kind, output } = this.#options;
    const setRight = (): void => void (kind === "dumb" || output.write(asShellsHaveIt));
    return { env, cwd, after, setRight, signal: this.#leaving.signal };
  }

  /** Runs one program at a time. */
  #begin(work: () => Promise<void>): void {
    this.#open ??= work()
      .catch((error: unknown) => this.#options.notice(errorText(error)))
      .finally(() => (this.#open = undefined));
  }
}
