/** One-line notices of a session: retries, refusals, compaction, why it continues. For stderr and the conversation alike. */
import { formatDuration, formatTokens, formatTurns } from "../../lib/format-figures.ts";
import { oneLine, revealLine, sanitize } from "../../lib/sanitize.ts";
import type {
  SDKApiRetry,
  SDKMessage,
  SDKPermissionDenied,
  SDKResultMessage,
  SDKTransition,
} from "../../protocol/sdk.ts";
import type { SDKHookStarted } from "../../protocol/sdk-hooks.ts";
import type { SDKTaskNotification, SDKToolProgress } from "../../protocol/sdk-task.ts";

export interface Notice {
  tone: "quiet" | "warning" | "error";
  text: string;
}

const maxNoticeLength = 400;
const maxDetailLength = 120;
const longWaitMs = 5_000;

const transitionTexts: Readonly<Record<string, string>> = {
  collapse_drain_retry: "the conversation was too long: collapsed parts were dropped, asking again",
  reactive_compact_retry: "the conversation was too long: it was shortened, asking again",
  max_output_tokens_escalate: "the answer was cut off: asking again with a higher output limit",
  max_output_tokens_recovery: "the answer was cut off: continuing where it stopped",
  stop_hook_blocking: "the model continues: a Stop hook, a goal or the form of the answer asks for more",
  token_budget_continuation: "continuing within the token budget",
};

/** The output above is not part of the conversation any more. Other notices give the reason and the replacement. */
const tombstoneTexts: Readonly<Record<string, string>> = {
  retry: "the answer so far does not count",
  fallback: "the answer so far does not count",
  escalate: "the answer so far does not count",
  refusal: "the refused messages are left out of the conversation",
};

/** Returns the refusal. A hook's reason does not name the hook or the tool, so they are added. */
export function permissionDeniedText(message: SDKPermissionDenied, width: number): string {
  const { decision_reason_type: by, tool_name: tool, message: why } = message;
  const needsHookName = by === "hook" && !why.startsWith("A hook refused");
  return oneLine(needsHookName ? `A hook refused ${tool}: ${why}` : why, width);
}

/** Returns undefined for messages without a notice, which is most of them. `shorten` makes a path fit for a person to read. */
export function noticeOf(message: SDKMessage, shorten = (path: string): string => path): Notice | undefined {
  if (message.type === "tool_progress") return agentWaitNotice(message);
  if (message.type !== "system") return undefined;
  switch (message.subtype) {
    case "api_retry":
      return { tone: "warning", text: retryText(message) };
    case "transition":
      return transitionNotice(message);
    case "permission_denied":
      return { tone: "warning", text: permissionDeniedText(message, maxNoticeLength) };
    case "compact_boundary":
      // The command `/compact` reports itself.
      if (message.compact_metadata.trigger === "manual") return undefined;
      if (message.compact_metadata.left_out === "media")
        return { tone: "quiet", text: "images or documents were left out of the conversation" };
      return {
        tone: "quiet",
        text: `the conversation was summarised (it held ${formatTokens(message.compact_metadata.pre_tokens)} tokens)`,
      };
    case "results_cleared": {
      const { length } = message.tool_use_ids;
      const text = `${length} old ${length === 1 ? "result" : "results"} left out of the conversation (about ${formatTokens(message.saved_tokens)} tokens)`;
      return { tone: "quiet", text };
    }
    case "snip_boundary":
      return {
        tone: "quiet",
        text: `a part of the conversation was taken out (about ${formatTokens(message.snip_metadata.saved_tokens)} tokens)`,
      };
    case "collapse_commit": {
      const { pre_tokens, post_tokens } = message.collapse_metadata;
      const text = `a finished part of the work was summarised (about ${formatTokens(pre_tokens)} → ${formatTokens(post_tokens)} tokens)`;
      return { tone: "quiet", text };
    }
    case "status":
      return message.permissionMode === undefined
        ? undefined
        : { tone: "quiet", text: `the permission mode is ${message.permissionMode}` };
    case "task_notification":
      return { tone: message.status === "completed" ? "quiet" : "warning", text: taskText(message, shorten) };
    case "informational":
      // The thing waited for is visible itself: a question, or the line of a retry.
      if (message.tag?.startsWith("waiting:") === true) return undefined;
      // The result repeats it.
      if (message.tag === "max_turns_reached" || message.tag === "command_failed") return undefined;
      return {
        tone: message.level === "warning" ? "warning" : "quiet",
        text: oneLine(message.content, maxNoticeLength),
      };
    case "hook_started": {
      const { status_message: status, hook_event: event } = message;
      const isWaitedFor = status !== undefined || event === "Stop" || event === "SubagentStop";
      return isWaitedFor ? { tone: "quiet", text: hookText(message) } : undefined;
    }
    case "tombstone": {
      const text = tombstoneTexts[message.reason];
      return text === undefined ? undefined : { tone: "quiet", text };
    }
    default:
      return undefined;
  }
}

