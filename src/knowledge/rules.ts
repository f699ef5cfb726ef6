/** Rules: Markdown files of a `rules` folder. With `paths` in its front matter a rule is given when a file it is for is read. */
import { dirname } from "node:path";
import { oneLine } from "../lib/sanitize.ts";
import type { KnowledgeProblem } from "../protocol/knowledge.ts";
import { linesBefore } from "./front-matter.ts";
import { readGlobs, type Globs } from "./globs.ts";
import { scanFolder, type Bounds } from "./scan.ts";

export interface RuleText {
  text: string;
  /** Absent: it holds for everything. */
  scope?: { globs: readonly string[]; matcher: Globs };
}

/** Absolute paths of the rules in a folder, at any depth. `follows`: as of a scan. */
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

/** Front matter is taken off, whatever it says: only its `paths` counts, which takes no YAML reader. */
export function readRule(path: string, text: string, problems: KnowledgeProblem[]): RuleText {
  const whole = text.replace(/^\ufeff/u, "").split(/\r\n?|\n/u);
  const before = linesBefore(whole);
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
  const { globs, wrong } = globsAt(lines.slice(at, end));
  if (globs.length === 0) {
    const reason = "its paths are no list of globs, so it holds for everything";
    problems.push({ path, line: before + at + 1, reason });
    return { text: body };
  }
  const matcher = readGlobs(globs);
  for (const reason of [...wrong, ...matcher.problems]) problems.push({ path, line: before + at + 1, reason });
  return { text: body, scope: { globs, matcher } };
}

/** What is no text to YAML, or is never closed: as a glob it would be waited for in vain. */
const noGlob = /^(?:-\s+)?(?:[-+]?\d+(?:\.\d+)?|true|false|null|~|["'][^"']*|[a-z\d_-]+:(?:\s.*)?|.*\{[^{}]*)$/iu;

/** On the line itself or below it: in brackets, between commas, or one a line. `wrong`: clauses. */
function globsAt([head = "", ...below]: readonly string[]): { globs: string[]; wrong: string[] } {
  const next = below.findIndex((line) => /^[^\s#\]-]/u.test(line));
  const lines = [head.slice("paths:".length), ...below.slice(0, next < 0 ? below.length : next)]
    .map((line) => line.replace(/(?:^|\s)#.*$/u, "").trim())
    .filter((line) => line !== "");
  // A sign of YAML for text of several lines, each of which is a glob here.
  if (/^[>|][-+\d]*$/u.test(lines[0] ?? "")) lines.shift();
  const whole = lines.join(" ");
  const isList = whole.startsWith("[");
  const parts = isList ? betweenCommas(whole.slice(1).replace(/\]$/u, "")) : lines;
  const wrong = parts
    .filter((part) => noGlob.test(part))
    .map((part) => `"${oneLine(part, 80)}" is no glob and was left out`);
  if (isList && !whole.endsWith("]")) wrong.push("the list of its paths is never closed with ]");
  const fit = parts.filter((part) => !noGlob.test(part));
  if (isList) return { globs: fit.map(unquoted), wrong };
  const globs = fit.flatMap((line) => {
    const item = /^-(?:\s+(.*))?$/u.exec(line);
    const written = item === null ? unquoted(line) : (item[1] ?? "");
    return item === null || isSeveral.test(written) ? betweenCommas(written).map(unquoted) : [unquoted(written)];
  });
  return { globs: globs.filter((glob) => glob !== ""), wrong };
}

/** A comma in quotes or braces is the glob's own. */
function betweenCommas(text: string): string[] {
  const parts = text.match(/(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}|[^,])+/gu) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Which is no YAML, but what is meant is plain. */
const isSeveral = /^(?:"[^"]*"|'[^']*')\s*,/u;

function unquoted(text: string): string {
  if (isSeveral.test(text)) return text;
  const [, double, single] = /^(?:"(.*)"|'(.*)')$/u.exec(text) ?? [];
  return double ?? single ?? text;
}

/** What its globs start from: the folder that holds `.claude` or `.pawl`. */
export function ruleBase(rulesFolder: string): string {
  return dirname(dirname(rulesFolder));
}
