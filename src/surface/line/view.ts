/** Shows messages as a conversation: the streamed answer, a line per tool call, a line per result, and the session's notices. */
import { formatCost, formatTurns } from "../../lib/format-figures.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import type { MentionNews } from "../../protocol/mention.ts";
import type { SDKApiRetry, SDKAssistantMessage, SDKMessage, SDKResultMessage, WireBlock } from "../../protocol/sdk.ts";
import type { SDKTaskNotification } from "../../protocol/sdk-task.ts";
import { CallNames } from "../show/call-names.ts";
import { commandOutput } from "../show/command-output.ts";
import { wrapHanging } from "../show/wrap-hanging.ts";
import { mentionText } from "../show/mention-text.ts";
import { failureText, noticeOf, retryText } from "../show/notice.ts";
import { shortPath, type PathPlace } from "../show/short-path.ts";
import { callIndent, indentOf, toolResultLine, toolUseLine } from "../show/tool-line.ts";
import type { Engine } from "../engine-port.ts";
import { AgentNames } from "./agent-names.ts";
import { unknownCommandError } from "./all-commands.ts";
import { AnswerWriter } from "./answer-writer.ts";
import { ApprovedChanges } from "./approved-changes.ts";
import { followsBrokenAnswer } from "./broken-answer.ts";
import { helpTail } from "./commands.ts";
import { patchLines } from "./patch-lines.ts";
import type { LinesBelow } from "./prompt-area.ts";
import { sizeOf, type Screen } from "./screen.ts";
import { StatusLine, type StatusLineOptions } from "./status-line.ts";
import { todoLines } from "./todo-lines.ts";
import { truncateToWidth } from "./width.ts";
import { ProgressRow, type ProgressRowOptions } from "./progress-row.ts";

/** Milliseconds. A wait long enough for a hint on how to end it. */
const longWaitMs = 10_000;
const spokenColumns = 400;
/** A longer path is shown without the folders in its middle. */
const maxPathLength = 60;
/** Milliseconds after a turn's end in which a Ctrl+C was probably meant for the turn. */
const unseenEndMs = 1_000;

export interface ViewOptions
  extends Omit<ProgressRowOptions, "below">, Omit<StatusLineOptions, "output" | "after">, PathPlace {
  screen: Screen;
}

