/** The kinds of values that options take. */
import { isRecord } from "../../lib/is-record.ts";
import { isStringList } from "../../lib/is-string-list.ts";
import { refuseIf } from "./check-arguments.ts";

interface KindRule {
  /** Completes the sentence "The option … must be". */
  expected: string;
  accepts: (value: unknown) => boolean;
}

const kinds = {
  text: { expected: "a string", accepts: (value) => typeof value === "string" },
  number: { expected: "a number", accepts: (value) => typeof value === "number" },
  flag: { expected: "true or false", accepts: (value) => typeof value === "boolean" },
  function: { expected: "a function", accepts: (value) => typeof value === "function" },
  texts: { expected: "a list of strings", accepts: isStringList },
  list: { expected: "a list", accepts: (value) => Array.isArray(value) },
  object: { expected: "an object", accepts: isRecord },
  textOrTexts: {
    expected: "a string or a list of strings",
    accepts: (value) => typeof value === "string" || isStringList(value),
  },
} satisfies Record<string, KindRule>;

export type OptionKind = keyof typeof kinds;

/** Throws `UsageError` for a value of another kind. */
export function checkKind(name: string, kind: OptionKind, value: unknown): void {
  const { expected, accepts } = kinds[kind];
  refuseIf(!accepts(value), `The option ${name} must be ${expected}.`);
}
