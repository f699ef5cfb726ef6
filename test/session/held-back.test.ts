// What Grep shows of a folder in which files lie whose names say that they hold secrets.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { createPermissions } from "../../src/permissions/permissions.ts";
import type { PermissionSubject } from "../../src/protocol/permission.ts";
import { openHookDesk } from "../../src/session/desk/hook-desk.ts";
import { createHeldBackCheck } from "../../src/session/permissions/held-back.ts";
import { systemClock } from "../../src/lib/system-clock.ts";
import { thisMachine } from "../../src/session/surroundings/machine.ts";
import { composeTools } from "../../src/session/tools/tool-parts.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openSession,
  optionsFor,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function laid(): Ground {
  const ground = layGround();
  for (const file of [".env", "keys/server.pem", "src/a.ts", "node_modules/x/test.pem"])
    put(join(ground.work, file), "pass=heron\n");
  return ground;
}

/** The result of a search that the model gets. */
async function told(ground: Ground, input: Record<string, unknown>, options: EngineOptions = {}): Promise<string> {
  const step = { content: [{ tool: "Grep", input: { pattern: "heron", ...input } }] };
  const { engine, model } = await openSession({ steps: [step, "Done."] }, options, ground);
  await turn(engine, "Search.");
  return JSON.stringify(calls(model)[1]?.body?.messages.at(-1)?.content);
}

describe("a search in a folder", () => {
  test.each(["content", "files_with_matches", "count"])(
    "with output %s leaves out files that nobody allowed to be read",
    async (mode) => {
      const text = await told(laid(), { output_mode: mode });
      expect(text).toContain("src/a.ts");
      expect(text).toContain("node_modules/x/test.pem");
      expect(text).not.toContain(".env");
      expect(text).not.toContain("server.pem");
    },
  );

  test("does not reveal whether a left-out file matches", async () => {
    const ground = laid();
    const missed = await told(ground, { pattern: "nothing like it", glob: ".env" });
    expect(await told(ground, { pattern: "heron", glob: ".env" })).toBe(missed);
  });

  test.each<[string, EngineOptions]>([
    ["a rule", { allowedTools: ["Read(.env)"] }],
    ["the mode", { permissionMode: "bypassPermissions" }],
  ])("shows files that %s allows", async (_, options) => {
    expect(await told(laid(), { output_mode: "content" }, options)).toContain(".env:1:pass=heron");
  });

  test("shows files tracked by git, unless a rule concerns them", async () => {
    const ground = laid();
    const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: ground.work, stdio: "ignore" });
    git("init", "-q");
    git("add", "-f", ".env");
    const text = await told(ground, { output_mode: "content" });
    expect(text).toContain(".env:1:pass=heron");
    expect(text).not.toContain("server.pem");
    const settings = JSON.stringify({ permissions: { ask: ["Read(.env)"] } });
    expect(await told(ground, { output_mode: "content" }, { settings })).not.toContain(".env");
  });

  test("leaves out files that an ask rule covers", async () => {
    const settings = JSON.stringify({ permissions: { ask: ["Read(src/**)"] } });
    const text = await told(laid(), { output_mode: "content" }, { settings });
    expect(text).toContain("node_modules/x/test.pem");
    expect(text).not.toContain("src/a.ts");
  });
});

describe("a search leaves out what a rule forbids to read", () => {
  const search = { content: [{ tool: "Grep", input: { pattern: "heron", output_mode: "content" } }] };
  const options = { disallowedTools: ["Read(src/**)"] };

  test("in an agent", async () => {
    const start = { content: [{ tool: "Agent", input: { description: "a search", prompt: "Search." } }] };
    const { engine, model } = await openSession({ steps: [start, search, "Found.", "Done."] }, options, laid());
    await turn(engine, "Have it searched.");
    const text = JSON.stringify(calls(model)[2]?.body?.messages.at(-1));
    expect(text).toContain("node_modules/x/test.pem");
    expect(text).not.toContain("src/a.ts");
  });

  test("in an agent hook that is tried", async () => {
    const hooks = { Stop: [{ hooks: [{ type: "agent", prompt: "Is it in order?" }] }] };
    const model = scripted({ steps: [search, '{"ok": true}'] });
    const settings = JSON.stringify({ hooks });
    const desk = openHookDesk(optionsFor(laid(), model, { ...options, settings }));
    await desk.try({ hook_event_name: "Stop" }, new AbortController().signal);
    const text = JSON.stringify(calls(model)[1]?.body?.messages.at(-1));
    expect(text).toContain("node_modules/x/test.pem");
    expect(text).not.toContain("src/a.ts");
    expect(text).not.toContain(".env");
  });
});

test("a search shows nothing before the tools have permissions to ask", () => {
  const own = { cwd: "/", roots: ["/"], home: "/", env: {}, spillDirectory: () => null, spills: thisMachine.spills };
  const { shared } = composeTools({ ...own, clock: systemClock, sessionKey: "k", custom: [], sessionTools: [] });
  expect(shared.mayShow?.("/a.txt")).toBe(false);
});

test("a search in a sensitive file that is named asks first", async () => {
  expect(await told(laid(), { path: ".env", output_mode: "content" })).toContain("may hold secrets by its name");
});

test("a search that finds many sensitive files reads git's list of tracked files once", async () => {
  const { work } = laid();
  const git = (...words: string[]): unknown => execFileSync("git", words, { cwd: work, stdio: "ignore" });
  git("init", "-q");
  git("add", "-f", ".env", "keys");
  const rules = { allow: [], deny: [], ask: [] };
  const explain = async () => ({ decision: "ask" as const, rule: null, reason: "" });
  const isHeldBack = createHeldBackCheck({ rules: () => rules, explain });
  expect(await isHeldBack(join(work, ".env"))).toBe(false);
  rmSync(join(work, ".git/index"));
  expect(await isHeldBack(join(work, "keys/server.pem"))).toBe(false);
  expect(await createHeldBackCheck({ rules: () => rules, explain })(join(work, "keys/server.pem"))).toBe(true);
});

test("a found file's path is case-folded once, however many ask rules there are", async () => {
  const { work, home } = laid();
  const foldings = async (count: number): Promise<number> => {
    const ask = Array.from({ length: count }, (_, at) => ({ rule: `Read(kept${at}/**)`, source: "test" }));
    const places = { cwd: work, home, clock: { timer: () => () => undefined }, headless: true, subjectsOf: readingOf };
    const permissions = createPermissions({ mode: "default", rules: { allow: [], deny: [], ask }, ...places });
    const isHeldBack = createHeldBackCheck(permissions);
    const fold = vi.spyOn(String.prototype, "toLowerCase");
    expect(await isHeldBack(join(work, "src/a.ts"))).toBe(false);
    const times = fold.mock.calls.length;
    fold.mockRestore();
    return times;
  };
  expect(await foldings(50)).toBe(await foldings(1));
});

function readingOf(_tool: string, { path }: Record<string, unknown>): PermissionSubject[] {
  return [{ kind: "read", path: String(path) }];
}
