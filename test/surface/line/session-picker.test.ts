import { expect, test } from "vitest";
import type { ListedSession } from "../../../src/session/sessions/desk.ts";
import { pickOf } from "../../../src/surface/line/session-picker.ts";

const sessions = Array.from({ length: 30 }, (_, at): ListedSession => {
  const sessionId = `${String(at + 1).padStart(8, "0")}-0000-4000-8000-000000000000`;
  return { sessionId, summary: `talk ${at + 1}`, lastModified: 0, path: "" };
});

/** Types these lines; what is searched for is noted, and found in all. */
async function picking(...typed: string[]): Promise<{ picked: string | undefined; searched: (string | undefined)[] }> {
  const searched: (string | undefined)[] = [];
  const picked = await pickOf(sessions, {
    list: async (search) => (searched.push(search), sessions.slice(24)),
    show: () => {},
    ask: async () => typed.shift(),
    now: () => 0,
  });
  return { picked, searched };
}

test("a number of the list is the session that stands there", async () => {
  expect(await picking("20")).toEqual({ picked: sessions[19]?.sessionId, searched: [] });
});

test("a number that no session is shown under is searched for: it took one that nobody had seen", async () => {
  expect(await picking("25", "1")).toEqual({ picked: sessions[24]?.sessionId, searched: ["25"] });
  expect(await picking("25", "")).toEqual({ picked: undefined, searched: ["25"] });
});

test("Esc and Enter leave the list of --resume: it was searched for", async () => {
  for (const typed of ["\x1b", "\x1b\x1b", "\x1b[A"])
    expect(await picking(typed)).toEqual({ picked: undefined, searched: [] });
  expect(await picking("\x1b[A3")).toEqual({ picked: sessions[2]?.sessionId, searched: [] });
});
