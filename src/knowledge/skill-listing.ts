/** The list of skills the model chooses from: a name and what it is for, within a budget. Names are always there; descriptions give way. */
import type { SkillOverride } from "../settings/knowledge-keys.ts";
import { oneLine } from "../lib/sanitize.ts";
import type { Skill } from "./skill.ts";

export interface ListingOptions {
  /** Characters all lines may have together. */
  budget: number;
  /** Of one description. Default: 1,536. */
  longest?: number;
  /** By name. */
  overrides: Readonly<Record<string, SkillOverride>>;
}

/** Whether the model may begin it. */
export function isOffered(
  { name, isModelInvocable, description }: Skill,
  overrides: ListingOptions["overrides"],
): boolean {
  const override = overrides[name] ?? "on";
  return isModelInvocable && override !== "off" && override !== "user-invocable-only" && description !== "";
}

/** A line each, sorted by name, so that the same skills are the same bytes. Empty where there is none. */
export function skillListing(
  skills: readonly Skill[],
  { budget, longest = 1_536, overrides }: ListingOptions,
): string[] {
  const offered = skills
    .filter((skill) => isOffered(skill, overrides))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const about = offered.map((skill) => (overrides[skill.name] === "name-only" ? "" : aboutOf(skill, longest)));
  const names = offered.reduce((sum, { name }) => sum + name.length + 5, 0);
  const room = lengthThatFits(about, Math.max(0, budget - names));
  return offered.map(({ name }, at) => {
    const text = oneLine(about[at] ?? "", Math.max(1, room));
    return text === "" || room < 20 ? `- ${name}` : `- ${name}: ${text}`;
  });
}

function aboutOf({ description, whenToUse }: Skill, longest: number): string {
  const whole = whenToUse === undefined ? description : `${description} ${whenToUse}`;
  return oneLine(whole, longest);
}

/** The length that each may have at most, so that all of them together fit. */
function lengthThatFits(texts: readonly string[], room: number): number {
  let left = room;
  let count = texts.length;
  for (const text of texts.toSorted((one, other) => one.length - other.length)) {
    if (text.length * count > left) return Math.floor(left / count);
    left -= text.length;
    count -= 1;
  }
  return Number.MAX_SAFE_INTEGER;
}
