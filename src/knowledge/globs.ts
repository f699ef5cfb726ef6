/** Matches paths against globs from front matter and settings. Supports braces; bounded in expansion and in time. */
import { matchesPath, parsePathPattern, type PathPattern } from "../lib/path-pattern.ts";

const maxPatterns = 1_000;
const maxGlobLength = 4_096;

export interface Globs {
  /** Whether a glob matches. `path` is relative to the globs' base, with `/` between names. */
  matches(path: string): boolean;
  /** Globs that can match nothing, and limits that were exceeded. */
  problems: string[];
}

export function readGlobs(written: readonly string[]): Globs {
  const problems: string[] = [];
  const patterns: PathPattern[] = [];
  let left = maxPatterns;
  for (const glob of written) {
    if (glob.length > maxGlobLength) {
      problems.push(`one of its patterns is longer than ${maxGlobLength} characters`);
      continue;
    }
    const expanded = expandBraces(glob.trim(), left + 1);
    for (const each of expanded.slice(0, left)) {
      const pattern = parsePathPattern(each, { folds: false, allowsLiteralNames: true });
      if (pattern === null) problems.push(`"${each}" can match nothing`);
      else patterns.push(pattern);
    }
    left -= expanded.length;
    if (left < 0) {
      problems.push(`its patterns come to more than ${maxPatterns}; the rest was left out`);
      break;
    }
  }
  return { matches: (path) => patterns.some((pattern) => matchesPath(pattern, path, false)), problems };
}

/** Expands `a/{b,c}.ts` to `a/b.ts` and `a/c.ts`; at most `limit` results. Braces without a comma stay as they are. */
export function expandBraces(glob: string, limit: number): string[] {
  const open = [glob];
  const expanded: string[] = [];
  for (let next = open.pop(); next !== undefined && expanded.length < limit; next = open.pop()) {
    const parts = expandFirstBraces(next);
    if (parts === undefined) expanded.push(next);
    else open.push(...parts.toReversed());
  }
  return expanded;
}

/** Returns the expansions of the first pair of braces that contains a comma; undefined if there is none. */
function expandFirstBraces(glob: string): string[] | undefined {
  const open: { at: number; commas: number[] }[] = [];
  let first: { at: number; borders: number[] } | undefined;
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob[at];
    if (character === "{") open.push({ at, commas: [] });
    if (character === ",") open.at(-1)?.commas.push(at);
    const own = character === "}" ? open.pop() : undefined;
    if (own === undefined || own.commas.length === 0 || own.at > (first?.at ?? Infinity)) continue;
    first = { at: own.at, borders: [...own.commas, at] };
  }
  if (first === undefined) return undefined;
  const { at: start, borders } = first;
  const rest = glob.slice((borders.at(-1) ?? start) + 1);
  const choices = borders.map((end, index) => glob.slice((borders[index - 1] ?? start) + 1, end));
  return choices.map((choice) => glob.slice(0, start) + choice + rest);
}
