/** The permission rules in force, and how answers change them. */
import { ruleText, type PermissionUpdate } from "../protocol/permission.ts";
import { pathForms, type PathReader } from "./paths/path-forms.ts";
import { touchesPath, type RulePlaces } from "./paths/path-rule.ts";
import {
  parseRule,
  type Grants,
  type DescribedRule,
  type Rule,
  type RuleBehavior,
  type RuleProblem,
  type SourcedRule,
  type WrittenRules,
} from "./rules/rule.ts";
import { canonicalTool } from "./rules/tool-names.ts";
import { mergeProblems } from "./rules/merge-problems.ts";
import { matchesTool } from "./rules/tool-pattern.ts";

/** The source of rules that were added by an answer. */
export const sessionSource = "this session";

const behaviors = ["deny", "ask", "allow"] as const;

type RulesByBehavior = Record<RuleBehavior, Rule[]>;

/** The rules of another book that also apply in this one. */
export interface ParentRules {
  /** The other book's rules, without its temporary allow rules, and without temporary deny rules granted later. */
  writtenRules(): WrittenRules;
  /** A different number after each change. */
  version(): number;
}

type RuleChange = Extract<PermissionUpdate, { behavior: RuleBehavior }>;

interface GrantedRule {
  /** The rule as it was given. */
  written: SourcedRule;
  /** The book's version since the grant. */
  since: number;
}

export class RuleBook implements Grants {
  readonly #places: RulePlaces;
  #rules: RulesByBehavior = { allow: [], deny: [], ask: [] };

  /** Rules granted by skills for the user turn in which they are used. */
  readonly #grantedRules = new Map<Rule, GrantedRule>();

  readonly #parent: ParentRules | undefined;
  /** The rules of the book above, as parsed at that version. */
  #inherited: { version: number; rules: RulesByBehavior } | undefined;
  /** The inherited rules joined with this book's own; undefined once either has changed. */
  #mergedRules: RulesByBehavior | undefined;
  #changes = 0;

  constructor(places: RulePlaces, parent?: ParentRules) {
    this.#places = places;
    this.#parent = parent;
  }

