/** What a turn is at: the call, hook or request that is running, since when, and what a running command has printed. */
import { formatDuration } from "../../lib/format-figures.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { SDKMessage, SDKPartialAssistantMessage, WireBlock } from "../../protocol/sdk.ts";
import { hookText } from "../show/notice.ts";
import { toolUseLine } from "../show/tool-line.ts";

const waitingText = "waiting for the model";
/** How many characters of a running command's output are kept. */
const maxPrintedLength = 4_000;
/** The id of a command of the person's own, which is no call of the model. */
const ownCommand = "own";

interface CurrentWorkOptions {
  /** Milliseconds since an arbitrary start. */
  now: () => number;
  cwd: string;
}

export class CurrentWork {
  readonly #options: CurrentWorkOptions;
  #label = waitingText;
  #since = 0;
  /** Calls without a result, in the order in which they start. `parent` is the call that started the agent that makes the call. */
  readonly #calls = new Map<string, { label: string; parent: string | null }>();
  /** The end of the output of running commands, by call. */
  readonly #printed = new Map<string, string>();
  /** The label of the block that is streaming. */
  #streamingLabel: string | undefined;
  /** Hook runs that are waited for, the latest last. */
  readonly #hooks = new Map<string, { label: string; since: number }>();

  constructor(options: CurrentWorkOptions) {
    this.#options = options;
  }

  /** A turn begins, or the person's own `command`. */
  begin(command?: string): void {
    this.#calls.clear();
    this.#printed.clear();
    this.#streamingLabel = undefined;
    this.#since = 0;
    if (command !== undefined) this.#calls.set(ownCommand, { label: oneLine(command, 200), parent: null });
    this.#setLabel(this.#defaultLabel);
  }

  get label(): string {
    return this.#label;
  }

  get elapsed(): string {
    const seconds = Math.max(1, Math.floor((this.#options.now() - this.#since) / 1_000));
    return formatDuration(seconds * 1_000);
  }

  /** The lines that the running command has printed last, which show its progress. */
  get printedLines(): string[] {
    const id =
      this.#label === this.#defaultLabel && this.#streamingLabel === undefined ? this.#activeCallId : undefined;
    const printed = this.#printed.get(id ?? "");
    if (printed === undefined) return [];
    // A progress bar rewrites its row after a carriage return.
    const lines = printed
      .split(/\r?\n/u)
      .map((line) => sanitize(line.slice(line.lastIndexOf("\r", line.length - 2) + 1)));
    return lines.map((line) => line.replaceAll("\t", " ").trimEnd()).filter((line) => line !== "");
  }

  onMessage(message: SDKMessage): void {
    if (message.type === "stream_event") {
      if (message.parent_tool_use_id === null) this.#onStreamEvent(message.event);
    } else if (message.type === "assistant" || message.type === "user") {
      const { content } = message.message;
      if (typeof content !== "string") for (const block of content) this.#onBlock(block, message.parent_tool_use_id);
      this.#setLabel(this.#defaultLabel);
    } else if (message.type === "system") this.#onSystemMessage(message);
    else if (message.type === "tool_progress" && message.text !== undefined)
      this.#onPrinted(message.tool_use_id, message.text);
  }

  /** The person's own command has printed something. */
  onOwnOutput(text: string): void {
    this.#onPrinted(ownCommand, text);
  }

  #onPrinted(id: string, text: string): void {
    this.#printed.set(id, ((this.#printed.get(id) ?? "") + text).slice(-maxPrintedLength));
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
}

function blockLabel({ type, name }: { type?: unknown; name?: unknown }): string {
  if (type === "thinking" || type === "redacted_thinking") return "thinking";
  if (type === "text") return "answering";
  return typeof name === "string" ? `preparing ${oneLine(name, 60)}` : waitingText;
}
