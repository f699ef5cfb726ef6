/** A JSON Schema given by a caller: whether it is valid, and whether a value fits it. */
import { dereference, Validator, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { errorText } from "../../lib/error-text.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import type { InputVerdict } from "../../protocol/tool.ts";
import { describeSchemaErrors } from "./schema-errors.ts";
import { toCheckableSchema, schemasIn } from "./checked-schema.ts";
import { schemaProblem } from "./schema-problem.ts";

export type JsonSchema = Record<string, unknown>;

export class SchemaChecker {
  readonly #validator: Validator;

  /** Throws an `Error` whose message says what is wrong with the schema. */
  constructor(schema: JsonSchema) {
    const wrong = schemaProblem(schema);
    if (wrong !== undefined) throw new Error(wrong);
    const checked = toCheckableSchema(copyJson(schema)) as Schema;
    const lost = unresolvedReference(checked);
    if (lost !== undefined) throw new Error(`one of its "$ref"s leads nowhere: ${JSON.stringify(lost)}`);
    this.#validator = new Validator(checked, draftOf(schema), false);
    for (const probe of [{}, [], "", 0]) this.#validator.validate(probe);
  }

  /** A value that cannot be checked does not fit. */
  check(value: unknown): InputVerdict {
    try {
      const { valid, errors } = this.#validator.validate(value);
      return valid ? { ok: true } : { ok: false, message: describeSchemaErrors(errors) };
    } catch (error) {
      return { ok: false, message: `it cannot be checked (${errorText(error)})` };
    }
  }
}

/** Returns a `$ref` without a target. A value might reach it only at the end of a run, so it is looked for beforehand. */
function unresolvedReference(schema: Schema): string | undefined {
  const places = dereference(schema);
  for (const { $ref, __absolute_ref__: place } of schemasIn(schema))
    if (typeof $ref === "string" && places[typeof place === "string" ? place : $ref] === undefined) return $ref;
  return undefined;
}

function draftOf({ $schema }: JsonSchema): SchemaDraft {
  const [draft] = /draft-0[47]|2019-09/u.exec(typeof $schema === "string" ? $schema : "") ?? [];
  switch (draft) {
    case "draft-04":
      return "4";
    case "draft-07":
      return "7";
    case "2019-09":
      return "2019-09";
    default:
      return "2020-12";
  }
}
