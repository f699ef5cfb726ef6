/** Matches rules against calls. Deny and ask rules look for any reason to apply; an allow rule must cover the subject in question. */
import { join } from "node:path";
import { matchesCommand, namesMoreThanProgram } from "../rules/command-pattern.ts";
import { coversCommand, matchCommandFacts, hasShellExpansion } from "../rules/command-rules.ts";
import { hiddenMatchReason } from "../rules/hidden-command.ts";
import type { CallFacts, SubjectFacts } from "./call-facts.ts";
import type { PathForms } from "../paths/path-forms.ts";
import type { PathSubject } from "../paths/path-subject.ts";
import { coversPath, touchesPath, type PathRule } from "../paths/path-rule.ts";
import type { Rule, Specifier } from "../rules/rule.ts";
import { matchesTool } from "../rules/tool-pattern.ts";

/** `maybe`: the call could not be understood well enough to rule the match out. */
export type MatchResult = "yes" | "maybe" | "no";

export function matchCall(rule: Rule, call: CallFacts): MatchResult {
  return strongestMatch(rule.specifiers.map((specifier) => matchSpecifier(rule.tool, specifier, call)));
}

function strongestMatch(results: readonly MatchResult[]): MatchResult {
  if (results.includes("yes")) return "yes";
  return results.includes("maybe") ? "maybe" : "no";
}

/** Matches as the condition of a hook. By convention, a pattern that names more than the program also matches commands with expansions. */
export function matchesAsCondition(rule: Rule, call: CallFacts): boolean {
  if (matchCall(rule, call) !== "no") return true;
  if (!matchesTool(rule.tool, call.tool, true)) return false;
  return rule.specifiers.some(
    (specifier) =>
      specifier.kind === "command" &&
      namesMoreThanProgram(specifier.pattern) &&
      call.subjects.some((subject) => subject.kind === "command" && hasShellExpansion(subject.facts.command)),
  );
}

/** Why the rule may concern the call, in one clause, if that cannot be decided; undefined if it does or cannot. */
export function undecidedReason(rule: Rule, call: CallFacts): string | undefined {
  if (!matchesTool(rule.tool, call.tool, true)) return undefined;
  const found = rule.specifiers.flatMap((specifier) => {
    if (specifier.kind === "domain" && urlHost(call.input["url"]) === null) return ["its address cannot be read"];
    if (specifier.kind !== "command") return [];
    return call.subjects.map((subject) =>
      subject.kind === "command" ? hiddenMatchReason(specifier.pattern, subject.facts) : undefined,
    );
  });
  return found.find((why) => why !== undefined);
}

function matchSpecifier(tool: string, specifier: Specifier, call: CallFacts): MatchResult {
  if (specifier.kind === "path") return pathSpecifierMatches(specifier, call) ? "yes" : "no";
  if (!matchesTool(tool, call.tool, true)) return "no";
  switch (specifier.kind) {
    case "whole":
      return "yes";
    case "command":
      return strongestMatch(
        call.subjects.map((subject) =>
          subject.kind === "command" ? matchCommandFacts(specifier.pattern, subject.facts) : "no",
        ),
      );
    case "domain": {
      const host = urlHost(call.input["url"]);
      return host === null ? "maybe" : matchesDomain(specifier.labels, host.labels) ? "yes" : "no";
    }
    case "parameter": {
      const value = Object.hasOwn(call.input, specifier.name) ? call.input[specifier.name] : undefined;
      const isScalar = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
      return isScalar && matchesCommand(specifier.pattern, String(value)) ? "yes" : "no";
    }
    default:
      return specifier satisfies never;
  }
}

/** A `Read` rule also guards writing: a file that may not be seen may not be changed. */
function pathSpecifierMatches(specifier: { access: "read" | "edit"; path: PathRule }, call: CallFacts): boolean {
  const touches = (subject: PathSubject): boolean => {
    if (subject.isNonFile === true || (specifier.access === "edit" && subject.access === "read")) return false;
    if (touchesPath(specifier.path, subject.forms)) return true;
    if (!call.listsFolders && subject.isWhole !== true) return false;
    return touchesPath(specifier.path, formsBelow(subject.forms));
  };
  return call.subjects.some((subject) =>
    subject.kind === "path" ? touches(subject) : subject.kind === "command" && subject.mentions().some(touches),
  );
}

/** The forms of a stand-in for everything below a folder, with a name that no pattern names. */
function formsBelow(forms: PathForms): PathForms {
  forms.below ??= { forms: forms.forms.map((form) => join(form, "\u{e000}")), isCertain: forms.isCertain };
  return forms.below;
}

export function ruleCovers(rule: Rule, subject: SubjectFacts, call: CallFacts): boolean {
  return rule.specifiers.some((specifier) => specifierCovers(rule.tool, specifier, subject, call));
}

function specifierCovers(tool: string, specifier: Specifier, subject: SubjectFacts, call: CallFacts): boolean {
  if (specifier.kind === "path") {
    if (subject.kind !== "path" || (specifier.access === "read" && subject.access === "write")) return false;
    if (coversPath(specifier.path, subject.forms)) return true;
    // If everything in a folder may be read, the folder may be listed, although `a/**` does not name `a`.
    const isWhole = subject.access === "read" && specifier.path.base?.isWhole === true;
    return isWhole && coversPath(specifier.path, formsBelow(subject.forms));
  }
  if (!matchesTool(tool, call.tool, false)) return false;
  switch (specifier.kind) {
    case "whole":
      return true;
    case "command":
      return subject.kind === "command" && coversCommand(specifier.pattern, subject.facts);
    case "domain": {
      const host = urlHost(call.input["url"]);
      return subject.kind === "tool" && host?.isPlain === true && matchesDomain(specifier.labels, host.labels);
    }
    case "parameter": {
      const value = Object.hasOwn(call.input, specifier.name) ? call.input[specifier.name] : undefined;
      return subject.kind === "tool" && typeof value === "string" && matchesCommand(specifier.pattern, value);
    }
    default:
      return specifier satisfies never;
  }
}

/** `isPlain`: the URL is http or https, without user name or password, and reads the same to every parser. */
function urlHost(url: unknown): { labels: string[]; isPlain: boolean } | null {
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const { hostname, protocol, username, password } = new URL(url);
  const isWeb = protocol === "https:" || protocol === "http:";
  // Parsers disagree about backslashes and control characters in a URL.
  const isPlain = isWeb && username === "" && password === "" && !/[\\\p{Cc}\s]/u.test(url);
  return { labels: hostname.toLowerCase().replace(/\.$/u, "").split("."), isPlain };
}

/** A leading `*` label matches one or more labels; a star elsewhere stays within its label. */
function matchesDomain(pattern: readonly string[], host: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === "*") {
    const tail = host.slice(-rest.length);
    return host.length > rest.length && labelsMatch(rest, tail);
  }
  return host.length === pattern.length && labelsMatch(pattern, host);
}

function labelsMatch(pattern: readonly string[], host: readonly string[]): boolean {
  return pattern.every((label, index) =>
    matchesCommand({ pieces: label.split("*"), endsAtWord: false }, host[index] ?? ""),
  );
}
