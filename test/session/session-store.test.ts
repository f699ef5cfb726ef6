// Sessions in a store of the host's: all of them gets there, in order, and another machine goes on with it.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, expect, test } from "vitest";
import { InMemorySessionStore, type SessionKey, type SessionStore, type SessionStoreEntry } from "../../src/index.ts";
import { StoreMirror } from "../../src/session/mirror/store-mirror.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import { nodeProcesses } from "../../src/transcript/process-table.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

interface Kept extends SessionStore {
  entries: Map<string, SessionStoreEntry[]>;
}

/** As a database with JSON columns gives it back: the fields of each entry in another order. */
function storeOf(): Kept {
  const entries = new Map<string, SessionStoreEntry[]>();
  const nameOf = ({ projectKey, sessionId, subpath }: SessionKey): string =>
    JSON.stringify([projectKey, sessionId, subpath]);
  return {
    entries,
    append: async (key, more) => void entries.set(nameOf(key), [...(entries.get(nameOf(key)) ?? []), ...more]),
    load: async (key) =>
      entries.get(nameOf(key))?.map((entry) => {
        const fields = Object.entries(entry).toSorted(([one], [other]) => (one < other ? -1 : 1));
        return Object.fromEntries(fields) as unknown as SessionStoreEntry;
      }) ?? null,
    listSessions: async () =>
      [...entries.keys()].map((name, at) => ({ sessionId: (JSON.parse(name) as string[])[1] ?? "", mtime: at })),
    listSubkeys: async ({ sessionId }) =>
      [...entries.keys()].flatMap((name) => {
        const [, id, subpath] = JSON.parse(name) as [string, string, string | null];
        return id === sessionId && subpath !== null ? [subpath, "../../../etc/cron"] : [];
      }),
  };
}

const leftovers = (before: readonly string[] = []): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith("pawl-store-") && !before.includes(name));

test("gets every line of the transcript, also of agents, from which a session is resumed elsewhere", async () => {
  const ground = layGround();
  const sessionStore = storeOf();
  const agent = { content: [{ tool: "Agent", input: { description: "d", prompt: "look" } }] };
  const model = scripted({ steps: ["Noted.", agent, "Found it.", "Done."], fallback: "A summary." });
  const engine = await openOn(ground, model, { sessionStore });
  await turn(engine, "Remember the heron.");
  await turn(engine, "Have somebody look.");
  for await (const _ of engine.compact());
  await turn(engine, "And now the stork.");
  await engine.dispose();
  const path = engine.getTranscriptPath() ?? "";
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const all = [...sessionStore.entries];
  expect(all).toHaveLength(2);
  expect(all[0]?.[1]).toEqual(lines.map((line) => JSON.parse(line) as unknown));
  expect(all[1]?.[0]).toContain("subagents/agent-");

  rmSync(ground.pawlHome, { recursive: true });
  const before = leftovers();
  // Of a process that was killed: it goes with the next one.
  const dead = mkdtempSync(join(tmpdir(), "pawl-store-"));
  const { host, space } = nodeProcesses;
  writeFileSync(join(dead, "owner.json"), JSON.stringify({ pid: 2 ** 22 + 1, host, space }));
  const elsewhere = scripted({ fallback: "Both birds." });
  const resumed = await openOn(ground, elsewhere, { sessionStore, resume: engine.getSessionId() });
  await turn(resumed, "Which birds?");
  const copy = await openOn(ground, elsewhere, { sessionStore, continue: true, forkSession: true });
  await turn(copy, "Which birds?");
  expect(JSON.stringify(elsewhere.requests[0]?.body)).toContain("stork");
  expect(JSON.stringify(elsewhere.requests[1]?.body)).toContain("stork");
  expect(leftovers(before)).toHaveLength(2);
  expect(existsSync(dead)).toBe(false);
  await Promise.all([resumed.dispose(), copy.dispose()]);
  expect(leftovers(before)).toEqual([]);
  const kept = sessionStore.entries.get(
    [...sessionStore.entries.keys()].find((name) => name.includes(copy.getSessionId())) ?? "",
  );
  expect(kept?.length).toBeGreaterThan(lines.length);
  expect(existsSync(join(ground.pawlHome, "projects"))).toBe(false);
});

const goesOn = { resume: undefined, continue: true };
const thrown = (): never => {
  throw new Error("not connected");
};
/** As a store without types may answer: at once, and with anything. */
const answered = (value: unknown) => () => value as never;

