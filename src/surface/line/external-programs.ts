/** Help from outside the conversation: an editor for the prompt, a pager for the conversation, pictures from the clipboard. */
import { errorText } from "../../lib/error-text.ts";
import type { Environment } from "../../lib/environment.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { StopDesk } from "../stop-desk.ts";
import type { Keyboard } from "./keyboard.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";
import { OutputGate } from "./output-gate.ts";
import { Pictures } from "./pictures.ts";
import type { Screen } from "./screen.ts";
import { terminalReset, type TerminalKind } from "./terminal-modes.ts";

export interface ExternalProgramsOptions {
  output: OutputGate["output"];
  screen: Screen;
  style: Style;
  kind: TerminalKind;
  env: Environment;
  cwd: string;
  after: KeyboardOptions["after"];
  stop: StopDesk;
  /** The text at the prompt was changed. */
  onChange: () => void;
  /** Reports an error as a sentence. */
  notice: (text: string) => void;
}

type LendingKeyboard = Pick<Keyboard, "lend" | "draft" | "replaceText">;

export class ExternalPrograms {
  readonly #options: ExternalProgramsOptions;
  readonly #gate: OutputGate;
  readonly #leaveController = new AbortController();
  readonly pictures: Pictures;
  #open: Promise<void> | undefined;

  constructor(options: ExternalProgramsOptions) {
    this.#options = options;
    this.#gate = new OutputGate(options.output);
    const [{ platform }, { signal }] = [process, this.#leaveController];
    this.pictures = new Pictures({ ...options, platform, signal });
  }

  /** The output that all other code writes to. */
  get output(): OutputGate["output"] {
    return this.#gate.output;
  }

  /** Opens the editor, and puts the saved text at the prompt. */
  editPrompt(keyboard: LendingKeyboard): void {
    this.#runOne(async () => {
      const { editText } = await import("./external-editor.ts");
      await keyboard.lend(async () => {
        const edited = await editText(keyboard.draft, this.#programContext);
        if (edited.ok) keyboard.replaceText(edited.text);
        else this.#options.notice(edited.why);
      });
    });
  }

  showTranscript(keyboard: LendingKeyboard, engine: Pick<Engine, "getMessages"> | undefined): void {
    this.#runOne(async () => {
      const { output, style, kind, cwd, notice } = this.#options;
      const { transcriptText } = await import("./transcript-text.ts");
      const text = transcriptText(engine?.getMessages() ?? [], { style, columns: output.columns ?? 80, cwd });
      if (text === "") return this.#options.screen.lineAtOnce(style.note("(the conversation is empty)"));
      const { showInPager } = await import("./pager.ts");
      let failed: { why?: string } | undefined = {};
      // A dumb terminal cannot scroll back in a pager, and a screen reader cannot follow what a pager redraws.
      if (kind !== "dumb" && !style.isSpoken)
        await keyboard.lend(async () => void (failed = await showInPager(text, this.#programContext)));
      if (failed?.why !== undefined) notice(failed.why);
      if (failed !== undefined) this.#options.screen.lineAtOnce(text.replace(/\n$/u, ""));
    });
  }

  /** From here on, output waits, and all keys are for the program, including Ctrl+C. */
  beforeLend(): void {
    const { screen, stop } = this.#options;
    if (!screen.isHeld) screen.endOpenLine();
    this.#gate.shut();
    stop.isTerminalLent = true;
  }

  afterLend(): void {
    this.#options.stop.isTerminalLent = false;
    this.#gate.open();
  }

  /** The person has left: ends the open program. */
  stopProgram(): void {
    this.#leaveController.abort("left");
  }

  async close(): Promise<void> {
    this.stopProgram();
    await this.#open;
    await this.pictures.close();
    this.afterLend();
  }

  get #programContext() {
    const { env, cwd, after, kind, output } = this.#options;
    const setRight = (): void => void (kind === "dumb" || output.write(terminalReset));
    return { env, cwd, after, setRight, signal: this.#leaveController.signal };
  }

  /** Runs one program at a time. */
  #runOne(work: () => Promise<void>): void {
    this.#open ??= work()
      .catch((error: unknown) => this.#options.notice(errorText(error)))
      .finally(() => (this.#open = undefined));
  }
}
