/** The list of skills the model chooses from, within a budget. Names are always listed; descriptions are shortened to fit. */
import type { SkillOverride } from "../settings/knowledge-keys.ts";
import { oneLine } from "../lib/sanitize.ts";
import type { Skill } from "./skill.ts";

export interface ListingOptions {
  /** Characters for all lines together. */
  budget: number;
  /** Characters of one description. Default: 1,536. */
  longest?: number;
  /** By name. */
  overrides: Readonly<Record<string, SkillOverride>>;
}

/** Whether the model may start the skill. */
export function isOffered(
  { name, isModelInvocable, description }: Skill,
  overrides: ListingOptions["overrides"],
): boolean {
  const override = overrides[name] ?? "on";
  return isModelInvocable && override !== "off" && override !== "user-invocable-only" && description !== "";
}

/** Returns one line per skill, sorted by name, so that the same skills give the same bytes. Empty if there are none. */
export function skillListing(
  skills: readonly Skill[],
  { budget, longest = 1_536, overrides }: ListingOptions,
): string[] {
  const offered = skills
    .filter((skill) => isOffered(skill, overrides))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const descriptions = offered.map((skill) =>
    overrides[skill.name] === "name-only" ? "" : descriptionText(skill, longest),
  );
  const names = offered.reduce((sum, { name }) => sum + name.length + 5, 0);
  const maxTextLength = lengthThatFits(descriptions, Math.max(0, budget - names));
  return offered.map(({ name }, at) => {
    const text = oneLine(descriptions[at] ?? "", Math.max(1, maxTextLength));
    return text === "" || maxTextLength < 20 ? `- ${name}` : `- ${name}: ${text}`;
  });
}

function descriptionText({ description, whenToUse }: Skill, longest: number): string {
  const whole = whenToUse === undefined ? description : `${description} ${whenToUse}`;
  return oneLine(whole, longest);
}

/** Returns the maximum length per text at which all texts fit together. */
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
