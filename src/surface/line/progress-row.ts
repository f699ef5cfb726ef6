/**
 * A row below the conversation during silence: what is running, for how long, and the key that ends it. Any other output removes
 * the row first, so that nothing of it stays on the screen.
 */
import { formatDuration } from "../../lib/format-figures.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { SDKMessage, SDKPartialAssistantMessage, WireBlock } from "../../protocol/sdk.ts";
import { hookText } from "../show/notice.ts";
import type { Style } from "../show/style.ts";
import { toolUseLine } from "../show/tool-line.ts";
import type { KeyboardOptions } from "./keyboard-options.ts";
import { redirectWrites } from "./output-gate.ts";
import type { LinesBelow } from "./prompt-area.ts";
import { clearRowAndBelow, sizeOf } from "./screen.ts";
import type { TerminalKind } from "./terminal-modes.ts";
import { displayWidth, truncateToWidth } from "./width.ts";

type Output = KeyboardOptions["output"];

/** Milliseconds of silence before the row appears, and between two updates. */
const silenceMs = 1_000;
/** Milliseconds of silence if a row of the answer is open, which must be ended first. */
const longSilenceMs = 5_000;
/** Milliseconds of silence before a line for a screen reader. The time doubles with each line. */
const spokenSilenceMs = 10_000;
const waitingText = "waiting for the model";
/** How many lines of a running command's output are shown, and how many characters of it are kept for them. */
const maxPrintedLines = 3;
const maxPrintedLength = 4_000;
const interruptHint = "Esc interrupts";

export interface ProgressRowOptions extends Pick<KeyboardOptions, "output" | "now" | "after"> {
  style: Style;
  cwd: string;
  /** A `dumb` terminal cannot erase a row, so it gets none. */
  kind: TerminalKind;
  /** Returns whether the row below the conversation is free. */
  isFree: () => boolean;
  /** Ends the open row of the answer, if there is one. */
  endRow: () => void;
  /** The rows under it. */
  below?: LinesBelow;
}

export class ProgressRow {
  readonly #options: ProgressRowOptions;
  /** The output that all other code writes to. */
  readonly output: Output;
  /** The number of columns of the shown text. */
  #shownColumns: number | undefined;
  #writtenAt = 0;
  #label = waitingText;
  #since = 0;
  /** Calls without a result, in the order in which they start. `parent` is the call that started the agent that makes the call. */
  readonly #calls = new Map<string, { label: string; parent: string | null }>();
  /** The end of the output of running commands, by call. */
  readonly #printed = new Map<string, string>();
  /** The label of the block that is streaming. */
  #streamingLabel: string | undefined;
  /** The hint on the key that ends the work. */
  #keyHint = interruptHint;
  /** Hook runs that are waited for, the latest last. */
  readonly #hooks = new Map<string, { label: string; since: number }>();
  #stop: (() => void) | undefined;
  /** Milliseconds of silence until the next line for a screen reader. */
  #spokenAfter = spokenSilenceMs;

  constructor(options: ProgressRowOptions) {
    this.#options = options;
    const { output } = options;
    this.output = redirectWrites(output, (text) => this.#write(text));
  }

  begin(label = waitingText): void {
    if (this.#options.kind === "dumb") return;
    this.#calls.clear();
    this.#printed.clear();
    this.#streamingLabel = undefined;
    this.#keyHint = interruptHint;
    this.#spokenAfter = spokenSilenceMs;
    this.#writtenAt = this.#options.now();
    this.#since = 0;
    this.#setLabel(oneLine(label, 200));
    this.#scheduleUpdate();
  }

  end(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#wipe();
  }

  /** Call this after an interrupt. */
  onInterrupt(): void {
    this.#keyHint = "Ctrl+C exits at once";
  }

  onMessage(message: SDKMessage): void {
    if (this.#stop === undefined) return;
    if (message.type === "stream_event") {
      if (message.parent_tool_use_id === null) this.#onStreamEvent(message.event);
    } else if (message.type === "assistant" || message.type === "user") {
      const { content } = message.message;
      if (typeof content !== "string") for (const block of content) this.#onBlock(block, message.parent_tool_use_id);
      this.#setLabel(this.#defaultLabel);
    } else if (message.type === "system") this.#onSystemMessage(message);
    else if (message.type === "tool_progress" && message.text !== undefined) {
      const printed = (this.#printed.get(message.tool_use_id) ?? "") + message.text;
      this.#printed.set(message.tool_use_id, printed.slice(-maxPrintedLength));
    }
  }

  #onStreamEvent(event: SDKPartialAssistantMessage["event"]): void {
    const block = event["content_block"] as { type?: unknown; name?: unknown } | undefined;
    if (block !== undefined) this.#streamingLabel = blockLabel(block);
    else if (event.type === "content_block_stop") this.#streamingLabel = undefined;
    else return;
    this.#setLabel(this.#defaultLabel);
  }

  #onSystemMessage(message: SDKMessage & { type: "system" }): void {
    if (message.subtype === "api_retry") {
      // The answer has broken off.
      this.#streamingLabel = undefined;
      this.#setLabel(this.#defaultLabel);
    }
    if (message.subtype === "status" && message.status === "compacting") this.#setLabel("compacting the conversation");
    const isOver =
      message.subtype === "hook_response" || (message.subtype === "hook_progress" && message.async === true);
    if (isOver && this.#hooks.delete(message.hook_id)) this.#showHookLabel();
    if (message.subtype !== "hook_started" || message.async === true) return;
    this.#hooks.set(message.hook_id, { label: hookText(message), since: this.#options.now() });
    this.#showHookLabel();
  }

  #showHookLabel(): void {
    const last = [...this.#hooks.values()].at(-1);
    if (last === undefined) return this.#setLabel(this.#defaultLabel);
    this.#label = last.label;
    this.#since = last.since;
  }

  /** The label if nothing more specific is known. */
  get #defaultLabel(): string {
    return this.#streamingLabel ?? this.#calls.get(this.#activeCallId ?? "")?.label ?? waitingText;
  }

  /** The id of the first open call, because others may wait for it. For a call that runs an agent, of the agent's first open call. */
  get #activeCallId(): string | undefined {
    let startedTool: string | null = null;
    for (const [id, { parent }] of this.#calls) if (parent === startedTool) startedTool = id;
    return startedTool ?? undefined;
  }

  #onBlock(block: WireBlock, parent: string | null): void {
    if (block.type === "tool_use") {
      const input = (block["input"] ?? {}) as Record<string, unknown>;
      const label = toolUseLine(String(block["name"]), input, 200, this.#options.cwd);
      this.#calls.set(String(block["id"]), { label, parent });
    } else if (block.type === "tool_result") {
      this.#calls.delete(String(block["tool_use_id"]));
      this.#printed.delete(String(block["tool_use_id"]));
    }
  }

  #setLabel(label: string): void {
    this.#hooks.clear();
    if (label === this.#label && this.#since > 0) return;
    this.#label = label;
    this.#since = this.#options.now();
  }

  #scheduleUpdate(): void {
    const { now, after, isFree, endRow, style } = this.#options;
    this.#stop = after(silenceMs, () => {
      const silent = now() - this.#writtenAt;
      if (style.isSpoken) {
        if (silent >= this.#spokenAfter) this.#writeSpokenLine();
        return this.#scheduleUpdate();
      }
      if (silent >= longSilenceMs) endRow();
      if (isFree() && silent >= silenceMs) this.#show();
      this.#scheduleUpdate();
    });
  }

