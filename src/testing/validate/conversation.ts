/** Checks the messages against each other: who speaks first, next and last, and which message may be empty. */
import { blocksOf, isObject, type WireMessage, type WireRequest } from "../wire/types.ts";
import { digestKey } from "../wire/digest.ts";
import { promptDigest, type Prompt } from "../wire/prompt.ts";
import { asksForSummary } from "./compaction.ts";
import type { CheckContext } from "./report.ts";

/** A change of effort may come in a message without content. */
const isConfigChange = (config: unknown): boolean => isObject(config) && Object.keys(config).length > 0;

export function checkConversation(body: WireRequest, prompt: Prompt, context: CheckContext): void {
  const { messages } = body;
  const { report } = context;
  checkRoles(messages, context);
  messages.forEach((message, index) => {
    if (blocksOf(message.content).length > 0 && message.content !== "") return;
    if (message.role === "system" && isConfigChange(message["output_config"])) return;
    const isFinalAssistant = index === messages.length - 1 && message.role === "assistant";
    if (isFinalAssistant && context.traits.prefill) return;
    report.add(
      `messages.${index}`,
      "all messages must have non-empty content except for the optional final assistant message",
    );
  });
  checkLastMessage(body, prompt, context);
}

function checkRoles(messages: WireMessage[], context: CheckContext): void {
  const { report, options } = context;
  let previous: string | undefined;
  messages.forEach((message, index) => {
    const { role } = message;
    if (role === "system") {
      checkSystemMessage(messages, index, context);
      return;
    }
    if (role !== "user" && role !== "assistant") {
      report.add(`messages.${index}.role`, "Input should be 'user' or 'assistant'");
      return;
    }
    if (previous === undefined && role !== "user" && !isSummary(message))
      report.add("messages", 'first message must use the "user" role');
    // A summary is not a turn: the reply to the message it ends with may follow it.
    const followsSummary = index === 1 && messages[0] !== undefined && isSummary(messages[0]);
    if (previous === role && !followsSummary && options.strictAlternation !== false) {
      report.add(
        "messages",
        `roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
      );
    }
    previous = role;
  });
}

/** A compaction block replaces the messages it summarises, including the user's first one. */
function isSummary(message: WireMessage): boolean {
  return blocksOf(message.content)[0]?.type === "compaction";
}

/** Fields of a system message that require a beta header. */
const fieldBetas = [
  ["clear_at", "mid-conversation-system-clear-at-2026-08-21"],
  ["output_config", "mid-conversation-output-config-2026-07-01"],
] as const;

/** Checks the placement by the documentation page on mid-conversation system messages. */
function checkSystemMessage(messages: WireMessage[], index: number, context: CheckContext): void {
  const { report, traits, betas, options } = context;
  const message = messages[index] as WireMessage;
  if (!traits.systemRole && options.endpoint !== "compatible") {
    report.add(`messages.${index}`, "role 'system' is not supported on this model");
    return;
  }
  const before = messages[index - 1];
  const after = messages[index + 1];
  if (index === 0) report.add("messages", 'first message must use the "user" role');
  else if (before?.role === "assistant" && !endsWithServerResult(before)) {
    report.add(
      `messages.${index}`,
      "a `system` message must follow a `user` message or an assistant message that ends with a server tool result",
    );
  }
  if (after?.role === "user") {
    report.add(
      `messages.${index}`,
      "a `system` message must be followed by an `assistant` message or end the conversation",
    );
  }
  if (options.endpoint === "compatible") return;
  for (const [field, beta] of fieldBetas) {
    if (message[field] !== undefined && !betas.has(beta))
      report.add(`messages.${index}.${field}`, "Extra inputs are not permitted");
  }
  const types = blocksOf(message.content).map((block) => block.type);
  const changesTools = types.some((type) => type === "tool_addition" || type === "tool_removal");
  if (changesTools && !betas.has("mid-conversation-tool-changes-2026-07-01")) {
    report.add(
      `messages.${index}`,
      "`tool_addition` and `tool_removal` blocks are not permitted without the beta header",
    );
  }
}

function endsWithServerResult(message: WireMessage): boolean {
  const last = blocksOf(message.content).at(-1)?.type ?? "";
  return last.endsWith("_tool_result");
}

/** A conversation may end with the assistant only as a prefill, or to continue after `pause_turn`. */
function checkLastMessage(body: WireRequest, prompt: Prompt, { report, traits, options, state }: CheckContext): void {
  const last = body.messages.at(-1);
  if (last?.role !== "assistant" || options.endpoint === "compatible" || asksForSummary(body)) return;
  const blocks = blocksOf(last.content);
  const isPaused =
    blocks.some((block) => block.type === "server_tool_use" || block.type === "mcp_tool_use") ||
    state?.pausedPrefixes.has(digestKey(promptDigest(prompt))) === true;
  // The token from a refusal allows the part streamed before it to be continued.
  if (!isPaused && !traits.prefill && (body["fallback_credit_token"] ?? null) === null) {
    report.add(
      "",
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
    return;
  }
  const end = blocks.at(-1);
  if (end?.type === "text" && typeof end["text"] === "string" && /\s$/.test(end["text"])) {
    report.add("messages", "final assistant content cannot end with trailing whitespace");
  }
}
