/** Rules: Markdown files in a `rules` folder. A rule with `paths` in its front matter is given only when a file it applies to is read. */
import { dirname } from "node:path";
import { oneLine } from "../lib/sanitize.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { countLeadingLines } from "./front-matter.ts";
import { readGlobs, type Globs } from "./globs.ts";
import { scanFolder, type Bounds } from "./scan.ts";

export interface RuleText {
  text: string;
  /** Absent: the rule applies to everything. */
  scope?: { globs: readonly string[]; matcher: Globs };
}

/** Returns the absolute paths of the rules in a folder, at any depth. `follows`: see `ScanOptions`. */
export function listRules(
  folder: string,
  bounds: Bounds,
  problems: KnowledgeProblem[],
  follows: (path: string, real: string) => boolean,
): string[] {
  const accepts = (name: string): boolean => name.endsWith(".md");
  const { paths, problems: wrong } = scanFolder(folder, { accepts, bounds, follows });
  problems.push(...wrong);
  return paths;
}

/** Reads a rule. Front matter is always removed; only its `paths` counts, which needs no YAML parser. */
export function readRule(path: string, text: string, problems: KnowledgeProblem[]): RuleText {
  const whole = text.replace(/^\ufeff/u, "").split(/\r\n?|\n/u);
  const before = countLeadingLines(whole);
  const lines = whole.slice(before);
  if (lines[0]?.trimEnd() !== "---") return { text };
  const end = lines.findIndex((line, at) => at > 0 && line.trimEnd() === "---");
  if (end < 0) {
    problems.push({ path, line: 1, reason: "its front matter is never closed with ---" });
    return { text };
  }
  const body = lines.slice(end + 1).join("\n");
  const at = lines.findIndex((line, index) => index < end && line.startsWith("paths:"));
  if (at < 0) return { text: body };
  const { globs, problems: wrong } = readPathGlobs(lines.slice(at, end));
  if (globs.length === 0) {
    const reason = "its paths are not a list of globs, so it applies to everything";
    problems.push({ path, line: before + at + 1, reason });
    return { text: body };
  }
  const matcher = readGlobs(globs);
  for (const reason of [...wrong, ...matcher.problems]) problems.push({ path, line: before + at + 1, reason });
  return { text: body, scope: { globs, matcher } };
}

/** Values that are not text in YAML, or are never closed: a rule with such a glob would never apply. */
const notGlob = /^(?:-\s+)?(?:[-+]?\d+(?:\.\d+)?|true|false|null|~|["'][^"']*|[a-z\d_-]+:(?:\s.*)?|.*\{[^{}]*)$/iu;

/** Reads globs from the `paths:` line or below it: in brackets, separated by commas, or one per line. `problems`: clauses. */
function readPathGlobs([head = "", ...below]: readonly string[]): { globs: string[]; problems: string[] } {
  const next = below.findIndex((line) => /^[^\s#\]-]/u.test(line));
  const lines = [head.slice("paths:".length), ...below.slice(0, next < 0 ? below.length : next)]
    .map((line) => line.replace(/(?:^|\s)#.*$/u, "").trim())
    .filter((line) => line !== "");
  // A YAML marker for multi-line text; each line is a glob here.
  if (/^[>|][-+\d]*$/u.test(lines[0] ?? "")) lines.shift();
  const whole = lines.join(" ");
  const isList = whole.startsWith("[");
  const parts = isList ? splitAtCommas(whole.slice(1).replace(/\]$/u, "")) : lines;
  const problems = parts
    .filter((part) => notGlob.test(part))
    .map((part) => `"${oneLine(part, 80)}" is not a glob and was left out`);
  if (isList && !whole.endsWith("]")) problems.push("the list of its paths is never closed with ]");
  const fit = parts.filter((part) => !notGlob.test(part));
  if (isList) return { globs: fit.map(unquoted), problems };
  const globs = fit.flatMap((line) => {
    const item = /^-(?:\s+(.*))?$/u.exec(line);
    const written = item === null ? unquoted(line) : (item[1] ?? "");
    return item === null || severalQuotedGlobs.test(written)
      ? splitAtCommas(written).map(unquoted)
      : [unquoted(written)];
  });
  return { globs: globs.filter((glob) => glob !== ""), problems };
}

/** Splits at commas. A comma inside quotes or braces belongs to the glob. */
function splitAtCommas(text: string): string[] {
  const parts = text.match(/(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^,])+/gu) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Not YAML, but the intention is clear. */
const severalQuotedGlobs = /^(?:"[^"]*"|'[^']*')\s*,/u;

function unquoted(text: string): string {
  if (severalQuotedGlobs.test(text)) return text;
  const [, double, single] = /^(?:"(.*)"|'(.*)')$/u.exec(text) ?? [];
  return double ?? single ?? text;
}

/** Returns the base of a rule's globs: the folder that contains `.claude` or `.pawl`. */
export function ruleBaseFolder(rulesFolder: string): string {
  return dirname(dirname(rulesFolder));
}
