// Every way a server or the network can say no, as a typed failure with words for people.
import { describe, expect, test } from "vitest";
import { ConfigurationError, failureFromException } from "../../src/model/connection-failure.ts";
import { failureFromAnswer, type FailureContext } from "../../src/model/failure.ts";
import type { ModelFailure } from "../../src/protocol/model.ts";

const now = Date.parse("2026-11-20T10:00:00Z");
const context: FailureContext = {
  endpoint: "https://api.anthropic.com",
  model: "claude-sonnet-5-5",
  loopback: false,
  credentials: ["ANTHROPIC_API_KEY"],
  secrets: ["sk-ant-secret-key"],
  now: () => now,
};

function answer(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  change: Partial<FailureContext> = {},
): ModelFailure {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return failureFromAnswer({ status, headers, body: text }, { ...context, ...change });
}

const error = (type: string, message: string, more: object = {}): object => ({
  type: "error",
  error: { type, message, ...more },
  request_id: "req_body",
});
const invalid = (message: string, status = 400): ModelFailure =>
  answer(status, error("invalid_request_error", message));

describe("a documented status", () => {
  test.each([
    [400, "invalid_request_error", "invalid_request", "none"],
    [401, "authentication_error", "authentication_failed", "none"],
    [402, "billing_error", "billing_error", "none"],
    [403, "permission_error", "permission_denied", "none"],
    [404, "not_found_error", "model_not_found", "fallback"],
    [409, "conflict_error", "server_error", "retry"],
    [413, "request_too_large", "prompt_too_long", "overflow"],
    [429, "rate_limit_error", "rate_limit", "retry"],
    [500, "api_error", "server_error", "retry"],
    [504, "timeout_error", "server_error", "retry"],
    [529, "overloaded_error", "overloaded", "retry"],
    [408, "timeout_error", "server_error", "retry"],
    [425, "too_early", "server_error", "retry"],
    [422, "invalid_request_error", "invalid_request", "none"],
    [502, "api_error", "server_error", "retry"],
    [503, "api_error", "server_error", "retry"],
    [418, "teapot_error", "invalid_request", "none"],
  ])("is classified: %d %s", (status, type, kind, recovery) => {
    const failure = answer(status, error(type, "words of the server"), { "request-id": "req_head" });
    expect(failure).toMatchObject({ kind, recovery, status, requestId: "req_head", detail: "words of the server" });
    expect(failure.message).toContain("https://api.anthropic.com");
    expect(failure.message).toContain("req_head");
    expect(failure.message).toContain("words of the server");
    expect(failure.overload).toBe(kind === "overloaded" ? true : undefined);
  });

  test("counts as an overload if the body says so, whatever the number", () => {
    expect(answer(500, error("overloaded_error", "busy"))).toMatchObject({ kind: "overloaded", overload: true });
    expect(answer(503, { error: { message: "The model is overloaded" } })).toMatchObject({
      kind: "overloaded",
      overload: true,
    });
  });

  test("comes with the request id of the body if the headers have none", () => {
    expect(answer(500, error("api_error", "x")).requestId).toBe("req_body");
  });

  test("401 names the variable of the refused key, or the variables to set", () => {
    expect(answer(401, error("authentication_error", "invalid x-api-key")).message).toBe(
      "https://api.anthropic.com refused the credentials (401): invalid x-api-key. Check ANTHROPIC_API_KEY. (request req_body)",
    );
    const without = answer(401, "", {}, { credentials: [] });
    expect(without.message).toContain("Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN");
  });

  test("404 for a missing model names the model", () => {
    expect(answer(404, error("not_found_error", "model: claude-x")).message).toContain(
      "does not serve the model claude-sonnet-5-5",
    );
    expect(answer(404, { error: "model 'x' not found, try pulling it first" })).toMatchObject({ recovery: "fallback" });
    expect(answer(400, { error: { message: "The model `x` does not exist", code: "model_not_found" } })).toMatchObject({
      kind: "model_not_found",
    });
  });

  test("404 for a missing path is a configuration failure", () => {
    const failure = answer(404, "<html><head><title>404 Not Found</title></head></html>");
    expect(failure).toMatchObject({ kind: "not_configured", recovery: "none", detail: "404 Not Found" });
    expect(failure.message).toContain("ANTHROPIC_BASE_URL");
  });

  test("307 is not followed, and the message names the target", () => {
    const failure = answer(307, "", { location: "https://other.example/v1/messages?token=abc" });
    expect(failure).toMatchObject({ kind: "not_configured", recovery: "none" });
    expect(failure.message).toContain("https://other.example/v1/messages");
    expect(failure.message).not.toContain("abc");
  });

  test("407 is a configuration failure", () => {
    expect(answer(407, "")).toMatchObject({ kind: "not_configured", recovery: "none" });
  });

  test("is retried or not as x-should-retry says, except where that cannot help", () => {
    expect(answer(500, "", { "x-should-retry": "false" }).recovery).toBe("none");
    expect(answer(500, "", { "x-should-retry": "true" }).recovery).toBe("retry");
    expect(answer(408, "", { "x-should-retry": "false" }).recovery).toBe("retry");
    expect(answer(400, "", { "x-should-retry": "true", "retry-after": "2" })).toMatchObject({
      recovery: "retry",
      retryAfterMs: 2_000,
    });
    for (const status of [401, 402]) expect(answer(status, "", { "x-should-retry": "true" }).recovery).toBe("none");
  });
});

