/** The words behind a program's name, by how programs take them apart. */

export interface Given {
  name: string;
  value: string;
}

export interface Operands {
  given: Given[];
  operands: string[];
}

/** Options that take a value, in their own word or the next one. */
export interface Valued {
  letters: string;
  names: readonly string[];
}

/** A line is a name, the letters or a hyphen, and the long names. Read when first asked for. */
export function valuedTable(lines: string): () => ReadonlyMap<string, Valued> {
  let known: ReadonlyMap<string, Valued> | undefined;
  const read = (line: string): [string, Valued] => {
    const [name = "", letters = "", ...names] = line.split(" ");
    return [name, { letters: letters.replace("-", ""), names }];
  };
  return () => (known ??= new Map(lines.trim().split("\n").map(read)));
}

export function divided(texts: readonly string[], { letters, names }: Valued): Operands {
  const given: Given[] = [];
  const operands: string[] = [];
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? "";
    if (text === "--") {
      operands.push(...texts.slice(at + 1));
      break;
    }
    if (!text.startsWith("-") || text === "-") {
      operands.push(text);
      continue;
    }
    if (text.startsWith("--")) {
      const equals = text.indexOf("=");
      const name = equals < 0 ? text : text.slice(0, equals);
      const isApart = equals < 0 && names.includes(name);
      given.push({ name, value: equals < 0 ? (isApart ? (texts[at + 1] ?? "") : "") : text.slice(equals + 1) });
      at += isApart ? 1 : 0;
      continue;
    }
    for (let letter = 1; letter < text.length; letter += 1) {
      const name = `-${text.charAt(letter)}`;
      if (!letters.includes(text.charAt(letter))) {
        given.push({ name, value: "" });
        continue;
      }
      const rest = text.slice(letter + 1);
      given.push({ name, value: rest === "" ? (texts[at + 1] ?? "") : rest });
      at += rest === "" ? 1 : 0;
      break;
    }
  }
  return { given, operands };
}

export function valuesOf({ given }: Operands, ...names: readonly string[]): string[] {
  return given.filter(({ name }) => names.includes(name)).map(({ value }) => value);
}

export function has({ given }: Operands, ...names: readonly string[]): boolean {
  return given.some(({ name }) => names.includes(name));
}
