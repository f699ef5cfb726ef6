/** The loop's view of the tools: a sorted, memoised list, and schemas checked by a validator that is loaded with the first call. */
import type { Schema, Validator } from "@cfworker/json-schema";
import type { ToolsPort } from "../loop/ports.ts";
import { told } from "./schema-errors.ts";
import type { InputVerdict, Tool, ToolDefinition, ToolInput, ToolInputSchema } from "../protocol/tool.ts";

type ValidatorClass = new (schema: Schema, draft: "2020-12", shortCircuit: boolean) => Validator;

export interface ToolsView extends ToolsPort {
  readonly names: string[];
}

export function createToolsPort(tools: readonly Tool[], cwd: () => string, validator: ValidatorClass): ToolsView {
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const definitions: ToolDefinition[] = sorted.map(({ name, description, inputSchema }) => ({
    name,
    description,
    inputSchema,
  }));
  const byName = new Map<string, Tool>();
  for (const tool of sorted) for (const alias of tool.aliases ?? []) byName.set(alias, tool);
  for (const tool of sorted) byName.set(tool.name, tool);
  const own = new Set(sorted.filter((tool) => tool.checksOwnInput === true).map((tool) => tool.inputSchema));
  const validators = new WeakMap<ToolInputSchema, Validator>();
  // An input is judged when its call is queued and again when it runs. Whoever changes one makes a new object of it.
  const judged = new WeakMap<ToolInput, { schema: ToolInputSchema; verdict: InputVerdict }>();
  return {
    names: sorted.map((tool) => tool.name),
    definitions: () => definitions,
    find: (name) => byName.get(name),
    cwd,
    validate(schema, input) {
      if (own.has(schema)) return { ok: true };
      const known = judged.get(input);
      if (known?.schema === schema) return known.verdict;
      let compiled = validators.get(schema);
      if (compiled === undefined) {
        compiled = new validator(schema as Schema, "2020-12", false);
        validators.set(schema, compiled);
      }
      const verdict = verdictOf(compiled, input);
      if (verdict.ok) judged.set(input, { schema, verdict });
      return verdict;
    },
  };
}

function verdictOf(validator: Validator, input: ToolInput): InputVerdict {
  const { valid, errors } = validator.validate(input);
  return valid ? { ok: true } : { ok: false, message: told(errors) };
}
