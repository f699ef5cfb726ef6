// Servers that are not Anthropic's, answers nobody planned for, and refusals: what the command makes of each.
import { describe, expect, test } from "vitest";
import { ask, calls, inOrder, resultsIn, says, type Asking } from "./support/ask.ts";
import type { Json } from "./support/strict.ts";
import { blockEvents, errorBody, messageEvents, type Answer } from "./support/wire.ts";

const look = calls(["Glob", { pattern: "*" }]);

function plain(status: number, body: string | Json, headers: Record<string, string> = {}): Answer {
  return { kind: "plain", status, body: typeof body === "string" ? body : JSON.stringify(body), headers };
}

function refused(status: number, type: string, message: string, headers: Record<string, string> = {}): Answer {
  return plain(status, errorBody(type, message), headers);
}

const once = { env: { CLAUDE_CODE_MAX_RETRIES: "1" } };
const message = {
  id: "x",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "whole" }],
  stop_reason: "end_turn",
};

describe("an unusual answer completes the run", () => {
  test.each<[what: string, answers: Answer[], said: string, requests: number, asking?: Asking]>([
    ["JSON instead of a stream", [plain(200, message)], "whole", 1],
    [
      "JSON with a call",
      [
        plain(200, {
          ...message,
          content: [{ type: "tool_use", id: "a", name: "Glob", input: { pattern: "*" } }],
          stop_reason: "tool_use",
        }),
        says("ok"),
      ],
      "ok",
      2,
    ],
    ["a stream under another content type", [says("x", "end_turn", { contentType: "text/plain" })], "x", 1],
    ["a base URL whose path ends in slashes", [says("ok")], "ok", 1, { path: "/proxy/anthropic//" }],
    ["no stop reason", [says("x", null)], "x", 1],
    ["an unknown stop reason", [says("x", "moonrise")], "x", 1],
    ["the stop reason tool_use without a tool call", [says("x", "tool_use")], "x", 1],
    ["no content", [says([])], "", 1],
    ["no content after tool results", [look, says([])], "", 2],
    ["two megabytes of text", [says("0123456789abcdef".repeat(131_072))], "0123456789abcdef".repeat(131_072), 1],
    ["drop by drop", [says("slow", "end_turn", { chunk: 40, dripMs: 5 })], "slow", 1, idle(1_000)],
    [
      "the next model, where the first is not served",
      [refused(404, "not_found_error", "model: x"), says("b")],
      "b",
      2,
      fallback(),
    ],
    ["the second time, where the first was silence", [{ kind: "hang" }, says("late")], "late", 2, firstByte(150)],
    [
      "the second time, where the first fell silent",
      [
        { kind: "stream", events: messageEvents([{ type: "text", text: "x" }]).slice(0, 3), last: "hang" },
        says("late"),
      ],
      "late",
      2,
      idle(150),
    ],
    ["after an unsigned past was refused", [signed("t"), refusedThinking(), says("fine")], "fine", 3],
  ])("%s", async (_, answers, said, requests, asking) => {
    const outcome = await ask(answers, asking);
    expect(outcome.result).toMatchObject({ subtype: "success", terminal_reason: "completed" });
    expect(outcome.result["result"] === said, `said ${String(outcome.result["result"]).slice(0, 200)}`).toBe(true);
    expect([outcome.code, outcome.requests.length]).toEqual([0, requests]);
  });

  test("a path prefix in the base URL is kept, and the API's headers are sent", async () => {
    const { requests } = await ask([says("ok")], { path: "/proxy/anthropic/" });
    expect(requests[0]).toMatchObject({
      method: "POST",
      path: "/proxy/anthropic/v1/messages",
      headers: { "x-api-key": "sk-wild-0123456789", "anthropic-version": "2023-06-01" },
    });
  });

  test("connections that close after each answer cause no retry", async () => {
    const { code, lines } = await ask((_, at) => (at < 10 ? calls(["Glob", { pattern: "*" }]) : says("done")), {
      wire: { dropsIdle: () => true },
    });
    expect(code).toBe(0);
    expect(lines.filter((line) => line["subtype"] === "api_retry")).toEqual([]);
  });
});

function idle(ms: number): Asking {
  return { env: { PAWL_IDLE_TIMEOUT_MS: String(ms) } };
}

function firstByte(ms: number): Asking {
  return { env: { PAWL_FIRST_BYTE_TIMEOUT_MS: String(ms) } };
}

function fallback(): Asking {
  return { args: ["--fallback-model", "other-model"] };
}

