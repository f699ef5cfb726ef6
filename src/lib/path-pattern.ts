/**
 * Matches one gitignore pattern against relative paths. Not a library, because libraries turn the pattern into a regular expression: a few
 * stars and a long name are then enough to block the process.
 */

type Token =
  | { kind: "text"; character: string }
  | { kind: "one" }
  | { kind: "many" }
  | { kind: "set"; negated: boolean; has: (character: string) => boolean };

/**
 * `**` matches any number of segments. `plain`: the only name that matches; `end`: the end of every name that matches; `literal`: the tokens
 * with sets read as literal characters of a name, which match too.
 */
type Segment = "**" | { tokens: Token[]; plain?: string; end?: string; literal?: Token[] };

export interface PathPattern {
  segments: Segment[];
  /** The segments plus whatever may be below them: a path below a matching path matches too. */
  withBelow: Segment[];
  /** The pattern ends with `/`: it matches folders only, so a path that may be a file matches only below it. */
  foldersOnly: boolean;
  /** Ignore case and composition of accents: for rules that refuse. */
  folds: boolean;
}

export function foldCase(text: string): string {
  return /^[ -~]*$/.test(text) ? text.toLowerCase() : text.normalize("NFC").toLowerCase();
}

interface PatternOptions {
  folds: boolean;
  /** `[id]` also matches this literal name, as frameworks use it. For git it is a single character. */
  allowsLiteralNames?: boolean;
}

/** Null for a pattern that cannot match anything: empty, a comment, a negation. */
export function parsePathPattern(pattern: string, options: PatternOptions): PathPattern | null {
  const text = trimUnescapedSpaces(options.folds ? foldCase(pattern) : pattern);
  if (text === "" || text.startsWith("!") || text.startsWith("#") || /(?<!\\)(?:\\\\)*\\$/u.test(text)) return null;
  const foldersOnly = text.endsWith("/");
  const pieces = text.split("/");
  const parts = pieces.filter((part) => part !== "" && part !== ".");
  if (parts.length === 0 || parts.includes("..")) return null;
  const isAnchored = pieces.slice(1).some((piece) => piece !== "");
  const read = parts.map((part): Segment | null => (part === "**" ? "**" : readSegment(part, options)));
  const parsedSegments = read.filter((segment) => segment !== null);
  // An unclosed `[` matches nothing, in git as well.
  if (parsedSegments.length < read.length) return null;
  const segments: Segment[] = isAnchored ? parsedSegments : ["**", ...parsedSegments];
  // `a/**` matches everything below `a`, but not `a` itself.
  const endsOpen = segments.length > 1 && segments.at(-1) === "**";
  const withBelow: Segment[] = [...segments, ...(endsOpen ? [anyName] : []), "**"];
  return { segments, withBelow, foldersOnly, folds: options.folds };
}

const anyName: Segment = { tokens: [{ kind: "many" }], end: "" };

function readSegment(part: string, { allowsLiteralNames = false }: PatternOptions): Segment | null {
  const found = readTokens(part);
  if (found === null) return null;
  const literalTokens = allowsLiteralNames && found.some(({ kind }) => kind === "set") ? readTokens(part, false) : null;
  if (literalTokens !== null) return { tokens: found, literal: literalTokens };
  const first = found.findLastIndex(({ kind }) => kind !== "text") + 1;
  const text = found.slice(first).map(textOf).join("");
  if (first === 0) return { tokens: found, plain: text };
  return { tokens: found, ...(first === 1 && found[0]?.kind === "many" ? { end: text } : {}) };
}

function textOf(token: Token): string {
  return token.kind === "text" ? token.character : "";
}

/** Removes trailing spaces that no backslash keeps. Not a regular expression, which would rescan from each of a thousand spaces. */
export function trimUnescapedSpaces(text: string): string {
  let end = text.length;
  while (text.charAt(end - 1) === " " && text.charAt(end - 2) !== "\\") end -= 1;
  return text.slice(0, end);
}

function readTokens(part: string, hasSets = true): Token[] | null {
  const found: Token[] = [];
  for (let at = 0; at < part.length;) {
    const character = String.fromCodePoint(part.codePointAt(at) ?? 0);
    const isSet = hasSets && character === "[";
    const set = isSet ? readSet(part, at) : null;
    if (isSet && set === null) return null;
    if (set !== null) {
      found.push(set.token);
      at = set.end;
      continue;
    }
    if (character === "\\") found.push({ kind: "text", character: part.charAt(at + 1) });
    else if (character === "?") found.push({ kind: "one" });
    else if (character !== "*") found.push({ kind: "text", character });
    else if (found.at(-1)?.kind !== "many") found.push({ kind: "many" });
    at += character === "\\" ? 2 : character.length;
  }
  return found;
}

/** Created on first use: Unicode classes take longer at start-up than all other patterns together. */
const characterClasses: ReadonlyMap<string, () => RegExp> = new Map([
  ["alnum", () => /[\p{L}\p{N}]/u],
  ["alpha", () => /\p{L}/u],
  ["blank", () => /[ \t]/u],
  ["digit", () => /\d/u],
  ["lower", () => /\p{Ll}/u],
  ["punct", () => /[\p{P}\p{S}]/u],
  ["space", () => /\s/u],
  ["upper", () => /\p{Lu}/u],
  ["xdigit", () => /[\da-fA-F]/u],
]);

