/** Checks a script from a file, and says where it is wrong, what is wrong, and what would be right. */
import { isFaultKind, httpFaults, transportFaults, contentFaults } from "./faults.ts";
import { modelTraits } from "./check-models.ts";
import { checkFileOptions } from "./check-options.ts";
import { isObject } from "../wire/types.ts";
import {
  anything,
  boolean,
  choose,
  headers,
  list,
  number,
  numberFrom,
  object,
  oneOf,
  record,
  addProblem,
  showValue,
  string,
  type Check,
} from "./check-kit.ts";

/** @returns one sentence per mistake; empty for a valid script. Functions are accepted where the types allow them. */
export function checkScript(value: unknown): string[] {
  const problems: string[] = [];
  scriptFile(value, "", problems);
  return problems;
}

/** Checks what a reply function returned: otherwise a misspelt fault, or a promise, would become an empty answer. */
export function checkReply(value: unknown): string[] {
  if (typeof value === "string") return [];
  const problems: string[] = [];
  if (value instanceof Promise) addProblem(problems, "the reply", "must be given at once, is a promise");
  else replyObject(value, "the reply", problems);
  return problems;
}

/** The first problems, one per line. */
export function formatProblems(problems: readonly string[]): string {
  const shown = problems.slice(0, 10).map((problem) => `  ${problem}`);
  if (problems.length > shown.length) shown.push(`  and ${problems.length - shown.length} more`);
  return shown.join("\n");
}

const isString = (value: unknown) => typeof value === "string";
const isFunction = (value: unknown) => typeof value === "function";
const hasType = (value: unknown) => isObject(value) && isString(value["type"]);
const isToolUsePart = (value: unknown) => isObject(value) && value["type"] === "tool_use";
const has = (key: string) => (value: unknown) => isObject(value) && key in value;

const textMatch = choose(
  [
    [isString, anything],
    [(value) => value instanceof RegExp, anything],
    [isObject, expressionIn({ regex: string, flags: string }, ["regex"])],
  ],
  'must be a text or {"regex": …}',
);

/** An object that contains a regular expression: its flags decide which syntax is valid. */
function expressionIn(fields: Record<string, Check>, required: readonly string[] = []): Check {
  return (value, path, problems) => {
    object(fields, required)(value, path, problems);
    if (!isObject(value) || typeof value["regex"] !== "string") return;
    const { regex, flags = "" } = value;
    try {
      RegExp(regex);
      if (typeof flags !== "string") return;
      RegExp(regex, flags);
    } catch (error) {
      const text = (error as Error).message;
      addProblem(problems, `${path}.${/flags/.test(text) ? "flags" : "regex"}`, text);
    }
  };
}

const toolNames = choose(
  [
    [isString, anything],
    [Array.isArray, list(string)],
  ],
  "must be a name or a list of names",
);
const countMatch = choose(
  [
    [(value) => typeof value === "number", anything],
    [isObject, object({ min: number, max: number })],
  ],
  'must be a number or {"min": …, "max": …}',
);
const resultMatch = object({ tool: toolNames, text: textMatch, isError: boolean });
const match = object({
  lastUserText: textMatch,
  lastToolResult: resultMatch,
  anyToolResult: resultMatch,
  messages: countMatch,
  turns: countMatch,
  model: textMatch,
  system: textMatch,
  call: numberFrom(1),
  hasTool: toolNames,
  offersTools: boolean,
  compacts: boolean,
  test: choose([[isFunction, anything]], "must be a function (TypeScript only)"),
});

const pace = object({
  deltaCharacters: numberFrom(1),
  delayMs: numberFrom(0),
  firstByteMs: numberFrom(0),
  blockDelayMs: numberFrom(0),
  bytesPerChunk: numberFrom(1),
});
const textSelector = { regex: string, flags: string, group: numberFrom(0), default: anything };
const selector = choose(
  [
    [
      has("$fromResult"),
      object({ $fromResult: expressionIn({ ...textSelector, tool: string, pick: oneOf("first", "last") }) }),
    ],
    [has("$fromUser"), object({ $fromUser: expressionIn(textSelector) })],
    [has("$concat"), object({ $concat: list(jsonValue) })],
  ],
  "must be $fromResult, $fromUser or $concat",
);
const isSelector = (candidate: unknown) =>
  isObject(candidate) && Object.keys(candidate).some((key) => key.startsWith("$"));

