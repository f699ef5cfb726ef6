/** Small checks that compose into bigger ones; each reports what is wrong at which path. */
import { validateHeaderName, validateHeaderValue } from "node:http";
import { isObject } from "../wire/types.ts";

export type Check = (value: unknown, path: string, problems: string[]) => void;

export function addProblem(problems: string[], path: string, text: string): void {
  problems.push(`${path === "" ? "the script" : path}: ${text}`);
}

function typeCheck(name: "string" | "number" | "boolean"): Check {
  return (value, path, problems) => {
    if (typeof value !== name) addProblem(problems, path, `must be a ${name}, is ${showValue(value)}`);
  };
}

export function showValue(value: unknown): string {
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
      addProblem(problems, path, `must be a number ${bounds}, is ${showValue(value)}`);
  };
}

export const string = typeCheck("string");
export const number = typeCheck("number");
export const boolean = typeCheck("boolean");
export const anything: Check = () => undefined;

export function oneOf(...values: readonly (string | boolean)[]): Check {
  return (value, path, problems) => {
    if (values.includes(value as never)) return;
    addProblem(
      problems,
      path,
      `must be one of ${values.map((entry) => JSON.stringify(entry)).join(", ")}; is ${showValue(value)}`,
    );
  };
}

export function list(check: Check): Check {
  return (value, path, problems) => {
    if (!Array.isArray(value)) addProblem(problems, path, `must be a list, is ${showValue(value)}`);
    else value.forEach((entry, index) => check(entry, `${path}[${index}]`, problems));
  };
}

export function record(check: Check): Check {
  return (value, path, problems) => {
    if (!isObject(value)) addProblem(problems, path, `must be an object, is ${showValue(value)}`);
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
      addProblem(problems, `${path}.${name}`, (error as Error).message);
    }
  }
};

export function object(fields: Record<string, Check>, required: readonly string[] = []): Check {
  return (value, path, problems) => {
    if (!isObject(value)) {
      addProblem(problems, path, `must be an object, is ${showValue(value)}`);
      return;
    }
    const at = (key: string) => (path === "" ? key : `${path}.${key}`);
    for (const key of required) if (value[key] === undefined) addProblem(problems, path, `needs "${key}"`);
    for (const key in value) {
      const check = Object.hasOwn(fields, key) ? fields[key] : undefined;
      if (check === undefined)
        addProblem(problems, path, `unknown key "${key}"; allowed: ${Object.keys(fields).join(", ")}`);
      else if (value[key] !== undefined) check(value[key], at(key), problems);
    }
  };
}

/** Applies the first check whose test holds. */
export function choose(branches: readonly [(value: unknown) => boolean, Check][], otherwise: string): Check {
  return (value, path, problems) => {
    const branch = branches.find(([test]) => test(value));
    if (branch === undefined) addProblem(problems, path, `${otherwise}; is ${showValue(value)}`);
    else branch[1](value, path, problems);
  };
}
