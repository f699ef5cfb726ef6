// Memory in a session: told in the first message, and behind the file that calls for it.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { put as putFile } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const put = ({ work }: Ground, name: string, text: string): string => putFile(join(work, name), text);

const reading = (path: string) => ({ content: [{ tool: "Read", input: { file_path: path } }] });

function ground(): Ground {
  const laid = layGround();
  mkdirSync(join(laid.work, ".git"));
  return laid;
}

test("memory files below the folder reach the model with the next request, and not again after a resume", async () => {
  const on = ground();
  put(on, "CLAUDE.md", "Top rules.");
  const file = put(on, "web/page.ts", "export {};");
  put(on, "web/CLAUDE.md", "Web rules.");
  put(on, ".claude/rules/ts.md", "---\npaths: '**/*.ts'\n---\nTypeScript rules.");
  const inputs: Record<string, unknown>[] = [];
  const hooks: EngineOptions["hooks"] = {
    InstructionsLoaded: [{ callback: async (input) => void inputs.push(input) }],
  };
  const model = scripted({ steps: [reading(file), { content: ["Read."] }, reading(file)], fallback: "Done." });
  const engine = await openOn(on, model, { hooks });
  await turn(engine, "Go.");
  const [first, second] = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  expect(first).toContain("Top rules.");
  expect(first).not.toContain("Web rules.");
  expect(second).toContain("Web rules.");
  expect(second).toContain("TypeScript rules.");
  expect(second?.startsWith(first!.slice(0, 200))).toBe(true);
  const sessionId = engine.getSessionId();
  await engine.dispose();
  expect(inputs.map(({ load_reason: why, globs }) => [why, globs])).toEqual([
    ["session_start", undefined],
    ["nested_traversal", undefined],
    ["path_glob_match", ["**/*.ts"]],
  ]);
  expect(inputs[1]).toMatchObject({ file_path: join(on.work, "web/CLAUDE.md"), trigger_file_path: file });
  const again = await openOn(on, model, { resume: sessionId });
  await turn(again, "Once more.");
  const last = JSON.stringify(calls(model).at(-1)?.body?.messages);
  expect(last.match(/Web rules\./g)).toHaveLength(1);
});

test("a resumed session is told once, after the earlier messages, which memory files changed, and nothing if none did", async () => {
  const on = ground();
  put(on, "CLAUDE.md", "Use tabs.\n\n@more.md");
  put(on, "more.md", "More rules.");
  put(on, ".claude/rules/old.md", "Old rules.");
  const inputs: Record<string, unknown>[] = [];
  const hooks: EngineOptions["hooks"] = {
    InstructionsLoaded: [{ callback: async (input) => void inputs.push(input) }],
  };
  const model = scripted({ fallback: "Done." });
  let resume: string | undefined;
  const asked = async (prompt: string, more: EngineOptions = {}): Promise<string> => {
    const engine = await openOn(on, model, { ...more, ...(resume === undefined ? {} : { resume }) });
    await turn(engine, prompt);
    resume = engine.getSessionId();
    await engine.dispose();
    return JSON.stringify(calls(model).at(-1)?.body?.messages);
  };
  const first = await asked("One.");
  const same = await asked("Two.");
  expect(same).not.toContain("have changed");
  put(on, "CLAUDE.md", "Use spaces.\n\n@more.md");
  rmSync(join(on.work, ".claude/rules/old.md"));
  const later = await asked("Three.", { hooks });
  expect(later).toContain("count as they are here");
  expect(later).toContain("Use spaces.");
  expect(later).toContain("old.md is no longer there");
  expect(later.match(/More rules/gu)).toHaveLength(1);
  const sent = (text: string): string => text.replaceAll(/,"cache_control":\{[^}]*\}/gu, "").slice(0, -2);
  expect(sent(later).startsWith(sent(first))).toBe(true);
  expect(inputs.map(({ load_reason: why, file_path: path }) => [why, path])).toEqual([
    ["session_start", join(on.work, "CLAUDE.md")],
  ]);
  const last = await asked("Four.");
  expect(last.match(/Use spaces/gu)).toHaveLength(1);
  expect(last.match(/no longer there/gu)).toHaveLength(1);
  put(on, "CLAUDE.md", "Use tabs.\n\n@more.md");
  put(on, ".claude/rules/old.md", "Old rules.");
  const back = await asked("Five.");
  expect(back.slice(last.length - 50)).toContain("Use tabs.");
  expect(back.slice(last.length - 50)).toContain("Old rules.");
  expect(await asked("Six.")).not.toMatch(/count as they are here.*count as they are here.*count as they are here/u);
  expect(model.violations).toEqual([]);
});

test("memory of a folder that was missing at first is sent once the folder exists", async () => {
  const on = ground();
  const file = put(on, "web/page.ts", "export {};");
  const other = put(on, "web/other.ts", "export {};");
  put(on, "web/CLAUDE.md", "Web rules.");
  const moving = (command: string) => ({ tool: "Bash", input: { command } });
  const away = { content: [...reading(file).content, moving("mv web away")] };
  const model = scripted({ steps: [away, { content: [moving("mv away web")] }, reading(other)], fallback: "Done." });
  const engine = await openOn(on, model, { permissionMode: "bypassPermissions" });
  await turn(engine, "Go.");
  const [, , third, last] = calls(model).map(({ body }) => JSON.stringify(body?.messages));
  expect(third).not.toContain("Web rules.");
  expect(last).toContain("Web rules.");
});

test("an import from outside the project is read only when the folder is trusted", async () => {
  const on = ground();
  const outside = join(on.home, "notes.md");
  writeFileSync(outside, "Notes of my own.");
  put(on, "AGENTS.md", "See @~/notes.md");
  const sent = async (options: EngineOptions) => {
    const notices: string[] = [];
    const model = scripted({ fallback: "Done." });
    const engine = await openOn(on, model, { ...options, onNotice: (text) => void notices.push(text) });
    await turn(engine, "Go.");
    return { text: JSON.stringify(calls(model)[0]?.body?.messages), notices: notices.join("\n") };
  };
  const held = await sent({});
  expect(held.text).not.toContain("Notes of my own.");
  expect(held.notices).toMatch(/not trusted.*1 import from outside the project in .*AGENTS\.md/);
  expect(held.notices).toContain("notes.md was not imported");
  expect((await sent({ trust: true })).text).toContain("Notes of my own.");
});
