/** Programs by their name, but for those that a repository brings along: packages put their folders on the `PATH`, `npx` and `npm run` too. */
import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isThere } from "./git-place.ts";
import { isProgram } from "./is-program.ts";
import { isWithin } from "./is-within.ts";

const usualPath = "/usr/local/bin:/usr/bin:/bin";

/** The top of the repository that a folder lies in, or the folder itself; undefined where the user's home is in it, too. Absolute. */
export function topOf(folder: string, home: string | undefined): string | undefined {
  const holdsHome = (place: string): boolean => home !== undefined && isWithin(home, place);
  for (let place = folder; !holdsHome(place); place = dirname(place)) {
    if (isThere(join(place, ".git"))) return place;
    if (dirname(place) === place) break;
  }
  return holdsHome(folder) ? undefined : folder;
}

/** The first one on the path that is no part of what lies below `top`. */
export function programOutside(
  name: string,
  searchPath: string | undefined,
  top: string | undefined,
): string | undefined {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  const found = (searchPath ?? usualPath)
    .split(delimiter)
    .find((folder) => isAbsolute(folder) && isProgram(join(folder, file)) && !isPartOf(folder, top));
  return found === undefined ? undefined : join(found, file);
}

interface Surroundings {
  HOME?: string | undefined;
  PATH?: string | undefined;
  /** An environment for Python that the user has entered, and one of conda's or pixi's. */
  VIRTUAL_ENV?: string | undefined;
  CONDA_PREFIX?: string | undefined;
}

/** What a repository brings along, for a command in a folder. */
export interface ProgramsInside {
  /** What it would run under a name: absolute; undefined where that is none. */
  brought: (name: string, folder: string) => string | undefined;
  /** Where it would look: absolute. */
  searched: (folder: string) => string[];
}

/** `top` is asked with the first question. */
export function programsInside(
  { PATH = "", VIRTUAL_ENV, CONDA_PREFIX }: Surroundings,
  top: () => string | undefined,
): ProgramsInside {
  const own = ownFolders({ VIRTUAL_ENV, CONDA_PREFIX });
  let known: string[] | undefined;
  const folders = (): string[] =>
    (known ??= PATH === "" ? [] : foldersInside(PATH, top()).filter((each) => !own.includes(each)));
  return {
    brought: (name, folder) => {
      const found = folders().find((each) => isProgram(resolve(folder, each, name)) && !leadsOut(each, top()));
      return found === undefined ? undefined : resolve(folder, found, name);
    },
    searched: (folder) => folders().map((each) => resolve(folder, each)),
  };
}

function ownFolders({ VIRTUAL_ENV, CONDA_PREFIX }: Surroundings): string[] {
  return [VIRTUAL_ENV, CONDA_PREFIX].flatMap((entered) => (entered === undefined ? [] : [join(entered, "bin")]));
}

function foldersInside(searchPath: string, top: string | undefined): string[] {
  const isInside = (folder: string): boolean => top !== undefined && (isWithin(folder, top) || isPartOf(folder, top));
  return searchPath.split(delimiter).filter((folder) => !isAbsolute(folder) || isInside(folder));
}

/** A link to what the machine has, as those of devbox and devenv into Nix's store. */
function leadsOut(folder: string, top: string | undefined): boolean {
  return top !== undefined && isAbsolute(folder) && !isPartOf(folder, top);
}

/** Wherever links lead: the way to the repository may lead over some, too. */
function isPartOf(folder: string, top: string | undefined): boolean {
  if (top === undefined) return false;
  try {
    return isWithin(realpathSync.native(folder), realpathSync.native(top));
  } catch {
    // It is not there.
    return isWithin(folder, top);
  }
}

/**
 * The environment of what the user names, by whatever names its own lines and scripts go: what the repository brings along is found where
 * the machine has none of that name. `folder`: where the session works.
 */
export function machinesFirst<Environment extends Surroundings>(environment: Environment, folder: string): Environment {
  const { PATH = "", HOME, VIRTUAL_ENV, CONDA_PREFIX } = environment;
  if (PATH === "") return environment;
  const top = topOf(folder, HOME);
  const own = ownFolders({ VIRTUAL_ENV, CONDA_PREFIX });
  const inside = foldersInside(PATH, top).filter((each) => !own.includes(each) && !leadsOut(each, top));
  if (inside.length === 0) return environment;
  const others = PATH.split(delimiter).filter((each) => !inside.includes(each));
  return { ...environment, PATH: [...others, ...inside].join(delimiter) };
}

/** What to start for a program that the user names: where the repository brings one of that name along, the machine's. */
export function notBrought(name: string, environment: Surroundings, folder: string): string {
  return neverBrought(name, environment, folder) ?? name;
}

/** The same; undefined where only the repository has one of that name. */
export function neverBrought(name: string, environment: Surroundings, folder: string): string | undefined {
  const top = topOf(folder, environment.HOME);
  if (/[/\\]/u.test(name) || programsInside(environment, () => top).brought(name, folder) === undefined) return name;
  return programOutside(name, environment.PATH, top);
}
