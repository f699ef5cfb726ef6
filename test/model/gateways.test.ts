// The words and shapes that gateways and servers of others put an error into.
import { describe, expect, test } from "vitest";
import { failureFromAnswer, failureFromErrorEvent } from "../../src/model/failure.ts";
import type { ModelFailure } from "../../src/protocol/model.ts";
import { answer, answered, context } from "./support/gateway.ts";

describe("a prompt that is too long", () => {
  test.each<[string, { actual?: number; maximum: number; answer?: number } | undefined]>([
    [
      "You passed 25 input tokens and requested 1000 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 24 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=25)",
      { actual: 1025, maximum: 1024, answer: 1000 },
    ],
    [
      "This model's maximum context length is 32768 tokens. However, you requested 8000 output tokens and your prompt contains at least 24769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens.",
      { actual: 32_769, maximum: 32_768, answer: 8000 },
    ],
    ["Input prompt (32769 tokens) is too long and exceeds limit of 32768", { actual: 32_769, maximum: 32_768 }],
    [
      "The input (12345 tokens) is longer than the model's context length (8192 tokens).",
      { actual: 12_345, maximum: 8192 },
    ],
    [
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
      { actual: 300_000, maximum: 272_000 },
    ],
    [
      "litellm.ContextWindowExceededError: OpenAIException - Input tokens exceed the configured limit of 272000 tokens.",
      { maximum: 272_000 },
    ],
    ["litellm.ContextWindowExceededError: VertexAIException BadRequestError. Received Model Group=x", undefined],
    ["Prompt exceeds max length", undefined],
    ["<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]", { maximum: 98_304 }],
    [
      "Please reduce the length of the messages or completion. Current length is 8200 while limit is 8192",
      { actual: 8200, maximum: 8192 },
    ],
    [
      "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 4292. Try using a shorter prompt",
      { actual: 4292, maximum: 4081 },
    ],
    ["The prompt is too long: 140000, model maximum context length: 131071", { actual: 140_000, maximum: 131_071 }],
    ["Input Tokens Exceeded: Number of input tokens exceeds maximum length.", undefined],
    ["length of prompt_tokens (68957) must be less than max_seq_len (65536).", { actual: 68_957, maximum: 65_536 }],
    ["max_total_tokens (33802) must be less than or equal to max_seq_len (32768)", { actual: 33_802, maximum: 32_768 }],
    ["Input length 262144 exceeds the maximum length 229376.", { actual: 262_144, maximum: 229_376 }],
    ["Input length (140000) exceeds model's maximum context length (131072).", { actual: 140_000, maximum: 131_072 }],
    ["Prompt length 9000 exceeds maximum input length 8192.", { actual: 9000, maximum: 8192 }],
    ["The sum of prompt length (8500.0), query length (0) should not exceed max_num_tokens (8192)", undefined],
    ["Total tokens of image and text exceed max message tokens.", undefined],
    ["Prompt 超长", undefined],
    [
      "Input length (141382 tokens) exceeds the maximum allowed length (140534 tokens). Use a shorter input or enable --allow-auto-truncate.",
      { actual: 141_382, maximum: 140_534 },
    ],
    [
      "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.",
      { actual: 131_393, maximum: 131_040 },
    ],
    [
      "Prompt has 5,958,968 tokens, but the configured context size is 256,000 tokens",
      { actual: 5_958_968, maximum: 256_000 },
    ],
    ["Requested tokens (9437) exceed context window of 8192", { actual: 9437, maximum: 8192 }],
    ["The input token count exceeds the maximum number of tokens allowed 1048576.", { maximum: 1_048_576 }],
    ["Reached context length of 4096 tokens with model (arch: gpt-oss)", { maximum: 4096 }],
    ["tokens in request more than max tokens allowed", undefined],
    ["too many total text bytes: 2500000 > 2000000", undefined],
    ["Request payload size exceeds the limit: 20971520 bytes.", undefined],
  ])("is recognised with its figures: %s", (message, tokens) => {
    const failure = answer(400, { error: { message, type: "BadRequestError", code: 400 } });
    expect(failure).toMatchObject({ kind: "prompt_too_long", recovery: "overflow" });
    expect(failure.tokens).toEqual(tokens);
  });

  test("is recognised in the upstream error that a gateway attaches", () => {
    const raw = JSON.stringify({
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 209303 tokens > 200000 maximum" },
    });
    const failure = answer(400, { error: { message: "Provider returned error", code: 400, metadata: { raw } } });
    expect(failure).toMatchObject({ recovery: "overflow", tokens: { actual: 209_303, maximum: 200_000 } });
    expect(failure.detail).toBe("Provider returned error: prompt is too long: 209303 tokens > 200000 maximum");
    const busy = {
      error: { message: "Provider returned error", code: 429, metadata: { raw: "x is limited upstream" } },
    };
    expect(answer(429, busy)).toMatchObject({
      recovery: "retry",
      detail: "Provider returned error: x is limited upstream",
    });
  });

  test("is recognised in JSON inside the gateway's message", () => {
    const inner = { type: "error", error: { type: "invalid_request_error", message: "prompt is too long" } };
    const message = JSON.stringify({ ...inner, request_id: "req_vrtx_1" });
    const failure = answer(400, { error: { code: 400, message, status: "INVALID_ARGUMENT" } });
    expect(failure).toMatchObject({ recovery: "overflow", detail: "prompt is too long", requestId: "req_vrtx_1" });
    expect(answer(502, { error: { message: '{"odd":1}' } }).detail).toBe('{"odd":1}');
    const coded = JSON.stringify({ error: { code: "insufficient_quota", message: "no more" } });
    expect(answer(429, { error: { message: coded, type: "upstream_error" } })).toMatchObject({
      kind: "billing_error",
      detail: "no more",
    });
  });

  test("is found behind any code and type that the gateway adds", () => {
    const over = (inner: object): object => ({
      error: { message: JSON.stringify({ error: inner }), type: "api_error", code: "400" },
    });
    const inner = { message: "no more", code: "insufficient_quota" };
    expect(answer(400, over(inner))).toMatchObject({ kind: "billing_error", detail: "no more" });
    const typed = { message: "suspended", type: "exceeded_current_quota_error" };
    expect(answer(400, over(typed))).toMatchObject({ kind: "billing_error" });
    expect(answer(503, over({ message: "later", type: "overloaded_error" }))).toMatchObject({ kind: "overloaded" });
    const metadata = { raw: JSON.stringify({ error: typed }) };
    const routed = { type: "api_error", message: "Provider returned error", metadata };
    expect(answer(400, { error: routed })).toMatchObject({ kind: "billing_error" });
  });

  test("is recognised if the message is an object", () => {
    const detail = [{ msg: "Prompt contains 65673 tokens, too large for model with 32768 maximum context length" }];
    expect(answer(400, { object: "error", message: { detail }, type: "invalid_request_invalid_args" })).toMatchObject({
      recovery: "overflow",
      tokens: { actual: 65_673, maximum: 32_768 },
    });
  });
});

