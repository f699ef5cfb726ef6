/**
 * One gitignore pattern against relative paths. Written here and not taken from a library, because those make regular
 * expressions of the pattern: a few stars and a long name are then enough to stop the process.
 */

type Token =
  | { kind: "text"; character: string }
  | { kind: "one" }
  | { kind: "many" }
  | { kind: "set"; negated: boolean; has: (character: string) => boolean };

/** `**` stands for any number of segments. */
type Segment = "**" | Token[];

export interface PathPattern {
  segments: Segment[];
  /** Ends in `/`: matches folders, so that a path that may be a file matches only below it. */
  foldersOnly: boolean;
  /** Upper and lower case, composed and decomposed are the same: for rules that refuse. */
  folds: boolean;
}

export function foldCase(text: string): string {
  return text.normalize("NFC").toLowerCase();
}

/** Null for a pattern that can match nothing: empty, a comment, a negation. */
export function parsePathPattern(pattern: string, options: { folds: boolean; anyDepth?: boolean }): PathPattern | null {
  const text = (options.folds ? foldCase(pattern) : pattern).replace(/(?<!\\) +$/u, "");
  if (text === "" || text.startsWith("!") || text.startsWith("#") || /(?<!\\)(?:\\\\)*\\$/u.test(text)) return null;
  const foldersOnly = text.endsWith("/");
  const body = text.replace(/^\/+|\/+$/gu, "");
  if (body === "") return null;
  const parts = body.split(/\/+/u).filter((part) => part !== ".");
  if (parts.length === 0 || parts.includes("..")) return null;
  const isAnchored = text.replace(/\/+$/u, "").includes("/") && options.anyDepth !== true;
  const read = parts.map((part): Segment | null => (part === "**" ? "**" : tokens(part)));
  const segments = read.filter((segment) => segment !== null);
  // A `[` that nothing closes matches nothing, for git as well.
  if (segments.length < read.length) return null;
  return { segments: isAnchored ? segments : ["**", ...segments], foldersOnly, folds: options.folds };
}

function tokens(part: string): Token[] | null {
  const found: Token[] = [];
  for (let at = 0; at < part.length;) {
    const character = String.fromCodePoint(part.codePointAt(at) ?? 0);
    const set = character === "[" ? readSet(part, at) : null;
    if (character === "[" && set === null) return null;
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

const classes: Record<string, RegExp> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/u,
  digit: /\d/u,
  lower: /\p{Ll}/u,
  punct: /[\p{P}\p{S}]/u,
  space: /\s/u,
  upper: /\p{Lu}/u,
  xdigit: /[\da-fA-F]/u,
};

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
    const known = name === undefined ? undefined : classes[name];
    if (name !== undefined && known !== undefined) {
      tests.push((character) => known.test(character));
      at += name.length + 4;
      continue;
    }
    const low = charAt(part, at);
    const isRange = part.charAt(low.end) === "-" && part.charAt(low.end + 1) !== "]" && low.end + 1 < part.length;
    const high = isRange ? charAt(part, low.end + 1) : low;
    tests.push((character) => character >= low.character && character <= high.character);
    at = high.end;
  }
  return null;
}

function charAt(part: string, at: number): { character: string; end: number } {
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

/** Greedy with one way back, to the last star: time is the product of the lengths. */
function greedy<P, T>(
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
  return greedy(segment, Array.from(name), (token) => token.kind === "many", tokenMatches);
}

/**
 * Whether the pattern names `path` or a folder above it. `path` is relative, with `/` between its segments.
 * `isFolder` says whether `path` itself may be taken for a folder.
 */
export function matchesPath(pattern: PathPattern, path: string, isFolder: boolean): boolean {
  const names = (pattern.folds ? foldCase(path) : path).split("/").filter((name) => name !== "");
  const isStar = (segment: Segment): boolean => segment === "**";
  // `a/**` is everything below `a`, not `a` itself.
  const endsOpen = pattern.segments.length > 1 && pattern.segments.at(-1) === "**";
  const segments: Segment[] = endsOpen ? [...pattern.segments, [{ kind: "many" }]] : pattern.segments;
  for (let length = 1; length <= names.length; length += 1) {
    if (length === names.length && pattern.foldersOnly && !isFolder) return false;
    if (greedy(segments, names.slice(0, length), isStar, segmentMatches)) return true;
  }
  return false;
}