test("gets every line also of a session that is kept in another folder, even a relative one", async () => {
  const ground = layGround();
  const sessionStore = storeOf();
  const [home, sessionsHome] = ["home", "kept"].map((name) => relative(process.cwd(), join(ground.home, name)));
  const places = { home: home!, sessionsHome: sessionsHome! };
  const engine = await openOn(ground, scripted({ steps: ["1"] }), { sessionStore, ...places });
  await turn(engine, "Hi.");
  await engine.dispose();
  const path = engine.getTranscriptPath()!;
  expect(path.startsWith(join(ground.home, "kept"))).toBe(true);
  const lines = readFileSync(path, "utf8").trim().split("\n");
  expect([...sessionStore.entries.values()]).toEqual([lines.map((line) => JSON.parse(line) as unknown)]);
});

test.each<[Partial<SessionStore>, object, RegExp]>([
  [{ load: () => Promise.reject(new Error("no connection")) }, {}, /cannot be read \(load\): no connection/u],
  [{ load: () => new Promise(() => undefined) }, { loadTimeoutMs: 5 }, /did not answer within 5 ms/u],
  [{ load: async () => null }, {}, /No conversation found/u],
  [{ load: thrown }, {}, /cannot be read \(load\): not connected/u],
  [{ listSessions: thrown }, goesOn, /cannot be read \(listSessions\): not connected/u],
  [{ listSessions: answered({}) }, goesOn, /\(listSessions\): its answer is not a list of sessions/u],
  [{ listSessions: answered([null]) }, goesOn, /\(listSessions\): its answer is not a list of sessions/u],
  [{ load: async () => [{ type: "user" }], listSubkeys: answered({}) }, {}, /\(listSubkeys\): .* not a list of names/u],
  [{}, { loadTimeoutMs: Number.NaN }, /^loadTimeoutMs must be a number of milliseconds above 0/u],
  [{}, { persistSession: false }, /cannot be combined with persistSession/u],
])("a store that cannot be read is reported, and no session starts", async (broken, options, why) => {
  const before = leftovers();
  const given = {
    sessionStore: { ...storeOf(), ...broken },
    resume: "0b0b0b0b-1111-4222-8333-000000000001",
    ...options,
  };
  await expect(openOn(layGround(), scripted({}), given)).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(why) as string,
  });
  expect(leftovers()).toEqual(before);
});

const key = { projectKey: "p", sessionId: "s" };
const line = (n: number): string => JSON.stringify({ type: "user", uuid: `u${n}` });
const quick = { ...systemClock, timer: (_: number, fire: () => void) => systemClock.timer(0, fire) };

test("gets entries again after two failures; a store that keeps failing does not hold up the session", async () => {
  const seen: string[][] = [];
  const told: string[] = [];
  let failures = 2;
  const append = async (_: SessionKey, entries: SessionStoreEntry[]): Promise<void> => {
    if (failures-- > 0) throw new Error("busy");
    seen.push(entries.map(({ uuid = "" }) => uuid));
  };
  const common = { store: { append }, keyOf: () => key, clock: quick, notify: (text: string) => told.push(text) };
  const mirror = new StoreMirror({ ...common, isEager: false });
  for (const n of [1, 2, 3]) mirror.wrote("x", line(n));
  await mirror.settled();
  expect([seen, told]).toEqual([[["u1", "u2", "u3"]], []]);
  failures = 3;
  const eager = new StoreMirror({ ...common, isEager: true });
  for (const n of [4, 5]) eager.wrote("x", line(n));
  await eager.settled();
  expect(seen.slice(1)).toEqual([["u5"]]);
  expect(told).toEqual([expect.stringContaining("was not mirrored: the store failed (busy)")]);
});

test("gets each entry once if it answers synchronously, without a promise", async () => {
  const seen: string[][] = [];
  const told: string[] = [];
  const append = (_: SessionKey, entries: SessionStoreEntry[]): never =>
    void seen.push(entries.map(({ uuid = "" }) => uuid)) as never;
  const store = { append };
  const mirror = new StoreMirror({
    store,
    keyOf: () => key,
    isEager: true,
    clock: quick,
    notify: (text) => told.push(text),
  });
  for (const n of [1, 2]) mirror.wrote("x", line(n));
  await mirror.settled();
  expect([seen, told]).toEqual([[["u1"], ["u2"]], []]);
});

