/**
 * An answer in the form the caller asked for. The model gives it with a tool, whose success ends the turn; a turn that would end
 * without it is kept going, so many times. What is no answer is never told as one.
 */
import type { Tool, ToolInput, ToolInputSchema, ToolResult } from "../../protocol/tool.ts";
import type { TurnEndPort } from "../../protocol/turn-end.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { SchemaChecker, type JsonSchema } from "./json-schema.ts";
import { isRecord } from "../../lib/is-record.ts";

export type StructuredOutcome =
  | { ok: true; value: unknown }
  /** `tries`: how many there were, where there are no more. */
  | { ok: false; tries?: number; why: string };

export const structuredToolName = "StructuredOutput";
const defaultTries = 5;
const missing = `Your answer has to be given with the tool ${structuredToolName}: call it once, with the whole answer.`;
const description =
  "Gives the final answer, in the form that is asked for. Call it exactly once, when the work is done, in place of a closing message; nothing you write besides is read.";

export interface StructuredOutputOptions {
  schema: JsonSchema;
  /** `MAX_STRUCTURED_OUTPUT_RETRIES`. */
  tries?: number;
}

export class StructuredOutput {
  readonly tool: Tool;
  readonly #checker: SchemaChecker;
  readonly #isWrapped: boolean;
  readonly #mostTries: number;
  #outcome: StructuredOutcome = { ok: false, why: missing };
  #tries = 0;

  /** Throws `UsageError` where the schema is none. */
  constructor({ schema, tries = defaultTries }: StructuredOutputOptions) {
    this.#checker = checkerOf(schema);
    this.#isWrapped = !isToolSchema(schema);
    this.#mostTries = tries;
    this.tool = {
      name: structuredToolName,
      description,
      inputSchema: this.#isWrapped ? wrapped(schema) : ({ ...schema, type: "object" } as ToolInputSchema),
      checksOwnInput: true,
      isConcurrencySafe: () => false,
      isReadOnly: () => true,
      replay: "safe",
      maxResultSizeChars: 10_000,
      call: async (input) => this.#take(input),
    };
  }

  /** A new user turn: its answer is to come. */
  begin(): void {
    this.#tries = 0;
    this.#outcome = { ok: false, why: missing };
  }

  get outcome(): StructuredOutcome {
    return this.#outcome;
  }

  /** The same end of a turn, and after it the question whether there is an answer. */
  watch(turnEnd: TurnEndPort): TurnEndPort {
    const owing = (text: string): string | null => this.#owing(text);
    return {
      register: (name, dispose) => turnEnd.register(name, dispose),
      *steps(end, signal) {
        const answer = yield* turnEnd.steps(end, signal);
        if (answer.prevented !== null || answer.blocking.length > 0) return answer;
        const reason = owing(end.lastAssistantMessage);
        return reason === null ? answer : { ...answer, blocking: [{ event: structuredToolName, reason }] };
      },
    };
  }

  #take(input: ToolInput): ToolResult {
    const value = this.#isWrapped ? input["value"] : input;
    const verdict = this.#checker.check(value);
    if (verdict.ok) {
      this.#outcome = { ok: true, value: structuredClone(value) };
      return { content: "The answer was taken.", endsTurn: true };
    }
    this.#fail(verdict.message);
    const isOver = this.#tries >= this.#mostTries;
    const content = `The answer does not fit the schema: ${verdict.message}`;
    return { content, isError: true, ...(isOver ? { endsTurn: true } : {}) };
  }

  /** What the model has to be told where the turn cannot end yet. A message that is the answer by itself will do. */
  #owing(text: string): string | null {
    if (this.#outcome.ok || this.#outcome.tries !== undefined) return null;
    const said = jsonIn(text);
    if (said !== undefined && this.#checker.check(said.value).ok) {
      this.#outcome = { ok: true, value: said.value };
      return null;
    }
    this.#fail(missing);
    return this.#tries >= this.#mostTries ? null : missing;
  }

  #fail(why: string): void {
    this.#tries += 1;
    this.#outcome = { ok: false, why, ...(this.#tries >= this.#mostTries ? { tries: this.#tries } : {}) };
  }
}

function checkerOf(schema: JsonSchema): SchemaChecker {
  try {
    return new SchemaChecker(schema);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--json-schema is not a valid JSON Schema: ${why}.`, { cause: error });
  }
}

const notAtTheTop = ["$ref", "allOf", "anyOf", "enum", "not", "oneOf"];

/** What the API takes for a tool: an object, and no alternatives at the top. */
function isToolSchema(schema: JsonSchema): boolean {
  const { type, properties } = schema;
  const isObject = type === "object" || (type === undefined && properties !== undefined);
  return isObject && notAtTheTop.every((key) => schema[key] === undefined);
}

/** Anything else is the one property of an object. */
function wrapped(schema: JsonSchema): ToolInputSchema {
  const { $defs, definitions, $schema, ...rest } = schema;
  return {
    type: "object",
    ...($schema === undefined ? {} : { $schema }),
    properties: { value: rebased(rest) },
    required: ["value"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs: rebased($defs) }),
    ...(definitions === undefined ? {} : { definitions: rebased(definitions) }),
  };
}

/** References to what has moved. */
function rebased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rebased);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === "$ref" && typeof inner === "string" ? [key, moved(inner)] : [key, rebased(inner)],
    ),
  );
}

function moved(reference: string): string {
  return /^#(?!\/(?:\$defs|definitions)\/)/u.test(reference) ? `#/properties/value${reference.slice(1)}` : reference;
}

function jsonIn(text: string): { value: unknown } | undefined {
  const [, fenced] = /^\s*```(?:json)?\s*\n([^]*?)\n?```\s*$/u.exec(text) ?? [];
  try {
    return { value: JSON.parse(fenced ?? text) as unknown };
  } catch {
    return undefined;
  }
}
