/**
 * The status line: the output of a command from settings, shown below the prompt. The command runs again after each event that may
 * change it, once events have settled. A newer run ends an older one.
 */
import { errorText } from "../../lib/error-text.ts";
import type { SDKMessage } from "../../protocol/sdk.ts";
import type { Engine } from "../engine-port.ts";
import type { Style } from "../show/style.ts";
import type { KeyboardOptions, VimMode, VimSettings } from "./keyboard-options.ts";
import type { LinesBelow } from "./prompt-area.ts";
import { sizeOf } from "./screen.ts";

/** Milliseconds without further events before the command runs. */
const settleDelayMs = 300;
const second = 1_000;

export interface StatusLineOptions extends Pick<KeyboardOptions, "output" | "after" | "kind"> {
  style: Style;
  worktree?: string | undefined;
  /** Called when the status line has changed. */
  onChange: () => void;
  /** Reports an error inside this process. */
  notice: (text: string) => void;
}

export type StatusEngine = { readonly desk: Pick<Engine["desk"], "statusLine" | "statusLineText"> };

export class StatusLine {
  readonly #options: StatusLineOptions;
  #engine: StatusEngine | undefined;
  /** Cancels a scheduled run. */
  #cancel: (() => void) | undefined;
  #running: AbortController | undefined;
  #lastRun: Promise<void> = Promise.resolve();
  #shown: { key: string; rows: LinesBelow } | undefined;
  #vimMode: VimMode | undefined;
  readonly #onResize = (): void => this.update();

  constructor(options: StatusLineOptions) {
    this.#options = options;
  }

  readonly below: LinesBelow = (rows, columns) => this.#shown?.rows(rows, columns) ?? [];

  /** Returns Vim's settings such that the status line learns of Vim's mode. */
  vimSettings(vim: VimSettings | undefined): VimSettings | undefined {
    if (vim === undefined) return undefined;
    this.#vimMode = "INSERT";
    const onModeChange = (mode: VimMode): void => {
      this.#vimMode = mode;
      this.update();
    };
    return { ...vim, onModeChange };
  }

  begin(engine: StatusEngine): void {
    // No status line on a terminal that cannot erase a row, or with a screen reader, which would read it aloud at each change.
    if (this.#options.kind === "dumb" || this.#options.style.isSpoken) return;
    this.#engine = engine;
    this.#options.output.on("resize", this.#onResize);
    this.update();
  }

  onMessage(message: SDKMessage): void {
    if (message.type === "assistant" && message.parent_tool_use_id === null) this.update();
  }

  /** Call this when the command's input may have changed. */
  update(): void {
    if (this.#engine?.desk.statusLine === undefined) this.#clear();
    else this.#runAfter(settleDelayMs);
  }

  /** Ends a running command and removes the status line. */
  stop(): void {
    this.#engine = undefined;
    this.#options.output.off("resize", this.#onResize);
    this.#clear();
  }

  async close(): Promise<void> {
    this.stop();
    await this.#lastRun;
  }

  #clear(): void {
    this.#cancel?.();
    this.#running?.abort("ended");
    this.#show(undefined);
  }

  #runAfter(milliseconds: number): void {
    this.#cancel?.();
    this.#cancel = this.#options.after(milliseconds, () => this.#run());
  }

  #run(): void {
    this.#running?.abort("newer");
    const running = new AbortController();
    this.#running = running;
    this.#lastRun = this.#runCommand(running.signal, this.#lastRun);
  }

  async #runCommand(signal: AbortSignal, before: Promise<void>): Promise<void> {
    const { desk } = this.#engine ?? {};
    const { statusLine } = desk ?? {};
    if (desk === undefined || statusLine === undefined) return this.#clear();
    const { output, worktree, style, notice } = this.#options;
    try {
      const { statusRows } = await import("./status-rows.ts");
      const text = await desk.statusLineText({ ...sizeOf(output), worktree, vimMode: this.#vimMode }, signal);
      signal.throwIfAborted();
      const { padding = 0, refreshInterval } = statusLine;
      const shown = { text, style, padding };
      this.#show({ key: `${padding} ${text}`, rows: (rows, columns) => statusRows(shown, rows, columns) });
      if (refreshInterval !== undefined) this.#runAfter(Math.max(1, refreshInterval) * second);
    } catch (error) {
      if (signal.aborted) return;
      this.stop();
      notice(`The status line was turned off: ${errorText(error)}`);
    } finally {
      await before;
    }
  }

  #show(shown: { key: string; rows: LinesBelow } | undefined): void {
    const isSame = this.#shown?.key === shown?.key;
    this.#shown = shown;
    if (!isSame) this.#options.onChange();
  }
}
