/** Checks a script that came from a file, and says where it is wrong, in what, and what would be right. */
import { isFaultKind, httpFaults, transportFaults, contentFaults } from "./faults.ts";
import { isObject } from "../wire/types.ts";
import {
  anything,
  boolean,
  choose,
  list,
  number,
  object,
  oneOf,
  record,
  say,
  shown,
  string,
  type Check,
} from "./check-kit.ts";

/** @returns sentences, one a mistake; empty for a good script. Functions are accepted where the types have them. */
export function checkScript(value: unknown): string[] {
  const problems: string[] = [];
  scriptFile(value, "", problems);
  return problems;
}

const isString = (value: unknown) => typeof value === "string";
const isFunction = (value: unknown) => typeof value === "function";
const has = (key: string) => (value: unknown) => isObject(value) && key in value;

const textMatch = choose(
  [
    [isString, anything],
    [(value) => value instanceof RegExp, anything],
    [isObject, object({ regex: expression, flags: string }, ["regex"])],
  ],
  'must be a text or {"regex": …}',
);

function expression(value: unknown, path: string, problems: string[]): void {
  string(value, path, problems);
  try {
    RegExp(String(value));
  } catch (error) {
    say(problems, path, (error as Error).message);
  }
}

const names = choose(
  [
    [isString, anything],
    [Array.isArray, list(string)],
  ],
  "must be a name or a list of names",
);
const count = choose(
  [
    [(value) => typeof value === "number", anything],
    [isObject, object({ min: number, max: number })],
  ],
  'must be a number or {"min": …, "max": …}',
);
const resultMatch = object({ tool: names, text: textMatch, isError: boolean });
const match = object({
  lastUserText: textMatch,
  lastToolResult: resultMatch,
  anyToolResult: resultMatch,
  messages: count,
  turns: count,
  model: textMatch,
  system: textMatch,
  call: number,
  hasTool: names,
  offersTools: boolean,
  compacts: boolean,
  test: choose([[isFunction, anything]], "must be a function (TypeScript only)"),
});

const pace = object({
  deltaCharacters: number,
  delayMs: number,
  firstByteMs: number,
  blockDelayMs: number,
  bytesPerChunk: number,
});
const textSelector = { regex: expression, flags: string, group: number, default: anything };
const selector = choose(
  [
    [
      has("$fromResult"),
      object({ $fromResult: object({ ...textSelector, tool: string, pick: oneOf("first", "last") }) }),
    ],
    [has("$fromUser"), object({ $fromUser: object(textSelector) })],
    [has("$concat"), object({ $concat: list(value) })],
  ],
  "must be $fromResult, $fromUser or $concat",
);
const isSelector = (candidate: unknown) =>
  isObject(candidate) && Object.keys(candidate).some((key) => key.startsWith("$"));

/** Any JSON, in which selectors may stand. */
function value(candidate: unknown, path: string, problems: string[]): void {
  if (isSelector(candidate)) selector(candidate, path, problems);
  else if (Array.isArray(candidate)) list(value)(candidate, path, problems);
  else if (isObject(candidate)) record(value)(candidate, path, problems);
}

const dynamicText = choose(
  [
    [isString, anything],
    [isFunction, anything],
    [isSelector, selector],
  ],
  "must be a text or a selector",
);
const input = choose(
  [
    [isFunction, anything],
    [isObject, record(value)],
  ],
  "must be an object",
);
const part = choose(
  [
    [isString, anything],
    [has("text"), object({ text: dynamicText, citations: list(anything) })],
    [has("thinking"), object({ thinking: dynamicText })],
    [has("redactedThinking"), object({ redactedThinking: string })],
    [has("tool"), object({ tool: names, input, rawInput: string, id: string })],
    [has("serverTool"), object({ serverTool: string, input, id: string })],
    [has("compaction"), object({ compaction: string })],
    [has("block"), object({ block: choose([[has("type"), anything]], 'must be an object with "type"') })],
  ],
  "must be a text or an object with one of: text, thinking, redactedThinking, tool, serverTool, compaction, block",
);

const kinds = [...Object.keys(httpFaults), ...transportFaults, ...contentFaults];
const faultKind: Check = (candidate, path, problems) => {
  if (isString(candidate) && isFaultKind(String(candidate))) return;
  say(problems, path, `unknown fault ${shown(candidate)}; allowed: ${kinds.join(", ")}`);
};
const point = choose(
  [
    [isString, oneOf("headers", "first_event", "mid_block", "mid_last_block", "before_stop")],
    [has("events"), object({ events: number })],
    [has("share"), object({ share: number })],
  ],
  'must be a named point, {"events": …} or {"share": …}',
);
const fault = choose(
  [
    [isString, faultKind],
    [
      isObject,
      object(
        {
          kind: faultKind,
          at: point,
          status: number,
          type: string,
          message: string,
          retryAfter: number,
          headers: record(string),
          details: record(anything),
          tokens: number,
          maximum: number,
          category: string,
          explanation: string,
          afterOutput: boolean,
        },
        ["kind"],
      ),
    ],
  ],
  'must be a fault\'s name or {"kind": …}',
);
const replyObject = object({
  content: choose(
    [
      [isString, anything],
      [Array.isArray, list(part)],
    ],
    "must be a text or a list of parts",
  ),
  stopReason: string,
  stopSequence: string,
  stopDetails: record(anything),
  usage: record(anything),
  model: string,
  headers: record(string),
  pace,
  fault,
  extraEvents: list(object({ after: number, event: string, data: anything }, ["after", "data"])),
});
const reply = choose(
  [
    [isString, anything],
    [isFunction, anything],
    [isObject, replyObject],
  ],
  "must be a text or a reply object",
);
const rates = { input: number, output: number, cacheWrite5m: number, cacheWrite1h: number, cacheRead: number };
const rateNames = Object.keys(rates);
const scriptFile = object({
  description: string,
  steps: list(reply),
  rules: list(object({ name: string, when: match, reply, times: number }, ["when", "reply"])),
  fallback: reply,
  perConversation: choose(
    [
      [(candidate) => typeof candidate === "boolean", anything],
      [isObject, object({ header: string }, ["header"])],
    ],
    'must be true, false or {"header": …}',
  ),
  stepBy: oneOf("consumed", "turns"),
  models: record(record(anything)),
  prices: record(
    object(
      {
        ...rates,
        fast: object(rates, rateNames),
        above: object({ promptTokens: number, rates: object(rates, rateNames) }, ["promptTokens", "rates"]),
      },
      rateNames,
    ),
  ),
  faults: object({ seed: number, probability: number, kinds: list(faultKind), maxInARow: number }, [
    "seed",
    "probability",
  ]),
  window: number,
  pace,
  options: object({
    endpoint: oneOf("anthropic", "compatible"),
    validate: oneOf("full", "light", "off"),
    strictAlternation: boolean,
    requireKey: boolean,
    enforceBinding: boolean,
    bytesPerToken: number,
    seed: number,
  }),
});
