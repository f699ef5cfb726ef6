/** Finds programs by name, except those from the repository: packages put their folders on the `PATH`, and so do `npx` and `npm run`. */
import { realpathSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isProgram } from "./is-program.ts";
import { isWithin } from "./is-within.ts";
import { isKnownToExist } from "./path-status.ts";

const defaultPath = "/usr/local/bin:/usr/bin:/bin";

/** The top of the repository around a folder, or the folder itself; undefined if it contains the user's home. Absolute. */
export function findRepositoryTop(folder: string, home: string | undefined): string | undefined {
  const holdsHome = (place: string): boolean => home !== undefined && isWithin(home, place);
  for (let place = folder; !holdsHome(place); place = dirname(place)) {
    if (isKnownToExist(join(place, ".git"))) return place;
    if (dirname(place) === place) break;
  }
  return holdsHome(folder) ? undefined : folder;
}

/** The first program on the path that is not inside `top`. */
export function findProgramOutside(
  name: string,
  searchPath: string | undefined,
  top: string | undefined,
): string | undefined {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  const found = (searchPath ?? defaultPath)
    .split(delimiter)
    .find((folder) => isAbsolute(folder) && isProgram(join(folder, file)) && !isPartOf(folder, top));
  return found === undefined ? undefined : join(found, file);
}

interface ProgramEnvironment {
  HOME?: string | undefined;
  PATH?: string | undefined;
  /** The active Python environments: venv, and conda or pixi. */
  VIRTUAL_ENV?: string | undefined;
  CONDA_PREFIX?: string | undefined;
}

/** The programs that a repository brings along, for a command run in a folder. */
export interface RepositoryPrograms {
  /** The program that this name would run; absolute, undefined if it is not the repository's. */
  programFor: (name: string, folder: string) => string | undefined;
  /** The repository's folders that would be searched; absolute. */
  searchedFolders: (folder: string) => string[];
}

/** `top` is called on the first question. */
export function repositoryPrograms(
  { PATH = "", VIRTUAL_ENV, CONDA_PREFIX }: ProgramEnvironment,
  top: () => string | undefined,
): RepositoryPrograms {
  const own = pythonFolders({ VIRTUAL_ENV, CONDA_PREFIX });
  let known: string[] | undefined;
  const folders = (): string[] =>
    (known ??= PATH === "" ? [] : foldersInRepository(PATH, top()).filter((each) => !own.includes(each)));
  return {
    programFor: (name, folder) => {
      const found = folders().find(
        (each) => isProgram(resolve(folder, each, name)) && !leadsOutOfRepository(each, top()),
      );
      return found === undefined ? undefined : resolve(folder, found, name);
    },
    searchedFolders: (folder) => folders().map((each) => resolve(folder, each)),
  };
}

function pythonFolders({ VIRTUAL_ENV, CONDA_PREFIX }: ProgramEnvironment): string[] {
  return [VIRTUAL_ENV, CONDA_PREFIX].flatMap((entered) => (entered === undefined ? [] : [join(entered, "bin")]));
}

function foldersInRepository(searchPath: string, top: string | undefined): string[] {
  const isInside = (folder: string): boolean => top !== undefined && (isWithin(folder, top) || isPartOf(folder, top));
  return searchPath.split(delimiter).filter((folder) => !isAbsolute(folder) || isInside(folder));
}

/** A link out of the repository, such as those of devbox and devenv into the Nix store. */
function leadsOutOfRepository(folder: string, top: string | undefined): boolean {
  return top !== undefined && isAbsolute(folder) && !isPartOf(folder, top);
}

/** Compares real paths, since the path to the repository may contain links too. */
function isPartOf(folder: string, top: string | undefined): boolean {
  if (top === undefined) return false;
  try {
    return isWithin(realpathSync.native(folder), realpathSync.native(top));
  } catch {
    // The folder does not exist.
    return isWithin(folder, top);
  }
}

/**
 * The environment for programs that the user configured, whatever names their lines and scripts use: the repository's programs are found
 * only if the machine has none of that name. `folder`: the session's working directory.
 */
export function withMachinePathFirst<Environment extends ProgramEnvironment>(
  environment: Environment,
  folder: string,
): Environment {
  const { PATH = "", HOME, VIRTUAL_ENV, CONDA_PREFIX } = environment;
  if (PATH === "") return environment;
  const top = findRepositoryTop(folder, HOME);
  const own = pythonFolders({ VIRTUAL_ENV, CONDA_PREFIX });
  const inside = foldersInRepository(PATH, top).filter(
    (each) => !own.includes(each) && !leadsOutOfRepository(each, top),
  );
  if (inside.length === 0) return environment;
  const others = PATH.split(delimiter).filter((each) => !inside.includes(each));
  return { ...environment, PATH: [...others, ...inside].join(delimiter) };
}

/** The program to start for a configured name: if the repository brings one of that name along, the machine's instead. */
export function preferMachineProgram(name: string, environment: ProgramEnvironment, folder: string): string {
  return machineProgramOnly(name, environment, folder) ?? name;
}

/** Like `preferMachineProgram`; undefined if only the repository has a program of that name. */
export function machineProgramOnly(name: string, environment: ProgramEnvironment, folder: string): string | undefined {
  const top = findRepositoryTop(folder, environment.HOME);
  if (/[/\\]/u.test(name) || repositoryPrograms(environment, () => top).programFor(name, folder) === undefined)
    return name;
  return findProgramOutside(name, environment.PATH, top);
}
