/** What a started skill may do: what its front matter permits and forbids, and the files beside it. */
import type { Skill } from "../../knowledge/skill.ts";
import { literalSpecifier } from "../../permissions/rules/command-pattern.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import { locksOf } from "../settings/settings-locks.ts";
import type { Surroundings } from "../surroundings/surroundings.ts";

/** A skill refers to files beside it, so these may be read; a project skill's files lie in the project anyway. */
export function allowSkillFolder(
  { kind, source, folder, plugin }: Skill,
  { workingFolders }: Permissions,
  { live, settings }: Surroundings,
): void {
  const { outside } = live?.locks ?? locksOf(settings);
  if (kind === "command" || source === "project" || outside.reads !== undefined) return;
  workingFolders.add(plugin?.root ?? folder, true);
}

/** Fills in `${CLAUDE_PLUGIN_ROOT}` and the like in its rules; each folder is taken literally, not as a pattern. */
export function withFilledRules(skill: Skill, variables: Readonly<Record<string, string>>): Skill {
  const filled = (rule: string): string =>
    rule.replaceAll(/\$\{([A-Z][A-Z_]*)\}/gu, (whole, name: string, at: number) => {
      const value = variables[name];
      if (value === undefined) return whole;
      if (rule.startsWith("Bash(")) return literalSpecifier(value);
      if (/[*?[\]{}!\\]/u.test(value)) return whole;
      // A single leading slash would be relative to the folder of a settings file.
      return value.startsWith("/") && rule[at - 1] === "(" ? `/${value}` : value;
    });
  return { ...skill, allowedTools: skill.allowedTools.map(filled), disallowedTools: skill.disallowedTools.map(filled) };
}

/** Holds until the user's next turn. Returns a function that takes the permissions back. */
export function grantSkillRules(
  { allowedTools, disallowedTools, kind, name }: Skill,
  { grants }: Permissions,
  { notice }: Pick<Surroundings, "notice">,
): () => void {
  const sourced = (rules: readonly string[]) => rules.map((rule) => ({ rule, source: `the ${kind} ${name}` }));
  const allowed = sourced(allowedTools);
  const problems = [...grants.grant("deny", sourced(disallowedTools)), ...grants.grant("allow", allowed)];
  for (const { text } of problems) notice(text);
  return () => grants.withdraw(allowed);
}