test("can answer undefined for an unknown session; anything but a list of entries is refused", async () => {
  const resume = "0b0b0b0b-1111-4222-8333-444444444444";
  const openWith = async (answer: unknown) => {
    const sessionStore: SessionStore = { append: async () => undefined, load: async () => answer as null };
    return await openOn(layGround(), scripted({}), { sessionStore, resume });
  };
  const before = leftovers();
  await expect(openWith(undefined)).rejects.toMatchObject({ code: "session_not_found" });
  for (const odd of [5, "text", [null]])
    await expect(openWith(odd)).rejects.toThrow("its answer is not a list of entries");
  const unread = { type: "user", uuid: "u", at: 5n };
  await expect(openWith([unread])).rejects.toMatchObject({
    name: "UsageError",
    message: expect.stringMatching(
      /^The session store cannot be read \(load\): its answer is not JSON \(.*BigInt\)\.$/,
    ),
  });
  expect(leftovers()).toEqual(before);
});

test("limits what waits for a store that hangs", async () => {
  const told: string[] = [];
  const store = { append: () => new Promise<void>(() => undefined) };
  const mirror = new StoreMirror({
    store,
    keyOf: () => key,
    isEager: false,
    clock: quick,
    notify: (text) => told.push(text),
  });
  const big = JSON.stringify({ type: "user", uuid: "x", text: "y".repeat(1024 * 1024) });
  for (let n = 0; n < 70; n++) mirror.wrote("x", big);
  expect(told[0]).toContain("it is too far behind");
  expect(told.length).toBeLessThan(8);
  await mirror.settled();
});

test("the in-memory store can resume a session, skips repeated entries and forgets deleted sessions", async () => {
  const sessionStore = new InMemorySessionStore();
  const agent = { content: [{ tool: "Agent", input: { description: "d", prompt: "look" } }] };
  const model = scripted({ steps: [agent, "Found it.", "Done."], fallback: "Noted." });
  const ground = layGround();
  const engine = await openOn(ground, model, { sessionStore });
  await turn(engine, "Remember the heron.");
  await engine.dispose();
  rmSync(ground.pawlHome, { recursive: true });
  const again = await openOn(ground, model, { sessionStore, continue: true });
  await turn(again, "Which one?");
  expect(again.getSessionId()).toBe(engine.getSessionId());
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("Remember the heron.");
  await again.dispose();

  const projectKey = ground.work.replaceAll(/[^a-zA-Z0-9]/gu, "-");
  const key = { projectKey, sessionId: engine.getSessionId() };
  expect(await sessionStore.listSessions(projectKey)).toMatchObject([{ sessionId: key.sessionId }]);
  expect(await sessionStore.listSubkeys(key)).toEqual([expect.stringMatching(/^subagents\/agent-/u)]);
  const entries = (await sessionStore.load(key)) ?? [];
  await sessionStore.append(key, entries);
  expect((await sessionStore.load(key))?.filter(({ uuid }) => uuid !== undefined)).toEqual(
    entries.filter(({ uuid }) => uuid !== undefined),
  );
  await sessionStore.delete(key);
  expect(await sessionStore.load(key)).toBeNull();
  expect(await sessionStore.listSubkeys(key)).toEqual([]);
});

test("continue does not take the session of a folder whose path differs only in punctuation", async () => {
  const sessionStore = new InMemorySessionStore();
  const ground = layGround();
  const [dashed, nested] = [join(ground.work, "web-api"), join(ground.work, "web", "api")];
  for (const folder of [dashed, nested]) mkdirSync(folder, { recursive: true });
  const ids: string[] = [];
  for (const cwd of [nested, dashed]) {
    const engine = await openOn(ground, scripted({ fallback: "Noted." }), { sessionStore, cwd });
    await turn(engine, "Hi.");
    await engine.dispose();
    ids.push(engine.getSessionId());
  }
  rmSync(ground.pawlHome, { recursive: true });
  const again = await openOn(ground, scripted({}), { sessionStore, cwd: nested, continue: true });
  expect(again.getSessionId()).toBe(ids[0]);
  await again.dispose();
  const key = { projectKey: nested.replaceAll(/[^a-zA-Z0-9]/gu, "-"), sessionId: ids[0]! };
  // Listed as the newest, with its entries gone: the session before it was not looked for.
  const listed = await sessionStore.listSessions(key.projectKey);
  const gone = { sessionId: "0b0b0b0b-1111-4222-8333-444444444444", mtime: Number.MAX_SAFE_INTEGER };
  sessionStore.listSessions = async () => [gone, ...listed];
  const older = await openOn(ground, scripted({}), { sessionStore, cwd: nested, continue: true });
  expect(older.getSessionId()).toBe(ids[0]);
  await older.dispose();
  await sessionStore.delete(key);
  const opened = openOn(ground, scripted({}), { sessionStore, cwd: nested, continue: true });
  await expect(opened).rejects.toThrow("There is no session of this folder to continue.");
});
