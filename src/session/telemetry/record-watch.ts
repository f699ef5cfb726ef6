/** Observes what is added to the conversation, and how its runs start and end. */
import { blockText } from "../../protocol/block-text.ts";
import type { ContentBlock, Message } from "../../protocol/message.ts";
import type { RunNote } from "../../protocol/record.ts";
import type { RecordWatch } from "../store/conversation.ts";
import type { Actor } from "./actor.ts";
import type { TelemetryReporter } from "./telemetry-reporter.ts";

const redacted = "<REDACTED>";

export function recordWatch(watch: TelemetryReporter, actor: Actor): RecordWatch {
  return {
    onMessage: (message) => watch.guarded(() => reportMessage(message, watch, actor)),
    onNote: (note) => watch.guarded(() => reportNote(note, watch, actor)),
  };
}

function reportMessage(message: Message, watch: TelemetryReporter, actor: Actor): void {
  switch (message.type) {
    case "user":
      if (message.origin === "human" && actor.agent === undefined) startInteraction(message, watch, actor);
      return;
    case "attachment":
      if (message.attachment.kind === "queued_command" && actor.agent === undefined)
        reportPrompt(message.attachment.prompt, watch, actor, { "prompt.id": message.attachment.sourceUuid });
      return;
    case "assistant": {
      if (message.apiError !== undefined) return;
      const before = actor.response?.messageId === message.messageId ? actor.response.text : "";
      const text = blockText(message.content);
      actor.response = { messageId: message.messageId, text: before + text };
      return;
    }
    case "response_end": {
      if (actor.run !== undefined) actor.run.failures = 0;
      const text = actor.response?.messageId === message.messageId ? actor.response.text : "";
      actor.response = undefined;
      if (text === "") return;
      const response = watch.telemetry.plan.content.responses ? text : redacted;
      const { model, requestId: request_id } = message;
      watch.event("assistant_response", { response_length: text.length, response, model, request_id }, actor);
      return;
    }
    case "compact_boundary": {
      const { trigger, preTokens: pre_tokens, postTokens: post_tokens } = message;
      if (trigger !== "rewound") watch.event("compaction", { trigger, success: true, pre_tokens, post_tokens }, actor);
      return;
    }
    default:
  }
}

function startInteraction(
  { uuid, content }: Extract<Message, { type: "user" }>,
  watch: TelemetryReporter,
  actor: Actor,
): void {
  watch.promptId = uuid;
  const { hasTraces, plan } = watch.telemetry;
  if (hasTraces) {
    const text = blockText(content, "\n");
    const about = {
      ...watch.common(actor),
      "span.type": "interaction",
      "interaction.sequence": actor.interactions + 1,
      user_prompt_length: text.length,
      user_prompt: plan.content.prompts ? text : redacted,
    };
    actor.beginInteraction(watch.telemetry.span("interaction", actor.parent, about));
  }
  reportPrompt(content, watch, actor, {});
}

function reportPrompt(
  content: ContentBlock[],
  watch: TelemetryReporter,
  actor: Actor,
  ownAttributes: Record<string, string>,
): void {
  const { prompts, toolDetails } = watch.telemetry.plan.content;
  const text = blockText(content, "\n");
  const command = toolDetails ? /^\/([\p{L}\p{M}\p{N}_:.-]+)/u.exec(text)?.[1] : undefined;
  const prompt = prompts ? text : redacted;
  watch.event("user_prompt", { prompt_length: text.length, prompt, command_name: command, ...ownAttributes }, actor);
}

function reportNote(note: RunNote, watch: TelemetryReporter, actor: Actor): void {
  switch (note.at) {
    case "begin": {
      const now = watch.elapsed();
      const { model } = note;
      const none = { failures: 0, failedFrom: now, lastFailure: {} };
      actor.run = { startedAt: now, waitedMs: 0, tokens: 0, calls: 0, model, ...none };
      return;
    }
    case "failure": {
      const { run } = actor;
      if (run === undefined) return;
      if (run.failures === 0) run.failedFrom = watch.elapsed();
      run.failures += 1;
      const { kind: error_type, status: status_code } = note.failure;
      run.lastFailure = { error: watch.errorOf(note.failure), error_type, status_code };
      return;
    }
    case "end":
      return reportRunEnd(note, watch, actor);
    default:
  }
}

function reportRunEnd(
  { terminal, cause }: Extract<RunNote, { at: "end" }>,
  watch: TelemetryReporter,
  actor: Actor,
): void {
  const { run, agent } = actor;
  actor.run = undefined;
  if (run === undefined) return;
  const ms = Math.round(watch.elapsed() - run.startedAt);
  const failure = terminal?.reason === "model_error" ? terminal.error : undefined;
  if (failure?.kind === "internal")
    watch.event("internal_error", { error_name: failure.kind, error_code: "internal" }, actor);
  if (failure !== undefined && run.failures > 1) {
    const total_retry_duration_ms = Math.round(watch.elapsed() - run.failedFrom);
    const about = { model: run.model, ...run.lastFailure, total_attempts: run.failures, total_retry_duration_ms };
    watch.event("api_retries_exhausted", about, actor);
  }
  if (agent === undefined) {
    // Agents run while their session waits for them.
    watch.count("active_time.total", Math.max(0, ms - run.waitedMs) / 1000, { type: "cli" });
    const reason = terminal?.reason ?? cause ?? "left";
    actor.endInteraction({ "interaction.duration_ms": ms, stop_reason: reason }, failure !== undefined);
    return;
  }
  const type = watch.telemetry.plan.content.toolDetails ? agent.type : undefined;
  const success = terminal?.reason === "completed";
  const figures = { duration_ms: ms, total_tokens: run.tokens, total_tool_uses: run.calls, model: run.model, success };
  watch.event("subagent_completed", { agent_type: type, ...figures }, actor);
}
