/** The path in `Read(…)` and `Edit(…)`: parses its anchor and pattern, and matches paths against it. */
import { join, resolve, sep } from "node:path";
import { lastNameTest, matchesNames, parsePathPattern, type PathPattern } from "../../lib/path-pattern.ts";
import { folderForms, isInside, namesBelow, type PathForms, type PathReader } from "./path-forms.ts";

export interface RulePlaces {
  /** The session's working directory. Absolute. */
  cwd: string;
  /** Another name of the working directory, through a link. */
  cwdName?: string | undefined;
  home: string;
  reader: PathReader;
  /** A folder's bare name means the one in the working directory, even in a guarding rule. */
  pinsFolders?: true;
}

/** A folder, and the pattern for what is below it. */
interface AnchoredPattern {
  folder: string;
  pattern: PathPattern;
}

export interface PathRule {
  anchors: AnchoredPattern[];
  /** What the rule's author may not have meant. */
  hints: string[];
  /** For guarding rules: the single file that the rule names, whose hard links it also covers. */
  singleFile?: { path: string; reader: PathReader };
  /** For allow rules: the working directory, if it has another name. */
  namedFolder?: { cwd: string; name: string };
  /** The path that contains everything the rule names. Absent if that may be anywhere. */
  base?: { path: string; /** The path itself is named, with everything below it. */ isWhole: boolean };
}

const wildcard = /[*?[\\]/u;
const topLevelFolder =
  /^\/(?:bin|boot|dev|etc|home|lib|mnt|opt|private|proc|root|run|sbin|srv|sys|tmp|usr|var|Applications|Library|System|Users|Volumes)(?:\/|$)/u;

/**
 * Parses a path: `//p` is absolute, `~/p` is relative to home, `/p` to the folder of the rule's file, `p` and `./p` to the working
 * directory. Guarding rules (deny, ask) ignore case and match at any depth if the text leaves that open; allow rules are read narrowly.
 */
export function parsePathRule(
  rulePath: string,
  root: string | undefined,
  guards: boolean,
  places: RulePlaces,
): PathRule | null {
  const expandedText = withoutVariable(rulePath);
  const text = guards ? (expandedText ?? rulePath) : rulePath;
  const { folder, pattern: written, isAnchored } = readAnchor(text, root, places);
  const isOneFolder = /^[^/]+\/(?:\*\*)?$/u.test(written);
  const pinsFolder = isOneFolder && (!guards || places.pinsFolders === true);
  const anyDepth = guards && !isAnchored && isOneFolder && !pinsFolder && !written.startsWith("**");
  const isPinned = pinsFolder || (!guards && (isAnchored || text.startsWith("./")));
  const pinnedPattern = anyDepth ? `**/${written}` : isPinned ? `/${written}` : written;
  const pattern = parsePathPattern(isAnchored ? `/${written}` : pinnedPattern, {
    folds: guards,
    allowsLiteralNames: true,
  });
  if (pattern === null) return null;
  // A bare name in a guarding rule applies in every folder one may work in, not only below the working directory.
  const isEverywhere =
    guards && !isAnchored && !isPinned && (anyDepth || !/\/./u.test(written) || /^\*\*\/[^/]+$/u.test(written));
  const anchors = folderForms(isEverywhere ? resolve("/") : folder, places.reader).map((form) => ({
    folder: form,
    pattern,
  }));
  const base = isEverywhere ? {} : { base: ruleBase(folder, written) };
  const isFile = guards && !wildcard.test(written) && !written.endsWith("/");
  return {
    anchors: [...anchors, ...linkTargetAnchors(folder, written, guards, places)],
    hints: [...variableHint(expandedText, guards), ...hintsFor(text, guards)],
    ...(isFile ? { singleFile: { path: join(folder, written), reader: places.reader } } : {}),
    ...(guards || places.cwdName === undefined ? {} : { namedFolder: { cwd: places.cwd, name: places.cwdName } }),
    ...base,
  };
}

function ruleBase(folder: string, written: string): { path: string; isWhole: boolean } {
  const parts = written.split("/").filter((part) => part !== "");
  const first = parts.findIndex((part) => wildcard.test(part));
  const rest = first < 0 ? [] : parts.slice(first);
  return {
    path: join(folder, ...parts.slice(0, parts.length - rest.length)),
    isWhole: rest.every((part) => part === "**"),
  };
}

function readAnchor(
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

/** If leading folders that the rule names plainly are links, their targets are meant, too. */
function linkTargetAnchors(folder: string, written: string, guards: boolean, places: RulePlaces): AnchoredPattern[] {
  const parts = written.split("/");
  const first = parts.findIndex((part) => wildcard.test(part));
  const plain = parts.slice(0, first < 0 ? parts.length - 1 : first).filter((part) => part !== "");
  const rest = parts.slice(first < 0 ? parts.length - 1 : first).join("/");
  if (!guards || plain.length === 0) return [];
  const pattern = parsePathPattern(`/${rest}`, { folds: true, allowsLiteralNames: true });
  if (pattern === null) return [];
  const place = join(folder, ...plain);
  const leads = folderForms(place, places.reader).slice(1);
  return leads.map((form) => ({ folder: form, pattern }));
}

const variable = /^\$(?:([A-Z_]+)|\{([A-Z_]+)\})(?=\/|$)/u;
const folderVariables = new Map([
  ["HOME", "~"],
  ["PWD", "."],
  ["CLAUDE_PROJECT_DIR", "."],
]);

/** Translates a path that begins with a shell variable into a rule's terms; undefined for others. */
function withoutVariable(text: string): string | undefined {
  const [written = "", bare, braced] = variable.exec(text) ?? [];
  const place = folderVariables.get(bare ?? braced ?? "");
  return place === undefined ? undefined : `${place}${text.slice(written.length)}`;
}

/** No folder has such a name: as written, the rule matches nothing. */
function variableHint(expanded: string | undefined, guards: boolean): string[] {
  if (expanded === undefined) return [];
  const end = guards ? `this is read as ${expanded}` : `it matches nothing; write ${expanded}`;
  return [`variables are not filled in here: ${end}`];
}

function hintsFor(text: string, guards: boolean): string[] {
  const hints: string[] = [];
  if (/^\/(?!\/)/u.test(text) && topLevelFolder.test(text))
    hints.push(`a single / starts at the folder of the rule's file; write /${text} for the whole disk`);
  if (guards && /\{[^}]*,[^}]*\}/u.test(text))
    hints.push("braces are taken literally in a path; write one rule for each alternative");
  return hints;
}