describe("spend limits are not retried", () => {
  test.each<[number, object]>([
    [429, error("rate_limit_error", "limit", { details: { error_code: "enforced_spend_limit_reached" } })],
    [429, error("rate_limit_error", "You have reached your organization's enforced spend limit.")],
    [
      400,
      error(
        "invalid_request_error",
        "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
      ),
    ],
    [400, error("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")],
    [
      429,
      { error: { message: "You exceeded your current quota, please check your plan", code: "insufficient_quota" } },
    ],
  ])("%d %j", (status, body) => {
    expect(answer(status, body)).toMatchObject({ kind: "billing_error", recovery: "none" });
  });
});

describe("the time to retry", () => {
  const limited = (headers: Record<string, string>): ModelFailure =>
    answer(429, error("rate_limit_error", "slow down"), headers);

  test.each([
    ["8", 8000],
    ["0", 0],
    ["1.5", 1500],
    ["-3", 0],
    ["Fri, 20 Nov 2026 10:02:00 GMT", 120_000],
    ["Fri, 20 Nov 2026 09:00:00 GMT", 0],
    ["soon", undefined],
    [" ", undefined],
  ])("is read from retry-after: %s", (value, expected) => {
    expect(limited({ "retry-after": value }).retryAfterMs).toBe(expected);
  });

  test("is read from retry-after-ms in preference to retry-after", () => {
    expect(limited({ "retry-after": "9", "retry-after-ms": "250" }).retryAfterMs).toBe(250);
  });

  test("is the reset of the limit that is used up", () => {
    const failure = limited({
      "anthropic-ratelimit-requests-remaining": "50",
      "anthropic-ratelimit-requests-reset": "2026-11-20T12:00:00Z",
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-20T10:05:00Z",
    });
    expect(failure.resetsAt).toBe(now + 300_000);
  });

  test("is the retry-after of an overloaded server, not its other limits", () => {
    const reset = { "anthropic-ratelimit-requests-reset": "2026-11-20T12:00:00Z" };
    const busy = (more: object) => answer(529, error("overloaded_error", "later"), { ...reset, ...more });
    expect([busy({ "retry-after": "3600" }).resetsAt, busy({}).resetsAt]).toEqual([now + 3_600_000, undefined]);
  });

  test("is a reset in seconds, the latest of several, or retry-after", () => {
    expect(limited({ "anthropic-ratelimit-unified-reset": `${now / 1000 + 60}` }).resetsAt).toBe(now + 60_000);
    expect(
      limited({
        "anthropic-ratelimit-a-reset": "2026-11-20T10:01:00Z",
        "anthropic-ratelimit-b-reset": "2026-11-20T10:02:00Z",
      }).resetsAt,
    ).toBe(now + 120_000);
    expect(limited({ "retry-after": "30" }).resetsAt).toBe(now + 30_000);
    expect(limited({ "anthropic-ratelimit-a-reset": "yesterday" }).resetsAt).toBeUndefined();
    // Dates and figures of others.
    expect(limited({ expires: "2026-11-21T10:00:00Z", "x-count": "99999999999" }).resetsAt).toBeUndefined();
  });
});