function signed(thinking: string): Answer {
  const call = { type: "tool_use", id: "toolu_signed", name: "Glob", input: { pattern: "*" } };
  return says([{ type: "thinking", thinking, signature: "sig" }, call], "tool_use");
}

function refusedThinking(): Answer {
  const text =
    "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.";
  return refused(400, "invalid_request_error", text);
}

describe("a model outside the catalogue", () => {
  const other: Asking = { args: ["--model", "deepseek-v4-pro"] };
  const think = { type: "thinking", thinking: "look first" };
  const call = { type: "tool_use", id: "t1", name: "Glob", input: { pattern: "*" } };
  const missed = "The `content[].thinking` in the thinking mode must be passed back to the API.";

  test("gets its thinking back, signed or not", async () => {
    for (const thought of [think, { ...think, signature: "0d0e-uuid" }]) {
      const { code, requests } = await ask([says([thought, call], "tool_use"), says("done")], other);
      expect(code).toBe(0);
      expect(requests[1]?.body.messages[1]?.content).toEqual([thought, call]);
    }
  });

  test("gets no unsigned thinking back after its server refused it", async () => {
    const unsigned = refused(400, "invalid_request_error", "messages.1.content.0.thinking.signature: Field required");
    const again = says([think, { ...call, id: "t2" }], "tool_use");
    const { result, requests } = await ask([says([think, call], "tool_use"), unsigned, again, says("done")], other);
    expect(result).toMatchObject({ subtype: "success", result: "done" });
    expect(requests.map(({ text }) => text.includes("look first"))).toEqual([false, true, false, false]);
  });

  const shown = { type: "adaptive", display: "summarized" };
  test.each<[string, Asking, unknown[]]>([
    ["", other, [undefined, undefined, { type: "disabled" }]],
    [", under the name of a model whose thinking cannot be turned off", {}, [shown, shown, undefined]],
  ])("gets thinking disabled if its server misses thinking%s", async (_, asking, asked) => {
    const answers = [says([call], "tool_use"), refused(400, "invalid_request_error", missed), says("done")];
    const { result, requests } = await ask(answers, asking);
    expect(result).toMatchObject({ subtype: "success", result: "done" });
    expect(requests.map(({ body }) => (body as Json)["thinking"])).toEqual(asked);
  });
});

