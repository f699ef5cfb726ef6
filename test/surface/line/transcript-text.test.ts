import { expect, test } from "vitest";
import type { ContentBlock, Message } from "../../../src/protocol/message.ts";
import { ShellCommands } from "../../../src/surface/line/shell-command.ts";
import { transcriptText } from "../../../src/surface/line/transcript-text.ts";
import { plainStyle } from "../../../src/surface/show/style.ts";
import { fakeEngine } from "../support/messages.ts";

const look = { style: plainStyle, columns: 80, cwd: "/w" };
const controls = new RegExp(String.raw`[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]`, "u");
let count = 0;
const base = () => ({ uuid: `u${(count += 1)}`, timestamp: "2026-01-01T00:00:00.000Z" });

const typed = (text: string): Message => ({
  ...base(),
  type: "user",
  origin: "human",
  content: [{ type: "text", text }],
});
const answer = (...content: ContentBlock[]): Message => ({
  ...base(),
  type: "assistant",
  messageId: "m",
  model: "x",
  content,
});
const call = (id: string, name: string, input: Record<string, unknown>): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: string, content: string, more: object = {}, details?: unknown): Message => ({
  ...base(),
  type: "user",
  content: [{ type: "tool_result", tool_use_id: id, content, ...more }],
  toolUseResult: details,
});

test("a refused call's error is shown without the tags for the model", () => {
  const error = "<tool_use_error>old_string was not found</tool_use_error>";
  const messages = [answer(call("a", "Read", { file_path: "/w/x" })), result("a", error, { is_error: true })];
  expect(transcriptText(messages, look)).toBe("● Read x\n  └ old_string was not found\n");
});

test("each result is shown completely below its own call and the call's input", () => {
  const lines = Array.from({ length: 200 }, (_, at) => `row ${at}`);
  const messages = [
    { ...typed("never shown"), origin: "context" } as Message,
    typed("do\nit"),
    answer({ type: "thinking", thinking: "hm" }, { type: "text", text: "I look." }),
    answer(call("a", "Bash", { command: "one\ntwo", description: "d" }), call("b", "Read", { file_path: "/w/x.ts" })),
    result("b", "1\tx"),
    result("a", lines.join("\n"), { is_error: true }),
    answer(call("c", "Grep", { pattern: "x" }), call("d", "Bash", { command: "ls -l", description: "d" })),
  ];
  expect(transcriptText(messages, look)).toBe(
    `> do
  it

  hm

I look.

● Bash one two
  │ one
  │ two
  │ description: d
  └ ${lines.join("\n    ")}

● Read x.ts
  └ 1\tx

● Grep x
  └ (no result yet)

● Bash ls -l
  │ description: d
  └ (no result yet)
`,
  );
});

test("a summary and an interrupt are shown", () => {
  const own = (text: string, more: object): Message => ({ ...typed(text), origin: "compaction", ...more }) as Message;
  const messages = [
    own("Sum\nof it.", { isCompactSummary: true }),
    typed("on"),
    own("[x]", { origin: "interruption" }),
  ];
  expect(transcriptText(messages, look)).toBe(
    "(earlier conversation, summarised for the model)\nSum\nof it.\n\n> on\n(interrupted)\n",
  );
});

test("a ! command is shown with its whole output", async () => {
  const messages: Message[] = [typed("hey"), answer({ type: "text", text: "Yes." })];
  const engine = fakeEngine(async function* () {}, {
    desk: { runCommand: async () => ({ text: "&lt;one\n<bash-stdout>\x1b[2J\n", isError: false }) } as never,
    append: (text: string) => void messages.push({ ...typed(text), origin: undefined, isMeta: true } as Message),
  });
  await new ShellCommands({ show: () => undefined, onOutput: () => undefined }).run(engine, "make all");
  expect(transcriptText(messages, look)).toBe("> hey\n\nYes.\n\n> !make all\n  └ &lt;one\n    <bash-stdout>\n");
});

test("control sequences are removed, and invisible characters made visible", () => {
  const evil = "a\x1b[2J\x1b]52;c;eA==\x07b\u202ec\r";
  const text = transcriptText(
    [
      typed(evil),
      answer({ type: "text", text: evil }, call("a", "Bash", { command: evil, x: evil })),
      result("a", evil),
    ],
    look,
  );
  expect(text).not.toMatch(controls);
  expect(text).toContain("  └ ab<U+202E>c\n");
  // What ran, as it was.
  expect(text).toContain("<U+001B>[2J");
});

test("an edit shows its whole change", () => {
  const lines = Array.from({ length: 60 }, (_, at) => `+line ${at}`);
  const structuredPatch = [{ oldStart: 1, newStart: 1, lines }];
  const text = transcriptText(
    [typed("go"), answer(call("a", "Edit", { file_path: "/w/a" })), result("a", "Edited.", {}, { structuredPatch })],
    look,
  );
  expect(text).toContain("  60 + line 59\n");
  expect(text).not.toContain("more lines");
});

test("a very long conversation shows its last turns, and always the very last", () => {
  const long = "x".repeat(1_500_000);
  const turn = (name: string): Message[] => [typed(name), answer(call(name, "Read", {})), result(name, long)];
  const text = transcriptText([...turn("one"), ...turn("two")], look);
  expect(text).toMatch(/^\(earlier turns are in the file that \/export writes\)\n\n> two\n/u);
  expect(text).not.toContain("> one");
  expect(transcriptText(turn("one"), look)).toMatch(/^> one\n/u);
  expect(transcriptText([], look)).toBe("");
});
