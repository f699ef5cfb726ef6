// /resume and /branch at the prompt; the list that /resume alone shows is tried on a real terminal (test/e2e).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { UsageError } from "../../../src/lib/usage-error.ts";
import type { Message } from "../../../src/protocol/message.ts";
import type { RewindFilesResult } from "../../../src/session/files/rewind-types.ts";
import { StoredSessionsDesk } from "../../../src/session/sessions/desk.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import { echo, start } from "./talk.ts";

const past: Message[] = [
  { type: "user", uuid: "u1", timestamp: "", content: [{ type: "text", text: "paint the shed" }], origin: "human" },
];

test("/resume and /branch switch the session and show its last exchange without calling the model", async () => {
  const asked: unknown[] = [];
  let id = "s1";
  const { type, text, engine } = start(echo, {
    overrides: {
      resume: async (session) => void (asked.push(session), (id = "s2")),
      branch: async (title) => void (asked.push(["copy", title]), (id = "s3")),
      getSessionId: () => id,
      getMessages: () => (id === "s2" ? past : []),
    },
  });
  await type("/resume the shed\r");
  expect(text()).toContain("session s2\n> paint the shed\n(not answered yet)\n");
  // What was sent in the session that goes on is found by the arrow.
  await type("\x1b[A");
  expect(text()).toMatch(/> paint the shed$/u);
  await type("\x15/branch another way\r");
  expect(text()).toContain("Now in a copy: s3.\n/resume s2 returns to the original\n");
  await type("/continue s1\r/fork\r");
  expect(asked).toEqual(["the shed", ["copy", "another way"], "s1", ["copy", undefined]]);
  expect(engine.prompts).toEqual([]);
});

test("/resume reports an error with the possible choices, and the session continues", async () => {
  const refusal = new UsageError("Two sessions have that name.", { choices: ["s7  one", "s8\x1b[2J  two"] });
  const { type, text, raw, engine } = start(echo, { overrides: { resume: () => Promise.reject(refusal) } });
  await type("/resume twins\r");
  expect(text()).toContain("Two sessions have that name.\n  s7  one\n  s8");
  expect(raw()).not.toContain("\x1b[2J");
  await type("hello\r");
  expect(engine.prompts).toMatchObject([{ prompt: "hello" }]);
});

test("/resume alone says if there is no other session", async () => {
  const home = mkdtempSync(join(tmpdir(), "pawl-other-"));
  try {
    const { type, text, pause } = start(echo, { env: { NO_COLOR: "1", HOME: home, PAWL_HOME: home } });
    await type("/resume\r");
    await expect
      .poll(async () => (await pause(), text()), { timeout: 20_000 })
      .toContain("This folder has no other session.\n");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});

// Seen: in a folder of thousands, read for the first time, nothing was said for many seconds.
test("/resume alone says that it is reading sessions if that takes a while", async () => {
  const listed = Promise.withResolvers<never[]>();
  const list = vi.spyOn(StoredSessionsDesk.prototype, "list").mockReturnValue(listed.promise);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const { type, text, pause } = start(echo);
    await type("/resume\r");
    await vi.waitUntil(() => list.mock.calls.length > 0, 50_000);
    expect(text()).not.toContain("reading new session data");
    vi.advanceTimersByTime(2_000);
    await pause();
    expect(text()).toContain("reading new session data, which takes a while the first time\n");
    listed.resolve([]);
    await pause();
    expect(text()).toContain("This folder has no other session.\n");
  } finally {
    vi.useRealTimers();
    list.mockRestore();
  }
});

const twice: Message[] = [
  { type: "user", uuid: "u0", timestamp: "", content: [{ type: "text", text: "about the project" }], isMeta: true },
  ...past,
  { type: "user", uuid: "u2", timestamp: "", content: [{ type: "text", text: "in red,\nplease" }], origin: "human" },
];

/** Says what is asked of the session, in its order. */
function rewinding(messages: Message[], result: RewindFilesResult = { canRewind: true, filesChanged: ["/w/a"] }) {
  const asked: unknown[] = [];
  let id = "first-session";
  const overrides: Partial<Engine> = {
    branch: async (_title, options) => void (asked.push(options?.upToMessageId), (id = "s2")),
    clear: async () => void (asked.push("clear"), (id = "s2")),
    rewindFiles: async (uuid, options) => (asked.push(["files", uuid, options]), result),
    getSessionId: () => id,
    getMessages: () => messages,
  };
  return { asked, ...start(echo, { overrides }) };
}

