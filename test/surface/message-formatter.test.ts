// Lines for clients of all ages.
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { messageFormatter } from "../../src/surface/message-formatter.ts";

const progress = { type: "tool_progress", tool_use_id: "t" };

function told(entrypoint: string | undefined, version: string | undefined): boolean {
  const env = { CLAUDE_CODE_ENTRYPOINT: entrypoint, CLAUDE_AGENT_SDK_VERSION: version };
  return messageFormatter(env)(progress) === `${JSON.stringify(progress)}\n`;
}

test.each([
  ["sdk-py", undefined, false],
  ["sdk-py", "", false],
  ["sdk-py", "0.0.25", false],
  ["sdk-py", "0.1.9", false],
  ["sdk-py", "0.1.39", false],
  ["sdk-py", "0.1.40", true],
  ["sdk-py", "0.1.100", true],
  ["sdk-py", "0.2.3", true],
  ["sdk-py", "1.0.0", true],
  ["sdk-py", "dev", true],
  ["sdk-go", undefined, false],
  ["sdk-go", "0.1.0", true],
  ["sdk-java", undefined, false],
  ["sdk-rs", "0.6.4", false],
  ["sdk-rs", "0.7.0", true],
  ["sdk-rb", "0.7.1", false],
  ["sdk-rb", "0.7.2", true],
  ["sdk-csharp-client", "0.1.5", false],
  ["sdk-ts", undefined, true],
  ["sdk-ts", "0.1.0", true],
  ["sdk-cli", undefined, true],
  ["constructor", "0.0.1", true],
  [undefined, undefined, true],
] as const)("%s %s gets message types of later versions: %s", (entrypoint, version, expected) => {
  expect(told(entrypoint, version)).toBe(expected);
});

test("writes an empty line for each type that an old client fails at", () => {
  const line = messageFormatter({ CLAUDE_CODE_ENTRYPOINT: "sdk-py", CLAUDE_AGENT_SDK_VERSION: "0.1.39" });
  expect([progress, { type: "keep_alive" }, { type: "control_cancel_request" }].map(line)).toEqual(["\n", "\n", "\n"]);
  const known = ["system", "user", "assistant", "stream_event", "result", "control_request", "control_response"];
  expect(known.map((type) => line({ type }))).toEqual(known.map((type) => `{"type":"${type}"}\n`));
});

test("writes lines without other characters that some readers take for a line end", async () => {
  const message = { type: "user", content: "a\u2028b\u2029c\u0085d\u000be\u001ef ü 🧪" };
  const written = messageFormatter({})(message);
  expect(written).not.toMatch(/[\u0085\u2028\u2029]/u);
  const lines: string[] = [];
  for await (const line of createInterface({ input: Readable.from([written]), crlfDelay: Infinity })) lines.push(line);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([message]);
});

test("replaces a lone surrogate in messages, but keeps it in stream events", () => {
  const line = messageFormatter({});
  const said = { type: "assistant", message: { content: [{ type: "text", text: "a\ud83e b 🧪" }] } };
  expect(line(said)).toBe(`${JSON.stringify(said).replace(String.raw`\ud83e`, "\ufffd")}\n`);
  // A piece of an answer may end in the middle of a pair, and the next one has the rest.
  const pieces = ["a\ud83e", "\uddeab"].map((text) => line({ type: "stream_event", text }));
  expect(pieces.map((piece) => (JSON.parse(piece) as { text: string }).text).join("")).toBe("a🧪b");
});

test("leaves the tool_use_result out of a line that would be too long for clients", () => {
  const line = messageFormatter({});
  const picture = (size: number) => ({
    type: "user",
    message: { content: "ä".repeat(size) },
    tool_use_result: "ä".repeat(size),
  });
  const { tool_use_result: _, ...larger } = picture(270_000);
  expect(JSON.parse(line(picture(250_000)))).toEqual(picture(250_000));
  expect(JSON.parse(line(picture(270_000)))).toEqual(larger);
  const said = { type: "assistant", message: { content: "x".repeat(2_000_000) } };
  expect(JSON.parse(line(said))).toEqual(said);
});
