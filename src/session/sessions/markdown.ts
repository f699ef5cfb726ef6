/** A conversation as Markdown: text as it is, calls and results in fences that their content cannot close. */
import { formatCount, formatTokens } from "../../lib/format-figures.ts";
import { oneLine, sanitize } from "../../lib/sanitize.ts";
import { headOf } from "../../lib/text-cut.ts";
import { contentText } from "../../protocol/block-text.ts";
import type { CompactBoundaryMessage, ContentBlock, Message, ToolResultBlock } from "../../protocol/message.ts";
import type { SessionSummary } from "../../transcript/index.ts";

/** The limit for one result or one call's input; the JSON export has the rest. */
const maxBlockChars = 20_000;

export class MarkdownText {
  /** The last speaker: each change gets a heading. */
  #speaker = "";
  readonly #tools = new Map<string, string>();

  static head(session: SessionSummary): string {
    const { sessionId, title, firstPrompt = "", cwd, gitBranch, createdAt, tag } = session;
    const facts = [
      ["Session", sessionId],
      ["Folder", cwd],
      ["Branch", gitBranch],
      ["Begun", createdAt],
      ["Tag", tag],
    ].flatMap(([name, value]) => (typeof value === "string" ? [`- ${name}: ${oneLine(value, 300)}`] : []));
    const name = oneLine(title ?? firstPrompt, 120);
    return `# ${name === "" ? "A session" : name}\n\n${facts.join("\n")}\n`;
  }

  static agentHead(agentId: string): string {
    return `\n---\n\n# Agent ${agentId}\n`;
  }

  /** Returns an empty string for messages that nobody said. */
  render(message: Message): string {
    switch (message.type) {
      case "user":
        return this.#user(message.content, message);
      case "assistant":
        return this.#spoken("Assistant", message.content);
      case "attachment":
        return message.attachment.kind === "queued_command" ? this.#spoken("User", message.attachment.prompt) : "";
      case "compact_boundary":
        return this.#remark(boundaryText(message));
      case "snip_boundary":
        return this.#remark("A part of the conversation was taken out of what the model sees from here on.");
      case "collapse_commit":
        return this.#remark("From here on, the model sees a summary in place of finished work.");
      case "results_cleared":
        return this.#remark(
          `From here on, the model sees one line in place of each old result (${message.cleared.length}).`,
        );
      case "notice":
        return this.#remark(`${message.level}: ${message.text}`);
      default:
        return "";
    }
  }

  #user(content: readonly ContentBlock[], about: { isMeta?: true; origin?: string; isCompactSummary?: true }): string {
    if (about.isCompactSummary === true) return this.#spoken("Summary", content);
    if (about.isMeta === true) return about.origin === "interruption" ? this.#remark("Interrupted.") : "";
    const results = content.filter((block) => block.type === "tool_result");
    const words = content.filter((block) => block.type !== "tool_result");
    return (
      results.map((block) => this.#result(block)).join("") + (words.length === 0 ? "" : this.#spoken("User", words))
    );
  }

  #spoken(speaker: string, content: readonly ContentBlock[]): string {
    const text = content.map((block) => this.#block(block)).join("");
    if (text === "") return "";
    const heading = speaker === this.#speaker ? "" : `\n## ${speaker}\n`;
    this.#speaker = speaker;
    return heading + text;
  }

  #block(block: ContentBlock): string {
    switch (block.type) {
      case "text":
        return block.text.trim() === "" ? "" : `\n${sanitize(block.text).trim()}\n`;
      case "tool_use":
        this.#tools.set(block.id, block.name);
        return `\n**${escapeMarkdown(block.name)}**\n\n${fenced(JSON.stringify(block.input, null, 2), "json")}`;
      case "image":
      case "document":
        return `\n[${block.type}]\n`;
      case "opaque":
        return `\n[${escapeMarkdown(String(block.wire["type"]))}]\n`;
      default:
        return "";
    }
  }

  #result({ tool_use_id: id, content, is_error: isError }: ToolResultBlock): string {
    const name = this.#tools.get(id) ?? "a tool";
    this.#tools.delete(id);
    return `\n${isError === true ? "Error" : "Result"} of ${escapeMarkdown(name)}:\n\n${fenced(contentText(content), "")}`;
  }

  #remark(text: string): string {
    this.#speaker = "";
    const lines = sanitize(text).split("\n");
    return `\n${lines.map((line) => `> ${line}`.trimEnd()).join("\n")}\n`;
  }
}

function boundaryText({ trigger, preTokens, postTokens, messages }: CompactBoundaryMessage): string {
  if (trigger === "rewound")
    return `Gone back: from here on, the session continues after the message ${messages.at(-1)?.uuid ?? "none"}.`;
  const figures = `${formatTokens(preTokens)} tokens became ${formatTokens(postTokens)}`;
  return `The conversation was summed up here (${trigger}): ${figures}. The model goes on with what follows.`;
}

/** Escapes a name from outside for a line of Markdown. */
function escapeMarkdown(name: string): string {
  return oneLine(name, 80).replace(/[*_`[\]<>\\]/gu, "\\$&");
}

function fenced(text: string, language: string): string {
  const clean = sanitize(headOf(text, maxBlockChars));
  const left = text.length - maxBlockChars;
  const longest = Math.max(2, ...[...clean.matchAll(/`+/gu)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const more = left > 0 ? `\n(${formatCount(left, "character")} more)\n` : "";
  return `${fence}${language}\n${clean.replace(/\n$/u, "")}\n${fence}\n${more}`;
}
