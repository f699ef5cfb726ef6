/**
 * An answer in the form the caller required. The model gives it by calling a tool, and a successful call ends the turn. A turn that would
 * end without an answer is continued, up to a number of tries. A misfit is never returned as the answer.
 */
import { errorText } from "../../lib/error-text.ts";
import { tryParseJson } from "../../lib/try-parse-json.ts";
import { findRoundedInteger } from "../../lib/rounded-integer.ts";
import type { Tool, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import type { TurnEndAnswer, TurnEndPort } from "../../protocol/turn-end.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { SchemaChecker, type JsonSchema } from "./json-schema.ts";
import { isRecord } from "../../lib/is-record.ts";
import { interpretValue } from "./interpret-input.ts";
import { toNewestDraft } from "./newest-draft.ts";
import { isStandardSchema } from "./standard-shape.ts";
import { structuredToolName } from "./structured-name.ts";

export type StructuredOutcome =
  | { ok: true; value: unknown }
  /** `tries`: how many tries there were; `isOver`: no further try is allowed. */
  | { ok: false; tries: number; isOver: boolean; why: string };

const defaultTries = 5;
const missingAnswerText = `Your answer has to be given with the tool ${structuredToolName}: call it once, with the whole answer.`;
const notWrapped = 'it has to be the value of the property "value".';
const noOutcome: StructuredOutcome = { ok: false, tries: 0, isOver: false, why: missingAnswerText };
const description =
  "Gives the final answer, in the form that is asked for. Call it exactly once, when the work is done, in place of a closing message; nothing you write besides is read.";

export interface StructuredOutputOptions {
  schema: JsonSchema;
  /** `MAX_STRUCTURED_OUTPUT_RETRIES`. */
  tries?: number;
}

export class StructuredOutput {
  readonly tool: Tool;
  readonly #schema: JsonSchema;
  readonly #checker: SchemaChecker;
  readonly #isWrapped: boolean;
  readonly #maxTries: number;
  #outcome: StructuredOutcome = noOutcome;
  #tries = 0;
  /** Why the last given answer does not fit. */
  #misfit: string | undefined;
  /** Whether the last response called the tool and thereby ended the turn: its text is then no answer. */
  #endedByCall = false;

  /** Throws `UsageError` if the schema is invalid. */
  constructor({ schema: givenSchema, tries = defaultTries }: StructuredOutputOptions) {
    const checker = createChecker(givenSchema);
    const schema = (this.#schema = toNewestDraft(givenSchema));
    this.#checker = schema === givenSchema ? checker : createChecker(schema);
    this.#isWrapped = !isToolSchema(schema);
    this.#maxTries = tries;
    this.tool = {
      name: structuredToolName,
      description,
      inputSchema: this.#isWrapped ? wrapSchema(schema) : ({ ...schema, type: "object" } as ToolInputSchema),
      checksOwnInput: true,
      isConcurrencySafe: () => false,
      isReadOnly: () => true,
      replay: "safe",
      maxResultSizeChars: 10_000,
      onRefused: (why) => this.#refuse(why),
      call: async (input) => this.#takeCall(input),
    };
  }

  /** Starts a new user turn, which has no answer yet. */
  begin(): void {
    this.#tries = 0;
    this.#misfit = undefined;
    this.#outcome = noOutcome;
    this.#endedByCall = false;
  }

  get outcome(): StructuredOutcome {
    return this.#outcome;
  }

  /** Wraps the turn end so that it also checks whether there is an answer. */
  watch(turnEnd: TurnEndPort): TurnEndPort {
    const read = (text: string): void => this.#readText(text);
    const owing = (): string | null => this.#missingReason();
    const lastTry = (): Pick<TurnEndAnswer, "outOfTries"> => this.#lastTry();
    return {
      register: (name, dispose) => turnEnd.register(name, dispose),
      *steps(end, signal) {
        const answer = yield* turnEnd.steps(end, signal);
        read(end.lastAssistantMessage);
        if (answer.prevented !== null) return answer;
        const reason = answer.blocking.length > 0 ? null : owing();
        if (reason !== null) return { ...answer, blocking: [{ event: structuredToolName, reason }] };
        return { ...answer, ...lastTry() };
      },
    };
  }

  #takeCall(input: ToolInput): ToolResult {
    let misfit = this.#isWrapped && !Object.hasOwn(input, "value") ? notWrapped : "";
    for (const answer of this.#answersIn(input)) {
      const value = this.#interpret(answer);
      const verdict = this.#checker.check(value);
      if (verdict.ok) {
        this.#outcome = { ok: true, value: structuredClone(value) };
        this.#endedByCall = true;
        return { content: "The answer was taken.", endsTurn: true };
      }
      misfit ||= verdict.message;
    }
    this.#misfit = misfit;
    const isOver = this.#countFailure(misfit);
    this.#endedByCall = isOver;
    const content = `The answer does not fit the schema: ${misfit}`;
    return { content, isError: true, ...(isOver ? { endsTurn: true } : {}) };
  }

  /** Returns the candidates for the answer: models leave out the expected property, or use one of their own (`output`, `result`). */
  #answersIn(input: ToolInput): unknown[] {
    const entries = Object.entries(input);
    // An empty input is no answer, even if the schema allows it.
    const whole = entries.length > 0 ? [input] : [];
    if (this.#isWrapped) return Object.hasOwn(input, "value") ? [input["value"]] : whole;
    const { properties } = this.#schema;
    const [[key, inner] = ["", input]] = entries;
    // If the schema names no properties, any property may belong to it.
    const isOwn = !isRecord(properties) || Object.hasOwn(properties, key);
    return isOwn || entries.length > 1 ? [input] : [input, inner];
  }

  /** Interprets the value like other inputs, if it then fits: a list as JSON in a string would otherwise be refused in each try. */
  #interpret(answer: unknown): unknown {
    if (this.#checker.check(answer).ok) return answer;
    const read = interpretValue(this.#schema, answer);
    return this.#checker.check(read).ok ? read : answer;
  }

  /** Counts as a try: a model whose calls are always refused would otherwise continue forever. An accepted answer is kept. */
  #refuse(why: string): boolean {
    const known = this.#outcome;
    const isOver = this.#countFailure(why);
    if (known.ok) this.#outcome = known;
    this.#endedByCall = isOver;
    return isOver;
  }

  /** A message whose whole text is a fitting answer is accepted, whatever hooks say about it, and replaces an earlier answer. */
  #readText(text: string): void {
    const endedByCall = this.#endedByCall;
    this.#endedByCall = false;
    const json = stripCodeFence(text);
    const value = endedByCall ? undefined : tryParseJson(json);
    // A JSON string keeps all its digits.
    const isKept = typeof value === "string" || findRoundedInteger(json) === undefined;
    if (value !== undefined && isKept && this.#checker.check(value).ok) this.#outcome = { ok: true, value };
  }

  /** Returns what the model has to be told if the turn cannot end yet, or null. */
  #missingReason(): string | null {
    if (this.#outcome.ok || this.#outcome.isOver) return null;
    return this.#countFailure(this.#misfit ?? missingAnswerText) ? null : missingAnswerText;
  }

  /** A hook that blocks, or a token budget, would otherwise give the model tries beyond the limit. */
  #lastTry(): Pick<TurnEndAnswer, "outOfTries"> {
    const outcome = this.#outcome;
    if (outcome.ok || !outcome.isOver) return {};
    return { outOfTries: "The model has used its last try at an answer that fits the schema, so the turn ends here." };
  }

  #countFailure(why: string): boolean {
    this.#tries += 1;
    const isOver = this.#tries >= this.#maxTries;
    this.#outcome = { ok: false, tries: this.#tries, isOver, why };
    return isOver;
  }
}