describe("a prompt that is too long", () => {
  test.each<[string, { actual?: number; maximum: number; answer?: number } | undefined]>([
    ["prompt is too long: 210000 tokens > 200000 maximum", { actual: 210_000, maximum: 200_000 }],
    ["prompt is too long", undefined],
    [
      "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length or `max_tokens` and try again",
      { actual: 209_573, maximum: 200_000, answer: 21_333 },
    ],
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
      { actual: 9001, maximum: 8192 },
    ],
    [
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
      { actual: 5000, maximum: 4096, answer: 1000 },
    ],
    [
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 8000 input tokens (32000 > 32768 - 8000).",
      { actual: 40_000, maximum: 32_768, answer: 32_000 },
    ],
    [
      "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 8000 tokens from the input messages and 32000 tokens for the completion.",
      { actual: 40_000, maximum: 32_768, answer: 32_000 },
    ],
    [
      "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (6000 of text input, 2000 of tool input, 32000 in the output). Please reduce the length of either one.",
      { actual: 40_000, maximum: 32_768, answer: 32_000 },
    ],
    [
      "This endpoint's maximum context length is 128000 tokens. However, you requested about 130000 tokens.",
      { actual: 130_000, maximum: 128_000 },
    ],
    [
      "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
      { actual: 5000, maximum: 4096 },
    ],
    [
      "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
      { actual: 5000, maximum: 4096 },
    ],
    [
      "the request exceeds the available context size. try increasing the context size or enable context shift",
      undefined,
    ],
    [
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
      { actual: 1_196_265, maximum: 1_048_575 },
    ],
    ["prompt token count of 150,000 exceeds the limit of 128,000", { actual: 150_000, maximum: 128_000 }],
    [
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      { actual: 537_812, maximum: 131_072 },
    ],
    [
      "Invalid request: Your request exceeded model token limit: 131072 (requested: 150000)",
      { actual: 150_000, maximum: 131_072 },
    ],
    [
      "Trying to keep the first 4673 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
      { actual: 4673, maximum: 4096 },
    ],
    [
      "Prompt contains 5000 tokens, too large for model with 4096 maximum context length",
      { actual: 5000, maximum: 4096 },
    ],
    [
      "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`",
      { actual: 4500, maximum: 4096, answer: 500 },
    ],
    ["`inputs` must have less than 1024 tokens. Given: 2000", { actual: 2000, maximum: 1024 }],
    ["This model's maximum context length is 8192 tokens.", { maximum: 8192 }],
    ["requested tokens exceed context window of 2,048", { maximum: 2048 }],
    ["prompt is greater than the context length (n_keep: 4673>= n_ctx: 4096)", { maximum: 4096 }],
    ["The number of tokens to keep from the initial prompt is greater than the context length", undefined],
    ["Input is too long for requested model.", undefined],
    ["prompt too long; exceeded max context length by 12 tokens", undefined],
    ["Please reduce the length of the messages or completion.", undefined],
    ["invalid params, context window exceeds limit (2013)", undefined],
  ])("is recognised with its figures: %s", (message, tokens) => {
    const failure = invalid(message);
    expect(failure).toMatchObject({ kind: "prompt_too_long", recovery: "overflow" });
    expect(failure.tokens).toEqual(tokens);
  });

  test("is recognised by code and figures in the body, and with statuses other than 400", () => {
    const body = {
      error: { message: "too much", type: "exceed_context_size_error", code: 400, n_prompt_tokens: 9, n_ctx: 4 },
    };
    expect(answer(400, body)).toMatchObject({ recovery: "overflow", tokens: { actual: 9, maximum: 4 } });
    const limitAlone = { error: { message: "too much", type: "exceed_context_size_error", code: 400, n_ctx: 4 } };
    expect(answer(400, limitAlone)).toMatchObject({ recovery: "overflow", tokens: { maximum: 4 } });
    expect(answer(400, { error: { message: "x", code: "context_length_exceeded" } }).recovery).toBe("overflow");
    expect(answer(500, { error: "the request exceeds the available context size" }).recovery).toBe("overflow");
  });

  test.each([
    [
      429,
      "Number of request tokens has exceeded your per-minute rate limit. Try to reduce the length of the prompt.",
      "retry",
    ],
    [400, "tools.0.name: String should have at most 64 characters", "none"],
  ])("is not seen in %d %s", (status, message, recovery) => {
    expect(answer(status, error("invalid_request_error", message)).recovery).toBe(recovery);
  });
});

