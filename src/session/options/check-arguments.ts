/** Checks of the arguments that untyped programs pass, made before anything is started with them. */
import { nearestName } from "../../lib/edit-distance.ts";
import { withoutUndefined } from "../../lib/without-undefined.ts";
import { errorText } from "../../lib/error-text.ts";
import { maxValueDepth, isDeeperThan } from "../../lib/is-deeper.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isPromise } from "../../lib/steps.ts";
import { UsageError } from "../../lib/usage-error.ts";

type Values = Readonly<Record<string, unknown>>;

/** Throws `UsageError` with this message if `isWrong`. */
export function refuseIf(isWrong: boolean, message: string): void {
  if (isWrong) throw new UsageError(message);
}

/** Throws `UsageError` for the first value that is not a string. */
export function checkTexts(values: Values): void {
  for (const [name, value] of Object.entries(values))
    if (typeof value !== "string") throw new UsageError(`${name} must be a string, not ${kindOf(value)}.`);
}

/** The same, ignoring undefined values. */
export function checkOptionalTexts(values: Values): void {
  checkTexts(withoutUndefined(values));
}

/** Checks the options of a prompt. The uuid is recorded and looked up later. */
export function checkSubmit(options: { uuid?: string }): void {
  checkObject("options", options);
  checkOptionalTexts({ uuid: options.uuid });
}

/** Throws `UsageError` unless `prompts` is a string or an async iterable. */
export function checkPrompts(name: string, prompts: unknown): void {
  if (typeof prompts === "string") return;
  if (isAsyncIterable(prompts)) return;
  throw new UsageError(`${name} must be a string or an async iterable of prompts, not ${kindOf(prompts)}.`);
}

function isAsyncIterable(value: unknown): boolean {
  try {
    return typeof value === "object" && value !== null && Symbol.asyncIterator in value;
  } catch {
    return false;
  }
}

/** Throws `UsageError` for a prompt that is not a list of content blocks. The caller has already handled strings. */
export function checkBlocks(value: unknown): void {
  if (!Array.isArray(value))
    throw new UsageError(`A prompt must be a string or a list of blocks, not ${kindOf(value)}.`);
}

/** Checks the parameters of `query()`. */
export function checkQuery(params: unknown): void {
  checkObject("The argument of query()", params);
  checkParameters("query()", params as object, ["prompt", "options"]);
  checkPrompts("prompt", (params as { prompt?: unknown }).prompt);
}

/** Throws `UsageError` for a parameter that would be ignored, such as an option outside `options`. Undefined values count as absent. */
export function checkParameters(callee: string, params: object, known: readonly string[]): void {
  const unknown = unknownName(params, known);
  if (unknown === undefined) return;
  const { name, near } = unknown;
  const advice = near === undefined ? "put it into options." : `did you mean ${near}?`;
  throw new UsageError(`${callee} has no parameter ${name}: ${advice}`);
}

/** Throws `UsageError` for an option that would be ignored, of a thing described by `what`. Undefined values count as absent. */
export function checkNames(options: object, known: readonly string[], what?: string): void {
  const unknown = unknownName(options, known);
  if (unknown === undefined) return;
  const { name, near } = unknown;
  const owner = what === undefined ? "There is" : `${what} has`;
  throw new UsageError(`${owner} no option ${name}${near === undefined ? "." : `: did you mean ${near}?`}`);
}

function unknownName(values: object, known: readonly string[]): { name: string; near: string | undefined } | undefined {
  const name = Object.keys(withoutUndefined({ ...values })).find((key) => !known.includes(key));
  return name === undefined ? undefined : { name: name.slice(0, 80), near: nearestName(name, known) };
}

/** Throws `UsageError` for a value that is not an object, or whose fields cannot be read. */
export function checkObject(name: string, value: unknown): void {
  if (!isReadable(name, value)) throw new UsageError(`${name} must be an object, not ${kindOf(value)}.`);
}

/** The same for `options`, and for each option in it whose value cannot be read. */
export function checkOptionObjects(options: unknown): void {
  checkObject("options", options);
  for (const [name, value] of Object.entries(options as object)) {
    checkReadable(`The option ${name}`, value);
    const fieldless = fieldlessKind(value);
    refuseIf(fieldless === "a promise", `The option ${name} is a promise: await it.`);
    refuseIf(fieldless === "a Map", `The option ${name} must be a plain object, not a Map.`);
  }
}

/** Throws `UsageError` for an object whose fields cannot be read. */
export function checkReadable(name: string, value: unknown): void {
  isReadable(name, value);
}

function isReadable(name: string, value: unknown): boolean {
  return readOrRefuse(
    name,
    () => isRecord(value) && Object.entries(value).length >= 0 && fieldlessKind(value) === undefined,
  );
}

/** Returns the result of `read`. Throws `UsageError` if `read` throws. */
export function readOrRefuse<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${errorText(error)}.`, { cause: error });
  }
}

/** Throws `UsageError` for a value that JSON cannot hold: it contains itself or a bigint, or is nested too deep. */
export function jsonText(name: string, value: object): string {
  try {
    const text = JSON.stringify(value) ?? "";
    if (isDeeperThan(value, maxValueDepth)) throw new RangeError();
    return text;
  } catch (error) {
    // Only the first line: the others draw the cycle.
    const why = error instanceof RangeError ? "it is nested too deep" : errorText(error).split("\n", 1)[0];
    throw new UsageError(`${name} cannot be used: it cannot be written as JSON (${why}).`, { cause: error });
  }
}

/** Throws `UsageError` for a value that is neither undefined nor an AbortSignal. */
export function checkSignal(value: unknown): void {
  if (value !== undefined && !(value instanceof AbortSignal))
    throw new UsageError(`signal must be an AbortSignal, not ${kindOf(value)}.`);
}

/** Returns the signal of options that consist of nothing else. Throws `UsageError` as `checkObject` and `checkSignal` do. */
export function signalIn(options: { signal?: AbortSignal }): AbortSignal | undefined {
  checkObject("options", options);
  const { signal } = options;
  checkSignal(signal);
  return signal;
}

/** Throws `UsageError` for a value that is not a function. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== "function") throw new UsageError(`${name} must be a function, not ${kindOf(value)}.`);
}

/** Names the kind of an object without fields of its own, which would otherwise pass for an empty object. */
function fieldlessKind(value: unknown): "a promise" | "a Map" | undefined {
  try {
    if (isPromise(value)) return "a promise";
    return Object.prototype.toString.call(value) === "[object Map]" && isPlainMap(value) ? "a Map" : undefined;
  } catch {
    // The object refuses to be inspected, such as a revoked proxy.
    return undefined;
  }
}

/** Whether the map is a plain one. An instance of a subclass may be a port; there the tag is inherited. */
function isPlainMap(map: unknown): boolean {
  return Object.hasOwn(Object.getPrototypeOf(map) as object, Symbol.toStringTag);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "object") return fieldlessKind(value) ?? (Array.isArray(value) ? "a list" : "an object");
  return `a ${typeof value}`;
}