  get rules(): Readonly<Record<RuleBehavior, readonly Rule[]>> {
    const parent = this.#parent;
    if (parent === undefined) return this.#rules;
    const version = parent.version();
    if (this.#inherited?.version !== version) {
      this.#inherited = { version, rules: this.#read(parent.writtenRules()).rules };
      this.#mergedRules = undefined;
    }
    return (this.#mergedRules ??= mergeRules(this.#inherited.rules, this.#rules));
  }

  /** How many times these rules and those above have changed. */
  get version(): number {
    return this.#changes + (this.#parent?.version() ?? 0);
  }

  /**
   * The rules as they were written, for a book that was opened at `version`: without temporary allow rules, and of the temporary deny rules
   * only those granted until then. A skill forbids tools to what works on its turn, not to an agent that was there before.
   */
  writtenRules(version = this.version): WrittenRules {
    const { allow, deny, ask } = this.rules;
    const lasting = allow.filter((rule) => !this.#grantedRules.has(rule));
    const forbidding = deny.filter((rule) => (this.#grantedRules.get(rule)?.since ?? 0) <= version);
    return { allow: lasting.map(toSourcedRule), deny: forbidding.map(toSourcedRule), ask: ask.map(toSourcedRule) };
  }

  /** Returns the problems that these rules would have. Changes nothing. */
  problemsOf(written: WrittenRules): RuleProblem[] {
    return this.#read(written).problems;
  }

  /** Replaces the rules of files and flags; the session's own rules stay. Returns the problems of the new rules. */
  replace(written: WrittenRules): RuleProblem[] {
    const { rules, problems } = this.#read(written);
    const isKept = (rule: Rule): boolean => isSessionRule(rule) || this.#grantedRules.has(rule);
    for (const behavior of behaviors) rules[behavior].push(...this.#rules[behavior].filter(isKept));
    this.#change(rules);
    return problems;
  }

  /**
   * Takes only restrictions from new rules of files and flags: their deny and ask rules are added, and allow rules they lack are dropped.
   */
  narrow(written: WrittenRules): void {
    const { rules } = this.#read(written);
    const keptKeys = new Set(rules.allow.map(ruleKey));
    this.#change({
      deny: addMissingRules(this.#rules.deny, rules.deny),
      ask: addMissingRules(this.#rules.ask, rules.ask),
      allow: this.#rules.allow.filter(
        (rule) => isSessionRule(rule) || this.#grantedRules.has(rule) || keptKeys.has(ruleKey(rule)),
      ),
    });
  }

  #change(rules: Partial<RulesByBehavior>): void {
    this.#rules = { ...this.#rules, ...rules };
    this.#mergedRules = undefined;
    this.#changes += 1;
  }

  #read(written: WrittenRules): { rules: RulesByBehavior; problems: RuleProblem[] } {
    const rules: RulesByBehavior = { allow: [], deny: [], ask: [] };
    const problems: RuleProblem[] = [];
    for (const behavior of behaviors) {
      for (const each of written[behavior]) {
        const read = parseRule(each, behavior, this.#places);
        if (read.rule !== null) rules[behavior].push(read.rule);
        problems.push(...read.problems);
      }
    }
    problems.push(...loneEditProblems(rules.deny));
    return { rules, problems: mergeProblems(problems) };
  }

  #add(written: SourcedRule, behavior: RuleBehavior, isGranted = false): RuleProblem[] {
    const { rule, problems } = parseRule(written, behavior, this.#places);
    if (rule === null) return problems;
    this.#change({ [behavior]: [...this.#rules[behavior], rule] });
    if (isGranted) this.#grantedRules.set(rule, { written, since: this.version });
    return problems;
  }

  /** Returns false if the rule cannot be read. */
  addForSession(rule: string, behavior: RuleBehavior): boolean {
    if (this.rules[behavior].some((known) => known.rule === rule && !this.#grantedRules.has(known))) return true;
    const before = this.#rules[behavior].length;
    this.#add({ rule, source: sessionSource }, behavior);
    return this.#rules[behavior].length > before;
  }

  /** Adds rules that last until `endGrants`. */
  grant(behavior: "allow" | "deny", rules: readonly SourcedRule[]): RuleProblem[] {
    return rules.flatMap((written) => this.#add(written, behavior, true));
  }

  /** Withdraws granted rules, identified by the same objects that were passed to `grant`. */
  withdraw(rules: readonly SourcedRule[]): void {
    const ended = [...this.#grantedRules].filter(([, { written }]) => rules.includes(written));
    this.#endGrants(new Set(ended.map(([rule]) => rule)));
  }

  endGrants(): void {
    this.#endGrants(new Set(this.#grantedRules.keys()));
  }

  #endGrants(endedRules: ReadonlySet<Rule>): void {
    if (endedRules.size === 0) return;
    const lasts = (rule: Rule): boolean => !endedRules.has(rule);
    this.#change({ allow: this.#rules.allow.filter(lasts), deny: this.#rules.deny.filter(lasts) });
    for (const rule of endedRules) this.#grantedRules.delete(rule);
  }

  /** Changes the session's rules. Rules from files and flags cannot be removed. */
  change({ type, behavior, rules }: RuleChange): RuleProblem[] {
    const texts = rules.map(ruleText);
    if (type !== "addRules") {
      const isTaken = ({ source, rule }: Rule): boolean =>
        source === sessionSource && (type === "replaceRules" || texts.includes(rule));
      this.#change({ [behavior]: this.#rules[behavior].filter((rule) => !isTaken(rule)) });
    }
    if (type === "removeRules") return [];
    const lasting = this.#rules[behavior].filter((rule) => !this.#grantedRules.has(rule));
    const known = new Set(lasting.map(({ rule }) => rule));
    const added = texts.filter((rule) => !known.has(rule));
    return added.flatMap((rule) => this.#add({ rule, source: sessionSource }, behavior));
  }

  /** Whether a deny rule forbids reading the path (absolute). */
  forbidsReading(path: string, reader: PathReader): boolean {
    const specifiers = this.rules.deny.flatMap((rule) => rule.specifiers);
    const guarding = specifiers.filter((specifier) => specifier.kind === "path" && specifier.access === "read");
    if (guarding.length === 0) return false;
    const forms = pathForms(path, reader);
    return guarding.some((specifier) => specifier.kind === "path" && touchesPath(specifier.path, forms));
  }

  describe(): DescribedRule[] {
    return Object.values(this.rules).flatMap((rules) =>
      rules.map(({ behavior, rule, source }) => ({ behavior, rule, source })),
    );
  }

  /** The tools that a deny rule refuses whatever their input is. */
  refusedTools(names: readonly string[]): string[] {
    const whole = wholeToolRules(this.rules.deny);
    return names.filter((name) => whole.some((rule) => matchesTool(rule.tool, canonicalTool(name), true)));
  }
}

function mergeRules(inheritedRules: RulesByBehavior, ownRules: RulesByBehavior): RulesByBehavior {
  return {
    allow: [...inheritedRules.allow, ...ownRules.allow],
    deny: [...inheritedRules.deny, ...ownRules.deny],
    ask: [...inheritedRules.ask, ...ownRules.ask],
  };
}

/** The rules that cover all calls of a tool. */
function wholeToolRules(rules: readonly Rule[]): Rule[] {
  return rules.filter(({ specifiers }) => specifiers.some(({ kind }) => kind === "whole"));
}

/** Warns about a deny rule for Edit alone: its author usually means that no file may be changed. */
function loneEditProblems(deny: readonly Rule[]): RuleProblem[] {
  const whole = wholeToolRules(deny);
  if (whole.some(({ tool }) => matchesTool(tool, "Write", true))) return [];
  return whole.flatMap(({ tool, rule, source }) =>
    tool === "Edit"
      ? {
          rule,
          source,
          behavior: "deny",
          level: "notice",
          text: `The deny rule "${rule}" (${source}) covers that tool only: Write can still change files. Add Write and NotebookEdit, or write Edit(//**), which covers every tool that changes files.`,
        }
      : [],
  );
}

function toSourcedRule({ rule, source, root }: Rule): SourcedRule {
  return { rule, source, ...(root === undefined ? {} : { root }) };
}

function isSessionRule({ source }: Rule): boolean {
  return source === sessionSource;
}

function addMissingRules(old: readonly Rule[], rules: readonly Rule[]): Rule[] {
  const known = new Set(old.map(ruleKey));
  return [...old, ...rules.filter((rule) => !known.has(ruleKey(rule)))];
}

function ruleKey({ rule, source, root = "" }: Rule): string {
  return JSON.stringify([rule, source, root]);
}