/** Whether the rule names one form of a path. `isFolder`: the form may itself be a folder. */
function ruleMatchesForm(rule: PathRule, forms: PathForms, form: string, isFolder: boolean): boolean {
  return rule.anchors.some(
    ({ folder, pattern }) =>
      isInside(folder, form) && matchesNames(pattern, namesBelow(forms, form, folder, pattern.folds), isFolder),
  );
}

/** For deny and ask rules: one matching form is enough. */
export function touchesPath(rule: PathRule, forms: PathForms): boolean {
  return forms.forms.some((form) => ruleMatchesForm(rule, forms, form, true)) || isHardLinkOfListed(rule, forms);
}

/** Whether a guarding rule may mean a file of this (case-folded) name, if it does not cover the whole folder. Cheap, for many names. */
export function createFileNameTest({ anchors }: PathRule): (name: string) => boolean {
  const tests = anchors.map(({ pattern }) => lastNameTest(pattern));
  return (name) => tests.some((test) => test(name));
}

/** Whether a hard link connects the path with the file the rule lists. The call's files are checked once for all rules. */
function isHardLinkOfListed({ singleFile }: PathRule, forms: PathForms): boolean {
  if (singleFile === undefined) return false;
  const { path, reader } = singleFile;
  forms.linked ??= forms.forms.map((form) => reader.hardLinkId?.(form)).filter((file) => file !== undefined);
  if (forms.linked.length === 0) return false;
  const file = reader.hardLinkId?.(path);
  return file !== undefined && forms.linked.includes(file);
}

/** For allow rules: every form must match, and it must be known where the path leads. */
export function coversPath(rule: PathRule, forms: PathForms): boolean {
  const last = forms.forms.length - 1;
  const isNamed = (form: string, at: number): boolean =>
    ruleMatchesForm(rule, forms, form, false) || (at < last && matchesByOwnName(rule, forms, form));
  return forms.isCertain && forms.forms.every(isNamed);
}

/** Whether the rule names the path once another name of the working directory is replaced by its own. */
function matchesByOwnName(rule: PathRule, forms: PathForms, form: string): boolean {
  const { namedFolder } = rule;
  if (namedFolder === undefined || !isInside(namedFolder.name, form)) return false;
  return ruleMatchesForm(rule, forms, join(namedFolder.cwd, form.slice(namedFolder.name.length)), false);
}
