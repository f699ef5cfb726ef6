/** How others see an agent: its calls in the parent's stream, and its end as a result, both built from its own messages. */
import { oneLine } from "../../lib/sanitize.ts";
import { withoutReminders } from "../../protocol/system-reminder.ts";
import { middleCut } from "../../lib/text-cut.ts";
import { blockText } from "../../protocol/block-text.ts";
import type { Attachment } from "../../protocol/message.ts";
import type {
  SDKAssistantMessage,
  SDKInformational,
  SDKMessage,
  SDKResultMessage,
  SDKUserMessage,
  WireBlock,
  WireUsage,
} from "../../protocol/sdk.ts";
import type { SDKBackgroundTask } from "../../protocol/sdk-control.ts";
import type { SDKTaskUsage } from "../../protocol/sdk-task.ts";
import { textBlock } from "../../protocol/text-block.ts";
import type { ToolResult } from "../../protocol/tool.ts";
import type { AgentRun } from "../joined.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";
import type { AgentCall } from "../agents/agent-tool.ts";
import { forwardedSubtypes, personNoticeTags, retryProgress } from "./forward-message.ts";

const maxSummaryChars = 200;
const maxReminderTextChars = 30_000;

function emptyResultText({ terminal_reason: reason }: SDKResultMessage): string {
  const isStopped = reason === "stop_hook_prevented" || reason === "hook_stopped";
  return isStopped ? "A hook stopped the agent before it gave an answer." : "The agent ended without a message.";
}

export class AgentReport {
  readonly #agentRun: AgentRun;
  readonly #call: AgentCall;
  readonly #around: Pick<Surroundings, "clock" | "ids">;
  readonly #startedAt: number;
  #result: SDKResultMessage | undefined;
  /** Why it was ended, unless the user ended it. */
  #endedBecause: string | undefined;
  #hasFailed = false;
  #lastText = "";
  #toolUses = 0;
  #lastTool: string | undefined;
  /** Tokens of the turns that are over. */
  #tokens = 0;
  /** Tokens per response of the running turn, so far. */
  readonly #responses = new Map<string, number>();
  turns = 0;
  /** True once its start was reported. */
  hasBegun = false;

  constructor(agentRun: AgentRun, call: AgentCall, around: Pick<Surroundings, "clock" | "ids">) {
    this.#agentRun = agentRun;
    this.#call = call;
    this.#around = around;
    this.#startedAt = around.clock.elapsed();
  }

