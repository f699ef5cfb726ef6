/** Small checks that compose into bigger ones; each reports what is wrong at which path. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isObject } from "../wire/types.ts";

export type Check = (value: unknown, path: string, problems: string[]) => void;

export function say(problems: string[], path: string, text: string): void {
  problems.push(`${path === "" ? "the script" : path}: ${text}`);
}

function kind(name: "string" | "number" | "boolean"): Check {
  return (value, path, problems) => {
    if (typeof value !== name) say(problems, path, `must be a ${name}, is ${shown(value)}`);
  };
}

export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  if (typeof value === "function") return "a function";
  const json = JSON.stringify(value);
  return json.length > 60 ? `${json.slice(0, 60)}…` : json;
}

/** Bounds are inclusive. Infinity is refused, because `JSON.parse` reads `1e999` as infinite. */
export function numberFrom(minimum: number, maximum = Number.POSITIVE_INFINITY): Check {
  const bounds = maximum === Number.POSITIVE_INFINITY ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  return (value, path, problems) => {
    const isInside = typeof value === "number" && value >= minimum && value <= maximum;
    if (!isInside || value === Number.POSITIVE_INFINITY)
      say(problems, path, `must be a number ${bounds}, is ${shown(value)}`);
  };
}

export const string = kind("string");
export const number = kind("number");
export const boolean = kind("boolean");
export const anything: Check = () => undefined;

export function oneOf(...values: readonly (string | boolean)[]): Check {
  return (value, path, problems) => {
    if (values.includes(value as never)) return;
    say(
      problems,
      path,
      `must be one of ${values.map((entry) => JSON.stringify(entry)).join(", ")}; is ${shown(value)}`,
    );
  };
}

export function list(check: Check): Check {
  return (value, path, problems) => {
    if (!Array.isArray(value)) say(problems, path, `must be a list, is ${shown(value)}`);
    else value.forEach((entry, index) => check(entry, `${path}[${index}]`, problems));
  };
}

export function record(check: Check): Check {
  return (value, path, problems) => {
    if (!isObject(value)) say(problems, path, `must be an object, is ${shown(value)}`);
    else for (const key in value) check(value[key], `${path}.${key}`, problems);
  };
}

/** Response headers that Node can send. */
export const headers: Check = (value, path, problems) => {
  record(string)(value, path, problems);
  if (!isObject(value)) return;
  for (const [name, text] of Object.entries(value)) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, String(text));
    } catch (error) {
      say(problems, `${path}.${name}`, (error as Error).message);
    }
  }
};

export function object(fields: Record<string, Check>, required: readonly string[] = []): Check {
  return (value, path, problems) => {
    if (!isObject(value)) {
      say(problems, path, `must be an object, is ${shown(value)}`);
      return;
    }
    const at = (key: string) => (path === "" ? key : `${path}.${key}`);
    for (const key of required) if (value[key] === undefined) say(problems, path, `needs "${key}"`);
    for (const key in value) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined) say(problems, path, `unknown key "${key}"; allowed: ${Object.keys(fields).join(", ")}`);
      else if (value[key] !== undefined) check(value[key], at(key), problems);
    }
  };
}

/** Applies the first check whose test holds. */
export function choose(branches: readonly [(value: unknown) => boolean, Check][], otherwise: string): Check {
  return (value, path, problems) => {
    const branch = branches.find(([test]) => test(value));
    if (branch === undefined) say(problems, path, `${otherwise}; is ${shown(value)}`);
    else branch[1](value, path, problems);
  };
}
