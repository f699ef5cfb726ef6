/**
 * Transfers what a session allows and forbids to an agent in a work tree. What guards a file guards its copy as well; what permits
 * something permits it only in the copy, so that the original tree stays as it is.
 */
import { join, relative, resolve, sep } from "node:path";
import { isWithin } from "../../lib/is-within.ts";
import type { SourcedRule, WrittenRules } from "../../permissions/rules/rule.ts";
import type { Settings } from "../../settings/settings.ts";
import type { Isolation, Mirror } from "../surroundings/isolation.ts";

const pathRule = /^(Read|Edit|Write|MultiEdit|NotebookEdit|NotebookRead|Glob|Grep|LS)\((.+)\)$/su;

export function isPathRule(rule: string): boolean {
  return pathRule.test(rule.trim());
}

const closingSource = "the agent's own work tree";

/** `mirrored`: for how many of the outermost trees the rules are already written. */
export function isolatedRules(
  written: WrittenRules,
  isolation: Isolation | undefined,
  home: string,
  mirrored = 0,
): WrittenRules {
  let rules = { ...written, deny: written.deny.filter(({ source }) => source !== closingSource) };
  for (const mirror of isolation?.mirrors.slice(mirrored) ?? []) {
    const guarding = (list: readonly SourcedRule[]): SourcedRule[] =>
      list.flatMap((rule) => [rule, ...mirroredRules(rule, mirror, home)]);
    const { allow, deny, ask } = rules;
    rules = {
      allow: allow.map((rule) => moveRule(rule, mirror, home) ?? rule),
      deny: guarding(deny),
      ask: guarding(ask),
    };
  }
  return isolation === undefined ? rules : { ...rules, deny: [...rules.deny, ...closingRules(isolation)] };
}

/** The deny rules that close the original trees in every mode, even if nobody is asked. */
function closingRules({ mirrors, keepsNotes }: Isolation): SourcedRule[] {
  const left = keepsNotes ? [] : mirrors.filter(({ from, to }) => !isWithin(to, from));
  return left.map(({ from }) => ({ rule: `Edit(/${literalPath(from)}/**)`, source: closingSource }));
}

/** Escapes a path for a rule, so that no character is a wildcard. */
export function literalPath(path: string): string {
  return path.replaceAll(/[*?[\\]/gu, (character) => `\\${character}`);
}

/** Returns the rule for the copy and, if the rule is relative to the folder that the agent has left, the rule for the original. */
function mirroredRules(rule: SourcedRule, mirror: Mirror & { cwd: string }, home: string): SourcedRule[] {
  const copy = moveRule(rule, mirror, home);
  const [, tool, path = ""] = pathRule.exec(rule.rule.trim()) ?? [];
  const isRelative = tool !== undefined && !/^(?:\/|~(?:\/|$))/u.test(path);
  const before = isRelative
    ? [{ ...rule, rule: `${tool}(/${path.replace(/^(?:\.\/)+/u, "")})`, root: mirror.cwd }]
    : tool !== undefined && rule.root === undefined && /^\/(?!\/)/u.test(path)
      ? [{ ...rule, root: mirror.cwd }]
      : [];
  return [...(copy === undefined ? [] : [copy]), ...before];
}

/** Returns undefined if the rule names nothing in the tree by its path. */
function moveRule(rule: SourcedRule, { from, to }: Mirror, home: string): SourcedRule | undefined {
  const [, tool, path = ""] = pathRule.exec(rule.rule.trim()) ?? [];
  if (tool === undefined) return undefined;
  const absolute = path.startsWith("//")
    ? path.slice(1)
    : path.startsWith("~/")
      ? join(home, path.slice(2))
      : undefined;
  if (absolute !== undefined) {
    const spelled = [from, literalPath(from)].find((each) => absolute === each || absolute.startsWith(each + sep));
    if (spelled === undefined) return undefined;
    return { ...rule, rule: `${tool}(/${literalPath(to)}${absolute.slice(spelled.length)})` };
  }
  if (rule.root === undefined || !isWithin(rule.root, from)) return undefined;
  return { ...rule, root: join(to, relative(from, rule.root)) };
}

/** Leaves out folders through which the tree itself, or part of it, could be written. */
export function isolatedFolders(folders: readonly string[], { from }: Mirror): string[] {
  return folders.filter((folder) => !isWithin(resolve(folder), from) && !isWithin(from, resolve(folder)));
}

export function isolatedSettings(settings: Settings, mirror: Mirror): Settings {
  const { permissions, sandbox } = settings;
  const additionalDirectories = isolatedFolders(permissions.additionalDirectories, mirror);
  const own = { ...settings, permissions: { ...permissions, additionalDirectories } };
  if (sandbox === undefined) return own;
  const { filesystem } = sandbox;
  const allowWrite = isolatedFolders(filesystem.allowWrite, mirror);
  return { ...own, sandbox: { ...sandbox, filesystem: { ...filesystem, allowWrite } } };
}

/** Calls `onOutsideFile` only for files outside the tree. */
export function onlyOutside(
  tree: string,
  onOutsideFile: (path: string) => Promise<void>,
): (path: string) => Promise<void> {
  return (path) => (isWithin(path, tree) ? Promise.resolve() : onOutsideFile(path));
}
