// Texts that hold words of a table and are about something else: nothing is taken out of the conversation for them.
import { describe, expect, test } from "vitest";
import type { ModelFailure } from "../../src/protocol/model.ts";
import { answer, answered } from "./support/gateway.ts";

const saying = (status: number, message: string): ModelFailure => answer(status, { error: { message } });

test.each([
  "Invalid schema for function 'mcp__figma__export': In context=('properties', 'document'), 'required' is required to be supplied and to be an array including every key in properties. Missing 'id'.",
  "tools.4.custom.input_schema.properties.image: JSON schema is invalid",
  "Invalid 'tools[3].function.name': 'crop image' cannot be used",
  "Unable to submit request because `find` functionDeclaration `parameters.images` schema specified other fields alongside any_of.",
  "tool call validation failed: parameters for tool read did not match schema: errors: [`/document`: expected string, but got object]",
  "tools.7.custom.name: compaction is not allowed as a name",
  "tools.2.custom.input_schema.properties.thinking: a property cannot contain `signature`",
])("an error about a tool definition is not taken for what its words mention: %s", (message) => {
  expect(saying(400, message)).toMatchObject({ kind: "invalid_request", recovery: "none" });
});

test("caching that is refused on a tool is left out like elsewhere", () => {
  const failure = saying(400, "tools.3.custom.cache_control: Extra inputs are not permitted");
  expect(failure).toMatchObject({ recovery: "field", field: "cache_control" });
});

test.each([
  "kimi-k2-thinking: a message cannot contain more than 128 calls",
  "vendor/qwen3-235b-a22b-thinking-2507: the content cannot contain \\u0000",
  "anthropic/claude-3.7-sonnet:thinking: the first block must be a text",
  "chat_template_kwargs.enable_thinking cannot be modified",
])("a model named after thinking is no refusal of thinking: %s", (message) => {
  expect(saying(400, message)).toMatchObject({ kind: "invalid_request", recovery: "none" });
});

test("a model named after vision is no refusal of images", () => {
  const message =
    "litellm.UnsupportedParamsError: openai does not support parameters: ['top_k'], for model=gpt-4-vision-preview";
  expect(saying(400, message)).toMatchObject({ kind: "invalid_request", recovery: "none" });
});

test.each([
  "Error from model foo: tool 'bar' not found",
  "LLM error for model gpt-x: file 'a.png' does not exist",
  "The model sent a call whose tool_use_id does not exist",
  "invalid model output: no closing bracket",
])("something else that was not found is not the model: %s", (message) => {
  expect(saying(400, message)).toMatchObject({ kind: "invalid_request", recovery: "none" });
});

test("a 404 for the path is a configuration failure, even in the API's own shape", () => {
  for (const message of ["Not found", "Not Found", "not found."]) {
    const body = JSON.stringify({ type: "error", error: { type: "not_found_error", message } });
    const failure = answered(404, body);
    expect(failure).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(failure.message).toContain("ANTHROPIC_BASE_URL");
  }
});

describe("request or answer text that a server repeats does not count", () => {
  const words = "prompt is too long: 210000 tokens > 200000 maximum. Your credit balance is too low";

  test("in Ollama's error about an unreadable call", () => {
    const call = `error parsing tool call: raw='{"path":"src/errors.ts","content":"// ${words}\\nthrow it"}]', err=invalid character ']' after top-level value`;
    const failure = saying(500, call);
    expect(failure).toMatchObject({ kind: "server_error", recovery: "retry" });
    expect(failure.detail).toBe("error parsing tool call: raw='…', err=invalid character ']' after top-level value");
  });

  test.each([
    [`Failed to parse input at pos 12: <tool_call>${words}`, "Failed to parse input at pos 12: …"],
    ["Failed to parse input at pos 12: </tool_call>", "Failed to parse input at pos 12: </tool_call>"],
    [
      `Failed to parse messages: Missing 'role'; messages = [\n  {\n    "content": "${words}"\n  }\n]`,
      "Failed to parse messages: Missing 'role'; messages = …",
    ],
    [
      `Failed to parse tools: Missing tool type; tools = [{"description":"${words}"}]`,
      "Failed to parse tools: Missing tool type; tools = …",
    ],
  ])("in llama.cpp's error about unreadable input: %s", (message, detail) => {
    expect(saying(500, message)).toMatchObject({ kind: "server_error", recovery: "retry", detail });
  });

  const error = (place: string, input: string): string =>
    `{'type': 'missing', 'loc': ('body', 'messages', ${place}), 'msg': 'Field required', 'input': ${input}}`;

  test.each([
    ["vLLM", `1 validation error:\n  ${error("1, 'role'", `{'content': 'Why "${words}" with an image?'}`)}`],
    [
      "vLLM, of several",
      `2 validation errors:\n  ${error("1, 'role'", `[{'type': 'text', 'text': "${words}"}]`)}\n  ${error("2, 'role'", `'${words}'`)}`,
    ],
    [
      "LiteLLM",
      `litellm.BadRequestError: Field required. Invalid Message passed in {'role': 'developer', 'content': '${words}'}`,
    ],
    [
      "LiteLLM, of the place",
      `litellm.APIConnectionError: Invalid user message={'content': '${words}'} at index 3. Field required`,
    ],
    [
      "LiteLLM, for words that name a place, too",
      `litellm.APIConnectionError: Invalid user message={'content': 'wrong at index 7. ${words}'} at index 3. Field required`,
    ],
    [
      "Pydantic",
      `1 validation error for Request\nmessages.1.role\n  Field required [type=missing, input_value={'content': '${words}'}, input_type=dict]`,
    ],
  ])("in a validation error of %s", (_server, message) => {
    const failure = saying(400, message);
    expect(failure).toMatchObject({ kind: "invalid_request", recovery: "none" });
    expect(failure.detail).not.toContain("too long");
    expect(failure.detail).toContain("Field required");
  });

  test("but the rest of the error after it does", () => {
    const long = error("1, 'content', 'str'", `[{'type': 'text', 'text': '${"x".repeat(5_000)}'}]`);
    const refused = `{'type': 'literal_error', 'loc': ('body', 'messages', 1, 'content', 'list[Block]', 0, 'type'), 'msg': "Input should be 'text', 'image', 'tool_use' or 'tool_result'", 'input': 'thinking', 'ctx': {'expected': "'text'"}}`;
    expect(saying(400, `2 validation errors:\n  ${long}\n  ${refused}`)).toMatchObject({ recovery: "thinking" });
    const handedOn = JSON.stringify({ error: { message: `2 validation errors:\n  ${long}\n  ${refused}` } });
    expect(saying(400, handedOn)).toMatchObject({ recovery: "thinking" });
    expect(saying(400, `litellm.BadRequestError: OpenAIException - ${handedOn}`)).toMatchObject({
      recovery: "thinking",
    });
    const novelty = refused.replace("'thinking'", "'novelty'");
    expect(saying(400, `2 validation errors:\n  ${long}\n  ${novelty}`)).toMatchObject({ recovery: "block" });
  });
});

test.each([
  "Rate limit reached for gpt-4o-mini in organization org-1 on tokens per min (TPM): Limit 200000, Used 195663, Requested 7592. Please try again in 976ms.",
  "Rate limit reached for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.",
  "Rate limit reached for gpt-4o in organization org-1 on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.",
  "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Requested 30000.",
])("a rate limit that is only used up for now is retried: %s", (message) => {
  const failure = saying(429, message);
  expect(failure).toMatchObject({ kind: "rate_limit", recovery: "retry" });
  expect(failure.tokens).toBeUndefined();
});