function readSet(part: string, start: number): { token: Token; end: number } | null {
  let at = start + 1;
  const negated = part.charAt(at) === "!" || part.charAt(at) === "^";
  if (negated) at += 1;
  const tests: ((character: string) => boolean)[] = [];
  for (let isFirst = true; at < part.length; isFirst = false) {
    if (part.charAt(at) === "]" && !isFirst) {
      return {
        token: { kind: "set", negated, has: (character) => tests.some((test) => test(character)) },
        end: at + 1,
      };
    }
    const name = /^\[:(\w+):\]/u.exec(part.slice(at, at + 12))?.[1];
    const known = name === undefined ? undefined : characterClasses.get(name)?.();
    if (name !== undefined && known !== undefined) {
      tests.push((character) => known.test(character));
      at += name.length + 4;
      continue;
    }
    const low = readCharacter(part, at);
    const isRange = part.charAt(low.end) === "-" && part.charAt(low.end + 1) !== "]" && low.end + 1 < part.length;
    const high = isRange ? readCharacter(part, low.end + 1) : low;
    tests.push((character) => character >= low.character && character <= high.character);
    at = high.end;
  }
  return null;
}

function readCharacter(part: string, at: number): { character: string; end: number } {
  const from = part.charAt(at) === "\\" ? at + 1 : at;
  const character = String.fromCodePoint(part.codePointAt(from) ?? 0);
  return { character, end: from + character.length };
}

function tokenMatches(token: Token, character: string): boolean {
  switch (token.kind) {
    case "text":
      return token.character === character;
    case "set":
      return token.has(character) !== token.negated;
    case "one":
    case "many":
      return true;
    default:
      return token satisfies never;
  }
}

/** Greedy matching that backtracks only to the last star: time is the product of the lengths. */
function matchesGreedily<P, T>(
  pattern: readonly P[],
  items: readonly T[],
  isStar: (part: P) => boolean,
  matches: (part: P, item: T) => boolean,
): boolean {
  let at = 0;
  let item = 0;
  let star = -1;
  let resume = 0;
  while (item < items.length) {
    const part = pattern[at];
    if (part !== undefined && isStar(part)) {
      if (at === pattern.length - 1) return true;
      star = at;
      resume = item;
      at += 1;
    } else if (part !== undefined && matches(part, items[item] as T)) {
      at += 1;
      item += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      item = resume;
    } else return false;
  }
  return pattern.slice(at).every(isStar);
}

function segmentMatches(segment: Segment, name: string): boolean {
  if (segment === "**") return true;
  if (segment.plain !== undefined) return segment.plain === name;
  if (segment.end !== undefined) return name.endsWith(segment.end);
  const [first] = segment.tokens;
  // Most names already differ in the first character.
  if (first?.kind === "text" && segment.literal === undefined && !name.startsWith(first.character)) return false;
  const characters = Array.from(name);
  const isMatch = (found: readonly Token[]): boolean => matchesGreedily(found, characters, isStarToken, tokenMatches);
  return isMatch(segment.tokens) || (segment.literal !== undefined && isMatch(segment.literal));
}

function isStarToken({ kind }: Token): boolean {
  return kind === "many";
}

function isDoubleStar(segment: Segment): boolean {
  return segment === "**";
}

/** The names that a path is matched by. To test a path against many patterns, create them once. */
export function pathSegments(path: string, folds: boolean): string[] {
  return (folds ? foldCase(path) : path).split("/").filter((name) => name !== "");
}

/**
 * Whether the pattern matches `path` or a folder above it. `path` is relative, with `/` between its segments. `isFolder`: whether `path`
 * itself may be a folder.
 */
export function matchesPath(pattern: PathPattern, path: string, isFolder: boolean): boolean {
  return matchesNames(pattern, pathSegments(path, pattern.folds), isFolder);
}

/** Like `matchesPath`; `names` must be folded if the pattern folds. */
export function matchesNames(pattern: PathPattern, names: readonly string[], isFolder: boolean): boolean {
  const above = pattern.foldersOnly && !isFolder ? names.slice(0, -1) : names;
  return above.length > 0 && matchesGreedily(pattern.withBelow, above, isDoubleStar, segmentMatches);
}

/** Like `matchesNames`, but does not match paths below a matching path. */
export function matchesExactly(pattern: PathPattern, names: readonly string[], isFolder: boolean): boolean {
  return (
    (isFolder || !pattern.foldersOnly) &&
    matchesGreedily(pattern.withBelow.slice(0, -1), names, isDoubleStar, segmentMatches)
  );
}

/**
 * A cheap test, for many names of one folder, whether a name can be the last of a matching path when nothing above it matches already. For
 * a pattern that ends with `**` it is always false: such a pattern covers the whole folder. The names must be folded if the pattern folds.
 */
export function lastNameTest({ segments }: PathPattern): (name: string) => boolean {
  const last = segments.at(-1);
  if (last === undefined || last === "**") return () => false;
  return (name) => segmentMatches(last, name);
}

/** The fixed name with which a matching path must begin; undefined if any name may be first. */
export function fixedFirstName({ segments }: PathPattern): string | undefined {
  const [first] = segments;
  return first === undefined || first === "**" ? undefined : first.plain;
}

/** For a pattern that matches a name in any folder, the test of that name; undefined for other patterns. */
export function anyFolderNameTest({ segments, folds }: PathPattern): ((name: string) => boolean) | undefined {
  const [first, last, ...more] = segments;
  if (first !== "**" || last === undefined || last === "**" || more.length > 0) return undefined;
  const { plain } = last;
  if (plain !== undefined && !folds) return (name) => name === plain;
  return (name) => segmentMatches(last, folds ? foldCase(name) : name);
}
