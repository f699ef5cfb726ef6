// A real session of its own folder, against the scripted model in this process: real files, real tools, no socket.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { mkdirSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { createEngine, type EngineOptions, type QueryEngine, type SubmitOptions } from "../../src/index.ts";
import type { ContentBlock } from "../../src/protocol/message.ts";
import type { SDKMessage, SDKResultMessage } from "../../src/protocol/sdk.ts";
import {
  createScriptedModel,
  type RequestRecord,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
} from "../../src/testing/index.ts";
import { readSession } from "../../src/transcript/read.ts";
import { jsonLines } from "../support/json-lines.ts";

export interface Ground {
  home: string;
  work: string;
  pawlHome: string;
  /** Writes a file of the work folder; answers its absolute path. */
  file(name: string, text: string): string;
}

const grounds: string[] = [];

/** A home and a work folder, removed after the file's tests; what `isKept` goes with the tests' own home, after all of them. */
export function layGround({ isKept = false } = {}): Ground {
  const root = realpathSync(mkdtempSync(join(isKept ? homedir() : tmpdir(), "pawl-session-")));
  if (!isKept) grounds.push(root);
  const [home, work] = [join(root, "home"), join(root, "work")];
  for (const folder of [home, work]) mkdirSync(folder);
  return {
    home,
    work,
    pawlHome: join(home, ".pawl"),
    file(name, text) {
      const path = join(work, name);
      writeFileSync(path, text);
      return path;
    },
  };
}

export function clearGrounds(): void {
  for (const root of grounds.splice(0)) rmSync(root, { recursive: true, force: true });
}

/** Call once a test file. */
export function clearGroundsAfterwards(): void {
  afterAll(clearGrounds);
}

export function scripted(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  return createScriptedModel(script, { sleep: async () => undefined, ...options });
}

export function optionsFor(ground: Ground, model: ScriptedModel, extra: EngineOptions = {}): EngineOptions {
  const { env, ...rest } = extra;
  return {
    cwd: ground.work,
    home: ground.home,
    env: {
      ANTHROPIC_API_KEY: "scripted",
      PATH: process.env["PATH"],
      HOME: ground.home,
      GIT_CONFIG_NOSYSTEM: "1",
      ...env,
    },
    model: "claude-sonnet-5-5",
    headless: true,
    transport: (exchange) => model.handle(exchange),
    ...rest,
  };
}

export interface Opened {
  engine: QueryEngine;
  model: ScriptedModel;
}

const open: QueryEngine[] = [];

export async function openSession(script: Script, extra: EngineOptions = {}, ground = layGround()): Promise<Opened> {
  const model = scripted(script);
  return { model, engine: await openOn(ground, model, extra) };
}

/** Disposed after the test file at the latest. */
export async function openOn(ground: Ground, model: ScriptedModel, extra: EngineOptions = {}): Promise<QueryEngine> {
  const engine = await createEngine(optionsFor(ground, model, extra));
  open.push(engine);
  return engine;
}

export async function disposeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((engine) => engine.dispose()));
}

export interface Turn {
  messages: SDKMessage[];
  result: SDKResultMessage;
}

/** One user turn, with what holds of every one: init first, one result, last. */
export async function turn(
  engine: QueryEngine,
  prompt: string | ContentBlock[],
  options: SubmitOptions & { onMessage?: (message: SDKMessage) => unknown } = {},
): Promise<Turn> {
  const messages: SDKMessage[] = [];
  for await (const message of engine.submitMessage(prompt, options)) {
    messages.push(message);
    await options.onMessage?.(message);
  }
  return { messages, result: resultOf(messages) };
}

export function resultOf(messages: readonly SDKMessage[]): SDKResultMessage {
  const results = messages.filter((message) => message.type === "result");
  const first = messages[0];
  if (first?.type !== "system" || first.subtype !== "init") throw new Error("The first message is not init.");
  if (results.length !== 1) throw new Error(`There are ${results.length} results.`);
  const last = messages.at(-1);
  if (last?.type !== "result") throw new Error(`The last message is ${last?.type}.`);
  return last;
}

/** The requests for a model's answer, as the server took them. */
export function calls(model: ScriptedModel): RequestRecord[] {
  return model.requests.filter((request) => request.endpoint === "messages");
}

export function lastUserTexts(record: RequestRecord): string[] {
  const last = record.body?.messages.at(-1);
  const content = last?.content ?? [];
  if (typeof content === "string") return [content];
  return content.flatMap((block) => (block.type === "text" ? [String(block["text"])] : []));
}

export interface Line {
  type: string;
  message?: { type: string; [key: string]: unknown };
  toolUseResult?: unknown;
  data?: unknown;
}

/** The session's own lines, without those for the session functions of other SDKs; each under the type of its message, or of its fact. */
export function linesOf(engine: QueryEngine): Line[] {
  const path = engine.getTranscriptPath();
  if (path === undefined) throw new Error("The session is not persisted.");
  const lines = jsonLines<Line & { v?: number }>(readFileSync(path, "utf8")).filter(({ v }) => v !== undefined);
  return lines.map((line) => ({ ...line, type: line.message?.type ?? line.type }));
}

export function listed(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined
    ? []
    : readdirSync(folder, { recursive: true }).map(String).toSorted();
}

/** What waits between attempts fires at once; limits of a minute and more, and the loop's own short waits, keep their time. */
export const impatientClock: NonNullable<EngineOptions["clock"]> = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  timestamp: () => new Date().toISOString(),
  timer(ms, onFire) {
    if (ms > 200 && ms < 50_000 && ms !== 5_000) {
      const handle = setImmediate(onFire);
      return () => clearImmediate(handle);
    }
    const handle = setTimeout(onFire, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(handle);
  },
};

/** Has it summed up by hand. */
export async function compact(engine: QueryEngine): Promise<void> {
  const run = engine.compact();
  let step = await run.next();
  while (step.done !== true) step = await run.next();
  if (!step.value.compacted) throw new Error(step.value.why);
}

/** What is in memory is what is on disk. */
export function expectSame(engine: QueryEngine): void {
  const stored = readSession(engine.getTranscriptPath()!);
  expect(stored.messages).toEqual(JSON.parse(JSON.stringify(engine.getMessages())));
}
