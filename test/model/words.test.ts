// The tables of what servers say: each text is judged as its table says, whichever server passes it on.
import { describe, expect, test } from "vitest";
import { readErrorBody } from "../../src/model/error-body.ts";
import { createAnthropicModel } from "../../src/model/index.ts";
import { answerLimits } from "../../src/model/words/answer-limit.ts";
import { quotaReturns, spendPhrases } from "../../src/model/words/credit.ts";
import * as fields from "../../src/model/words/fields.ts";
import * as history from "../../src/model/words/history.ts";
import { mediaComplaints, noImageSupport } from "../../src/model/words/media.ts";
import { missingModel, missingModelOf404, missingRoute } from "../../src/model/words/models.ts";
import { overflowFigures } from "../../src/model/words/overflow-figures.ts";
import { overflowPhrases } from "../../src/model/words/overflow.ts";
import type { Example, Phrase } from "../../src/model/words/phrase.ts";
import { abovePlan, noAllowance, rateFigures } from "../../src/model/words/rate.ts";
import { noRecording } from "../../src/model/words/recordings.ts";
import { allowanceUsedUp } from "../../src/model/words/used-up.ts";
import type { ModelFailure } from "../../src/protocol/model.ts";
import { answering, failureOf, hear, streaming } from "./support/wire.ts";

type Meant = Partial<Record<keyof ModelFailure, unknown>>;

const output = { recovery: "output", answerLimit: expect.any(Number) as unknown };
const thinking = { kind: "thinking_rejected", recovery: "thinking" };
const field = (name: string): Meant => ({ recovery: "field", field: name });

/** In the order in which `judge` and `badRequest` ask for them. */
const tables: Record<string, [readonly Phrase[], Meant]> = {
  "an answer that nobody recorded": [noRecording, { kind: "invalid_request", recovery: "none" }],
  "a prompt that is too long": [overflowPhrases, { kind: "prompt_too_long", recovery: "overflow" }],
  "its figures": [
    overflowFigures,
    { recovery: "overflow", tokens: expect.objectContaining({ maximum: expect.any(Number) }) },
  ],
  "a request above a limit on the rate": [
    rateFigures,
    {
      kind: "prompt_too_long",
      recovery: "overflow",
      tokens: { maximum: expect.any(Number), actual: expect.any(Number), answer: 8_000, isRate: true },
    },
  ],
  "a request above the plan": [abovePlan, { kind: "prompt_too_long", recovery: "overflow" }],
  "a model that the account may not use": [noAllowance, { kind: "permission_denied", recovery: "fallback" }],
  "an account without credit": [spendPhrases, { kind: "billing_error", recovery: "none" }],
  "a plan that is used up for hours": [allowanceUsedUp, { kind: "rate_limit", recovery: "retry" }],
  "a quota that comes back": [quotaReturns, { kind: "rate_limit", recovery: "retry" }],
  "thinking that is missed": [history.thinkingMissed, { ...thinking, thinkingMissed: true }],
  "thinking that is missed in the turn that runs": [history.thinkingMissedInTurn, { ...thinking, isOfTurn: true }],
  "thinking that is refused": [
    history.thinkingComplaints,
    { ...thinking, thinkingMissed: false, thinkingUnknown: false },
  ],
  "thinking that is unknown": [history.unknownThinking, { ...thinking, thinkingUnknown: true }],
  "reasoning that is refused": [history.reasoningComplaints, { ...thinking, thinkingUnknown: true }],
  "a signed summary that is refused": [
    history.compactionComplaints,
    { kind: "compaction_refused", recovery: "summary" },
  ],
  "media that is refused": [mediaComplaints, { kind: "media", recovery: "media" }],
  "a model that sees nothing": [noImageSupport, { kind: "media", recovery: "media" }],
  "an answer that is too long": [answerLimits, output],
  "a model that is missing": [missingModel, { kind: "model_not_found", recovery: "fallback" }],
  "a model that is missing, of a 404": [missingModelOf404, { kind: "model_not_found", recovery: "fallback" }],
  "a model that has no route": [missingRoute, { kind: "model_not_found", recovery: "fallback" }],
  "how thinking is shown": [fields.displayRefused, field("thinking.display")],
  "adaptive thinking": [fields.adaptiveRefused, field("thinking.adaptive")],
  "thinking within a budget": [fields.enabledRefused, field("thinking.enabled")],
  "the field thinking": [fields.thinkingRefused, field("thinking")],
  "ids of calls": [fields.callIdRefused, field("tool_use.id")],
  "a field that is not known": [fields.unknownField, { recovery: "field" }],
  "a block that is not known": [history.blockComplaints, { kind: "invalid_request", recovery: "block" }],
  "the same, without its place": [history.blockComplaintsWithoutPlace, { kind: "invalid_request", recovery: "block" }],
};