  get #elapsed(): string {
    const whole = Math.max(1, Math.floor((this.#options.now() - this.#since) / 1_000));
    return formatDuration(whole * 1_000);
  }

  /** Writes a line that stays on the screen. */
  #writeSpokenLine(): void {
    const { output, style, isFree, endRow } = this.#options;
    endRow();
    if (!isFree()) return;
    output.write(`${style.note(`still working: ${this.#label}, ${this.#elapsed}. ${this.#keyHint}.`)}\n`);
    this.#spokenAfter *= 2;
  }

  #show(): void {
    const { output, style, below } = this.#options;
    const room = sizeOf(output).columns - 1;
    const tail = ` · ${this.#elapsed} · ${this.#keyHint}`;
    const text = truncateToWidth(
      `${truncateToWidth(this.#label, Math.max(8, room - tail.length - 2))}${tail}`,
      room - 2,
    );
    this.#wipe();
    const shown = displayWidth(text) + 2;
    const printed = this.#printedRows(room);
    const under = [...printed, ...(below?.(sizeOf(output).rows - 2 - printed.length, room) ?? [])];
    const back = under.length === 0 ? "" : `\x1b[${under.length}A\x1b[${shown + 1}G`;
    output.write([style.dim(`  ${text}`), ...under].join("\n") + back);
    this.#shownColumns = shown;
  }

  /** Returns the last lines of the running command's output, which show its progress. */
  #printedRows(room: number): string[] {
    const id =
      this.#label === this.#defaultLabel && this.#streamingLabel === undefined ? this.#activeCallId : undefined;
    const printed = this.#printed.get(id ?? "");
    if (printed === undefined) return [];
    // A progress bar rewrites its row after a carriage return.
    const lines = printed
      .split(/\r?\n/u)
      .map((line) => sanitize(line.slice(line.lastIndexOf("\r", line.length - 2) + 1)));
    const shownLines = lines.map((line) => line.replaceAll("\t", " ").trimEnd()).filter((line) => line !== "");
    const { style } = this.#options;
    const most = Math.min(maxPrintedLines, sizeOf(this.#options.output).rows - 4);
    return most < 1 ? [] : shownLines.slice(-most).map((line) => style.dim(truncateToWidth(`    ${line}`, room)));
  }

  #write(text: string): boolean {
    this.#wipe();
    this.#writtenAt = this.#options.now();
    this.#spokenAfter = spokenSilenceMs;
    return this.#options.output.write(text);
  }

  /** Erases the row. A terminal that became narrower may have wrapped it into several rows, with the cursor in the last. */
  #wipe(): void {
    if (this.#shownColumns === undefined) return;
    const { output, kind } = this.#options;
    const above = kind === "rewraps" ? Math.ceil(this.#shownColumns / sizeOf(output).columns) - 1 : 0;
    this.#shownColumns = undefined;
    output.write(`${above > 0 ? `\x1b[${above}A` : ""}${clearRowAndBelow}`);
  }
}

function blockLabel({ type, name }: { type?: unknown; name?: unknown }): string {
  if (type === "thinking" || type === "redacted_thinking") return "thinking";
  if (type === "text") return "answering";
  return typeof name === "string" ? `preparing ${oneLine(name, 60)}` : waitingText;
}
