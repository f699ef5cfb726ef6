/** A session as one document, in pieces: Markdown for reading, or JSON that holds everything. */
import { withoutUndefined } from "../../lib/without-undefined.ts";
import type { Message } from "../../protocol/message.ts";
import { toWireBlocks } from "../../protocol/wire-block.ts";
import { historySteps } from "../../transcript/history.ts";
import { readSummary, type SessionFile, type SessionSummary } from "../../transcript/index.ts";
import { infoOf } from "./list.ts";
import { MarkdownText } from "./markdown.ts";
import { agentFiles } from "./messages.ts";
import { toSessionMessage } from "./session-message.ts";

export type ExportFormat = "markdown" | "json";

/** Throws `TranscriptError` if the session cannot be read. Yields pieces of about a megabyte, since the whole may exceed memory. */
export function* exportSession(file: SessionFile, format: ExportFormat): Generator<string> {
  const summary = readSummary(file) ?? file;
  yield* format === "json" ? asJson(file, summary) : asMarkdown(file, summary);
}

function* asMarkdown({ path }: SessionFile, summary: SessionSummary): Generator<string> {
  yield MarkdownText.head(summary);
  yield* markdownOf(path);
  for (const agent of agentFiles(path)) {
    yield MarkdownText.agentHead(agent.agentId);
    yield* markdownOf(agent.path);
  }
}

function* markdownOf(path: string): Generator<string> {
  const text = new MarkdownText();
  for (const step of historySteps(path, { includeCompacted: true }))
    yield step.map(({ message }) => text.render(message)).join("");
}

function* asJson({ path, sessionId }: SessionFile, summary: SessionSummary): Generator<string> {
  yield `{"format":"pawl.session","version":1,"session":${JSON.stringify(infoOf(summary))},"messages":[`;
  yield* jsonMessages(path, sessionId);
  yield `],"agents":[`;
  for (const [at, agent] of agentFiles(path).entries()) {
    yield `${at === 0 ? "" : ","}{"agentId":${JSON.stringify(agent.agentId)},"messages":[`;
    yield* jsonMessages(agent.path, sessionId);
    yield "]}";
  }
  yield "]}\n";
}

function* jsonMessages(path: string, sessionId: string): Generator<string> {
  let before = "\n";
  for (const step of historySteps(path, { includeCompacted: true })) {
    const lines = step.map(({ message, record, isInner }) => {
      const parent = isInner ? {} : { parent_uuid: record.parentUuid };
      const line = `${before}${JSON.stringify({ ...toExportedMessage(message, sessionId), ...parent })}`;
      before = ",\n";
      return line;
    });
    yield lines.join("");
  }
}

/** Returns the complete message, including those that the loop wrote. */
function toExportedMessage(message: Message, sessionId: string): object {
  const shown = toSessionMessage(message, sessionId, true);
  if (shown !== undefined && message.type !== "user") return shown;
  const own = { uuid: message.uuid, session_id: sessionId, timestamp: message.timestamp };
  if (message.type === "user") {
    const { isMeta, origin, isCompactSummary, toolUseResult } = message;
    return {
      type: "user",
      ...own,
      message: { role: "user", content: toWireBlocks(message.content) },
      ...withoutUndefined({
        origin,
        is_meta: isMeta,
        is_compact_summary: isCompactSummary,
        tool_use_result: toolUseResult,
      }),
    };
  }
  const { uuid: _, timestamp: __, type: subtype, ...rest } = message;
  return { type: "system", ...own, message: { subtype, ...rest } };
}
