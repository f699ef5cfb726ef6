// Before git has described the repository: what a session does then, and what becomes of git.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import type { EngineOptions, QueryEngine } from "../../src/index.ts";
import { gitStatus } from "../../src/knowledge/git-status.ts";
import { createEngineIn, openEngine } from "../../src/session/compose.ts";
import { OpeningTexts } from "../../src/session/knowledge/opening-texts.ts";
import { readSurroundings } from "../../src/session/surroundings/read-surroundings.ts";
import type { Surroundings } from "../../src/session/surroundings/surroundings.ts";
import type { ScriptedModel } from "../../src/testing/index.ts";
import { holdGit, type HeldGit } from "../support/held-git.ts";
import { isAlive } from "../tools/support.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  lastUserTexts,
  linesOf,
  openOn,
  optionsFor,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const described = "Branch: main\nStatus:\n M held.txt\nLast commits:\n0123abc First";

interface Held {
  ground: Ground;
  git: HeldGit;
  model: ScriptedModel;
  engine: QueryEngine;
  env: Record<string, string>;
}

/** A session whose git has been started and waits. */
async function openHeld(more: EngineOptions = {}): Promise<Held> {
  const ground = layGround();
  const git = holdGit(join(ground.home, "bin"), ground.work);
  const model = scripted({ fallback: "Done." });
  const env = { PATH: git.path };
  const engine = await openEngine(optionsFor(ground, model, { env, ...more }));
  await vi.waitFor(() => expect(git.pids().length).toBeGreaterThanOrEqual(2));
  expect(git.pids().every(isAlive)).toBe(true);
  return { ground, git, model, engine, env };
}

const systemTexts = (model: ScriptedModel): string[] => calls(model).map(({ body }) => JSON.stringify(body?.system));

async function expectEnded(git: HeldGit): Promise<void> {
  await vi.waitFor(() => expect(git.pids().some(isAlive)).toBe(false));
}

test("a prompt waits for git, whose answer is on record before the first request, and a resume sends the same", async () => {
  const lines: string[] = [];
  const { ground, git, model, engine } = await openHeld({ debug: (line) => lines.push(line) });
  const running = turn(engine, "Go.");
  await vi.waitFor(() => expect(() => engine.append("More.")).toThrow("A turn is running"));
  expect(calls(model)).toHaveLength(0);
  expect(lines).toContain("the prompt waits until git has described the repository");
  git.release();
  await running;
  expect(calls(model)).toHaveLength(1);
  expect(systemTexts(model)[0]).toContain(JSON.stringify(described).slice(1, -1));
  const recorded = linesOf(engine).map(({ type }) => type);
  expect(recorded.slice(0, recorded.indexOf("user"))).toContain("system_prompt");
  await engine.dispose();
  const resumed = await openOn(ground, model, { resume: engine.getSessionId() });
  await turn(resumed, "And?");
  expect(systemTexts(model)[1]).toBe(systemTexts(model)[0]);
});

test("the first message waits for git if it is to describe the repository", async () => {
  const { git, model, engine } = await openHeld({ excludeDynamicSections: true });
  const running = turn(engine, "Go.");
  git.release();
  await running;
  expect(systemTexts(model)[0]).not.toContain("held.txt");
  expect(JSON.stringify(calls(model)[0]?.body)).toContain("M held.txt");
  await engine.dispose();
});

test("a command that needs no description of the repository does not wait for git", async () => {
  const { engine } = await openHeld();
  expect((await turn(engine, "/help")).result.is_error).toBe(false);
  expect(() => engine.getContextUsage()).toThrow("before it was there");
  await engine.dispose();
});

test("/context waits for git", async () => {
  const { git, engine } = await openHeld();
  const running = turn(engine, "/context");
  git.release();
  const { result } = await running;
  expect(result).toMatchObject({ is_error: false, local_command_output: { data: engine.getContextUsage() } });
  await engine.dispose();
});

test("a compaction waits for git", async () => {
  const { git, engine } = await openHeld();
  const step = engine.compact().next();
  git.release();
  expect(await step).toMatchObject({ value: { subtype: "status" } });
  await engine.dispose();
});

test("a side question waits for git", async () => {
  const { git, model, engine } = await openHeld();
  const asked = engine.sideQuestion("What is it?");
  git.release();
  expect(await asked).toMatchObject({ answered: true });
  expect(systemTexts(model)[0]).toContain("M held.txt");
  await engine.dispose();
});

test("a hook about another model is told the tokens once git has answered", async () => {
  const inputs: unknown[] = [];
  const callback = async (input: unknown) => (inputs.push(input), {});
  const { git, engine } = await openHeld({ hooks: { PreModelSwitch: [{ callback }] } });
  const running = turn(engine, "/model claude-opus-4-6");
  git.release();
  expect((await running).result.is_error).toBe(false);
  expect(inputs).toMatchObject([{ context_tokens: engine.getContextUsage().totalTokens }]);
  await engine.dispose();
});

test("closing a session ends git at once, and leaves no transcript", async () => {
  const { git, engine } = await openHeld();
  await engine.dispose();
  await expectEnded(git);
  expect(existsSync(engine.getTranscriptPath() ?? "")).toBe(false);
});

