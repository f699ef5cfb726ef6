/** A rule for git is given for the repository here. What a folder brings along as a repository of its own gives git other orders. */
import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isThere, posesAsRepository } from "../lib/git-place.ts";
import { placeIn } from "./path-forms.ts";
import type { Law } from "./law.ts";
import type { Rule } from "./rule.ts";

/** Why the rule is not enough; undefined where nothing speaks against it. `starts`: where the command may run. */
export function gitElsewhere(
  written: readonly { text: string }[],
  rule: Rule,
  starts: readonly string[],
  { folders, home }: Law,
): string | undefined {
  const words = written.map(({ text }) => text);
  const at = words.indexOf("git");
  if (at < 0 || rule.specifiers.some(({ kind }) => kind === "whole")) return undefined;
  const [here = "/"] = folders.written();
  const places = starts.flatMap((start) => placesOf(words.slice(at + 1), rule, start, home));
  for (const place of places) {
    const posed = place === here ? undefined : posedAbove(place);
    if (posed !== undefined && posed !== posedAbove(here))
      return `${posed} looks like a repository without a working tree, whose settings git would follow, and the rule "${rule.rule}" is for the one here`;
  }
  return undefined;
}

/** By git's own options, which stand before its command. */
function placesOf(words: readonly string[], { rule }: Rule, start: string, home: string): string[] {
  let places = [start];
  const within = (name: string): string[] =>
    places.flatMap((place) => [placeIn(place, name), ...(name.startsWith("~/") ? [placeIn(home, name.slice(2))] : [])]);
  for (let at = 0; words[at]?.startsWith("-") === true; at += 1) {
    const [name = "", value = words[at + 1] ?? ""] = words[at]?.split(/=(.*)/su) ?? [];
    if (name === "-C") places = within(value);
    // A rule that names it is for that one.
    if (name === "--git-dir" && basename(resolve("/", value)) !== ".git")
      return rule.includes(name) ? [] : within(value);
    if (/^(?:-[Cc]|--(?:git-dir|work-tree|namespace|super-prefix|config-env|attr-source))$/u.test(words[at] ?? ""))
      at += 1;
  }
  return places;
}

/** Git takes the first one that it meets on its way up from where links lead. */
function posedAbove(folder: string): string | undefined {
  try {
    for (let place = realpathSync.native(folder); ; place = dirname(place)) {
      if (posesAsRepository(place)) return place;
      if (isThere(join(place, ".git")) || dirname(place) === place) return undefined;
    }
  } catch {
    // Git does not come there either.
    return undefined;
  }
}
