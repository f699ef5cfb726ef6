import { expect, test } from "vitest";
import { parseFrame } from "../../../src/surface/stdio/frame.ts";

const read = (value: unknown) => parseFrame(JSON.stringify(value), false);
const source = { type: "base64", media_type: "image/png", data: "AA==" };
const noBlock = "block 0 of its content is not a text, image or document";

test.each<[string, unknown, unknown]>([
  ["text", "hello", { content: "hello" }],
  ["blanks", " \n", { content: "", problem: "its content is empty" }],
  ["nothing", undefined, { content: "", problem: "its content is neither text nor a list of blocks" }],
  ["no blocks", [], { content: "", problem: "its content is empty" }],
  [
    "blocks of blanks",
    [
      { type: "text", text: " " },
      { type: "text", text: "" },
    ],
    { content: "", problem: "its content is empty" },
  ],
  ["an image alone", [{ type: "image", source }], { content: [{ type: "image", source }] }],
  [
    "an image, and blanks",
    [
      { type: "text", text: " " },
      { type: "image", source },
    ],
    {
      content: [
        { type: "text", text: " " },
        { type: "image", source },
      ],
    },
  ],
  [
    "unknown fields",
    [{ type: "document", source, title: "A", context: 3, cache_control: {} }],
    { content: [{ type: "document", source, title: "A" }] },
  ],
  ["a text that is not a string", [{ type: "text", text: 3 }], { content: "", problem: noBlock }],
  ["an image without a source", [{ type: "image", source: {} }], { content: "", problem: noBlock }],
  ["a result of a tool", [{ type: "tool_result", source }], { content: "", problem: noBlock }],
  ["a text among blocks", ["hello"], { content: "", problem: noBlock }],
])("parseFrame accepts a prompt of %s, or says what is wrong with it", (_, content, prompt) => {
  expect(read({ type: "user", message: { role: "user", content } })).toEqual({ kind: "prompt", prompt });
});

const tagged = (text: string) => `<pasted_content>\n${text}\n</pasted_content>`;

test.each<[string, unknown, unknown, unknown]>([
  ["a text", "why?", ["a log"], { content: `why?\n${tagged("a log")}` }],
  [
    "several",
    "why?",
    ["one", [{ type: "text", text: "two" }]],
    { content: `why?\n${tagged("one")}\n${tagged("two")}` },
  ],
  ["no typed text", "", ["a log"], { content: tagged("a log") }],
  [
    "blocks, behind the last text",
    [
      { type: "text", text: "why?" },
      { type: "image", source },
    ],
    ["a log"],
    {
      content: [
        { type: "text", text: `why?\n${tagged("a log")}` },
        { type: "image", source },
      ],
    },
  ],
  [
    "pictures alone",
    [{ type: "image", source }],
    ["a log"],
    {
      content: [
        { type: "image", source },
        { type: "text", text: tagged("a log") },
      ],
    },
  ],
  ["items that are not text", "why?", [[{ type: "image", source }], 3, " "], { content: "why?" }],
  ["pasted content that is not a list", "why?", "a log", { content: "why?" }],
  ["more than a thousand", "why?", Array.from({ length: 1_001 }, () => "a log"), { content: "why?" }],
])("parseFrame appends pasted content to the typed text: %s", (_, content, pasted, prompt) => {
  expect(read({ type: "user", message: { role: "user", content }, pasted_content: pasted })).toEqual({
    kind: "prompt",
    prompt,
  });
});

test.each([[{ role: "assistant", content: "hello" }], ["hello"], [undefined]])(
  "parseFrame refuses %j as the message of a user",
  (message) => {
    const problem = 'a user message needs "message" with the role "user"';
    expect(read({ type: "user", message })).toEqual({ kind: "prompt", prompt: { content: "", problem } });
  },
);

test.each<[string, object, object]>([
  ["an answer", { subtype: "success", response: { a: 1 } }, { ok: true, value: { a: 1 } }],
  ["an empty answer", { subtype: "success" }, { ok: true, value: {} }],
  [
    "an answer that is not an object",
    { subtype: "success", response: [1] },
    { ok: false, error: "the client's response is not an object" },
  ],
  ["an error", { subtype: "error", error: "no" }, { ok: false, error: "no" }],
  [
    "an error without words",
    { subtype: "error", error: "" },
    { ok: false, error: "the client answered with an error" },
  ],
])("parseFrame reads a reply with %s", (_, response, reply) => {
  const frame = read({ type: "control_response", response: { request_id: "r", ...response } });
  expect(frame).toEqual({ kind: "reply", requestId: "r", reply });
});