type Wrap = (text: string) => string;

/** How a text reaches a client: as the server's own, or as a gateway hands it on. */
const ways: [string, Wrap][] = [
  ["as the API puts an error", (message) => JSON.stringify({ type: "error", error: { type: "api", message } })],
  ["as other servers do", (message) => JSON.stringify({ error: { message, type: "BadRequestError" } })],
  ["over several lines", (message) => JSON.stringify({ error: { message: message.replaceAll(" ", "\n ") } })],
  ["as a text", (message) => JSON.stringify({ error: message })],
  ["as the list of a validator", (message) => JSON.stringify({ detail: [{ loc: ["body"], msg: message }] })],
  [
    "by way of OpenRouter",
    (message) => {
      const raw = JSON.stringify({ error: { message } });
      return JSON.stringify({ error: { message: "Provider returned error", metadata: { raw } } });
    },
  ],
  [
    "by way of LiteLLM",
    (message) => {
      const inner = JSON.stringify({ type: "error", error: { type: "api", message } });
      const text = `litellm.BadRequestError: AnthropicException - b'${inner}'. Received Model Group=x\nAvailable Model Group Fallbacks=None`;
      return JSON.stringify({ error: { message: text, type: null, param: null, code: "400" } });
    },
  ],
  [
    "as JSON in the message",
    (message) =>
      JSON.stringify({ error: { message: JSON.stringify({ error: { message } }), status: "INVALID_ARGUMENT" } }),
  ],
];

async function judged(status: number, body: string, headers = { "content-type": "application/json" }) {
  const transport = answering({ status, headers, body: [body] });
  return failureOf((await hear(createAnthropicModel({ transport, version: "1.0.0" }))).outcome);
}

const isBody = (text: string): boolean => text.startsWith("{");

/** What is held against the rows. */
function heard(text: string): string {
  const { code = "", type = "", message } = isBody(text) ? readErrorBody(text) : { message: text };
  return `${code} ${type} ${message}`.toLowerCase();
}

describe.each(Object.entries(tables))("the phrase table for %s", (_name, [phrases, meant]) => {
  const rows = phrases.flatMap(([pattern, ...examples]) => examples.map((example) => ({ pattern, example })));
  test.each(rows)("recognises $example", async ({ pattern, example: [server, text, status = 400] }) => {
    expect(heard(text)).toMatch(pattern);
    expect(server).not.toBe("");
    const bodies = isBody(text) ? [["as it is", text] as const] : ways.map(([way, wrap]) => [way, wrap(text)] as const);
    for (const [way, body] of bodies)
      expect({ thinkingMissed: false, thinkingUnknown: false, ...(await judged(status, body)) }, way).toMatchObject(
        meant,
      );
    if (isBody(text)) return;
    const event = `data: ${JSON.stringify({ type: "error", error: { message: text, code: status } })}\n\n`;
    expect(
      { thinkingMissed: false, thinkingUnknown: false, ...(await judged(200, event, streaming)) },
      "in a stream",
    ).toMatchObject(meant);
  });

  // The figures are looked for in order, so that a later row may match what an earlier one does.
  if (phrases === overflowFigures) return;
  test("has no row that only repeats others", () => {
    for (const [pattern, ...examples] of phrases) {
      const others = phrases.filter(([other]) => other !== pattern);
      const isOwn = ([, text]: Example): boolean => others.every(([other]) => !other.test(heard(text)));
      expect(examples.length, String(pattern)).toBeGreaterThan(0);
      expect(examples.some(isOwn), `${String(pattern)} is one of the others`).toBe(true);
    }
  });
});

test("the first row of overflowFigures that matches an example is the example's own", () => {
  for (const [pattern, ...examples] of overflowFigures)
    for (const [, text] of examples)
      expect(overflowFigures.find(([each]) => each.test(text.toLowerCase()))?.[0]).toBe(pattern);
});