test.each<[number, string]>([
  [400, "this model does not support image input (ref: b1feda6a)"],
  [400, "Model does not support images. Please use a model that does."],
  [404, "No endpoints found that support image input"],
  [
    400,
    "Failed to deserialize the JSON body into the target type: messages[408]: unknown variant `image_url`, expected `text` at line 1 column 4795048",
  ],
  [400, "deepseek-v4-flash is not a multimodal model"],
  [400, "At most 0 image(s) may be provided in one prompt."],
  [500, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj"],
  [400, "messages.content.type 参数非法，取值范围 ['text']"],
  [400, "Invalid content type. image_url is only supported by certain models."],
  [400, "This model doesn't support the image content block that you provided. Try again with a different model"],
  [400, "Param Incorrect: `text` is not set"],
  [400, "Unable to submit request because the model does not support multimodal input"],
  [400, "Input should be a valid string (ref: a9065c14-5a11-4d60-a4ac-31554a0b8e35)"],
  [400, "messages.4.content.0.tool_result.content: Input should be a valid string"],
  [
    400,
    "'messages.3' : for 'role:tool' the following must be satisfied[('messages.3.content' : value must be a string)]",
  ],
])("a refusal of images by a text-only model is recognised: %d %s", (status, message) => {
  expect(answer(status, { error: { message, code: status } })).toMatchObject({ kind: "media", recovery: "media" });
});

test.each<[unknown, number]>([
  ["Invalid 'max_tokens': integer above maximum value. Expected a value <= 16384, but got 32000 instead.", 16_384],
  ["max_tokens (64000) cannot exceed 16384", 16_384],
  ["max_tokens must be less than 16384. Please check again.", 16_383],
  ["invalid request: max_tokens must be between 1 and 32768", 32_768],
  ["max_tokens 参数非法，取值范围 [1, 98304]", 98_304],
  [
    "Unable to submit request because it has a maxOutputTokens value of 64000 but the supported range is from 1 (inclusive) to 8193 (exclusive).",
    8192,
  ],
  [{ detail: [{ loc: ["body", "max_tokens"], msg: "Input should be less than or equal to 4096" }] }, 4096],
])("an answer limit in the words of other servers is read from: %j", (said, answerLimit) => {
  const body = typeof said === "string" ? { error: { message: said } } : said;
  expect(answer(400, body)).toMatchObject({ recovery: "output", answerLimit });
});

test("with too little credit, a shorter answer is requested if the credit covers a useful one", () => {
  const afford = (tokens: number): ModelFailure =>
    answer(402, {
      error: {
        message: `This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford ${tokens}.`,
        code: 402,
      },
    });
  expect(afford(12_345)).toMatchObject({ recovery: "output", answerLimit: 12_345 });
  expect(afford(80)).toMatchObject({ kind: "billing_error", recovery: "none" });
});

test("a validation error is shown with its place in the request", () => {
  const detail = [{ type: "missing", loc: ["body", "messages", 1, "content"], msg: "Field required", input: {} }];
  expect(answer(422, { detail }).detail).toBe("messages.1.content: Field required");
});

test("a quota that returns by itself is a rate limit; a used-up quota is a billing error", () => {
  const quota = (message: string, type = "None"): ModelFailure => answer(429, { error: { message, type } });
  expect(quota("You exceeded your current quota, please check your plan. Please retry in 25.3s.")).toMatchObject({
    kind: "rate_limit",
    recovery: "retry",
  });
  const used = [
    quota("You exceeded your current quota, please check your plan and billing details."),
    quota("Your account is suspended, please check your plan", "exceeded_current_quota_error"),
    quota("余额不足或无可用资源包,请充值。"),
    answer(400, {
      error: { message: "Access denied, please make sure your account is in good standing", code: "Arrearage" },
    }),
    answer(500, { type: "error", error: { type: "api_error", message: "insufficient balance (1008)" } }),
    answer(400, { error: { message: "Current cost: 0.1, Max budget: 0.1", type: "budget_exceeded", code: "400" } }),
    answer(403, { type: "error", error: { type: "new_api_error", message: "用户额度不足, 剩余额度: ＄0.000000" } }),
    answer(403, { error: { message: "No more for you", type: "new_api_error", code: "insufficient_user_quota" } }),
    answer(403, { error: { message: "token quota is not enough, token remain quota: 1", type: "one_api_error" } }),
    answer(403, {
      error: { message: "User's credit limit is insufficient, remaining credit limit: $0.00", type: "new_api_error" },
    }),
  ];
  for (const failure of used) expect(failure).toMatchObject({ kind: "billing_error", recovery: "none" });
});

test("a missing model leads to the fallback model, in the words of many servers", () => {
  const missing: [number, string][] = [
    [400, "The provided model identifier is invalid."],
    [400, "foo/bar is not a valid model ID"],
    [400, "模型不存在，请检查模型代码。"],
    [400, "Invocation of model ID anthropic.claude-x with on-demand throughput isn't supported."],
    [404, "No endpoints found that support tool use."],
    [404, "The API deployment for this resource does not exist."],
    [503, "No available channel for model foo under group default (distributor)"],
    [503, "分组 default 下模型 foo 无可用渠道（distributor）"],
    [400, "litellm.BadRequestError: LLM Provider NOT provided. You passed model=foo"],
  ];
  for (const [status, message] of missing) expect(answer(status, { message }).recovery).toBe("fallback");
  const coded = answer(503, { error: { code: "model_not_found", message: "no such route", type: "new_api_error" } });
  expect(coded).toMatchObject({ kind: "model_not_found", recovery: "fallback" });
  const router = answer(404, { error: { message: "Provider 'x' not found", code: "provider_not_found" } });
  expect(router).toMatchObject({ kind: "model_not_found", recovery: "fallback" });
  expect(answer(500, { code: 500, msg: "404 NOT_FOUND", success: false }).detail).toBe("404 NOT_FOUND");
});

test("a stack trace and a repeated message are cut from a gateway's error", () => {
  const ccr =
    "Error from provider(o,gpt-x: 401): bad keyError: Error from provider(o,gpt-x: 401): bad key\n    at qn (/opt/ccr/dist/cli.js:582:7451)\n    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)";
  expect(answer(401, { error: { message: ccr, type: "api_error", code: "provider_response_error" } }).message).toBe(
    "http://gateway.test refused the credentials (401): Error from provider(o,gpt-x: 401): bad key. Check ANTHROPIC_AUTH_TOKEN.",
  );
  const python = 'APIError: it broke\n\nTraceback (most recent call last):\n  File "/app/proxy.py", line 3, in chat';
  expect(answer(500, { error: { message: python } }).detail).toBe("APIError: it broke");
  const plain = "TypeError: it broke\n    at async run (file:///app/main.js:1:2)";
  expect(answered(500, plain).detail).toBe("TypeError: it broke");
  const listed = "Wrong:\n  at least one message is wanted\n  at most 2 tools";
  expect(answer(400, { message: listed }).detail).toBe("Wrong: at least one message is wanted at most 2 tools");
});

test("a server without a Messages API is a configuration failure with advice", () => {
  for (const status of [405, 501]) {
    const failure = answered(status, "<title>Not Allowed</title>");
    expect(failure).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(failure.message).toContain("has no Messages API at this address");
  }
  const portkey = answer(500, { status: "failure", message: "messages is not supported by openai" });
  expect(portkey).toMatchObject({ kind: "not_configured", recovery: "none" });
  expect(portkey.message).toContain("Choose another provider");
  for (const message of [
    "400 The plain HTTP request was sent to HTTPS port",
    "Client sent an HTTP request to an HTTPS server.",
  ]) {
    const plain = answered(400, message);
    expect(plain).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(plain.message).toContain("Begin ANTHROPIC_BASE_URL with https://");
  }
});

test("advice names the variable that leaves out what the server does not know", () => {
  const refused = (message: string) => answer(400, { error: { message, type: "invalid_request_error" } }).message;
  expect(refused("messages.0.content.1.cache_control: Extra inputs are not permitted")).toContain(
    "DISABLE_PROMPT_CACHING=1",
  );
  expect(refused("Unexpected value(s) `task-budgets` for the `anthropic-beta` header.")).toContain(
    "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS=1; if ANTHROPIC_BETAS or --betas names the beta, remove it there.",
  );
  expect(refused("temperature: too high")).not.toContain("=1");
  expect(refused("Requested 8000 output tokens in max_tokens, which is too long for foo")).toContain(
    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
  );
  for (const message of [
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ])
    expect(refused(message)).not.toContain("CLAUDE_CODE_MAX_OUTPUT_TOKENS");
});

test.each([
  ["thinking.adaptive", "adaptive thinking is not supported on this model"],
  ["thinking.adaptive", "Only 'enabled' and 'disabled' are supported for thinking; 'adaptive' is not supported."],
  [
    "thinking",
    "litellm.UnsupportedParamsError: litellm_proxy does not support parameters: {'thinking': {'type': 'adaptive'}}, for model=x.",
  ],
  ["thinking", "litellm.UnsupportedParamsError: bedrock does not support parameters: ['thinking'], for model=x."],
])("%s is left out if the model does not know it: %s", (field, message) => {
  expect(answer(400, { error: { message } })).toMatchObject({ recovery: "field", field });
});

test("missing thinking is told apart from refused thinking", () => {
  const missed = "The `content[].thinking` in the thinking mode must be passed back to the API.";
  const failure = answer(400, {
    error: { message: missed, type: "invalid_request_error", code: "invalid_request_error" },
  });
  expect(failure).toMatchObject({ recovery: "thinking", thinkingMissed: true });
  const bodies = [
    { message: "thinking is enabled but reasoning_content is missing in assistant tool call message at index 54" },
    { message: "Missing `reasoning_content` field in the assistant message at message index 3." },
    { message: "Param Incorrect", param: "The reasoning_content in the thinking mode must be passed back to the API." },
    { message: "messages.3.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`." },
    {
      message:
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). To avoid this requirement, disable `thinking`.",
    },
  ];
  for (const error of bodies)
    expect(answer(400, { error })).toMatchObject({ recovery: "thinking", thinkingMissed: true });
  const refused = answer(400, { error: { message: "messages.1.content.0: Invalid `signature` in `thinking` block" } });
  expect(refused.recovery).toBe("thinking");
  expect(refused).not.toHaveProperty("thinkingMissed");
});

