/** The path in `Read(…)` and `Edit(…)`: its anchor, and whether it names a given path. */
import { join, resolve, sep } from "node:path";
import { lastNames, matchesNames, parsePathPattern, type PathPattern } from "../../lib/path-pattern.ts";
import { folderForms, isInside, namesBelow, type PathForms, type PathReader } from "./path-forms.ts";

export interface RulePlaces {
  /** The session's working directory. Absolute. */
  cwd: string;
  /** Another name of it, over a link. */
  cwdName?: string | undefined;
  home: string;
  reader: PathReader;
  /** A folder's name alone is that of the working directory, also where the rule guards. */
  pinsFolders?: true;
}

/** A folder, and the pattern for what is below it. */
interface AnchoredPattern {
  folder: string;
  pattern: PathPattern;
}

export interface PathRule {
  anchors: AnchoredPattern[];
  /** What its writer may not have meant. */
  hints: string[];
  /** The one file that it names, whose other names on the disk are meant, too. Of rules that guard. */
  listed?: { path: string; reader: PathReader };
  /** The working directory, where it has another name. Of rules that allow. */
  named?: { cwd: string; name: string };
  /** Where all it names lies. Absent: anywhere. */
  base?: { path: string; /** It is named itself, with all below. */ isWhole: boolean };
}

const wildcard = /[*?[\\]/u;
const topLevel =
  /^\/(?:bin|boot|dev|etc|home|lib|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|usr|var|Applications|Library|System|Users|Volumes)(?:\/|$)/u;

/**
 * `//p` from the root of the disk, `~/p` from home, `/p` from the rule's own file, `p` and `./p` from the working directory.
 * Rules that guard (deny, ask) fold case and reach any depth where the text leaves it open; allow rules take the narrow reading.
 */
export function parsePathRule(
  given: string,
  root: string | undefined,
  guards: boolean,
  places: RulePlaces,
): PathRule | null {
  const meant = withoutVariable(given);
  const text = guards ? (meant ?? given) : given;
  const { folder, pattern: written, isAnchored } = anchorOf(text, root, places);
  const isOneFolder = /^[^/]+\/(?:\*\*)?$/u.test(written);
  const pinsFolder = isOneFolder && (!guards || places.pinsFolders === true);
  const anyDepth = guards && !isAnchored && isOneFolder && !pinsFolder && !written.startsWith("**");
  const isPinned = pinsFolder || (!guards && (isAnchored || text.startsWith("./")));
  const shaped = anyDepth ? `**/${written}` : isPinned ? `/${written}` : written;
  const pattern = parsePathPattern(isAnchored ? `/${written}` : shaped, { folds: guards, hasOwnNames: true });
  if (pattern === null) return null;
  // A bare name that guards does so in every folder one may work in, not only below the working directory.
  const isEverywhere =
    guards && !isAnchored && !isPinned && (anyDepth || !/\/./u.test(written) || /^\*\*\/[^/]+$/u.test(written));
  const anchors = folderForms(isEverywhere ? resolve("/") : folder, places.reader).map((form) => ({
    folder: form,
    pattern,
  }));
  const base = isEverywhere ? {} : { base: baseOf(folder, written) };
  const isFile = guards && !wildcard.test(written) && !written.endsWith("/");
  return {
    anchors: [...anchors, ...followedAnchors(folder, written, guards, places)],
    hints: [...variableHint(meant, guards), ...hintsFor(text, guards)],
    ...(isFile ? { listed: { path: join(folder, written), reader: places.reader } } : {}),
    ...(guards || places.cwdName === undefined ? {} : { named: { cwd: places.cwd, name: places.cwdName } }),
    ...base,
  };
}

function baseOf(folder: string, written: string): { path: string; isWhole: boolean } {
  const parts = written.split("/").filter((part) => part !== "");
  const first = parts.findIndex((part) => wildcard.test(part));
  const rest = first < 0 ? [] : parts.slice(first);
  return {
    path: join(folder, ...parts.slice(0, parts.length - rest.length)),
    isWhole: rest.every((part) => part === "**"),
  };
}

function anchorOf(
  text: string,
  root: string | undefined,
  places: RulePlaces,
): { folder: string; pattern: string; isAnchored: boolean } {
  const path = sep === "\\" ? text.replaceAll("\\", "/") : text;
  if (path.startsWith("//")) return { folder: resolve("/"), pattern: path.slice(2), isAnchored: true };
  if (path === "~" || path.startsWith("~/"))
    return { folder: places.home, pattern: path.slice(2) || "**", isAnchored: true };
  if (path.startsWith("/")) return { folder: root ?? places.cwd, pattern: path.slice(1), isAnchored: true };
  return { folder: places.cwd, pattern: path.replace(/^(?:\.\/)+/u, ""), isAnchored: false };
}

/** Where the rule's plain leading folders are links, what they lead to is meant too. */
function followedAnchors(folder: string, written: string, guards: boolean, places: RulePlaces): AnchoredPattern[] {
  const parts = written.split("/");
  const first = parts.findIndex((part) => wildcard.test(part));
  const plain = parts.slice(0, first < 0 ? parts.length - 1 : first).filter((part) => part !== "");
  const rest = parts.slice(first < 0 ? parts.length - 1 : first).join("/");
  if (!guards || plain.length === 0) return [];
  const pattern = parsePathPattern(`/${rest}`, { folds: true, hasOwnNames: true });
  if (pattern === null) return [];
  const place = join(folder, ...plain);
  const leads = folderForms(place, places.reader).slice(1);
  return leads.map((form) => ({ folder: form, pattern }));
}

const variable = /^\$(?:([A-Z_]+)|\{([A-Z_]+)\})(?=\/|$)/u;
const placesOfVariables = new Map([
  ["HOME", "~"],
  ["PWD", "."],
  ["CLAUDE_PROJECT_DIR", "."],
]);

/** A path that begins with a variable, as a shell has it, in the words of a rule; undefined for others. */
function withoutVariable(text: string): string | undefined {
  const [written = "", bare, braced] = variable.exec(text) ?? [];
  const place = placesOfVariables.get(bare ?? braced ?? "");
  return place === undefined ? undefined : `${place}${text.slice(written.length)}`;
}

/** No folder is called so: as it stands such a rule names nothing. */
function variableHint(meant: string | undefined, guards: boolean): string[] {
  if (meant === undefined) return [];
  const end = guards ? `this is read as ${meant}` : `it matches nothing; write ${meant}`;
  return [`variables are not filled in here: ${end}`];
}

function hintsFor(text: string, guards: boolean): string[] {
  const hints: string[] = [];
  if (/^\/(?!\/)/u.test(text) && topLevel.test(text))
    hints.push(`a single / starts at the folder of the rule's file; write /${text} for the whole disk`);
  if (guards && /\{[^}]*,[^}]*\}/u.test(text))
    hints.push("braces stand for themselves in a path; write one rule for each of them");
  return hints;
}