export class View {
  readonly #options: ViewOptions;
  readonly #answer: AnswerWriter;
  /** The last rows are a patch, a to-do list, or the result of an edit whose patch its question showed. */
  #isBelowChange = false;
  readonly progressRow: ProgressRow;
  /** The output that all other code writes to. */
  readonly output: ProgressRowOptions["output"];
  /** The rows under the prompt: what is running while a prompt is being typed, and the status line. */
  readonly underPrompt: LinesBelow;
  readonly status: StatusLine;
  readonly agents = new AgentNames();
  readonly approved = new ApprovedChanges();
  #engine: Engine | undefined;
  /** Calls whose refusal was shown already. Their result would repeat it. */
  readonly #refusedCalls = new Set<string>();
  readonly #calls = new CallNames();
  /** The API's error text, shown when it came. The result would repeat it. */
  #failure = "";
  /** When the last turn ended, unless it was interrupted. */
  #endedAt: number | undefined;
  #wasInterrupted = false;
  /** Tasks whose end was shown at the prompt. The turn that tells the model of it would repeat it. */
  readonly #endedTasks = new Set<string>();
  /** The retry that was shown last. */
  #retry: SDKApiRetry | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#answer = new AnswerWriter(options.screen, options.style, () => this.columns);
    this.status = new StatusLine(options);
    this.progressRow = new ProgressRow({ ...options, below: this.status.below });
    ({ output: this.output, underPrompt: this.underPrompt } = this.progressRow);
  }

  /** For a screen reader, lines are neither cut nor wrapped: the terminal breaks them. */
  get columns(): number {
    return this.#options.style.isSpoken ? spokenColumns : sizeOf(this.#options.output).columns;
  }

  attachEngine(engine: Engine): void {
    this.#engine = engine;
    this.status.begin(engine);
  }

  /** A turn, or the person's own `command`, runs until `end`. */
  begin(command?: string): void {
    this.#wasInterrupted = false;
    this.#answer.beginTurn();
    this.progressRow.begin(command);
  }

  /** The person's own command has printed something. */
  onOwnOutput(text: string): void {
    this.progressRow.onOwnOutput(text);
  }

  end(): void {
    this.#answer.flush();
    this.progressRow.end();
    this.status.update();
    this.#endedAt = this.#wasInterrupted ? undefined : this.#options.now();
  }

  /** Returns whether a Ctrl+C was meant for the turn that has just ended, and shows a note then. True once per turn. */
  handleLateInterrupt(): boolean {
    const { now, style } = this.#options;
    const isUnseen = this.#endedAt !== undefined && now() - this.#endedAt < unseenEndMs;
    this.#endedAt = undefined;
    if (isUnseen) this.line(style.note("(nothing is running any more; Ctrl+C again exits)"));
    return isUnseen;
  }

  show(message: SDKMessage): void {
    this.progressRow.onMessage(message);
    this.status.onMessage(message);
    this.agents.record(message);
    if (message.type === "system" && message.subtype === "permission_denied") {
      this.#refusedCalls.add(message.tool_use_id);
      // The person refused the call, or interrupted the turn, in the line above.
      const isInterrupted = this.#wasInterrupted && message.agent_id === undefined;
      if (isInterrupted || message.decision_reason_type === "user") return;
    }
    if (followsBrokenAnswer(message)) this.#answer.flush();
    const isTaskEnd = message.type === "system" && message.subtype === "task_notification";
    if (isTaskEnd && this.#endedTasks.delete(message.task_id)) return;
    const notice = noticeOf(message, (path) => this.#shorten(path));
    if (notice !== undefined) {
      // The end of an agent whose call is still open belongs to the agent's own calls.
      const indent = isTaskEnd && this.#calls.isAwaitingResult(message.tool_use_id) ? callIndent : "";
      if (notice.tone !== "quiet" && !isTaskEnd) this.#separateFromTyped();
      this.#lines(this.#noticeText(message, notice.text), notice.tone === "quiet" ? "dim" : "yellow", indent);
      return;
    }
    switch (message.type) {
      case "stream_event":
        if (message.parent_tool_use_id === null) this.#answer.onStreamEvent(message.event);
        return;
      case "assistant":
        for (const block of message.message.content) {
          if (message.error !== undefined && typeof block["text"] === "string")
            this.#apiFailure(block["text"], message.display_content);
          else this.#assistantBlock(block, message);
        }
        return;
      case "user":
        if (typeof message.message.content !== "string") {
          const { content } = message.message;
          for (const block of content) this.#resultBlock(block, indentOf(message));
          const id = String(content.find(({ type }) => type === "tool_result")?.["tool_use_id"]);
          if (message.parent_tool_use_id === null) this.#resultDetails(id, message.tool_use_result);
        }
        return;
      case "result":
        this.#result(message);
        return;
      default:
    }
  }

  /** Shows, once, a background task's end that no turn has reported. */
  showEnd(message: SDKTaskNotification): void {
    if (this.#endedTasks.has(message.task_id)) return;
    this.show(message);
    this.#endedTasks.add(message.task_id);
  }

  #shorten(path: string): string {
    return shortPath(path, this.#options, Math.min(maxPathLength, this.columns - 1));
  }

  #noticeText(message: SDKMessage, text: string): string {
    if (message.type === "system" && message.subtype === "permission_denied")
      return this.#calls.labelRefusal(message.tool_use_id, text);
    if (message.type !== "system" || message.subtype !== "api_retry") return text;
    const retryNotice = retryText(message, this.#retry);
    this.#retry = message;
    return message.retry_delay_ms >= longWaitMs ? `${retryNotice} (press Esc to give up)` : retryNotice;
  }

  #assistantBlock(block: WireBlock, message: SDKAssistantMessage): void {
    const { screen, style, cwd } = this.#options;
    if (block.type === "text" && typeof block["text"] === "string")
      this.#answer.showBlock(message.display_content ?? block["text"]);
    else if (block.type === "tool_use") {
      const input = (block["input"] ?? {}) as Record<string, unknown>;
      const indent = indentOf(message);
      const width = this.columns - 3 - indent.length;
      const line = toolUseLine(String(block["name"]), input, width, cwd);
      const call = this.#calls.labelCall(String(block["id"]), line, message.parent_tool_use_id, width);
      this.#separateFromTyped();
      if (this.#isBelowChange) screen.gap();
      this.#isBelowChange = false;
      screen.line(`${indent}${style.green(style.marks.call.trimEnd())} ${truncateToWidth(call, width)}`);
    }
  }

  /** Writes an empty row below the prompt or an answered question, and below text. */
  #separateFromTyped(): void {
    this.#answer.beforeOtherOutput(true);
    this.#options.screen.gapBelowTyped();
  }

  /** A prompt that joins the turn was shown. What follows is separated from it as from the turn's own prompt. */
  notePromptShown(): void {
    this.#answer.notePromptShown();
  }

  /** Shows below the prompt what happened to a file that it mentions. */
  showMention(news: MentionNews): void {
    const { screen, style } = this.#options;
    const rows = wrapHanging(mentionText(news) ?? "", this.columns - 4).split("\n");
    if (rows[0] === "") return;
    const { mention, furtherRow } = style.marks;
    for (const [at, row] of rows.entries()) screen.line(style.dim(`${at === 0 ? mention : furtherRow}${row}`));
  }

  /** Writes a line of pawl's own, which must be safe to show, wrapped between words. */
  line(text: string): void {
    this.#options.screen.line(wrapHanging(text, this.columns));
  }

  /** Shows an interrupt at once, below the answer's waiting text. `isQuestionOpen`: a question is open that the interrupt does not end. */
  showInterrupt(isQuestionOpen: boolean): void {
    const { screen, style } = this.#options;
    const what = isQuestionOpen ? "the question stays open" : "Ctrl+C again exits at once";
    const text = style.yellow(`${style.marks.yellow}(interrupting; ${what})`);
    this.#wasInterrupted = true;
    this.progressRow.onInterrupt();
    this.#answer.flushInterrupted();
    screen.flushHeld();
    screen.lineAtOnce(wrapHanging(text, this.columns));
  }

  #apiFailure(text: string, displayed = text): void {
    this.#failure = text;
    this.#separateFromTyped();
    this.#lines(sanitize(displayed), "red");
  }

  /** Writes pawl's own messages. */
  #lines(text: string, tone: "dim" | "red" | "yellow", indent = ""): void {
    const { screen, style } = this.#options;
    this.#answer.beforeOtherOutput();
    const mark = text === "" ? "" : style.marks[tone];
    const rows = wrapHanging(indent + mark + text, this.columns).split("\n");
    // Each write repeats the prompt, which a dumb terminal cannot take away.
    screen.line(rows.map((row) => style[tone](row)).join("\n"));
  }

  #resultBlock(block: WireBlock, indent: string): void {
    if (block.type !== "tool_result") return;
    const { screen, style } = this.#options;
    const id = String(block["tool_use_id"]);
    const isError = block["is_error"] === true;
    const width = this.columns - 5 - indent.length;
    const result = this.#calls.labelResult(id, toolResultLine(block["content"], isError, width), width);
    if (this.#refusedCalls.delete(id)) return;
    const { marks } = style;
    const line = `${indent}${isError ? marks.failedResult : marks.result}${truncateToWidth(result, width)}`;
    screen.line(isError ? style.red(line) : style.dim(line));
  }

  /** Shows an edit's changes, unless a question showed them, or a to-do list. Not for agents, which report themselves. */
  #resultDetails(id: string, result: unknown): void {
    const { screen, style } = this.#options;
    const isSeen = !style.isSpoken && this.approved.consumeApproval(id, result);
    const patch = isSeen ? [] : patchLines(result, style, this.columns);
    const lines = [...patch, ...todoLines(result, style, this.columns)];
    for (const line of lines) screen.line(line);
    this.#isBelowChange = isSeen || lines.length > 0;
  }

  #result(result: SDKResultMessage): void {
    const { screen, style } = this.#options;
    this.#answer.close();
    const unknown = this.#engine === undefined ? undefined : unknownCommandError(result, this.#engine);
    if (unknown !== undefined) return this.#lines(unknown, "red");
    const output = commandOutput(result, style, this.columns);
    if (output !== undefined) {
      screen.line(output);
      if (result.local_command === "help") screen.line(wrapHanging(helpTail, this.columns));
      return;
    }
    const failure = result.is_error ? failureText(result) : "";
    if (failure !== oneLine(this.#failure, failure.length)) {
      this.#separateFromTyped();
      this.#lines(failure, "red");
    }
    this.#failure = "";
    this.#answer.beforeOtherOutput();
    this.line(
      style.note(`(${formatTurns(result.num_turns)}, ${formatCost(result.total_cost_usd, result.modelUsage)} so far)`),
    );
    // An empty line separates turns.
    screen.line("");
  }
}