test.each([
  ["max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model", 64_000],
  [
    "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
    16_384,
  ],
  ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", 8_192],
  ["Range of max_tokens should be [1, 8192]", 8_192],
  ["The maximum tokens you requested exceeds the model limit of 4096. Try again with less.", 4_096],
  ["`max_tokens` must be less than or equal to `8192`, the maximum value for this model", 8_192],
])("an answer limit is read from: %s", (message, answerLimit) => {
  expect(invalid(message)).toMatchObject({ kind: "invalid_request", recovery: "output", answerLimit });
});

test.each([
  ["progress", { kind: "invalid_request", recovery: "block" }],
  ["thinking", { kind: "thinking_rejected", recovery: "thinking" }],
  ["image", { kind: "media", recovery: "media" }],
  ["compaction", { kind: "compaction_refused", recovery: "summary" }],
])("the refused block type counts, not the types listed as expected: %s", (tag, failure) => {
  const taken = ["text", "image", "document", "thinking", "tool_use", "compaction"].filter((name) => name !== tag);
  const list = taken.map((name) => `'${name}'`).join(", ");
  const message = `messages.3.content.0: Input tag '${tag}' found using 'type' does not match any of the expected tags: ${list}`;
  expect(invalid(message)).toMatchObject(failure);
});

describe("a refusal of an unknown block type", () => {
  test.each([
    "messages.1.content.0: Input tag 'novelty' found using 'type' does not match any of the expected tags: 'text', 'image', 'thinking'",
    "messages[1].content[0]: Invalid discriminator value. Expected 'text' | 'tool_use'",
    "messages.2.content.list[union[text,tool_use]].1.type: Input should be 'text' or 'tool_use' at messages.2.content.1",
    "body -> messages -> 3 -> content -> 1 -> type: unexpected value; unknown block type novelty",
    "Unsupported content block type: novelty",
    "Failed to deserialize: messages[3].content[0]: unknown variant `novelty`, expected `text`",
    "content block type novelty is not supported by this provider",
  ])("is recognised: %s", (message) => {
    expect(invalid(message)).toMatchObject({ kind: "invalid_request", recovery: "block" });
  });

  test.each([
    "messages.0.content: Field required",
    "messages: roles must alternate between user and assistant",
    "tools.3.custom.input_schema: JSON schema is invalid",
    "messages.4.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
  ])("is not seen in: %s", (message) => {
    expect(invalid(message)).toMatchObject({ kind: "invalid_request", recovery: "none" });
  });
});

describe("a refusal of media", () => {
  test.each([
    "messages.0.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
    "At least one of the image dimensions exceed max allowed size: 8000 pixels",
    "messages.4.content.0.image.source.base64: image exceeds 10 MB maximum: 12000000 bytes > 10485760 bytes",
    "Could not process image",
    "The PDF specified was not valid.",
    "A maximum of 100 PDF pages may be provided.",
    "The PDF specified is password protected.",
    "Image does not match the provided media type image/png",
    "messages.0.content: Too many images: 101 > 100 maximum",
    "messages.2.content.0.document.source.base64.data: Invalid base64 data",
    "messages.0.content.0.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'",
    "Failed to download the image",
  ])("is recognised: %s", (message) => {
    expect(invalid(message)).toMatchObject({ kind: "media", recovery: "media" });
  });

  test("is not seen in a mention of documentation", () => {
    expect(invalid("Unsupported parameter, see the documentation for the maximum.").kind).toBe("invalid_request");
  });
});

describe("a refusal of thinking blocks", () => {
  test.each([
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".',
    "messages.1.content.0: Invalid `signature` in `thinking` block",
    "messages.5.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.",
    "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `text`.",
    "messages.1.content.0.thinking.signature: Field required",
    "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`.",
  ])("is recognised: %s", (message) => {
    expect(invalid(message)).toMatchObject({ kind: "thinking_rejected", recovery: "thinking" });
  });

  test.each([
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" instead.',
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ])("is not seen in a refusal of the thinking parameter: %s", (message) => {
    const recovery = message.startsWith("`max_tokens`") ? "none" : "field";
    expect(invalid(message)).toMatchObject({ kind: "invalid_request", recovery });
  });
});

