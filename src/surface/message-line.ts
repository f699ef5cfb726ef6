/** A message as a line of JSON, or an empty line where the client would end at a type it does not know: all read so far pass over those. */
import { jsonLine, wellFormedLine } from "../lib/json-line.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** What every client knows. Those below passed over `control_cancel_request` at most. */
const firstTypes = new Set<unknown>([
  "assistant",
  "control_request",
  "control_response",
  "result",
  "stream_event",
  "system",
  "user",
]);

/** What clients call themselves, and the first version that passes over what it does not know; one that says no version is older. */
const tolerantSince: ReadonlyMap<string, string> = new Map([
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

/** What Python's SDK and those made after it read as one line, unless they are told otherwise: a longer one ends the session. */
const usualBuffer = 1024 * 1024;

export type MessageLine = (message: object) => string;

/** `env`: that of the process, in which clients say who they are. */
export function messageLine(env: Environment): MessageLine {
  const since = tolerantSince.get(env["CLAUDE_CODE_ENTRYPOINT"] ?? "");
  if (since === undefined || !isBelow(env["CLAUDE_AGENT_SDK_VERSION"] ?? "", since)) return line;
  return (message) => ("type" in message && firstTypes.has(message.type) ? line(message) : "\n");
}

/** A tool's own output says again what the model was told, such as a picture: it is left out of a line that is too long with it. */
function line(message: object): string {
  // A server may cut a pair in two: the half of one piece of an answer is the beginning of the next one's.
  if ("type" in message && message.type === "stream_event") return `${jsonLine(message)}\n`;
  const whole = `${wellFormedLine(message)}\n`;
  if (!("tool_use_result" in message) || Buffer.byteLength(whole) <= usualBuffer) return whole;
  const { tool_use_result: _, ...own } = message;
  return `${wellFormedLine(own)}\n`;
}

/** None is below all; what is no version is below none. */
function isBelow(version: string, since: string): boolean {
  if (version === "") return true;
  const [said, first] = [version, since].map((each) => /^(\d+)\.(\d+)\.(\d+)/.exec(each)?.slice(1).map(Number) ?? []);
  const at = said?.findIndex((part, index) => part !== first?.[index]) ?? -1;
  return at >= 0 && (said?.[at] ?? 0) < (first?.[at] ?? 0);
}
