/** Arguments of a skill or command: put where its text has a place for them. What they are put into is never read again for places. */

export interface ArgumentPlaces {
  /** As typed. */
  argument: string;
  /** Names by position. */
  names: readonly string[];
  /** `CLAUDE_SKILL_DIR` and the like. */
  variables: Readonly<Record<string, string>>;
  /** `$1` is the second: it was meant so where `$0` or `$ARGUMENTS[` stands anywhere. */
  countsFromZero: boolean;
}

/** Words as a shell would split them: quotes hold together and are taken off, an open one ends with the text. */
export function splitArguments(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\\" && quote !== "'" && at + 1 < text.length) word = (word ?? "") + (text[(at += 1)] ?? "");
    else if (quote !== "") {
      if (character === quote) quote = "";
      else word = (word ?? "") + character;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= "";
    } else if (!/\s/u.test(character)) word = (word ?? "") + character;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  return word === undefined ? words : [...words, word];
}

const place = /\\(\$)|\$ARGUMENTS(?:\[(\d{1,3})\])?|\$\{([A-Z][A-Z_]*)\}|\$(\d{1,2})(?![\w]|[.,]\d)|\$([a-z_]\w*)/gu;

export function countsFromZero(body: string): boolean {
  return /\$0(?!\d)|\$ARGUMENTS\[/u.test(body);
}

/** Whether the text has a place for what was typed. */
export function hasPlaces(text: string, names: readonly string[]): boolean {
  return [...text.matchAll(place)].some(
    ([whole, , , , digit, name]) =>
      whole.startsWith("$ARGUMENTS") || digit !== undefined || (name !== undefined && names.includes(name)),
  );
}

export function fillPlaces(
  text: string,
  places: ArgumentPlaces,
  write: (value: string) => string = (value) => value,
): string {
  const words = splitArguments(places.argument);
  const first = places.countsFromZero ? 0 : 1;
  return text.replaceAll(place, (whole: string, ...found: (string | undefined)[]) => {
    const [escaped, index, variable, digit, name] = found;
    if (escaped !== undefined) return "$";
    if (variable !== undefined) {
      const value = places.variables[variable];
      return value === undefined ? whole : write(value);
    }
    // A position that nothing was typed for stays as it stands; a name becomes nothing.
    if (index !== undefined) return words[Number(index)] === undefined ? whole : write(words[Number(index)]!);
    if (digit !== undefined) {
      const word = words[Number(digit) - first];
      return word === undefined ? whole : write(word);
    }
    if (name !== undefined) {
      const at = places.names.indexOf(name);
      return at < 0 ? whole : write(words[at] ?? "");
    }
    return write(places.argument);
  });
}

/**
 * A shell line with arguments, as words that no shell reads anything into; undefined where the line is too intricate to tell where
 * they would end up.
 */
export function fillCommand(command: string, places: ArgumentPlaces): string | undefined {
  const isIntricate = /\$\(|`|<<|[<>]\(|\$['"]|\$\{(?![A-Z_]+\})|\\$/u.test(command);
  if (isIntricate) {
    const isPlain = Object.values(places.variables).every((value) => plainWord.test(value));
    return hasPlaces(command, places.names) || !isPlain ? undefined : fillPlaces(command, places);
  }
  let filled = "";
  let quote = "";
  let from = 0;
  for (const found of [...command.matchAll(place), undefined]) {
    const piece = command.slice(from, found?.index);
    quote = quoteAfter(piece, quote);
    filled += piece;
    if (found === undefined) break;
    from = found.index + found[0].length;
    if (found[1] !== undefined) filled += found[0];
    else {
      const isWhole = found[0] === "$ARGUMENTS";
      filled += fillPlaces(found[0], places, (value) => quoted(value, quote, isWhole));
    }
  }
  return filled;
}

function quoteAfter(piece: string, before: string): string {
  let quote = before;
  for (let at = 0; at < piece.length; at += 1) {
    const character = piece[at] ?? "";
    if (character === "\\" && quote !== "'") at += 1;
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else if (character === quote) quote = "";
  }
  return quote;
}

const plainWord = /^[\w@%+=:,./-]+$/u;

function quoted(value: string, quote: string, isWhole: boolean): string {
  if (quote === "'") return value.replaceAll("'", `'\\''`);
  if (quote === '"') return value.replaceAll(/[\\"$`]/gu, String.raw`\$&`);
  const words = isWhole ? splitArguments(value) : [value];
  return words.map((word) => (plainWord.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}