describe("an error body of any shape", () => {
  test.each([
    ["<html>\r\n<head><title>502 Bad Gateway</title></head><body>…", "502 Bad Gateway"],
    ["<!DOCTYPE html><style>p { color: red }</style><body>\n<p>Access denied\nby policy</p>", "Access denied"],
    ["upstream connect error\nreset reason: overflow", "upstream connect error"],
    ['{"detail":"Not authenticated"}', "Not authenticated"],
    ['{"detail":[{"loc":["body"],"msg":"field required"},{"msg":"other"}]}', "field required; other"],
    ['{"detail":["too long",{"msg":"other"},7]}', "too long; other; 7"],
    ['{"message":"no Route matched"}', "no Route matched"],
    ['{"error":"model is loading"}', "model is loading"],
    ['{"odd":1}', '{"odd":1}'],
    ["[1,2]", "[1,2]"],
    ['"just text"', "just text"],
  ])("gives its message: %s", (body, detail) => {
    expect(answer(502, body).detail).toBe(detail);
  });

  test("that is empty leaves the message of the status", () => {
    const failure = answer(502, "");
    expect(failure.message).toMatch(/^https:\/\/api\.anthropic\.com had an internal error \(502\)\. /);
    expect(failure).not.toHaveProperty("detail");
  });

  test("is stripped of terminal codes, line breaks and endless text", () => {
    const failure = answer(
      400,
      error("invalid_request_error", `\u001b[31mred\u001b[0m\nnext\u0007\u202e ${"x".repeat(5000)}`),
    );
    expect(failure.detail).toMatch(/^red next x+…$/);
    expect(failure.detail?.length).toBeLessThanOrEqual(600);
    expect(failure.message).not.toMatch(/\p{Cc}|\p{Cf}/u);
  });

  test("has repeated secrets hidden", () => {
    const failure = answer(401, error("authentication_error", "bad key sk-ant-secret-key given"));
    expect(JSON.stringify(failure)).not.toContain("secret-key");
    expect(failure.detail).toBe("bad key [hidden] given");
  });
});

describe("a connection error", () => {
  const broken = (code: string, change: Partial<FailureContext> = {}): ModelFailure =>
    failureFromException(Object.assign(new Error(`connect ${code}`), { code }), { ...context, ...change });

  test.each([
    "ECONNRESET",
    "ECONNREFUSED",
    "ENOTFOUND",
    "EAI_AGAIN",
    "ETIMEDOUT",
    "EPIPE",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "EVERYTHINGELSE",
  ])("%s may be retried", (code) => {
    const failure = broken(code);
    expect(failure).toMatchObject({ kind: "connection", recovery: "retry" });
    expect(failure.message).toContain(code);
  });

  test.each([
    "CERT_HAS_EXPIRED",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "ERR_TLS_CERT_ALTNAME_INVALID",
    "EPROTO",
    "ERR_INVALID_CHAR",
  ])("%s is final", (code) => {
    expect(broken(code)).toMatchObject({ kind: "not_configured", recovery: "none" });
  });

  test("on this machine says that nothing listens", () => {
    const failure = broken("ECONNREFUSED", { loopback: true, endpoint: "http://127.0.0.1:11434" });
    expect(failure.neverSent).toBe(true);
    expect(failure.message).toBe(
      "http://127.0.0.1:11434 refuses connections: nothing listens there (ECONNREFUSED). Start the server, or check ANTHROPIC_BASE_URL.",
    );
  });

  test("for too many open files says what to raise, and counts as never sent", () => {
    const failure = broken("EMFILE");
    expect(failure).toMatchObject({ recovery: "retry", neverSent: true });
    expect(failure.message).toMatch(
      /too many files and connections are open \(EMFILE\)\. Raise the limit \(ulimit -n\)/,
    );
  });

  test("has its code in a cause or among several addresses", () => {
    const refused = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    expect(failureFromException(new TypeError("fetch failed", { cause: refused }), context).message).toContain(
      "ECONNREFUSED",
    );
    expect(failureFromException(new AggregateError([refused]), context).message).toContain("ECONNREFUSED");
  });

  test("may also be a configuration error, a defect, or no Error at all", () => {
    expect(failureFromException(new ConfigurationError("the proxy is odd"), context)).toMatchObject({
      kind: "not_configured",
      message: "https://api.anthropic.com was not asked: the proxy is odd.",
    });
    expect(failureFromException(new TypeError("x is not a function"), context)).toMatchObject({
      kind: "internal",
      recovery: "none",
    });
    expect(failureFromException("broken", context)).toMatchObject({ kind: "connection", detail: "broken" });
  });
});