test("a string expected elsewhere in the request is no refusal of images", () => {
  for (const message of ["system: Input should be a valid string", "tools.0.name: Input should be a valid string"])
    expect(answer(400, { error: { message, type: "invalid_request_error" } }).kind).toBe("invalid_request");
});

test.each([
  "messages.5.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `text`.",
  "messages.1.content.0.thinking: each thinking block must contain non-whitespace thinking",
  `56 validation errors:
  {'type': 'string_type', 'loc': ('body', 'messages', 1, 'content', 'str'), 'msg': 'Input should be a valid string', 'input': [{'type': 'thinking', 'thinking': "What does the image show?", 'signature': ''}]}
  {'type': 'literal_error', 'msg': "Input should be 'text', 'image', 'tool_use' or 'tool_result'", 'input': 'thinking'}`,
  "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
  "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
  "Error from provider(Groq,some/model: 400): property 'reasoning' is unsupported",
  "`messages[3].reasoning`: reasoning is not supported with this model",
])("refused thinking is recognised: %s", (message) => {
  expect(answer(400, { error: { message } })).toMatchObject({ kind: "thinking_rejected", recovery: "thinking" });
});

test("a model or field named after reasoning is no refusal of thinking", () => {
  for (const message of [
    "grok-4-fast-reasoning: the final message must be from the user",
    "xai/grok-4-fast-reasoning: tools cannot contain more than 128 items",
  ])
    expect(answer(400, { error: { message } })).toMatchObject({ kind: "invalid_request", recovery: "none" });
});