/** Returns the name of a hook while it runs. */
export function hookText({ status_message: status, hook_event: event, command }: SDKHookStarted): string {
  return status === undefined
    ? revealLine(`${event} hook: ${command}`, maxDetailLength)
    : oneLine(status, maxDetailLength);
}

function taskText(message: SDKTaskNotification, shorten: (path: string) => string): string {
  const { status, exit_code: code, summary, output_file: file, usage } = message;
  if (usage !== undefined) {
    const { tool_uses: calls, total_tokens: tokens, duration_ms: ms } = usage;
    const figures = `${calls} ${calls === 1 ? "call" : "calls"}, ${formatTokens(tokens)} tokens, ${formatDuration(ms)}`;
    return oneLine(`agent ${status === "completed" ? "done" : status}: ${summary} (${figures})`, maxNoticeLength);
  }
  const how = code === null ? (status === "failed" ? "failed" : "ended") : `ended (exit code ${code})`;
  const end = status === "stopped" ? "was stopped" : how;
  // An agent has neither an exit code nor an output file.
  if (file === "") return oneLine(`background task ${end}: ${summary}`, maxNoticeLength);
  return oneLine(`background command ${end}: ${summary}, output in ${shorten(file)}`, maxNoticeLength);
}

/** `before` is the previous retry, if both are read one below the other: the same cause is then not repeated. */
export function retryText(message: SDKApiRetry, before?: SDKApiRetry): string {
  const { request_id: id } = message;
  const isSame = before !== undefined && message.attempt > 1 && messageWithoutId(message) === messageWithoutId(before);
  const reason = isSame ? "the same again" : message.message;
  const request = id === undefined || reason.includes(id) ? "" : `, request ${id}`;
  const tries = `attempt ${message.attempt}${attemptLimitText(message)}`;
  // A sentence's own full stop would stand before the brackets.
  return oneLine(
    `${reason.replace(/\.$/u, "")} (${tries}${request}); retrying in ${formatDuration(message.retry_delay_ms)}`,
    maxNoticeLength,
  );
}

/** Returns a notice for a long wait of an agent. Short ones are left out, because parallel agents have many. */
function agentWaitNotice({ subagent_type: agent, subagent_retry: retry }: SDKToolProgress): Notice | undefined {
  if (retry === undefined || retry.retry_delay_ms < longWaitMs) return undefined;
  const { error_category: error, error_status: status } = retry;
  const why = oneLine(status === null ? error : `${error}, ${status}`, maxDetailLength);
  const tries = `attempt ${retry.attempt}${attemptLimitText(retry)}`;
  const text = `agent ${agent} waits for the model (${why}; ${tries}); retrying in ${formatDuration(retry.retry_delay_ms)}`;
  return { tone: "warning", text };
}

function attemptLimitText({ max_retries: most }: { max_retries: number }): string {
  return most >= Number.MAX_SAFE_INTEGER ? ", until it answers" : ` of ${most}`;
}

/** Returns the message without the request id. */
function messageWithoutId({ message, request_id: id = "" }: SDKApiRetry): string {
  return id === "" ? message : message.replaceAll(id, "");
}

function transitionNotice(message: SDKTransition): Notice | undefined {
  const { transition } = message;
  const isMedia = transition.reason === "reactive_compact_retry" && transition.media === true;
  const text = isMedia
    ? "an image or document was refused: asking again without it"
    : transitionTexts[transition.reason];
  return text === undefined ? undefined : { tone: "quiet", text };
}

/** Returns why a turn failed, in one line unless a command produced the text. */
export function failureText(result: SDKResultMessage): string {
  if (result.subtype === "success" && result.local_command !== undefined) return sanitize(result.result);
  if (result.subtype === "success") return oneLine(result.result, maxNoticeLength);
  const errors = result.errors.filter((text) => text.trim() !== "");
  if (errors.length > 0) return oneLine(errors.join("; "), 4 * maxNoticeLength);
  switch (result.subtype) {
    case "error_max_turns":
      return `Stopped at the turn limit after ${formatTurns(result.num_turns)}: --max-turns raises it.`;
    case "error_max_budget_usd":
      return "Stopped before exceeding the budget: --max-budget-usd raises it.";
    case "error_max_structured_output_retries":
      return "The answer never matched the requested schema.";
    case "error_during_execution":
      return result.terminal_reason.startsWith("aborted")
        ? "Interrupted."
        : `The run ended: ${result.terminal_reason}.`;
    default:
      return result satisfies never;
  }
}