/** Any JSON, which may contain selectors. */
function jsonValue(candidate: unknown, path: string, problems: string[]): void {
  if (isSelector(candidate)) selector(candidate, path, problems);
  else if (Array.isArray(candidate)) list(jsonValue)(candidate, path, problems);
  else if (isObject(candidate)) record(jsonValue)(candidate, path, problems);
}

const dynamicText = choose(
  [
    [isString, anything],
    [isFunction, anything],
    [isSelector, selector],
  ],
  "must be a text or a selector",
);
const wholeInput = "is the whole input, which must be an object: use selectors for the values in it";
const input = choose(
  [
    [isFunction, anything],
    ...["$fromResult", "$fromUser", "$concat"].map((key): [(value: unknown) => boolean, Check] => [
      has(key),
      (_value, path, problems) => addProblem(problems, `${path}.${key}`, wholeInput),
    ]),
    [isObject, record(jsonValue)],
  ],
  "must be an object",
);
const part = choose(
  [
    [isString, anything],
    [has("text"), object({ type: oneOf("text"), text: dynamicText, citations: list(anything) })],
    [has("thinking"), object({ type: oneOf("thinking"), thinking: dynamicText })],
    [has("redactedThinking"), object({ redactedThinking: string })],
    [has("tool"), object({ tool: toolNames, input, rawInput: string, id: string })],
    [isToolUsePart, object({ type: anything, name: toolNames, input, rawInput: string, id: string }, ["name"])],
    [has("serverTool"), object({ serverTool: string, input, id: string })],
    [has("compaction"), object({ compaction: string })],
    [has("block"), object({ block: choose([[hasType, anything]], 'must be an object with "type"') })],
  ],
  'must be a text or an object with one of: text, thinking, redactedThinking, tool (or type "tool_use" and name), serverTool, compaction, block',
);

const allFaultKinds = [...Object.keys(httpFaults), ...transportFaults, ...contentFaults];
const faultKind: Check = (candidate, path, problems) => {
  if (isString(candidate) && isFaultKind(String(candidate))) return;
  addProblem(problems, path, `unknown fault ${showValue(candidate)}; allowed: ${allFaultKinds.join(", ")}`);
};
const faultPoint = choose(
  [
    [isString, oneOf("headers", "first_event", "mid_block", "mid_last_block", "before_stop")],
    [has("events"), object({ events: numberFrom(0) })],
    [has("share"), object({ share: numberFrom(0, 1) })],
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
          at: faultPoint,
          status: numberFrom(400, 599),
          type: string,
          message: string,
          retryAfter: numberFrom(0),
          headers,
          details: record(anything),
          tokens: numberFrom(0),
          maximum: numberFrom(0),
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
/** Figures by name. `cache_creation` and `server_tool_use` are objects of figures; keys not ending in `_tokens` may hold anything. */
const usage: Check = (value, path, problems) => {
  record(anything)(value, path, problems);
  if (!isObject(value)) return;
  for (const [key, figure] of Object.entries(value)) {
    if (key.endsWith("_tokens")) numberFrom(0)(figure, `${path}.${key}`, problems);
  }
};
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
  usage,
  model: string,
  headers,
  pace,
  fault,
  extraEvents: list(object({ after: numberFrom(0), event: string, data: anything }, ["after", "data"])),
});
const reply = choose(
  [
    [isString, anything],
    [isFunction, anything],
    [isObject, replyObject],
  ],
  "must be a text or a reply object",
);
const rate = numberFrom(0);
const rates = { input: rate, output: rate, cacheWrite5m: rate, cacheWrite1h: rate, cacheRead: rate };
const rateNames = Object.keys(rates);
const scriptFile = object({
  description: string,
  steps: list(reply),
  rules: list(object({ name: string, when: match, reply, times: numberFrom(0) }, ["when", "reply"])),
  fallback: reply,
  perConversation: choose(
    [
      [(candidate) => typeof candidate === "boolean", anything],
      [isObject, object({ header: string }, ["header"])],
    ],
    'must be true, false or {"header": …}',
  ),
  stepBy: oneOf("consumed", "turns"),
  models: record(modelTraits),
  prices: record(
    object(
      {
        ...rates,
        fast: object(rates, rateNames),
        above: object({ promptTokens: rate, rates: object(rates, rateNames) }, ["promptTokens", "rates"]),
      },
      rateNames,
    ),
  ),
  faults: object({ seed: number, probability: numberFrom(0, 1), kinds: list(faultKind), maxInARow: numberFrom(0) }, [
    "seed",
    "probability",
  ]),
  window: numberFrom(1),
  pace,
  options: checkFileOptions,
});
