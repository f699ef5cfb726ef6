/** Whether two records mean the same: text for people may differ, and each run has its own ids and times. */
import { isRecord } from "../../lib/is-record.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { Message } from "../../protocol/message.ts";
import type { Terminal } from "../../protocol/stop.ts";

export function isSameRecord(one: Message, other: Message): boolean {
  return one.type === other.type && (one.uuid === other.uuid || comparableText(one) === comparableText(other));
}

function comparableText(message: Message): string {
  return JSON.stringify(comparableFields(message), sortFields);
}

function comparableFields(message: Message): unknown {
  switch (message.type) {
    case "assistant": {
      const { content, model, messageId, aborted, apiError } = message;
      return apiError === undefined ? { content, model, messageId, aborted } : apiError.kind;
    }
    case "user": {
      const { content, isMeta, origin } = message;
      return { content, isMeta, origin };
    }
    case "response_end": {
      const { messageId, model, stopReason, usage } = message;
      return { messageId, model, stopReason, usage };
    }
    case "notice":
      return message.name;
    case "attachment":
      return message.attachment;
    case "transition":
      return { transition: message.transition, turnCount: message.turnCount };
    case "tombstone":
      return { targets: message.targets, reason: message.reason };
    case "thinking_stripped":
      return message.reason;
    default:
      return message.uuid;
  }
}

/** Sorts the fields, so that their order does not matter. */
function sortFields(_name: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

const maxShownChars = 200;

/** Describes a record in a few words. */
export function describeRecord(message: Message): string {
  switch (message.type) {
    case "assistant":
      if (message.apiError !== undefined) return `the error ${message.apiError.kind}`;
      return `a block of an answer: ${message.content.map(({ type }) => type).join(", ")}`;
    case "user": {
      const texts = message.content.map((block) => {
        if (block.type === "tool_result")
          return `the result of ${block.tool_use_id}${errorSuffix(block)}: ${contentText(block.content)}`;
        return block.type === "text" ? `${message.origin ?? "user"}: ${block.text}` : block.type;
      });
      return shorten(texts.join(" | "));
    }
    case "response_end":
      return `the end of a response (${message.stopReason ?? "cut"}, ${message.usage.outputTokens} tokens)`;
    case "notice":
      return `the notice ${message.name}`;
    case "attachment":
      return `an attachment: ${message.attachment.kind}`;
    case "transition":
      return shorten(`the transition ${JSON.stringify(message.transition)} of turn ${message.turnCount}`);
    case "tombstone":
      return `a tombstone (${message.reason}) for ${message.targets.length} messages`;
    default:
      return `a record ${message.type}`;
  }
}

function errorSuffix({ is_error: isError = false }: { is_error?: boolean }): string {
  return isError ? " (an error)" : "";
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length <= maxShownChars ? line : `${line.slice(0, maxShownChars - 1)}…`;
}

export function describeRecords(messages: readonly Message[]): string {
  if (messages.length === 0) return "nothing more";
  const descriptions = messages.slice(0, 3).map(describeRecord).join("; ");
  return messages.length > 3 ? `${descriptions}; and ${messages.length - 3} more` : descriptions;
}

export function terminalText(terminal: Terminal): string {
  if (terminal.reason === "max_turns") return `max_turns (${terminal.turnCount})`;
  return terminal.reason === "model_error" ? `model_error (${terminal.error.kind})` : terminal.reason;
}
