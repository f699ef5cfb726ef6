/** Front matter that needs no YAML reader, as most does not: a word, a colon and plain text on each line. */

/** What YAML would read as something else than text: a comment, another field, a word that is a value. */
const special = / #|:(?: |$)|\t/u;
const words = /^(?:true|false|null|nan|inf)$/iu;

/** Undefined where a line is anything else. Equal to what YAML makes of it. */
export function plainFields(lines: readonly string[]): Record<string, unknown> | undefined {
  const fields = Object.create(null) as Record<string, unknown>;
  const field = /^([A-Za-z_][\w-]*): +(\p{L}.*)$/u;
  for (const line of lines) {
    if (line.trim() === "") continue;
    const [, name, value = ""] = field.exec(line.trimEnd()) ?? [];
    if (name === undefined || name in fields || special.test(value)) return undefined;
    if (!words.test(value)) fields[name] = value;
    else if (value === "true" || value === "false") fields[name] = value === "true";
    else return undefined;
  }
  return fields;
}
