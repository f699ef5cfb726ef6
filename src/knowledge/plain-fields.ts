/** Front matter that needs no YAML parser, as most does not: lines with a word, a colon and plain text. */

/** Values that YAML would not read as plain text: with a comment, a nested field, or a keyword. */
const special = / #|:(?: |$)|\t/u;
const words = /^(?:true|false|null|nan|inf)$/iu;

/** Reads such lines, with the same result as YAML. Undefined if any line is different. */
export function plainFields(lines: readonly string[]): Record<string, unknown> | undefined {
  const fields = Object.create(null) as Record<string, unknown>;
  const field = /^([A-Za-z_][\w-]*): +(\p{L}.*)$/u;
  for (const line of lines) {
    const text = line.trimEnd();
    // Of the spaces that JavaScript cuts off, YAML keeps most, such as the one that does not break.
    if (/[^ \t\r]/u.test(line.slice(text.length))) return undefined;
    if (text === "") continue;
    const [, name, value = ""] = field.exec(text) ?? [];
    if (name === undefined || name in fields || special.test(value)) return undefined;
    if (!words.test(value)) fields[name] = value;
    else if (value === "true" || value === "false") fields[name] = value === "true";
    else return undefined;
  }
  return fields;
}
