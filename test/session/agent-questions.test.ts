// Questions of agents that are open: what changes for the session changes for them, as for questions of its own.
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import type { PermissionAnswer, PermissionMode, PermissionUpdate } from "../../src/protocol/permission.ts";
import type { Reply, RequestView, Script } from "../../src/testing/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn, type Ground } from "./support.ts";
import { isAgent } from "../support/is-agent.ts";

clearGroundsAfterwards();
afterAll(disposeAll);

interface Asked {
  file: string;
  agentId: string | undefined;
  signal: AbortSignal;
  answer: (answer: PermissionAnswer) => void;
}

const write = (ground: Ground, name: string) => ({
  tool: "Write",
  input: { file_path: join(ground.work, name), content: "x" },
});

const agents = (...names: string[]): Reply => ({
  content: names.map((prompt) => ({ tool: "Agent", input: { description: "a small task", prompt } })),
});

/** Each agent writes the file it is told of; the session says what it is given, one reply a turn. */
async function opened(own: (ground: Ground) => readonly Reply[], options: EngineOptions = {}) {
  const ground = layGround();
  const replies = own(ground);
  const reply = ({ systemText, turns, lastUserText }: RequestView): Reply | string => {
    if (!isAgent({ systemText })) return replies[turns] ?? "Done.";
    const name = /[a-z]\.txt/u.exec(lastUserText ?? "")?.[0];
    return turns === 0 && name !== undefined ? { content: [write(ground, name)] } : "tried";
  };
  const asked: Asked[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const ask: EngineOptions["ask"] = ({ input, agentId }, signal) =>
    new Promise((answer) => {
      const path = typeof input["file_path"] === "string" ? input["file_path"] : "";
      asked.push({ file: path.slice(ground.work.length + 1), agentId, signal, answer });
      for (const { count, resolve } of waiting) if (asked.length >= count) resolve();
    });
  const script: Script = { rules: [{ when: {}, reply }] };
  const { engine } = await openSession(script, { ask, headless: false, ...options }, ground);
  const whenAsked = (count: number): Promise<void> =>
    new Promise((resolve) => {
      waiting.push({ count, resolve });
      if (asked.length >= count) resolve();
    });
  const isWritten = (name: string): boolean => existsSync(join(ground.work, name));
  return { engine, ground, asked, whenAsked, isWritten };
}

const modes: [PermissionMode, boolean][] = [
  ["acceptEdits", true],
  ["bypassPermissions", true],
  ["plan", false],
  ["dontAsk", false],
];

describe("an open permission question of an agent", () => {
  test.each(modes)("is settled when the session switches to mode %s", async (mode, isAllowed) => {
    const { engine, asked, whenAsked, isWritten } = await opened(() => [agents("a.txt")]);
    const ended = turn(engine, "Go.");
    await whenAsked(1);
    expect(asked[0]?.agentId).toBeDefined();
    engine.setPermissionMode(mode);
    await ended;
    expect([asked.length, asked[0]?.signal.aborted, isWritten("a.txt")]).toEqual([1, true, isAllowed]);
  });

  test('is answered by an "always" answer to another question, and its own such answer counts for the session', async () => {
    const { engine, asked, whenAsked, isWritten } = await opened((ground) => [
      agents("a.txt", "b.txt"),
      { content: [write(ground, "c.txt")] },
    ]);
    const ended = turn(engine, "Go.");
    await whenAsked(2);
    asked[0]?.answer({ behavior: "allow", rule: "Write" });
    await ended;
    expect(["a.txt", "b.txt", "c.txt"].map(isWritten)).toEqual([true, true, true]);
    expect(asked).toHaveLength(2);
  });

  test.each<[string, PermissionUpdate]>([
    ["another mode", { type: "setMode", mode: "acceptEdits", destination: "session" }],
    ["a rule", { type: "addRules", behavior: "allow", rules: [{ toolName: "Write" }], destination: "session" }],
  ])("is answered by a permission update that comes with another answer: %s", async (_name, change) => {
    const { engine, asked, whenAsked, isWritten } = await opened((ground) => [
      agents("a.txt", "b.txt"),
      { content: [write(ground, "c.txt")] },
    ]);
    const ended = turn(engine, "Go.");
    await whenAsked(2);
    asked[0]?.answer({ behavior: "allow", updates: [change] });
    await ended;
    expect(["a.txt", "b.txt", "c.txt"].map(isWritten)).toEqual([true, true, true]);
    expect(engine.getPermissionMode()).toBe(change.type === "setMode" ? change.mode : "default");
  });
});

test("what a person denies for the session is denied to its agents too, and after /clear", async () => {
  const rules = [{ toolName: "Write" }];
  const change: PermissionUpdate = { type: "addRules", behavior: "deny", rules, destination: "session" };
  const own = (ground: Ground) => [{ content: [write(ground, "a.txt")] }, agents("b.txt")];
  const { engine, ground, asked, whenAsked, isWritten } = await opened(own);
  const ended = turn(engine, "Go.");
  await whenAsked(1);
  asked[0]?.answer({ behavior: "allow", updates: [change] });
  await ended;
  expect(["a.txt", "b.txt"].map(isWritten)).toEqual([true, false]);
  rmSync(join(ground.work, "a.txt"));
  await turn(engine, "/clear");
  await turn(engine, "Go.");
  expect([asked.length, isWritten("a.txt")]).toEqual([1, false]);
});

test.each<[string, PermissionUpdate, string[]]>([
  [
    "allow",
    { type: "addRules", behavior: "allow", rules: [{ toolName: "Write" }], destination: "session" },
    ["a.txt", "b.txt"],
  ],
  ["deny", { type: "addRules", behavior: "deny", rules: [{ toolName: "Write" }], destination: "session" }, ["a.txt"]],
  ["another mode", { type: "setMode", mode: "acceptEdits", destination: "session" }, ["a.txt", "b.txt"]],
])("a permission update from a hook inside an agent applies to the session: %s", async (_name, change, written) => {
  let questions = 0;
  const callback = async () => {
    questions += 1;
    const decision = { behavior: "allow", updatedPermissions: [change] };
    return { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } } as never;
  };
  const hooks: EngineOptions["hooks"] = { PermissionRequest: [{ callback }] };
  const own = (ground: Ground) => [agents("a.txt"), { content: [write(ground, "b.txt")] }];
  const { engine, asked, isWritten } = await opened(own, { hooks });
  await turn(engine, "Go.");
  expect(["a.txt", "b.txt"].filter(isWritten)).toEqual(written);
  expect([questions, asked.length]).toEqual([1, 0]);
});
