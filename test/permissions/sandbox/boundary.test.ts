// What a session's boundary makes of real folders: where a command may write, and what it cannot see or change.
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Boundary } from "../../../src/permissions/sandbox/boundary.ts";
import type { SandboxOptions } from "../../../src/permissions/sandbox/sandbox.ts";
import { makePlace, optionsOf, put, rulesOf, type Place } from "./support.ts";

type Wishes = Parameters<typeof optionsOf>[1];

function boundaryOf(place: Place, wishes: Wishes = {}, more: Partial<SandboxOptions> = {}): Boundary {
  const options = optionsOf(place, wishes, more);
  const { filesystem, credentials } = options.settings;
  return new Boundary({ ...options, files: filesystem, credentials: credentials.files });
}

/** `kind` of each mount, by path below the place. */
function mountsOf(place: Place, boundary: Boundary): Record<string, string> {
  mkdirSync(join(place.base, "tmp"), { recursive: true });
  const below = boundary.mounts().filter(({ path }) => !path.startsWith(place.base));
  return Object.fromEntries(below.map(({ path, kind }) => [path.slice(place.root.length + 1), kind]));
}

test("working folders are writable, except for files that make other programs run something", () => {
  const place = makePlace();
  const at = (path: string) => put(join(place.repo, path));
  for (const path of [
    "src/a.ts",
    ".git/config",
    ".git/hooks/pre-commit",
    ".git/HEAD",
    ".git/modules/m/config",
    ".mcp.json",
    "sub/.vscode/tasks.json",
    "a/b/c/.envrc",
    "a/b/c/d/.envrc",
    "node_modules/x/.envrc",
    ".config/git/config",
  ])
    at(path);
  expect(mountsOf(place, boundaryOf(place))).toEqual({
    repo: "writable",
    "repo/.git": "writable",
    "repo/.git/config": "readable",
    "repo/.git/hooks": "readable",
    "repo/.git/modules/m/config": "readable",
    "repo/.mcp.json": "readable",
    "repo/sub/.vscode": "readable",
    "repo/a/b/c/.envrc": "readable",
    "repo/a/b/c/d/.envrc": "readable",
    "repo/.config/git": "readable",
  });
});

test("git hooks that the configuration places elsewhere are read-only and cannot be moved", () => {
  const place = makePlace();
  put(join(place.repo, ".git/config"), "[core]\n\thooksPath = tools/hooks\n");
  expect(boundaryOf(place).absentClosedPaths()).toEqual([join(place.repo, "tools/hooks")]);
  put(join(place.repo, "tools/hooks/pre-commit"));
  expect(boundaryOf(place).absentClosedPaths()).toEqual([]);
  expect(mountsOf(place, boundaryOf(place))).toMatchObject({
    "repo/tools": "writable",
    "repo/tools/hooks": "readable",
  });
});

test("credentials, other sessions and denied files are hidden, unless an opened folder contains them", () => {
  const place = makePlace();
  for (const path of [".ssh/id", ".aws/credentials", ".netrc", ".pawl/projects/p/s.jsonl", "own.key", "doc/a"])
    put(join(place.home, path));
  put(join(place.repo, ".env"));
  put(join(place.repo, "deep/er/.env"));
  const rules = () => rulesOf(place, { deny: ["Read(**/.env)", "Read(~/doc)", "Edit(docs/**)", "Bash(rm *)"] });
  const wishes: Wishes = { credentials: { files: [join(place.home, "own.key")] } as never };
  put(join(place.repo, "docs/a.md"));
  const hidden = {
    repo: "writable",
    "repo/.env": "hidden file",
    "repo/deep/er/.env": "hidden file",
    "repo/docs": "readable",
    "home/.ssh": "hidden",
    "home/.aws": "hidden",
    "home/.netrc": "hidden file",
    "home/.pawl/projects": "hidden",
    "home/own.key": "hidden file",
    "home/doc": "hidden",
  };
  expect(mountsOf(place, boundaryOf(place, wishes, { rules }))).toEqual(hidden);
  const opened = { filesystem: { allowRead: [join(place.home, ".ssh")] } };
  expect(mountsOf(place, boundaryOf(place, opened))).not.toHaveProperty(["home/.ssh"]);
  expect(mountsOf(place, boundaryOf(place, opened))).toHaveProperty(["home/.aws"], "hidden");
});

test("in a folder of which a rule denies some files, the others are visible", () => {
  const place = makePlace();
  for (const path of ["keys/a.pem", "keys/deep/b.pem", "keys/deep/c.txt"]) put(join(place.repo, path));
  const rules = () => rulesOf(place, { deny: ["Read(./keys/**/*.pem)"] });
  expect(mountsOf(place, boundaryOf(place, {}, { rules }))).toMatchObject({
    "repo/keys/a.pem": "hidden file",
    "repo/keys/deep/b.pem": "hidden file",
  });
  expect(Object.values(mountsOf(place, boundaryOf(place, {}, { rules })))).not.toContain("hidden");
});

test("a denied folder that does not exist cannot be created", () => {
  const place = makePlace();
  const rules = () => rulesOf(place, { deny: [`Edit(/${place.repo}/out)`] });
  expect(boundaryOf(place, {}, { rules }).absentClosedPaths()).toEqual([join(place.repo, "out")]);
  put(join(place.repo, "out/a"));
  expect(boundaryOf(place, {}, { rules }).absentClosedPaths()).toEqual([]);
});

test("a folder that a command replaces with a link is not writable through it", () => {
  const place = makePlace();
  const later = join(place.root, "later");
  const boundary = boundaryOf(place, { filesystem: { allowWrite: [later] } });
  boundary.markCommandsRun();
  mkdirSync(join(place.home, "private"));
  symlinkSync(join(place.home, "private"), later);
  expect(mountsOf(place, boundary)).toEqual({ repo: "writable" });
  const early = boundaryOf(place, { filesystem: { allowWrite: [later] } });
  expect(mountsOf(place, early)).toEqual({ repo: "writable", "home/private": "writable" });
});