describe("an answer that ends the run with an error", () => {
  const exceeded = "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum";
  test.each<[what: string, answers: Answer[], reason: string, text: RegExp, requests: number, asking?: Asking]>([
    [
      "401",
      [refused(401, "authentication_error", "bad")],
      "model_error",
      /credentials \(401\).*Check ANTHROPIC_API_KEY/,
      1,
    ],
    ["402", [refused(402, "billing_error", "pay")], "model_error", /want of credit/, 1],
    ["403", [refused(403, "permission_error", "no")], "model_error", /does not permit/, 1],
    [
      "404 for a model",
      [refused(404, "not_found_error", "model: x")],
      "model_error",
      /Choose another model with --model/,
      1,
    ],
    ["404 for the path", [plain(404, "<html><title>nginx</title>")], "model_error", /ANTHROPIC_BASE_URL/, 1],
    [
      "a fallback not served either",
      [refused(404, "not_found_error", "model: x")],
      "model_error",
      /other-model/,
      2,
      fallback(),
    ],
    ["400 of no known kind", [plain(400, '{"detail":"weird"}')], "model_error", /weird/, 1],
    ["418", [plain(418, "")], "model_error", /418/, 1],
    [
      "a redirect",
      [plain(307, "", { location: "https://other.example/v1" })],
      "model_error",
      /redirects to https:\/\/other/,
      1,
    ],
    ["status 413 when nothing can be shrunk", [plain(413, "<h1>Too Large")], "prompt_too_long", /too long \(413\)/, 1],
    [
      "a prompt too long when nothing can be shrunk",
      [refused(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum")],
      "prompt_too_long",
      /250000 tokens/,
      1,
    ],
    [
      "an image error when no image was sent",
      [refused(400, "invalid_request_error", exceeded)],
      "image_error",
      /image exceeds/,
      1,
    ],
    ["a refusal", [says("no", "refusal")], "model_error", /refused to answer/, 1],
    ["a refusal after tools", [look, says("no", "refusal")], "model_error", /refused to answer/, 2],
    ["a spend limit", [plain(429, spendLimit())], "model_error", /want of credit/, 1],
    [
      "an hour to wait",
      [refused(429, "rate_limit_error", "w", { "retry-after": "3600" })],
      "model_error",
      /60 minutes/,
      1,
    ],
    [
      "JSON of another protocol",
      [plain(200, { choices: [] })],
      "model_error",
      /not a message of the Messages API.*1 retry/,
      2,
      once,
    ],
    ["JSON with an error", [plain(200, errorBody("invalid_request_error", "so"))], "model_error", /as invalid/, 1],
    ["a login page", [plain(200, "<html>log in", { "content-type": "text/html" })], "model_error", /web page/, 2, once],
    [
      "an event that is not JSON",
      [plain(200, "data: {oops\n\n", { "content-type": "text/event-stream" })],
      "model_error",
      /not JSON/,
      2,
      once,
    ],
    ["an output limit without end", [says("part", "max_tokens")], "model_error", /output limit of 128000/, 5],
  ])("%s", async (_, answers, reason, text, requests, asking) => {
    const outcome = await ask(answers, asking);
    expect(outcome.result).toMatchObject({
      subtype: "error_during_execution",
      is_error: true,
      terminal_reason: reason,
    });
    expect((outcome.result["errors"] as string[]).join()).toMatch(text);
    expect(outcome.stderr).toMatch(text);
    expect(outcome.stderr).not.toMatch(/\n\s+at /);
    expect([outcome.code, outcome.requests.length]).toEqual([1, requests]);
  });

  function spendLimit(): Json {
    const details = { error_code: "enforced_spend_limit_reached" };
    return { type: "error", error: { type: "rate_limit_error", message: "limit", details } };
  }

  test("an error message shows no escape sequences and no key", async () => {
    const { stdout, stderr } = await ask([
      refused(400, "invalid_request_error", "\u001b[31mred\u0007 \u202e key sk-wild-0123456789"),
    ]);
    for (const hidden of ["\u001b", "\u0007", "\u202e", "sk-wild"]) expect(stdout + stderr).not.toContain(hidden);
  });
});

describe("a malformed stream loses nothing", () => {
  const text = { type: "text", text: "abc" };
  const call = { type: "tool_use", id: "t1", name: "Glob", input: { pattern: "*" } };
  const all = messageEvents([text, call], { stopReason: "tool_use" });
  const [start, end] = [all[0]!, all.slice(-2)];
  const [first, second] = [blockEvents(0, text, 2), blockEvents(1, call, 2)];
  const started = (block: unknown): Json => ({ type: "content_block_start", index: 0, content_block: block });
  const stopped: Json = { type: "content_block_stop", index: 0 };

  test.each<[what: string, events: Json[]]>([
    [
      "blocks that overlap",
      [start, first[0]!, second[0]!, first[1]!, second[1]!, first[2]!, second[2]!, first[3]!, second[3]!, ...end],
    ],
    ["blocks that do not end", [start, ...first.slice(0, -1), ...second.slice(0, -1), ...end]],
    ["events without index", all.map((event) => ({ ...event, index: undefined }))],
    ["indexes as text", all.map((event) => ("index" in event ? { ...event, index: String(event["index"]) } : event))],
    ["the same index for all blocks", all.map((event) => ("index" in event ? { ...event, index: 0 } : event))],
    ["no beginning", all.slice(1)],
    ["a message_start whose message is null", [{ type: "message_start", message: null }, ...all.slice(1)]],
    ["two beginnings", [start, ...all]],
    ["two ends", [...all.slice(0, -1), ...end]],
    ["more after the end", [...all, started({ type: "text", text: "late" })]],
    [
      "nulls",
      [
        start,
        started(null),
        { type: "content_block_delta", index: 0, delta: null },
        stopped,
        ...first,
        ...second,
        ...end,
      ],
    ],
    ["a tool input in one piece", [start, ...first, started(call), stopped, ...end]],
    [
      "usage of nonsense",
      [
        {
          ...start,
          message: { id: "m", usage: { input_tokens: "9", output_tokens: -1, cache_read_input_tokens: 1e300 } },
        },
        ...all.slice(1),
      ],
    ],
    [
      "a stop reason that comes late",
      [...all.slice(0, -2), { type: "message_delta", delta: { stop_reason: null } }, ...end],
    ],
  ])("%s", async (_, events) => {
    const { code, requests } = await ask([{ kind: "stream", events }, says("done")]);
    expect([code, requests.length]).toEqual([0, 2]);
    const [assistant] = requests[1]!.body.messages.slice(1);
    expect(assistant?.content.at(-1)).toEqual(call);
    expect(resultsIn(requests[1])).toEqual(["No files found"]);
  });

  test.each<[what: string, raw: string, told: RegExp]>([
    ["broken", '{"pattern":', /INVALID_JSON/],
    ["no object", "[1]", /INVALID_JSON/],
    ["far too deep", `{"pattern":${"[".repeat(20_000)}${"]".repeat(20_000)}}`, /INVALID_JSON/],
    ["half a character", '{"pattern":"\\ud83d*"}', /No files found/],
    ["a prototype", '{"pattern":"*","__proto__":{"path":"/etc"}}', /No files found/],
  ])("with input that is %s gets a result, and the next request is valid", async (_, raw, told) => {
    const use = { type: "tool_use", id: "t2", name: "Glob", input: {}, raw };
    const { code, requests } = await ask([says([use], "tool_use"), says("done")]);
    expect([code, requests.length]).toEqual([0, 2]);
    expect(resultsIn(requests[1])[0]).toMatch(told);
  });

  test("with a call without id and name, or two hundred calls of one id, gets a result for each call", async () => {
    const nameless = [start, started({ type: "tool_use", input: { pattern: "*" } }), stopped, ...end];
    const many = Array.from({ length: 200 }, () => ({
      type: "tool_use",
      id: "same",
      name: "Glob",
      input: { pattern: "*" },
    }));
    const answers: Answer[] = [{ kind: "stream", events: nameless }, says(many, "tool_use"), says("done")];
    const { code, requests } = await ask(inOrder(answers));
    expect(code).toBe(0);
    expect(resultsIn(requests[1])[0]).toContain("No such tool");
    expect(resultsIn(requests[2])).toHaveLength(200);
  });
});

describe("a request that is too large is made to fit", () => {
  const read = (file: string): Answer => calls(["Read", { file_path: file }]);
  const tooLong = refused(400, "invalid_request_error", "prompt is too long: 250000 tokens > 200000 maximum");
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const prepare: Asking["prepare"] = (place) => {
    for (const name of ["a", "b", "c"]) place.write(name, `${"word ".repeat(10)}\n`.repeat(400));
    place.write("i.png", Buffer.from(png, "base64"));
  };
  const past = [read("a"), read("b"), read("c")];

  test.each<[what: string, answers: Answer[]]>([
    ["by a summary", [...past, tooLong, says("SUMMARY"), says("done")]],
    [
      "by a summary when the server refuses the size of the body",
      [...past, plain(413, ""), says("SUMMARY"), says("done")],
    ],
    [
      "by a summary of fewer messages when the request for the summary does not fit",
      [...past, tooLong, tooLong, says("SUMMARY"), says("done")],
    ],
    ["by a summary that took two attempts", [...past, tooLong, plain(500, ""), says("SUMMARY"), says("done")]],
    ["without a summary when the model calls a tool instead", [...past, tooLong, read("a"), says("done")]],
    ["without a summary when the model answers with no content", [...past, tooLong, says([]), says("done")]],
    [
      "by a summary when the answer reached the end of the window",
      [...past, says("part", "model_context_window_exceeded"), says("SUMMARY"), says("done")],
    ],
    [
      "without the refused image",
      [
        read("i.png"),
        refused(400, "invalid_request_error", "messages.2.content.0.image: Could not process image"),
        says("done"),
      ],
    ],
  ])("%s", async (_, answers) => {
    const outcome = await ask(answers, { prepare });
    expect(outcome.result).toMatchObject({ subtype: "success", result: "done" });
    expect(outcome.requests).toHaveLength(answers.length);
    const sizes = outcome.requests.map(({ text }) => text.length);
    expect(sizes.at(-1)).toBeLessThan(Math.max(...sizes));
    expect(outcome.lines.filter((line) => line["error"] !== undefined)).toEqual([]);
    expect(outcome.lines.map((line) => line["subtype"])).toContain("compact_boundary");
  });

  test("a request that cannot be made to fit ends the run after one attempt", async () => {
    const { code, result, requests } = await ask([...past, tooLong, says("SUMMARY"), tooLong], { prepare });
    expect(result).toMatchObject({ terminal_reason: "prompt_too_long" });
    expect([code, requests.length]).toEqual([1, 6]);
  });

  test("three overloads in a row switch to the fallback model, which gets the earlier results", async () => {
    const overloaded = refused(529, "overloaded_error", "Overloaded");
    const { requests, result } = await ask([read("a"), overloaded, overloaded, overloaded, says("done")], {
      prepare,
      args: ["--fallback-model", "claude-haiku-5-5"],
    });
    expect(requests.map(({ body }) => body.model)).toEqual([...Array(4).fill("claude-sonnet-5-5"), "claude-haiku-5-5"]);
    expect(resultsIn(requests[4])).toHaveLength(1);
    expect(result).toMatchObject({ subtype: "success", result: "done" });
  });
});