function createChecker(schema: JsonSchema): SchemaChecker {
  if (isStandardSchema(schema))
    throw new UsageError(
      "The schema of outputFormat must be a JSON Schema: for a schema of zod, pass z.toJSONSchema(schema).",
    );
  try {
    return new SchemaChecker(schema);
  } catch (error) {
    const why = errorText(error);
    throw new UsageError(`The schema of outputFormat (--json-schema) is not a valid JSON Schema: ${why}.`, {
      cause: error,
    });
  }
}

const disallowedAtTop = ["$ref", "allOf", "anyOf", "enum", "not", "oneOf"];

/** Whether the API accepts the schema for a tool: an object without alternatives at the top level. */
function isToolSchema(schema: JsonSchema): boolean {
  const { type, properties } = schema;
  const isObject = type === "object" || (type === undefined && properties !== undefined);
  return isObject && disallowedAtTop.every((key) => schema[key] === undefined);
}

/** Makes any other schema the single property of an object. */
function wrapSchema(schema: JsonSchema): ToolInputSchema {
  const { $schema, ...value } = schema;
  const { $defs, definitions, ...rest } = value;
  const isMoved = !hasOwnAddress(schema);
  return {
    type: "object",
    ...($schema === undefined ? {} : { $schema }),
    properties: { value: isMoved ? rebaseReferences(rest) : value },
    required: ["value"],
    additionalProperties: false,
    ...(isMoved && $defs !== undefined ? { $defs: rebaseReferences($defs) } : {}),
    ...(isMoved && definitions !== undefined ? { definitions: rebaseReferences(definitions) } : {}),
  };
}

/** All references in such a schema, and its own definitions, are found from its address, wherever it stands. */
function hasOwnAddress({ $id }: Record<string, unknown>): boolean {
  return typeof $id === "string" && !$id.startsWith("#");
}

/** Adjusts the references to parts that have moved. */
function rebaseReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rebaseReferences);
  if (!isRecord(value) || hasOwnAddress(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "$ref" && typeof inner === "string" ? [key, moveReference(inner)] : [key, rebaseReferences(inner)],
    ),
  );
}

/** A reference by the name of an anchor leads there wherever it stands. */
function moveReference(reference: string): string {
  return /^#(?=$|\/)(?!\/(?:\$defs|definitions)\/)/u.test(reference)
    ? `#/properties/value${reference.slice(1)}`
    : reference;
}

/** Models wrap the answer in a Markdown code fence. */
function stripCodeFence(text: string): string {
  return /^\s*```(?:json)?\s*\n([^]*?)\n?```\s*$/u.exec(text)?.[1] ?? text;
}
