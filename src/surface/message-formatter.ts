/** Formats a message as a JSON line, or as an empty line, which every known client skips, if the client would fail at its type. */
import type { Environment } from "../lib/environment.ts";
import { jsonLine, wellFormedLine } from "../lib/json-line.ts";

/** Message types that every client knows. Of other types, old versions of the clients below skip at most `control_cancel_request`. */
const universalTypes = new Set<unknown>([
  "assistant",
  "control_request",
  "control_response",
  "result",
  "stream_event",
  "system",
  "user",
]);

/** The first version of each client that skips unknown types, by the client's name. A client without a version is older. */
const firstTolerantVersions: ReadonlyMap<string, string> = new Map([
  // https://github.com/anthropics/claude-agent-sdk-python: src/claude_agent_sdk/_internal/message_parser.py
  ["sdk-py", "0.1.40"],
  // https://github.com/severity1/claude-agent-sdk-go: internal/parser/json.go; says a version since it is tolerant
  ["sdk-go", "0.0.0"],
  ["sdk-go-client", "0.0.0"],
  // https://github.com/spring-ai-community/claude-agent-sdk-java: parsing/MessageParser.java; says none
  ["sdk-java", "0.0.0"],
  // https://github.com/tyrchen/claude-agent-sdk-rs: src/types/messages.rs, read up to 0.6.4
  ["sdk-rs", "0.6.5"],
  // https://github.com/ya-luotao/claude-agent-sdk-ruby: lib/claude_agent_sdk/message_parser.rb
  ["sdk-rb", "0.7.2"],
  // https://github.com/jimmystridh/claude-agent-sdk-csharp: Internal/MessageParser.cs, read up to 0.1.5
  ["sdk-csharp", "0.1.6"],
  ["sdk-csharp-client", "0.1.6"],
]);

/** Bytes of the longest line that Python's SDK, and SDKs modelled on it, read by default. A longer line ends the session. */
const defaultBufferBytes = 1024 * 1024;

export type MessageFormatter = (message: object) => string;

/** `env` is the process environment, in which clients name themselves. */
export function messageFormatter(env: Environment): MessageFormatter {
  const since = firstTolerantVersions.get(env["CLAUDE_CODE_ENTRYPOINT"] ?? "");
  if (since === undefined || !isOlderThan(env["CLAUDE_AGENT_SDK_VERSION"] ?? "", since)) return formatLine;
  return (message) => ("type" in message && universalTypes.has(message.type) ? formatLine(message) : "\n");
}

/** `tool_use_result` repeats what the model was told, such as a picture, so it is left out of a line that is too long with it. */
function formatLine(message: object): string {
  // A server may split a surrogate pair between two deltas, so lone surrogates are kept in stream events.
  if ("type" in message && message.type === "stream_event") return `${jsonLine(message)}\n`;
  const whole = `${wellFormedLine(message)}\n`;
  if (!("tool_use_result" in message) || Buffer.byteLength(whole) <= defaultBufferBytes) return whole;
  const { tool_use_result: _, ...own } = message;
  return `${wellFormedLine(own)}\n`;
}

/** A missing version sorts below every other; a malformed one below none. */
function isOlderThan(version: string, since: string): boolean {
  if (version === "") return true;
  const [versionParts, sinceParts] = [version, since].map(
    (each) => /^(\d+)\.(\d+)\.(\d+)/.exec(each)?.slice(1).map(Number) ?? [],
  );
  const at = versionParts?.findIndex((part, index) => part !== sinceParts?.[index]) ?? -1;
  return at >= 0 && (versionParts?.[at] ?? 0) < (sinceParts?.[at] ?? 0);
}
