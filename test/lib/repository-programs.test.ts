// A repository's own folders on the PATH, as npx and npm run put them there: what is named is the machine's program.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  withMachinePathFirst,
  preferMachineProgram,
  findProgramOutside,
  repositoryPrograms,
  findRepositoryTop,
} from "../../src/lib/repository-programs.ts";

let root: string;
const at = (...names: string[]): string => join(root, ...names);

function program(...names: string[]): void {
  mkdirSync(dirname(at(...names)), { recursive: true });
  writeFileSync(at(...names), "#!/bin/sh\n");
  chmodSync(at(...names), 0o755);
}

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pawl-outside-")));
  mkdirSync(at("home/repo/.git"), { recursive: true });
  mkdirSync(at("home/repo/src"));
  mkdirSync(at("home/plain"));
  for (const folder of ["home/bin", "home/repo/bin", "home/repo/.venv/bin", "home/plain/bin"]) program(folder, "zap");
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const home = (): string => at("home");
const searchPath = (...folders: string[]): string => folders.join(delimiter);

test("the top is the repository's, or the folder itself, or undefined if it contains the user's home", () => {
  expect(findRepositoryTop(at("home/repo/src"), home())).toBe(at("home/repo"));
  expect(findRepositoryTop(at("home/plain"), home())).toBe(at("home/plain"));
  expect(findRepositoryTop(home(), home())).toBeUndefined();
  mkdirSync(at("home/.git"));
  expect(findRepositoryTop(at("home/plain"), home())).toBe(at("home/plain"));
  rmSync(at("home/.git"), { recursive: true });
  expect(findRepositoryTop("/", home())).toBeUndefined();
});

test("the first program outside the repository is taken, whatever comes first on the PATH", () => {
  const path = searchPath("", ".", "bin", at("home/repo/bin"), at("home/bin"));
  expect(findProgramOutside("zap", path, at("home/repo"))).toBe(at("home/bin/zap"));
  expect(findProgramOutside("zap", path, undefined)).toBe(at("home/repo/bin/zap"));
  expect(findProgramOutside("zap", searchPath(at("home/repo/bin")), at("home/repo"))).toBeUndefined();
});

test("the repository's program that would run is found, except in an active virtual environment", () => {
  const brought = (path: string, entered?: string) =>
    repositoryPrograms({ PATH: path, ...(entered === undefined ? {} : { VIRTUAL_ENV: entered }) }, () =>
      at("home/repo"),
    ).programFor;
  expect(brought(searchPath(at("home/repo/bin"), "/bin"))("zap", at("home/repo"))).toBe(at("home/repo/bin/zap"));
  expect(brought("bin")("zap", at("home/repo"))).toBe(at("home/repo/bin/zap"));
  expect(brought("bin")("zap", at("home/repo/src"))).toBeUndefined();
  expect(brought("")("zap", at("home/repo/bin"))).toBeUndefined();
  expect(brought(searchPath("/bin", ""))("zap", at("home/repo/bin"))).toBe(at("home/repo/bin/zap"));
  expect(brought(searchPath(at("home/repo/bin")))("other", at("home/repo"))).toBeUndefined();
  expect(brought(searchPath(at("home/bin")))("zap", at("home/repo"))).toBeUndefined();
  const venv = at("home/repo/.venv");
  expect(brought(searchPath(join(venv, "bin")), venv)("zap", at("home/repo"))).toBeUndefined();
  expect(brought(searchPath(join(venv, "bin")))("zap", at("home/repo"))).toBe(join(venv, "bin/zap"));
});

test("an active conda environment and a linked folder of machine programs do not count as the repository's", () => {
  const repo = at("home/repo");
  program("home/repo/env/bin/tool");
  program("store/bin/zip");
  symlinkSync(at("store"), at("home/repo/.profile"));
  symlinkSync(repo, at("home/link"));
  const PATH = searchPath(join(repo, "env/bin"), join(repo, ".profile/bin"));
  const CONDA_PREFIX = join(repo, "env");
  const { programFor } = repositoryPrograms({ PATH, CONDA_PREFIX }, () => repo);
  expect([programFor("tool", repo), programFor("zip", repo)]).toEqual([undefined, undefined]);
  expect(preferMachineProgram("tool", { PATH, CONDA_PREFIX }, repo)).toBe("tool");
  expect(repositoryPrograms({ PATH }, () => repo).programFor("tool", repo)).toBe(join(repo, "env/bin/tool"));
  expect(findProgramOutside("zip", PATH, repo)).toBe(join(repo, ".profile/bin/zip"));
  expect(repositoryPrograms({ PATH: at("home/link/bin") }, () => at("home/link")).programFor("zap", repo)).toBe(
    at("home/link/bin/zap"),
  );
  expect(findProgramOutside("zap", at("home/link/bin"), at("home/link"))).toBeUndefined();
});

test("the repository's programs are found although the PATH names its folder through a link", () => {
  const repo = at("home/repo");
  symlinkSync(repo, at("home/way"));
  const PATH = searchPath(at("home/way/bin"), at("home/bin"));
  expect(repositoryPrograms({ PATH }, () => repo).programFor("zap", repo)).toBe(at("home/way/bin/zap"));
  expect(findProgramOutside("zap", PATH, repo)).toBe(at("home/bin/zap"));
  expect(preferMachineProgram("zap", { PATH }, repo)).toBe(at("home/bin/zap"));
});

test("the repository's folders come last on the PATH, except those of an active environment", () => {
  const folders = [at("home/repo/bin"), "bin", at("home/repo/.venv/bin"), at("home/bin"), "/usr/bin"];
  const environment = { HOME: home(), PATH: searchPath(...folders), VIRTUAL_ENV: at("home/repo/.venv"), OTHER: "x" };
  const { PATH, ...rest } = withMachinePathFirst(environment, at("home/repo/src"));
  expect(PATH).toBe(searchPath(at("home/repo/.venv/bin"), at("home/bin"), "/usr/bin", at("home/repo/bin"), "bin"));
  expect(rest).toEqual({ HOME: home(), VIRTUAL_ENV: environment.VIRTUAL_ENV, OTHER: "x" });
  for (const same of [{ ...environment, PATH: "/usr/bin:/bin" }, { HOME: home() }])
    expect(withMachinePathFirst(same, at("home/repo"))).toBe(same);
});