/** Whether one spelling of a path is named. `isFolder`: it may be a folder itself. */
function names(rule: PathRule, forms: PathForms, form: string, isFolder: boolean): boolean {
  return rule.anchors.some(
    ({ folder, pattern }) =>
      isInside(folder, form) && matchesNames(pattern, namesBelow(forms, form, folder, pattern.folds), isFolder),
  );
}

/** For deny and ask rules: any of the path's forms is enough. */
export function touchesPath(rule: PathRule, forms: PathForms): boolean {
  return forms.forms.some((form) => names(rule, forms, form, true)) || isOtherName(rule, forms);
}

/** Whether a rule that guards may mean a file of this name, its case folded, in a folder where it does not mean all there is: cheap, for many names. */
export function namesFile({ anchors }: PathRule): (name: string) => boolean {
  const tests = anchors.map(({ pattern }) => lastNames(pattern));
  return (name) => tests.some((test) => test(name));
}

/** The call's files are looked at once for all rules, and a rule's own only where one of those has another name. */
function isOtherName({ listed }: PathRule, forms: PathForms): boolean {
  if (listed === undefined) return false;
  const { path, reader } = listed;
  forms.linked ??= forms.forms.map((form) => reader.hardLinked?.(form)).filter((file) => file !== undefined);
  if (forms.linked.length === 0) return false;
  const file = reader.hardLinked?.(path);
  return file !== undefined && forms.linked.includes(file);
}

/** For allow rules: every form must be named, and it must be known where the path leads. */
export function coversPath(rule: PathRule, forms: PathForms): boolean {
  const last = forms.forms.length - 1;
  const isNamed = (form: string, at: number): boolean =>
    names(rule, forms, form, false) || (at < last && isNamedAnew(rule, forms, form));
  return forms.isCertain && forms.forms.every(isNamed);
}

/** As it is called from the working directory, where it is written by another name of that. */
function isNamedAnew(rule: PathRule, forms: PathForms, form: string): boolean {
  const { named } = rule;
  if (named === undefined || !isInside(named.name, form)) return false;
  return names(rule, forms, join(named.cwd, form.slice(named.name.length)), false);
}
