/** The loop's view of the tools: a sorted, memoized list, and schemas checked by a validator that is loaded with the first call. */
import type { Schema, Validator } from "@cfworker/json-schema";
import type { ToolsPort } from "../../loop/ports.ts";
import { copyJson } from "../../protocol/copy-json.ts";
import { unknownFields, unknownFieldsText, existingToolsText } from "./unknown-names.ts";
import { interpretValue } from "./interpret-input.ts";
import { describeSchemaErrors } from "./schema-errors.ts";
import { toCheckableSchema } from "./checked-schema.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { InputVerdict, Tool, ToolDefinition, ToolInput, ToolInputSchema } from "../../protocol/tool.ts";

type ValidatorClass = new (schema: Schema, draft: "2020-12", shortCircuit: boolean) => Validator;

export interface ToolsView extends ToolsPort {
  /** The names of the tools on offer. */
  names(): string[];
  /** Appends tools to the list that is sent. A tool already on the list keeps its sent definition, but calls go to the new one. */
  offer(tools: readonly Tool[]): void;
  /** Makes tools callable from now on without sending them. */
  makeCallable(tools: readonly Tool[]): void;
}

/** Shared by all sessions of the process, since their built-in tools have the same schema objects. */
const compiledValidators = new WeakMap<ToolInputSchema, Validator>();

/** Older entries are forgotten, and their inputs are checked again. */
const maxRemembered = 64;

/**
 * Remembers the inputs that were found to fit, when they were read and when their call was queued. Each entry is valid for one lookup.
 * Code that changes an input makes a new object, so an entry cannot become outdated.
 */
class FittingInputs {
  readonly #inputs: { input: ToolInput; schema: ToolInputSchema; at: "read" | "queued" }[] = [];

  add(input: ToolInput, schema: ToolInputSchema, at: "read" | "queued"): void {
    if (this.#inputs.length === maxRemembered) this.#inputs.shift();
    this.#inputs.push({ input, schema, at });
  }

  take(input: ToolInput, schema: ToolInputSchema, at: "read" | "queued"): boolean {
    const index = this.#inputs.findLastIndex(
      (found) => found.input === input && found.schema === schema && found.at === at,
    );
    if (index !== -1) this.#inputs.splice(index, 1);
    return index !== -1;
  }
}
const fitsVerdict: InputVerdict = { ok: true };
const noErrors = { valid: true, errors: [] };

/** `aliases`: the tool that a name stands for, even if another tool has that name. `hostToolNames`: names of the host's own tools. */
export function createToolsPort(
  tools: readonly Tool[],
  cwd: () => string,
  validator: ValidatorClass,
  aliases: Readonly<Record<string, string>> = {},
  hostToolNames: readonly string[] = [],
): ToolsView {
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  let definitions: ToolDefinition[] = sorted.map(definitionOf);
  const byName = new Map<string, Tool>();
  for (const tool of sorted) for (const alias of tool.aliases ?? []) byName.set(alias, tool);
  for (const tool of sorted) byName.set(tool.name, tool);
  // Inputs of foreign tools, including those of servers, are only checked against their schemas and never reinterpreted.
  const ownSchemas = new Set(
    sorted.filter((tool) => !hostToolNames.includes(tool.name)).map((tool) => tool.inputSchema),
  );
  const own = new Set(sorted.filter((tool) => tool.checksOwnInput === true).map((tool) => tool.inputSchema));
  const answered = new Map(
    sorted.flatMap(({ inputSchema, answeredFields }) => (answeredFields ? [[inputSchema, answeredFields]] : [])),
  );
  const fitting = new FittingInputs();
  const check = (schema: ToolInputSchema, input: ToolInput) => validatorFor(schema, validator).validate(input);
  const makeCallable = (newTools: readonly Tool[]): void => {
    for (const tool of newTools) byName.set(tool.name, tool);
  };
  return {
    names: () => definitions.map(({ name }) => name),
    makeCallable,
    offer(newTools) {
      makeCallable(newTools);
      const sent = new Set(definitions.map(({ name }) => name));
      const added = newTools.filter(({ name }) => !sent.has(name));
      if (added.length > 0) definitions = [...definitions, ...added.map(definitionOf)];
    },
    definitions: () => definitions,
    find: (name) => byName.get(Object.hasOwn(aliases, name) ? (aliases[name] ?? name) : name),
    cwd,
    validate(schema, input) {
      if (own.has(schema)) return fitsVerdict;
      if (fitting.take(input, schema, "queued")) return fitsVerdict;
      const { valid, errors } = fitting.take(input, schema, "read") ? noErrors : check(schema, input);
      if (!valid)
        return {
          ok: false,
          message: ownSchemas.has(schema) ? misfitText(schema, input, check) : describeSchemaErrors(errors),
        };
      fitting.add(input, schema, "queued");
      return fitsVerdict;
    },
    passedOver: (schema, input) => (ownSchemas.has(schema) && !own.has(schema) ? unknownFields(schema, input) : []),
    insteadOf: (name) => existingToolsText(name, definitions),
    meant(schema, givenInput) {
      const input = withoutFields(givenInput, answered.get(schema));
      if (own.has(schema) || !ownSchemas.has(schema)) return input;
      const read = check(schema, input).valid ? input : interpretValue(schema, input);
      if (!isRecord(read) || (read !== input && !check(schema, read).valid)) return undefined;
      fitting.add(read, schema, "read");
      return read;
    },
  };
}

type Check = (schema: ToolInputSchema, input: ToolInput) => ReturnType<Validator["validate"]>;

/** Explains what is wrong with the input as it was plainly meant, or with the literal input if the meant one would fit. */
function misfitText(schema: ToolInputSchema, input: ToolInput, check: Check): string {
  const { valid, errors } = check(schema, interpretValue(schema, input) as ToolInput);
  return (
    describeSchemaErrors(valid ? check(schema, input).errors : errors) + unknownFieldsText(unknownFields(schema, input))
  );
}

/** Returns the same object if it has none of the fields. */
function withoutFields(input: ToolInput, fields: readonly string[] = []): ToolInput {
  if (!isRecord(input) || !fields.some((field) => Object.hasOwn(input, field))) return input;
  return Object.fromEntries(Object.entries(input).filter(([name]) => !fields.includes(name)));
}

function validatorFor(schema: ToolInputSchema, validator: ValidatorClass): Validator {
  const known = compiledValidators.get(schema);
  if (known !== undefined) return known;
  // A copy, because the validator writes into the schema, which is the host's and may be frozen.
  const created = new validator(toCheckableSchema(copyJson(schema)) as Schema, "2020-12", false);
  compiledValidators.set(schema, created);
  return created;
}

/** Shared like the validators: the same tool has the same definition in every session. */
const toolDefinitions = new WeakMap<ToolInputSchema, ToolDefinition>();

function definitionOf({ name, description, inputSchema }: Tool): ToolDefinition {
  const known = toolDefinitions.get(inputSchema);
  if (known?.name === name && known.description === description) return known;
  const definition = Object.freeze({ name, description, inputSchema });
  toolDefinitions.set(inputSchema, definition);
  return definition;
}
