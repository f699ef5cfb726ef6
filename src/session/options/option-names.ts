/** The names of options. A misspelt option, or one of the convention that is not built, is refused and never ignored. */
import { nearestName } from "../../lib/edit-distance.ts";
import { UsageError } from "../../lib/usage-error.ts";
import { conventionRule, conventionNames, translatedKind } from "./convention-rules.ts";
import { checkKind } from "./option-kinds.ts";
import { isOptionName, optionNames, ruleOf } from "./option-rules.ts";

/** All names, by the alphabet and those of the convention last: of equally near names the first is suggested. */
export const knownNames: readonly string[] = [...optionNames.toSorted(), ...conventionNames.toSorted()];

/** Throws `UsageError` for the first option that is unknown or of the wrong type. `notice` receives those without a meaning here. */
export function checkOptionNames(options: object, notice: (text: string) => void): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (isOptionName(name)) checkKind(name, ruleOf(name).kind, value);
    else if (conventionRule(name) === "ignored") notice(`The option ${name} means nothing here and was ignored.`);
    else throw new UsageError(unknownText(name));
  }
}

/** The same for options that have another name in the convention. */
export function checkConventionNames(options: object): void {
  for (const [name, value] of Object.entries(options)) {
    const kind = translatedKind(name);
    if (kind !== undefined && value !== undefined) checkKind(name, kind, value);
  }
}

/** What takes the place of options that other libraries have. */
const substitutes = new Map([
  ["apiKey", "the key comes from env, in ANTHROPIC_API_KEY"],
  ["baseURL", "the address comes from env, in ANTHROPIC_BASE_URL"],
  ["baseUrl", "the address comes from env, in ANTHROPIC_BASE_URL"],
  ["signal", "pass an abortController"],
  ["outputSchema", 'outputFormat takes { type: "json_schema", schema }'],
]);

function unknownText(name: string): string {
  if (conventionRule(name) === "not built") return `The option ${name} is not built yet: leave it out.`;
  const substitute = substitutes.get(name);
  if (substitute !== undefined) return `There is no option ${name}: ${substitute}.`;
  const near = nearestName(name, knownNames);
  return `There is no option ${name.slice(0, 80)}${near === undefined ? "." : `: did you mean ${near}?`}`;
}