test("createEngine() and clear() wait for git, so that calls which answer at once can be made after them", async () => {
  const ground = layGround();
  const git = holdGit(join(ground.home, "bin"), ground.work);
  const read = async (options: EngineOptions): Promise<Surroundings> => {
    const around = await readSurroundings(options);
    const impatient: typeof gitStatus = (place) => gitStatus({ ...place, timeoutMs: 300 });
    return { ...around, machine: { ...around.machine, gitStatus: impatient } };
  };
  const options = optionsFor(ground, scripted({ fallback: "Done." }), { env: { PATH: git.path } });
  const engine = await createEngineIn(options, read);
  engine.append("One.");
  const first = git.pids();
  await engine.clear();
  engine.append("Two.");
  expect(engine.getContextUsage().totalTokens).toBeGreaterThan(0);
  expect(git.pids().length).toBeGreaterThan(first.length);
  await engine.dispose();
});

test("SessionStart hooks run after git, so that what they change is not described as the beginning", async () => {
  const alive: boolean[] = [];
  const callback = async () => (alive.push(git.pids().some(isAlive)), {});
  const { git, engine } = await openHeld({ hooks: { SessionStart: [{ callback }] } });
  const running = turn(engine, "Go.");
  git.release();
  await running;
  expect(alive).toEqual([false]);
  await engine.dispose();
});

test("a turn that is told to terminate ends git, keeps its prompt, and a resume describes the repository anew", async () => {
  const { ground, git, model, engine, env } = await openHeld();
  const messages = engine.submitMessage("Go.");
  const first = messages.next();
  expect(engine.interrupt("terminate")).toBe(true);
  const types = [(await first).value?.type];
  for await (const { type } of messages) types.push(type);
  expect(types).not.toContain("result");
  await engine.dispose();
  await expectEnded(git);
  expect(calls(model)).toHaveLength(0);
  git.release();
  const resumed = await openOn(ground, model, { resume: engine.getSessionId(), env });
  expect(resumed.getMessages().map(({ type }) => type)).toContain("user");
  await turn(resumed, "And?");
  expect(systemTexts(model)[0]).toContain("M held.txt");
  expect(lastUserTexts(calls(model)[0]!).join("\n")).toContain("Go.");
});

// Seen: Esc had no effect until git had ended by itself, after up to four seconds.
test("an interrupted prompt does not wait for git, and the next one is told what git says then", async () => {
  const { ground, git, model, engine } = await openHeld();
  const held = git.pids();
  const running = turn(engine, "Go.");
  const asked = engine.sideQuestion("What is it?");
  expect(engine.interrupt()).toBe(true);
  expect((await running).result).toMatchObject({ terminal_reason: "aborted_streaming" });
  expect(await asked).toMatchObject({ answered: false });
  await vi.waitFor(() => expect(held.some(isAlive)).toBe(false));
  expect(calls(model)).toHaveLength(0);
  expect(linesOf(engine).map(({ type }) => type)).not.toContain("system_prompt");
  git.release();
  await turn(engine, "And now?");
  expect(systemTexts(model)[0]).toContain("M held.txt");
  expect(lastUserTexts(calls(model)[0]!).join("\n")).toContain("Go.");
  await engine.dispose();
  const resumed = await openOn(ground, model, { resume: engine.getSessionId() });
  await turn(resumed, "Once more.");
  expect(systemTexts(model)[1]).toBe(systemTexts(model)[0]);
});

// Seen: the request was sent with "git was ended" in place of the status.
test("a prompt right after an interrupt, while git is still ending, is told what git says then", async () => {
  const { git, model, engine } = await openHeld();
  engine.interrupt();
  const running = turn(engine, "Go.");
  git.release();
  await running;
  expect(systemTexts(model)).toEqual([expect.stringContaining("M held.txt")]);
  expect(linesOf(engine).map(({ type }) => type)).toContain("system_prompt");
});

test("an interrupted side question ends git too, and the next prompt is told what git says then", async () => {
  const { git, model, engine } = await openHeld();
  const asked = engine.sideQuestion("What is it?");
  engine.interrupt();
  expect(await asked).toMatchObject({ answered: false });
  git.release();
  await turn(engine, "Go.");
  expect(systemTexts(model)).toEqual([expect.stringContaining("M held.txt")]);
});

test("a session that is closed while its first prompt waits does not wait for git either", async () => {
  const { engine } = await openHeld();
  const running = turn(engine, "Go.");
  await engine.dispose();
  await running;
  // Otherwise git would have reached its time limit, and the record would say so.
  expect(linesOf(engine).map(({ type }) => type)).not.toContain("system_prompt");
});

test("texts that cannot be made fail whoever reads them, not whoever waits", async () => {
  const failure = new Error("no such folder");
  const handlers = new Set<() => void>();
  const processes = {
    onExit: (run: () => void) => void handlers.add(run),
    offExit: (run: () => void) => void handlers.delete(run),
  };
  const texts = new OpeningTexts(() => Promise.reject(failure), processes);
  expect(() => texts.system).toThrow("before it was there");
  expect(handlers.size).toBe(1);
  await texts.ready();
  expect(() => texts.system).toThrow(failure);
  await texts.end();
  expect(handlers.size).toBe(0);
});

test("the end of the process ends what they wait for", async () => {
  let exit = (): void => undefined;
  const processes = { onExit: (run: () => void) => void (exit = run), offExit: () => undefined };
  let isEnded = false;
  const taken = (signal: AbortSignal): Promise<never> =>
    new Promise(() => signal.addEventListener("abort", () => (isEnded = true)));
  const texts = new OpeningTexts(taken, processes);
  exit();
  expect([isEnded, texts.wasCutOff]).toEqual([true, true]);
});
