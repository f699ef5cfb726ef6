/** What a path that is written to or removed touches besides itself. */
import { basename } from "node:path";
import { valuesOf, type Operands } from "../options/operands.ts";
import { isGiven } from "../options/running-options.ts";

/** Some name below a folder that no pattern names by itself: what happens to the folder happens to it. */
export const anythingBelow = "/\u{e000}";

/** What is written there is kept nowhere. */
export const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

export function wholly(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, path + anythingBelow]);
}

export interface Transfer {
  sources: readonly string[];
  targets: readonly string[];
}

/** The last one is the new name, or the folder it goes to. */
export function lastOf(operands: readonly string[]): Transfer {
  return { sources: operands.slice(0, -1), targets: operands.slice(-1) };
}

/** Unless an option names that. */
export function targetOf(read: Operands): Transfer {
  const targets = valuesOf(read, "-t", "--target-directory");
  return targets.length > 0 ? { sources: read.operands, targets } : lastOf(read.operands);
}

/** A target may be the new name, or the folder that gets the sources under theirs. */
export function within({ sources, targets }: Transfer, nameOf = nameIn()): string[] {
  return targets.flatMap((target) => [target, ...sources.map((source) => `${target}/${nameOf(source)}`)]);
}

/** What a source is called in the folder that gets it: as it is written where `cp` or `rsync` is told so, by which `/./` ends what goes by. */
export function nameIn(program?: string, read?: Operands): (source: string) => string {
  if (program === "cp" && read && isGiven(read, "--parents")) return (source) => source;
  if (program === "rsync" && read && isGiven(read, "-R", "--relative"))
    return (source) => source.slice(source.indexOf("/./") + 1);
  return (source) => basename(source);
}

const machine = /^[^/]+:/u;

/** In front of a colon stands another machine, whatever it is called. */
export function isLocal(place: string): boolean {
  return !machine.test(place);
}

/** What lies in folders of other machines is told nowhere; `isUnder`: whether a place with a slash at its end is called so in its target, too. */
export function fetched({ sources, targets }: Transfer, isUnder: boolean): string[] {
  const places = sources.filter((place) => !isLocal(place)).map((place) => place.replace(machine, ""));
  const named = places.filter((place) => basename(place) !== "" && (isUnder || !place.endsWith("/")));
  return targets
    .filter(isLocal)
    .flatMap((target) => named.map((place) => `${target}/${basename(place)}${anythingBelow}`));
}
