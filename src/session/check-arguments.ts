/** What programs without types hand over: told before anything is begun with it. */
import { isRecord } from "../lib/is-record.ts";
import { UsageError } from "../lib/usage-error.ts";

type Values = Readonly<Record<string, unknown>>;

/** Throws `UsageError` for the first value that is no text. */
export function checkTexts(values: Values): void {
  for (const [name, value] of Object.entries(values))
    if (typeof value !== "string") throw new UsageError(`${name} is a text, not ${kindOf(value)}.`);
}

/** The same of those that are there. */
export function checkOptionalTexts(values: Values): void {
  checkTexts(Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)));
}

/** Throws `UsageError` for what is neither a text nor an async iterable. */
export function checkPrompts(name: string, prompts: unknown): void {
  if (typeof prompts === "string") return;
  if (typeof prompts === "object" && prompts !== null && Symbol.asyncIterator in prompts) return;
  throw new UsageError(`${name} is a text or an async iterable of prompts, not ${kindOf(prompts)}.`);
}

/** Throws `UsageError` for a prompt that is neither a text nor a list of blocks. */
export function checkBlocks(name: string, value: unknown): void {
  if (!Array.isArray(value)) throw new UsageError(`${name} is a text or a list of blocks, not ${kindOf(value)}.`);
}

/** What `query()` takes. */
export function checkQuery(params: unknown): void {
  checkObject("what query() takes", params);
  const { prompt, options } = params as { prompt?: unknown; options?: unknown };
  checkPrompts("prompt", prompt);
  checkObject("options", options ?? {});
}

/** Throws `UsageError` for what is no object. */
export function checkObject(name: string, value: unknown): void {
  if (!isRecord(value)) throw new UsageError(`${name} is an object, not ${kindOf(value)}.`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return `a ${typeof value}`;
}