describe("/rewind", () => {
  test("with conversation continues in a copy before the message, whose text returns to the prompt", async () => {
    const { asked, type, text, engine } = rewinding(twice);
    await type("/rewind 2 conversation\r");
    expect(asked).toEqual(["u1"]);
    expect(text()).toContain(
      "continues from before message 2, in session s2.\n/resume first-se returns to the full conversation\n",
    );
    expect(text()).toMatch(/> in red,\n\s*please$/u);
    expect(engine.prompts).toEqual([]);
    await type(" or blue\r");
    expect(engine.prompts).toMatchObject([{ prompt: "in red,\nplease or blue" }]);
  });

  test("with both restores the files first, and changes nothing if that fails", async () => {
    const { asked, type, text } = rewinding(twice);
    await type("/rewind 1 both\r");
    expect(asked).toEqual([["files", "u1", undefined], "u0"]);
    expect(text()).toContain("Put back to what they were before message 1 (paint the shed)");
    const refused = rewinding(twice, { canRewind: false, error: "No file was kept." });
    await refused.type("/rewind 1 both\r");
    expect(refused.asked).toHaveLength(1);
    expect(refused.text()).toContain("No file was kept.\n");
  });

  test("clears the session before the first message, and refuses an unknown message", async () => {
    const { asked, type, text } = rewinding(past);
    await type("/rewind 2 conversation\r");
    expect(text()).toContain("There is no message 2 in the conversation");
    await type("/rewind 1 conversation\r");
    expect(asked).toEqual(["clear"]);
  });

  test("for files only is left to the session's own command", async () => {
    const { asked, type, engine } = rewinding(twice);
    await type("/rewind 1\r/rewind 1 confirm\r/rewind 1 conversation now\r");
    expect(asked).toEqual([]);
    expect(engine.prompts).toHaveLength(3);
  });

  const dry = (uuid: string) => ["files", uuid, { dryRun: true }];

  test("alone asks for the message, shows the files that would change, and asks what to restore", async () => {
    const { asked, type, text, engine } = rewinding(twice);
    await type("/rewind\r");
    expect(text()).toMatch(/ 1 {2}paint the shed\n {2}2 {2}in red, please\nA number, or Enter to cancel: $/u);
    await type("7\r");
    expect(text()).toContain("There is no message 7 in the conversation.\n");
    await type("2\r");
    expect(asked).toEqual([dry("u2")]);
    expect(text()).toMatch(/before message 2 \(in red,\s+please\)[^]*\/w\/a\nNothing is done yet\.\n/u);
    expect(text()).toMatch(/c for the conversation, f for the files, b for both, or Enter to cancel: $/u);
    await type("x\rb\r");
    expect(text()).toContain('"x" is not one of these.');
    expect(text()).toContain("Ignored: this was typed before the question appeared.\n");
    await type("C\r");
    expect(asked).toEqual([dry("u2"), "u1"]);
    expect(text()).toMatch(/> in red,\n\s*please$/u);
    expect(engine.prompts).toEqual([]);
  });

  test.each([
    ["f", [], ["/rewind u1 confirm"]],
    ["both", [["files", "u1", undefined], "u0"], []],
  ])("alone performs the answer %s", async (answer, done, prompts) => {
    const { asked, type, engine } = rewinding(twice);
    await type("/rewind\r");
    await type("1\r");
    await type(`${answer}\r`);
    expect(asked).toEqual([dry("u1"), ...done]);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(prompts);
  });

  test.each([
    ["no file differs", { canRewind: true }, "No file differs from what it was before message 1"],
    [
      "no file was saved",
      { canRewind: false, error: "No file was kept." },
      "No file can be put back: No file was kept.",
    ],
  ])("alone offers only the conversation if %s", async (_, result, said) => {
    const { type, text } = rewinding(twice, result);
    await type("/rewind\r");
    await type("1\r");
    expect(text()).toContain(said);
    await type("f\r");
    expect(text()).toMatch(/"f" is not one of these\.\nc for the conversation, or Enter to cancel: $/u);
  });

  test.each([
    ["\x1b", "cancelled (Esc)"],
    ["\x03", "cancelled (Ctrl+C)"],
    ["\r", ""],
  ])("alone can be cancelled at either question with %j", async (key, said) => {
    const { asked, type, text, engine } = rewinding(twice);
    await type("/rewind\r");
    await type(key);
    expect(text()).toContain(`A number, or Enter to cancel: ${said}\n`);
    await type("/rewind\r");
    await type("1\r");
    await type(key);
    expect(text()).toMatch(/> $/u);
    await type("go on\r");
    expect(asked).toEqual([dry("u1")]);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go on"]);
  });

  test("alone says that there is no message yet", async () => {
    const { asked, type, text } = rewinding([]);
    await type("/rewind\r");
    expect(text()).toMatch(/Nothing was said yet: there is nothing to go back to\.\n\n> $/u);
    expect(asked).toEqual([]);
  });

  test("starts when Esc is pressed twice at an empty prompt", async () => {
    const { type, text } = rewinding(twice);
    await type("\x1b");
    expect(text()).toMatch(/> \n\(press Esc again to go back to an earlier message\)$/u);
    await type("x");
    await type("\x7f");
    await type("\x1b");
    expect(text()).not.toContain("A number");
    await type("\x1b");
    expect(text()).toMatch(/> \/rewind\n[^]*A number, or Enter to cancel: $/u);
    await type("\x1b");
    expect(text()).toMatch(/> $/u);
  });
});
