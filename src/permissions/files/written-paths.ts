/** What writing or removing a path touches besides the path itself. */
import { basename } from "node:path";
import { valuesOfOption, type Operands } from "../options/operands.ts";
import { hasOptionOrAbbreviation } from "../options/running-options.ts";

/** Stands for any name below a folder that no pattern names: what happens to the folder happens to it. */
export const anythingBelow = "/\u{e000}";

/** What is written to these is not kept. */
export const sinks: ReadonlySet<string> = new Set(["/dev/null", "/dev/stdout", "/dev/stderr"]);

export function withContent(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, path + anythingBelow]);
}

export interface Transfer {
  sources: readonly string[];
  targets: readonly string[];
}

/** The last operand is the new name or the target folder. */
export function transferToLast(operands: readonly string[]): Transfer {
  return { sources: operands.slice(0, -1), targets: operands.slice(-1) };
}

/** Like `transferToLast`, unless an option names the target. */
export function readTransfer(read: Operands): Transfer {
  const targets = valuesOfOption(read, "-t", "--target-directory");
  return targets.length > 0 ? { sources: read.operands, targets } : transferToLast(read.operands);
}

/** A target may be the new name, or the folder that gets the sources under their names. */
export function pathsInTarget({ sources, targets }: Transfer, nameOf = createTargetNamer()): string[] {
  return targets.flatMap((target) => [target, ...sources.map((source) => `${target}/${nameOf(source)}`)]);
}

/** A source's name in the target folder: as written if `cp` or `rsync` is told so, for rsync only what follows `/./`. */
export function createTargetNamer(program?: string, read?: Operands): (source: string) => string {
  if (program === "cp" && read && hasOptionOrAbbreviation(read, "--parents")) return (source) => source;
  if (program === "rsync" && read && hasOptionOrAbbreviation(read, "-R", "--relative"))
    return (source) => source.slice(source.indexOf("/./") + 1);
  return (source) => basename(source);
}

const hostPrefix = /^[^/]+:/u;

/** A name in front of a colon means another machine, whatever the name is. */
export function isLocal(place: string): boolean {
  return !hostPrefix.test(place);
}

/** What other machines' folders contain is unknown. `isUnder`: whether a source with a final slash keeps its name in the target. */
export function fetchedPaths({ sources, targets }: Transfer, isUnder: boolean): string[] {
  const places = sources.filter((place) => !isLocal(place)).map((place) => place.replace(hostPrefix, ""));
  const filePlaces = places.filter((place) => basename(place) !== "" && (isUnder || !place.endsWith("/")));
  return targets
    .filter(isLocal)
    .flatMap((target) => filePlaces.map((place) => `${target}/${basename(place)}${anythingBelow}`));
}
