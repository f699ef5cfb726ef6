/** Reads fields that people wrote, each as the type it should have. A value of the wrong type is reported once and left out. */
import { nearestName } from "../lib/edit-distance.ts";
import { isStringList } from "../lib/is-string-list.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";

/** Fields that are never misspelt ones: some resemble known names, and most files have some of the others, whose comparison takes time. */
const otherFields = new Set(
  "author category license maxTokens max_tokens metadata mode name tags title version".split(" "),
);

export class Fields {
  readonly problems: KnowledgeProblem[] = [];
  readonly #problemByField = new Map<string, KnowledgeProblem>();
  readonly #values: Record<string, unknown>;
  readonly #path: string;
  readonly #lineOf: (field: string) => number | undefined;

  constructor(
    values: Readonly<Record<string, unknown>>,
    path: string,
    lineOf: (field: string) => number | undefined = () => undefined,
  ) {
    this.#values = { ...values };
    this.#path = path;
    this.#lineOf = lineOf;
  }

  has(name: string): boolean {
    return this.raw(name) !== undefined;
  }

  /** Returns the value as written; undefined if it is null. */
  raw(name: string): unknown {
    const value = Object.hasOwn(this.#values, name) ? this.#values[name] : undefined;
    return value === null ? undefined : value;
  }

  /** Returns trimmed text; undefined if it is empty. */
  text(name: string): string | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    if (typeof value !== "string") return this.reportProblem(name, "should be text");
    return value.trim() === "" ? undefined : value.trim();
  }

  flag(name: string): boolean | undefined {
    const value = this.raw(name);
    if (value === undefined || typeof value === "boolean") return value;
    const word = typeof value === "string" || typeof value === "number" ? String(value).trim().toLowerCase() : "";
    if (["true", "yes", "on", "1"].includes(word)) return true;
    if (["false", "no", "off", "0"].includes(word)) return false;
    return this.reportProblem(name, "should be true or false");
  }

  /** Whether `list` would accept the whole value. */
  isTextOrTexts(name: string): boolean {
    const value = this.raw(name);
    return typeof value === "string" || isStringList(value);
  }

  /** Returns a list, or splits text at commas or blanks; text in parentheses or braces stays together. */
  list(name: string): string[] | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    if (typeof value === "string") return splitNames(value);
    if (!Array.isArray(value)) return this.reportProblem(name, "should be a list");
    const texts = (value as unknown[]).filter((each) => typeof each === "string");
    if (texts.length < value.length) this.reportProblem(name, "should be a list of texts; other values were left out");
    return texts.map((each) => each.trim()).filter((each) => each !== "");
  }

  /** Returns a list of rules. In YAML's brackets a comma ends a text even inside parentheses, so such parts are rejoined. */
  rules(name: string): string[] {
    const found: string[] = [];
    const written = this.list(name) ?? [];
    for (let at = 0; at < written.length; at++) {
      const closing = hasOpenParenthesis(written[at])
        ? written.findIndex((each, index) => index > at && each.endsWith(")"))
        : -1;
      const last = Math.max(at, closing);
      found.push(written.slice(at, last + 1).join(", "));
      at = last;
    }
    return found;
  }

  oneOf<Word extends string>(name: string, words: readonly Word[]): Word | undefined {
    const value = this.text(name);
    if (value === undefined) return undefined;
    return words.find((word) => word === value) ?? this.reportProblem(name, `should be one of ${words.join(", ")}`);
  }

  wholeNumber(name: string): number | undefined {
    const value = this.raw(name);
    if (value === undefined) return undefined;
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number === "number" && Number.isSafeInteger(number) && number > 0) return number;
    return this.reportProblem(name, "should be a whole number above 0");
  }

  /** Accepts other spellings of a field. A field that forbids something must count under them too: ignored, it would forbid nothing. */
  acceptAliases(name: string, aliases: readonly string[]): void {
    const found = aliases.find((other) => this.has(other));
    if (found === undefined) return;
    const hasMainName = this.has(name);
    this.reportProblem(found, `is ${hasMainName ? "ignored beside" : "read as"} "${name}", which is its name here`);
    if (!hasMainName) this.#values[name] = this.raw(found);
  }

  /** Reports fields that look like misspelt ones of `names`; those of `restricting` would have forbidden something. */
  reportMisspelt(names: readonly string[], restricting: readonly string[]): void {
    for (const name of Object.keys(this.#values)) {
      if (
        names.includes(name) ||
        this.#problemByField.has(name) ||
        otherFields.has(name) ||
        !/^[A-Za-z][\w-]*$/u.test(name)
      )
        continue;
      const near = nearestName(name, names);
      if (near === undefined) continue;
      const isLostRestriction = restricting.includes(near) && !this.has(near);
      this.reportProblem(name, `is ignored: the field is called "${near}"`, isLostRestriction);
    }
  }

  /** Reports a problem with a field. Returns undefined, as the field's value. */
  reportProblem(name: string, reason: string, isLostRestriction = false): undefined {
    const line = this.#lineOf(name);
    const problem: KnowledgeProblem = {
      path: this.#path,
      ...(line === undefined ? {} : { line }),
      reason: `"${name}" ${reason}`,
      ...(isLostRestriction ? { isLostRestriction } : {}),
    };
    this.problems.push(problem);
    this.#problemByField.set(name, problem);
    return undefined;
  }

  /** Returns the problem reported for a field. */
  problemOf(name: string): KnowledgeProblem | undefined {
    return this.#problemByField.get(name);
  }
}

function hasOpenParenthesis(text = ""): boolean {
  return /\([^)]*$/u.test(text);
}

/** Splits names in forms such as `Read, Bash(git add *)`, `Read Bash(jq:*)`, `"Read", "Grep"` and `*.{ts,tsx}, docs/**`. */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let name = "";
  for (const character of text) {
    if (character === "(" || character === "{") depth += 1;
    if ((character === ")" || character === "}") && depth > 0) depth -= 1;
    if (depth > 0 || !/[\s,]/u.test(character)) name += character;
    else if (name !== "") {
      names.push(name);
      name = "";
    }
  }
  if (name !== "") names.push(name);
  return names.map((each) => each.replace(/^(["'])(.+)\1$/u, "$2"));
}