  /** Returns what the parent's reader is shown of a message of the agent. */
  take(message: SDKMessage): SDKMessage[] {
    switch (message.type) {
      case "assistant":
        return message.parent_tool_use_id === null ? this.#assistant(message) : [message];
      case "user":
        return message.parent_tool_use_id === null ? this.#user(message) : [message];
      case "result":
        this.#recordResult(message);
        return [];
      case "system":
        if (message.subtype === "permission_denied") return [{ agent_id: this.#agentRun.id, ...message }];
        if (message.subtype === "informational") return this.#informational(message);
        if (message.subtype === "api_retry") return [retryProgress(message, this.#taskFields(), this.#elapsed())];
        return forwardedSubtypes.has(message.subtype) ? [message] : [];
      case "tool_progress":
        return message.subagent_retry === undefined ? [] : [message];
      default:
        return [];
    }
  }

  /** Failed hooks, and what hooks ended: a guard that fails within an agent lets through as much as any other. */
  #informational(message: SDKInformational): SDKMessage[] {
    if (!personNoticeTags.has(message.tag ?? "")) return [];
    if (message.agent_id !== undefined) return [message];
    const { id, definition } = this.#agentRun;
    return [{ ...message, agent_id: id, content: `Agent ${definition.name}: ${message.content}` }];
  }

  #recordResult(result: SDKResultMessage): void {
    this.#result = result;
    this.turns = result.num_turns;
    this.#tokens += tokensOf(result.usage);
    this.#responses.clear();
    this.#agentRun.root.agents.denials.push(...result.permission_denials);
  }

  #assistant(message: SDKAssistantMessage): SDKMessage[] {
    const { id, content, usage } = message.message;
    this.#responses.set(id, tokensOf(usage));
    for (const block of content) {
      // The text of a failed answer is pawl's own.
      const isAnswerText = block.type === "text" && message.error === undefined;
      if (isAnswerText && typeof block["text"] === "string") this.#lastText = block["text"];
      if (block.type !== "tool_use") continue;
      this.#toolUses++;
      this.#lastTool = String(block["name"]);
    }
    const isTextShown = this.#agentRun.root.options.forwardSubagentText === true;
    const shown = content.filter(({ type }) => type === "tool_use" || (isTextShown && type === "text"));
    if (shown.length === 0) return [];
    const forwarded = { ...message, message: { ...message.message, content: shown }, ...this.#agentFields() };
    return shown.some(({ type }) => type === "tool_use") ? [forwarded, this.#progress()] : [forwarded];
  }

  #user(message: SDKUserMessage): SDKMessage[] {
    const { content } = message.message;
    const results = typeof content === "string" ? [] : content.filter(({ type }: WireBlock) => type === "tool_result");
    if (results.length === 0) return [];
    return [{ ...message, message: { role: "user", content: results }, ...this.#agentFields() }];
  }

  #agentFields() {
    const { id, definition } = this.#agentRun;
    return {
      parent_tool_use_id: this.#call.toolUseId,
      agent_id: id,
      subagent_type: definition.name,
      task_description: this.#call.description,
    };
  }

  #taskFields() {
    const { id, definition, parent } = this.#agentRun;
    return {
      type: "system" as const,
      uuid: this.#around.ids.uuid(),
      session_id: parent.store.sessionId,
      task_id: id,
      tool_use_id: this.#call.toolUseId,
      description: this.#call.description,
      subagent_type: definition.name,
    };
  }

  startedMessage(): SDKMessage {
    this.hasBegun = true;
    const { isBackground, prompt, name } = this.#call;
    const type = name === undefined ? ("local_agent" as const) : ("in_process_teammate" as const);
    const own = { task_type: type, is_backgrounded: isBackground, prompt };
    const above = this.#agentRun.parent.agentRun?.id;
    const parent = above === undefined ? {} : { parent_task_id: above };
    return { ...this.#taskFields(), subtype: "task_started", ...own, spawn_depth: this.#agentRun.depth, ...parent };
  }

  #progress(): SDKMessage {
    const last = this.#lastTool === undefined ? {} : { last_tool_name: this.#lastTool };
    return { ...this.#taskFields(), subtype: "task_progress", usage: this.#usage(), ...last };
  }

  notification(): SDKMessage {
    const { type, uuid, session_id, task_id, tool_use_id } = this.#taskFields();
    const { status, summary } = this.#ending();
    const notification = { subtype: "task_notification" as const, status, summary, exit_code: null, output_file: "" };
    return { type, uuid, session_id, task_id, tool_use_id, ...notification, usage: this.#usage() };
  }

  #usage(): SDKTaskUsage {
    let tokens = this.#tokens;
    for (const each of this.#responses.values()) tokens += each;
    return { total_tokens: tokens, tool_uses: this.#toolUses, duration_ms: this.#elapsed() };
  }

  #elapsed(): number {
    return Math.round(this.#around.clock.elapsed() - this.#startedAt);
  }

  /** The agent was ended because it was silent for that long. */
  markStalled(ms: number): void {
    this.#endedBecause = `The agent was silent for ${ms / 1000} s and was ended.`;
    this.#hasFailed = true;
  }

  markEndedByModel(): void {
    this.#endedBecause ??= "The agent was ended by TaskStop.";
  }

  /** The agent could not start, or crashed: there is no result message then. */
  markFailed(): void {
    this.#hasFailed = true;
  }

  #ending() {
    const end = this.#result;
    const summary = this.#call.description.slice(0, maxSummaryChars);
    if (this.#hasFailed) return { status: "failed", summary } as const;
    const wasStopped = end?.terminal_reason === "aborted_streaming" || end?.terminal_reason === "aborted_tools";
    const status = end?.is_error === false ? "completed" : end === undefined || wasStopped ? "stopped" : "failed";
    return { status, summary } as const;
  }

  /** Its last message for the model, with what went wrong before it. `commands`: its background commands, which end with it. */
  result(commands: readonly SDKBackgroundTask[] = []): ToolResult {
    const end = this.#result;
    const commandTexts = commands.map(
      ({ task_id: command, description }) => `${command} (${oneLine(description, 200)})`,
    );
    const behind =
      commandTexts.length === 0 ? "" : `\nIts background commands ended with it: ${commandTexts.join(", ")}.`;
    const isKept = this.#agentRun.root.store.transcript !== null;
    const id = `agentId: ${this.#agentRun.id}${isKept ? " (to go on with it: resume)" : ""}${behind}`;
    const partial = this.#lastText === "" ? "" : `\nIts last words:\n${withoutReminders(this.#lastText)}`;
    const early = (why: string): ToolResult => ({ content: `${why}${partial}\n${id}`, isError: true });
    const isOver = end?.is_error === false && !this.#hasFailed;
    if (this.#endedBecause !== undefined && !isOver) return early(this.#endedBecause);
    // The process is ending, so there is no result message.
    if (end === undefined) return early("The agent was ended before it was done.");
    if (end.subtype === "success" && !end.is_error) {
      const text = end.result.trim() === "" ? emptyResultText(end) : withoutReminders(end.result);
      return { content: [textBlock(text), textBlock(id)], output: this.#output(text) };
    }
    return early(`Agent terminated early: ${end.subtype === "success" ? end.result : end.errors.join(" ")}`);
  }

  #output(text: string) {
    const { id, definition, model } = this.#agentRun;
    return {
      status: "completed",
      agentId: id,
      agentType: definition.name,
      prompt: this.#call.prompt,
      content: [textBlock(text)],
      resolvedModel: model,
      totalToolUseCount: this.#toolUses,
      totalDurationMs: this.#elapsed(),
      totalTokens: this.#usage().total_tokens,
      usage: this.#result?.usage,
    };
  }

  launchedResult(): ToolResult {
    const { id } = this.#agentRun;
    const { description, prompt } = this.#call;
    const content = `The agent ${id} works in the background. You are told when it has ended; do not wait for it in commands.`;
    return { content, output: { status: "async_launched", agentId: id, description, prompt } };
  }

  /** For the model, once a background agent is over. `keep` stores a text that is too long, and returns where. */
  async endReminder(result: ToolResult, keep: (text: string) => Promise<string>): Promise<Attachment> {
    const resultText = blockText(result.content, "\n");
    const { status, summary } = this.#ending();
    const text = `The background agent ${this.#agentRun.id} (${summary}) has ended: ${status}. Its last message:\n${await cutMiddle(resultText, keep)}`;
    const task = {
      taskId: this.#agentRun.id,
      toolUseId: this.#call.toolUseId,
      status,
      exitCode: null,
      outputFile: null,
      summary,
      usage: this.#usage(),
    };
    return { kind: "reminder", name: "task_ended", text, task };
  }
}

/** Cuts the middle: the end holds the id for resuming the agent, and the path of its worktree. */
async function cutMiddle(text: string, keep: (text: string) => Promise<string>): Promise<string> {
  if (text.length <= maxReminderTextChars) return text;
  const path = await keep(text).catch(() => undefined);
  const where = path === undefined ? "" : `; all of it is in ${path}`;
  const left = text.length - maxReminderTextChars;
  return middleCut(text, maxReminderTextChars, `\n\n[… some ${left} characters left out${where} …]\n\n`);
}

function tokensOf(usage: WireUsage): number {
  const cached = usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
  return usage.input_tokens + usage.output_tokens + cached;
}
