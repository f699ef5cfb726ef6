// /resume and /branch at the prompt; the list that /resume alone shows is tried on a real terminal (test/e2e).
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { UsageError } from "../../../src/lib/usage-error.ts";
import type { Message } from "../../../src/protocol/message.ts";
import { echo, start } from "./talk.ts";

const past: Message[] = [
  { type: "user", uuid: "u1", timestamp: "", content: [{ type: "text", text: "paint the shed" }], origin: "human" },
];

test("/resume and /branch have the session go on elsewhere, show what was said there, and reach no model", async () => {
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
  expect(text()).toContain("A copy, s3.\n/resume s2 goes back\n");
  await type("/continue s1\r/fork\r");
  expect(asked).toEqual(["the shed", ["copy", "another way"], "s1", ["copy", undefined]]);
  expect(engine.prompts).toEqual([]);
});

test("what cannot be resumed is told, with what it could be, and the session goes on", async () => {
  const refusal = new UsageError("Two sessions have that name.", { choices: ["s7  one", "s8\x1b[2J  two"] });
  const { type, text, raw, engine } = start(echo, { overrides: { resume: () => Promise.reject(refusal) } });
  await type("/resume twins\r");
  expect(text()).toContain("Two sessions have that name.\n  s7  one\n  s8");
  expect(raw()).not.toContain("\x1b[2J");
  await type("hello\r");
  expect(engine.prompts).toMatchObject([{ prompt: "hello" }]);
});

test("/resume alone says where there is no other session", async () => {
  const home = mkdtempSync(join(tmpdir(), "pawl-other-"));
  try {
    const { type, text, pause } = start(echo, { env: { NO_COLOR: "1", HOME: home, PAWL_HOME: home } });
    await type("/resume\r");
    await expect
      .poll(async () => (await pause(), text()), { timeout: 20_000 })
      .toContain("There is no other session of this folder.\n");
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
});