test.each([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [409, "conflict_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
])("%d %s is classified the same as an event in a stream", (status, type) => {
  const event = { type: "error", error: { type, message: "words of the server" } };
  const { kind, recovery, overload } = failureFromAnswer({ status, headers: {}, body: JSON.stringify(event) }, context);
  const streamed = failureFromErrorEvent(event, context);
  expect([streamed.kind, streamed.recovery, streamed.overload]).toEqual([kind, recovery, overload]);
});

test("an error in a stream is classified by the status it states", () => {
  const told = (event: unknown): ModelFailure => failureFromErrorEvent(event, context);
  const refused = told({ error: { message: "no auth", type: "None", code: "401" } });
  expect(refused).toMatchObject({ kind: "authentication_failed", recovery: "none" });
  expect(refused.message).toContain("(401)");
  expect(told({ type: "error", error: { code: 429, message: "slow down" } }).kind).toBe("rate_limit");
  expect(told({ type: "error", error: { code: 1302, message: "busy" } }).kind).toBe("server_error");
  expect(told({ type: "error", error: { type: "overloaded_error", message: "x", code: 400 } }).kind).toBe("overloaded");
});

// Seen: a page that asks for proof of a person, told as a matter of the key.
test.each([
  '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body></body></html>',
  "\r\n<html>\r\n<head><title>403 Forbidden</title></head>\r\n<body><center>nginx</center></body>\r\n</html>",
  '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html><body>Denied</body></html>',
  "error code: 1020",
])("a firewall's refusal gives no advice about the key: %s", (page) => {
  const failure = answered(403, page);
  expect(failure).toMatchObject({ kind: "permission_denied", recovery: "none" });
  expect(failure.message).toMatch(/a proxy or a firewall.*ANTHROPIC_BASE_URL/);
  expect(failure.message).not.toContain("ANTHROPIC_AUTH_TOKEN");
  const own = answer(403, { type: "error", error: { type: "permission_error", message: "error code: 1020" } });
  expect(own.message).toContain("ANTHROPIC_AUTH_TOKEN");
});

test("an API's refusal in XML gives advice about the key", () => {
  const said = "<Error><Code>InvalidAccessKeyId</Code><Message>There is no such key.</Message></Error>";
  for (const body of [said, `<?xml version="1.0" encoding="UTF-8"?>\n${said}`])
    expect(answered(403, body).message).toContain("Check what ANTHROPIC_AUTH_TOKEN may use.");
});
