import { expect, test } from "vitest";
import type { ListedSession } from "../../../src/session/sessions/desk.ts";
import { wrapHanging } from "../../../src/surface/show/wrap-hanging.ts";
import { pickFromList } from "../../../src/surface/line/session-picker.ts";

const sessions = Array.from({ length: 30 }, (_, at): ListedSession => {
  const sessionId = `${String(at + 1).padStart(8, "0")}-0000-4000-8000-000000000000`;
  return { sessionId, summary: `talk ${at + 1}`, lastModified: 0, path: "" };
});

/** Types these lines; what is searched for is noted, and found in all. */
async function picking(...typed: string[]): Promise<{ picked: string | undefined; searched: (string | undefined)[] }> {
  const searched: (string | undefined)[] = [];
  const picked = await pickFromList(sessions, {
    list: async (search) => (searched.push(search), sessions.slice(24)),
    show: () => {},
    ask: async () => typed.shift(),
    size: () => ({ rows: 24, columns: 80 }),
    now: () => 0,
  });
  return { picked, searched };
}

test("a number picks the session that is listed under it", async () => {
  expect(await picking("20")).toEqual({ picked: sessions[19]?.sessionId, searched: [] });
  expect(await picking("１２")).toEqual({ picked: sessions[11]?.sessionId, searched: [] });
});

test("a number that is not listed is searched for", async () => {
  expect(await picking("25", "1")).toEqual({ picked: sessions[24]?.sessionId, searched: ["25"] });
  expect(await picking("25", "")).toEqual({ picked: undefined, searched: ["25"] });
});

test("Esc and Enter cancel the list", async () => {
  for (const typed of ["\x1b", "\x1b\x1b", "\x1b[A"])
    expect(await picking(typed)).toEqual({ picked: undefined, searched: [] });
  expect(await picking("\x1b[A3")).toEqual({ picked: sessions[2]?.sessionId, searched: [] });
});

test("no more sessions are listed than fit on the screen", async () => {
  const screens: string[] = [];
  const long = sessions.map((session) => ({
    ...session,
    summary: "words ".repeat(12),
    match: "said there ".repeat(9),
  }));
  const size = { rows: 24, columns: 80 };
  const typed = ["7", "1"];
  const searched: (string | undefined)[] = [];
  const picked = await pickFromList(long, {
    list: async (search) => (searched.push(search), long.slice(24)),
    show: (text) => screens.push(wrapHanging(text, size.columns)),
    ask: async () => typed.shift(),
    size: () => size,
    now: () => 0,
  });
  expect(screens.map((text) => text.split("\n").length)).toEqual([21, 21]);
  expect(screens[0]).toContain("\n  2  00000002");
  expect(screens[0]).toContain("and 25 more: search for them");
  expect(searched).toEqual(["7"]);
  expect(picked).toBe(long[24]?.sessionId);
});

test("a failed search is reported below the list", async () => {
  const screens: string[] = [];
  const size = { rows: 12, columns: 40 };
  const typed = ["roof", "3"];
  const picked = await pickFromList(sessions, {
    list: async () => [],
    show: (text) => screens.push(wrapHanging(text, size.columns)),
    ask: async () => typed.shift(),
    size: () => size,
    now: () => 0,
  });
  expect(screens).toHaveLength(2);
  expect(screens[1]).toMatch(/search for them\nNo session of this folder contains\n"roof"\.$/u);
  // The question takes two rows.
  expect(screens.map((text) => text.split("\n").length)).toEqual([10, 10]);
  expect(picked).toBe(sessions[2]?.sessionId);
});

test("failed searches do not repeat a list whose top is still on the screen", async () => {
  const screens: string[] = [];
  const typed = ["roof", "door", "wall", "2"];
  const picked = await pickFromList(sessions.slice(0, 3), {
    list: async () => [],
    show: (text) => screens.push(text),
    ask: async () => typed.shift(),
    size: () => ({ rows: 9, columns: 80 }),
    now: () => 0,
  });
  const note = (words: string): string => `No session of this folder contains "${words}".`;
  expect(screens.slice(1, 3)).toEqual([note("roof"), note("door")]);
  // Below a third note the first session would have scrolled away.
  expect(screens[3]).toBe(`${screens[0]}\n${note("wall")}`);
  expect(picked).toBe(sessions[1]?.sessionId);
});

test("a failed search repeats the list after the terminal became narrower, which may have scrolled it away", async () => {
  const screens: string[] = [];
  const typed = ["roof", "1"];
  let columns = 80;
  await pickFromList(sessions.slice(0, 5), {
    list: async () => [],
    show: (text) => screens.push(text),
    ask: async () => {
      columns = 40;
      return typed.shift();
    },
    size: () => ({ rows: 11, columns }),
    now: () => 0,
  });
  expect(screens).toEqual([screens[0], expect.stringMatching(/^ {2}1 [^]*"roof"\.$/u)]);
});

test("a title that the terminal breaks within a word takes room for its rows", async () => {
  const screens: string[] = [];
  const long = sessions.map((session) => ({ ...session, summary: "a".repeat(38) }));
  const size = { rows: 15, columns: 40 };
  await pickFromList(long, {
    list: async () => [],
    show: (text) => screens.push(text),
    ask: async () => undefined,
    size: () => size,
    now: () => 0,
  });
  const rows = wrapHanging(screens[0] ?? "", size.columns).split("\n");
  // The question takes two rows.
  expect(rows.reduce((count, row) => count + Math.ceil(row.length / size.columns), 2)).toBeLessThanOrEqual(size.rows);
});
