// Sessions that nothing can be changed of from outside: what is said has to be what was tried, and what can be done about it. Seen: on a
// read-only home `pawl sessions delete` said that the session could not be kept, and to keep no transcript.
import { afterEach, expect, test, vi } from "vitest";
import { archiveSession, deleteSession, renameSession, tagSession } from "../../src/index.ts";
import { nodeFileSystem } from "../../src/transcript/file-system.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);
afterEach(() => vi.restoreAllMocks());

async function past() {
  const ground = layGround();
  const engine = await openOn(ground, scripted({ fallback: "Hello." }));
  await turn(engine, "Hello.");
  await engine.dispose();
  return { id: engine.getSessionId(), place: { dir: ground.work, home: ground.home, env: {} } };
}

const open = nodeFileSystem.open.bind(nodeFileSystem);
const refuse = (code: string) => () => {
  throw Object.assign(new Error(code), { code });
};

test.each([
  ["renamed", (id: string, place: object) => renameSession(id, "Another", place)],
  ["tagged", (id: string, place: object) => tagSession(id, "release", place)],
  ["archived", (id: string, place: object) => archiveSession(id, place)],
  ["deleted", (id: string, place: object) => deleteSession(id, place)],
])(
  "a session on a read-only disk cannot be %s, and the error does not suggest running without persistence",
  async (_, change) => {
    const { id, place } = await past();
    vi.spyOn(nodeFileSystem, "open").mockImplementation((path, how) =>
      how === "read" ? open(path, how) : refuse("EROFS")(),
    );
    const said =
      /^The session cannot be changed, since its lock \S+\.lock cannot be made: the file system is read-only \(EROFS\)\. /u;
    await expect(change(id, place)).rejects.toThrow(said);
  },
);

test("reports that a session cannot be removed if its file cannot", async () => {
  const { id, place } = await past();
  const remove = nodeFileSystem.remove.bind(nodeFileSystem);
  vi.spyOn(nodeFileSystem, "remove").mockImplementation((path) =>
    path.endsWith(".jsonl") ? refuse("EPERM")() : remove(path),
  );
  await expect(deleteSession(id, place)).rejects.toThrow(/\.jsonl cannot be removed: permission denied \(EPERM\)\. /u);
});
