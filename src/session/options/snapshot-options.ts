/** A copy of the options, which the program may change as soon as it has passed them. */
import { isRecord } from "../../lib/is-record.ts";
import { checkObject, readOrRefuse } from "./check-arguments.ts";
import { knownNames } from "./option-names.ts";

/**
 * Returns a copy of the options as they are now, since a program may change its object, and the lists and tables in it, for the next
 * session at once. Includes properties that the object inherits from its class or prototype; functions stay bound to the object. Throws
 * `UsageError` for a value that is not an object or cannot be read.
 */
export function snapshotOptions<Given extends object>(options: Given): Given {
  checkObject("options", options);
  const names = readOrRefuse(
    "options",
    () => new Set([...propertyNames(options), ...knownNames.filter((name) => name in options)]),
  );
  return Object.fromEntries(
    [...names].map((name) => {
      const value: unknown = readOrRefuse("options", () => Reflect.get(options, name));
      if (typeof value === "function") return [name, value.bind(options)];
      return [name, readOrRefuse(`The option ${name}`, () => copyDeep(value, new Map()))];
    }),
  ) as Given;
}

/** Returns own and inherited property names. Inherited methods that are no known option are left out. */
function propertyNames(object: object): string[] {
  const names: string[] = [];
  for (const name in object) {
    const isInherited = !Object.hasOwn(object, name);
    if (!isInherited || !(name in Object.prototype || typeof Reflect.get(object, name) === "function"))
      names.push(name);
  }
  return names;
}

/** Copies a value and everything in it. `copies` maps what was already copied to its copy, since a value may contain itself. */
function copyDeep(value: unknown, copies: Map<unknown, unknown>): unknown {
  if (copies.has(value)) return copies.get(value);
  const copy = copyShallow(value);
  copies.set(value, copy);
  if (copy !== value)
    for (const [name, inner] of Object.entries(Object(copy))) Reflect.set(Object(copy), name, copyDeep(inner, copies));
  return copy;
}

/** An object with functions may be a live object rather than a table, so it is not copied. */
function copyShallow(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  if (!isRecord(value) || !isBarePrototype(Reflect.getPrototypeOf(value))) return value;
  const copy = { ...value };
  return Object.values(copy).some((field) => typeof field === "function") ? value : copy;
}

/** `process.env` has a prototype of its own, which adds nothing. */
function isBarePrototype(prototype: object | null): boolean {
  if (prototype === null || prototype === Object.prototype) return true;
  const isBare = Reflect.ownKeys(prototype).every((name) => name === "constructor");
  return isBare && isBarePrototype(Reflect.getPrototypeOf(prototype));
}
