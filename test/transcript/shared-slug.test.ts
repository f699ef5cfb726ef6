// Folders whose transcripts lie in one place, as their paths differ in punctuation alone.
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { listSessions } from "../../src/index.ts";
import { findSession, newestSession, projectFolder, transcriptPath } from "../../src/transcript/index.ts";
import { forkSession } from "../../src/transcript/fork.ts";
import { appendAll, clock, idOf, open, user } from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** A session of `cwd` that lies where those of `at` do. */
function session(home: string, index: number, { cwd, at = cwd, title }: { cwd: string; at?: string; title?: string }) {
  const path = transcriptPath(projectFolder(home, at), idOf(index));
  const transcript = open("", { path, sessionId: idOf(index), cwd });
  appendAll(transcript, [user("u", "a prompt")]);
  if (title !== undefined) transcript.appendMeta("title", { title });
  transcript.close();
  // The higher its number, the newer it is.
  const seconds = clock.now() / 1000 + index;
  utimesSync(path, seconds, seconds);
}

function ground() {
  const root = temporaryFolder();
  const [home, dashed, nested] = [join(root, "home"), join(root, "web-api"), join(root, "web", "api")];
  for (const folder of [home, dashed, nested]) mkdirSync(folder, { recursive: true });
  expect(projectFolder(home, dashed)).toBe(projectFolder(home, nested));
  return { root, home, dashed, nested };
}

const listed = async (dir: string, home: string) =>
  (await listSessions({ dir, env: { PAWL_HOME: home } })).map(({ sessionId }) => sessionId);

test("--continue never picks a session of another folder whose path differs only in punctuation", () => {
  const { home, dashed, nested } = ground();
  session(home, 1, { cwd: dashed });
  expect(newestSession({ home, cwd: nested })).toBeUndefined();
  session(home, 2, { cwd: nested });
  session(home, 3, { cwd: dashed });
  expect(newestSession({ home, cwd: nested })?.sessionId).toBe(idOf(2));
  expect(newestSession({ home, cwd: dashed })?.sessionId).toBe(idOf(3));
});

test("a list has a folder's own sessions and those of its work trees, and an id is found from either folder", async () => {
  const { home, dashed, nested } = ground();
  session(home, 1, { cwd: dashed });
  session(home, 2, { cwd: nested });
  expect(await listed(dashed, home)).toEqual([idOf(1)]);
  expect(await listed(nested, home)).toEqual([idOf(2)]);
  expect(findSession(idOf(1), { home, cwd: nested }).sessionId).toBe(idOf(1));
  const own = join(dashed, ".git", "worktrees", "api");
  mkdirSync(own, { recursive: true });
  writeFileSync(join(dashed, ".git", "HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(own, "commondir"), "../..\n");
  writeFileSync(join(own, "gitdir"), `${join(nested, ".git")}\n`);
  writeFileSync(join(own, "HEAD"), "ref: refs/heads/api\n");
  writeFileSync(join(nested, ".git"), `gitdir: ${own}\n`);
  expect(await listed(dashed, home)).toEqual([idOf(2), idOf(1)]);
});

test("a title is looked for in a folder's own sessions and those of its work trees", () => {
  const { root, home, dashed, nested } = ground();
  session(home, 1, { cwd: dashed, title: "Fix login" });
  const found = (alongside: string[] = []) =>
    findSession("Fix login", { home, cwd: nested, alongside: () => alongside }).sessionId;
  expect(() => found()).toThrow("No conversation found with session ID: Fix login");
  expect(found([dashed])).toBe(idOf(1));
  session(home, 2, { cwd: nested, title: "Fix login" });
  expect(found()).toBe(idOf(2));
  session(home, 3, { cwd: join(root, "gone"), at: nested, title: "Fix login" });
  expect(() => found()).toThrow("Several sessions have the title");
});

test("a copy belongs to the folder in which it continues", async () => {
  const { home, dashed, nested } = ground();
  session(home, 1, { cwd: dashed });
  const folder = projectFolder(home, nested);
  forkSession(transcriptPath(folder, idOf(1)), idOf(2), { clock, folder, cwd: nested });
  expect(await listed(nested, home)).toEqual([idOf(2)]);
  expect(await listed(dashed, home)).toEqual([idOf(1)]);
});

test("sessions of a renamed folder, of a link to it, and copies from elsewhere belong to the folder", async () => {
  const { root, home, dashed, nested } = ground();
  const [before, link] = [join(root, "web_api"), join(root, "web.api")];
  session(home, 1, { cwd: before });
  session(home, 2, { cwd: nested, at: join(root, "web-api") });
  session(home, 3, { cwd: root, at: dashed });
  symlinkSync(dashed, link);
  session(home, 4, { cwd: link });
  expect(await listed(dashed, home)).toEqual([idOf(4), idOf(3), idOf(1)]);
  expect(newestSession({ home, cwd: link })?.sessionId).toBe(idOf(4));
  // Nobody else is there any more.
  renameSync(nested, join(root, "gone"));
  expect(await listed(dashed, home)).toEqual([idOf(4), idOf(3), idOf(2), idOf(1)]);
});
