/** A folder, a home and a scripted model for one fault, and what must hold of them whenever and however it struck. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "vitest";
import { commandWords } from "../../e2e/command.ts";
import { readSession } from "../../../src/transcript/index.ts";
import { startScriptedServer, type Pace, type Script, type ScriptedServer } from "../../../src/testing/index.ts";
import { makePlace, type Ended, type Place, type Started } from "../../e2e/support/place.ts";
import type { ProcessOptions } from "../../e2e/support/watched-process.ts";
import { problemsOf, type Json, type WireRequest } from "../../e2e/support/strict.ts";
import { jsonLines } from "../json-lines.ts";
import { planVariable, type FaultPlan, type Point } from "./plan.ts";
import { commandOf, markCommand, neverRan, outcomeUnknown, taskScript, type Task } from "./task.ts";

const shim = new URL("shim.ts", import.meta.url).href;

export const testSessionId = "0a0a0a0a-1111-4222-8333-444444444444";
/** What the folder holds at first. */
export const initialFiles: readonly (readonly [file: string, text: string])[] = [["notes.txt", "a note\n"]];
export const usualArguments = ["-p", "--output-format", "stream-json", "--allowed-tools", "Bash", "Write", "Edit"];

export interface World {
  place: Place;
  server: ScriptedServer;
  /** The command under the shim; `below` and `log` are filled in. */
  startFaulty(args: readonly string[], plan: Partial<FaultPlan>, options?: ProcessOptions): Started;
  run(args: readonly string[], options?: ProcessOptions): Promise<Ended>;
  clear(): Promise<void>;
}

async function makeWorld(script: (folder: string) => Script, cache: string, pace: Pace | undefined): Promise<World> {
  // The model names absolute paths: it is told them once they are known.
  let made: Script = {};
  const server = await startScriptedServer({
    ...(pace === undefined ? {} : { pace }),
    fallback(request) {
      const { fallback = "" } = made;
      return typeof fallback === "function" ? fallback(request) : fallback;
    },
  });
  const place = makePlace(server.url);
  made = script(place.folder);
  place.env["XDG_CACHE_HOME"] = cache;
  const below = [place.folder, join(place.home, ".pawl")];
  return {
    place,
    server,
    startFaulty: (args, plan, options = {}) =>
      place.start(args, {
        ...options,
        env: {
          ...options.env,
          NODE_OPTIONS: `--import ${shim}`,
          [planVariable]: JSON.stringify({ below, ...plan }),
        },
      }),
    run: (args, options) => place.run(args, options),
    clear: async () => {
      await server.close();
      place.clear();
    },
  };
}

/** Runs a line of shell script, which runs the command as `"$@"`. */
export async function runInShell(place: Place, line: string, args: readonly string[], env = {}): Promise<Ended> {
  const words = ["-c", line, "bash", process.execPath, ...commandWords(), ...args];
  const child = spawn("bash", words, {
    cwd: place.folder,
    env: { ...place.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code, signal] = await closed;
  return {
    code,
    signal,
    stdout,
    stderr,
    get lines() {
      return jsonLines<Json>(stdout);
    },
  };
}

/** Makes the scenario's folder and model, and plays what happened before the run. */
export async function prepareWorld({ task, prepare, pace }: Scenario, cache: string): Promise<World> {
  const world = await makeWorld((folder) => taskScript(task, folder), cache, pace);
  for (const [file, text] of initialFiles) writeFileSync(join(world.place.folder, file), text);
  await prepare?.(world);
  return world;
}

/** Returns the points of an undisturbed run, in order. */
export async function recordPoints(
  world: World,
  args: readonly string[],
  { sockets = true, ...options }: ProcessOptions & { sockets?: boolean } = {},
): Promise<Point[]> {
  const log = join(world.place.home, "points");
  const ended = await world.startFaulty(args, { log, sockets }, options).ended;
  expect([ended.code, ended.signal], ended.stderr).toEqual([0, null]);
  const points = readFileSync(log, "utf8").trim().split("\n");
  rmSync(log);
  return points.map((line) => JSON.parse(line) as Point);
}

/** The transcripts of all sessions, without the files in the folders beside them. */
export function transcriptPaths(place: Place): string[] {
  const projects = join(place.home, ".pawl", "projects");
  if (!existsSync(projects)) return [];
  return readdirSync(projects, { recursive: true, encoding: "utf8" })
    .filter((file) => /^[^/]+\/[^/]+\.jsonl$/.test(file))
    .map((file) => join(projects, file));
}

export function findTranscript(place: Place, id = testSessionId): string | undefined {
  return transcriptPaths(place).find((path) => path.endsWith(`${id}.jsonl`));
}

/** The problems that both judges find in the requests so far. */
export function requestProblems(server: ScriptedServer): string[] {
  const violations = server.violations.map(({ request, message }) => `request ${request}: ${message}`);
  const problems = server.scriptProblems.map(({ message }) => message);
  const strict = server.requests
    .filter(({ path }) => path.endsWith("/messages"))
    .flatMap(({ body }, at) =>
      problemsOf(body as unknown as WireRequest, { signatures: false }).map((text) => `request ${at}: ${text}`),
    );
  return [...violations, ...problems, ...strict];
}

/** The records of a transcript, without lines that are torn. */
export function readRecords(path: string | undefined): Json[] {
  if (path === undefined) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as Json];
      } catch {
        return [];
      }
    });
}

export interface RecordedCall {
  name: string;
  input: unknown;
  results: { isError: boolean; text: string }[];
}

export function recordedCalls(lines: readonly Json[]): Map<string, RecordedCall> {
  const calls = new Map<string, RecordedCall>();
  for (const { message } of lines) {
    const content = (message as { content?: unknown } | undefined)?.content;
    if (!Array.isArray(content)) continue;
    for (const block of content as Json[]) {
      if (block["type"] === "tool_use")
        calls.set(String(block["id"]), { name: String(block["name"]), input: block["input"], results: [] });
      if (block["type"] === "tool_result")
        calls
          .get(String(block["tool_use_id"]))
          ?.results.push({ isError: block["is_error"] === true, text: JSON.stringify(block["content"]) });
    }
  }
  return calls;
}

/** The messages on stdout that are not in the transcript: each must have been recorded before it was printed. */
export function unrecordedOutput(stdout: string, lines: readonly Json[]): string[] {
  const known = new Set(lines.map(({ uuid }) => uuid));
  return stdout.split("\n").flatMap((line) => {
    if (!line.endsWith("}")) return [];
    const message = JSON.parse(line) as Json;
    const counts = message["type"] === "assistant" || message["type"] === "user";
    return counts && !known.has(message["uuid"]) ? [line.slice(0, 200)] : [];
  });
}

/** Resumes the session as a person would: starts anew only if there is nothing to resume. */
export async function resumeSession(world: World, prompt = "go on"): Promise<Ended> {
  const ended = await world.run([...usualArguments, "--resume", testSessionId, "--", prompt]);
  if (ended.code !== 2) return ended;
  const path = findTranscript(world.place);
  const isEmpty = path === undefined || readFileSync(path).length === 0;
  expect(isEmpty, `there is a transcript, but: ${ended.stderr}`).toBe(true);
  expect(ended.stderr).toMatch(/^pawl: No conversation found[^\n]*\n$/);
  return await world.run([...usualArguments, "--session-id", testSessionId, "--", prompt]);
}

/** Expects that the run ended well: with one result as its last line, and without internals in the messages for people. */
export function expectSuccess(ended: Ended, where: string): Json {
  expect([ended.code, ended.signal], `${where}: ${ended.stderr}`).toEqual([0, null]);
  expectPlainStderr(ended.stderr, where);
  const { lines } = ended;
  const results = lines.filter(({ type }) => type === "result");
  expect(results, where).toHaveLength(1);
  expect(lines.at(-1), where).toBe(results[0]);
  expect(results[0], where).toMatchObject({ subtype: "success", is_error: false });
  return results[0] as Json;
}

/** Expects that every line of stderr is a sentence by the command, and none belongs to a stack trace. */
export function expectPlainStderr(stderr: string, where: string): void {
  for (const line of stderr.split("\n").filter((text) => text !== "")) expect(line, where).toMatch(/^pawl: /);
  expect(stderr, where).not.toMatch(/^\s+at |node:internal|something went wrong inside|undefined|\[object/m);
}

/** Expects that every call has one result, every effect happened as its result says, and every file has its final content. */
export function expectTaskDone(task: Task, world: World, before: readonly Json[], where: string): void {
  const { place } = world;
  const path = findTranscript(place);
  expect(path, where).toBeDefined();
  const calls = recordedCalls(readRecords(path));
  const earlier = recordedCalls(before);
  for (const [id, call] of calls) expect(call.results, `${where}: ${call.name} ${id}`).toHaveLength(1);
  for (const [id, { results }] of earlier)
    if (results.length === 1) expect(calls.get(id)?.results, `${where}: ${id}`).toEqual(results);
  const log = join(place.folder, "effects.log");
  const effects = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
  expect(new Set(effects).size, `${where}: doubled in ${effects.join(" ")}`).toBe(effects.length);
  for (const goal of task.flat()) {
    if (goal.do === "mark") {
      const command = markCommand(goal);
      const outcomes = [...calls.values()].filter(({ input }) => commandOf(input) === command);
      const texts = outcomes.flatMap(({ results }) => results.map(({ text }) => text));
      const isUnsure = outcomes.some(({ results }) =>
        results.some(({ isError, text }) => isError && outcomeUnknown.test(text)),
      );
      const isSure = outcomes.some(({ results }) =>
        results.some(({ isError, text }) => !(isError && neverRan.test(text))),
      );
      if (!isUnsure) expect(effects.includes(goal.mark), `${where}: ${goal.mark} ${texts.join(" ")}`).toBe(isSure);
    }
  }
  for (const [file, text] of finalFiles(task)) expect(readFileSync(join(place.folder, file), "utf8"), where).toBe(text);
}

function finalFiles(task: Task): Map<string, string> {
  const files = new Map<string, string>(initialFiles);
  for (const goal of task.flat()) {
    if (goal.do === "write") files.set(goal.file, goal.text);
    if (goal.do === "edit") files.set(goal.file, (files.get(goal.file) ?? "").replace(goal.from, goal.to));
  }
  return files;
}

/** Returns the locks, drafts, half-written files and processes that a closed session must not leave behind. */
export function findLeftovers(place: Place): string[] {
  const roots = [place.folder, place.home, join(place.folder, "..")];
  const files = roots.flatMap((root) =>
    readdirSync(root, { recursive: root !== roots[2], encoding: "utf8" }).map((file) => join(root, file)),
  );
  const isDebris = /\.lock(\.|$)|\.tmp$|\/\.pawl-|\.over-|\/pawl-[0-9a-f-]+$|command-[0-9a-f]+\.txt$/;
  return [...new Set(files.filter((file) => isDebris.test(file))), ...place.leftovers()];
}

/** Expects that the library can read the session, with no more damage than a death may cause. */
export function expectReadable(place: Place, where: string, mostSkipped = 0): void {
  const path = findTranscript(place);
  if (path === undefined) return;
  const { report } = readSession(path);
  expect(report, where).toMatchObject({ gaps: [], chainBreaks: 0 });
  expect(report.badLines, where).toBeLessThanOrEqual(mostSkipped);
}

/** Resumes each finished copy, which is a session like any other. An unfinished copy may only leave its draft. */
export async function resumeCopies(world: World, where: string): Promise<void> {
  for (const path of transcriptPaths(world.place)) {
    const id = basename(path, ".jsonl");
    if (id === testSessionId) continue;
    expectSuccess(await world.run([...usualArguments, "--resume", id, "--", "go on"]), `${where}, its copy`);
    expect(requestProblems(world.server), `${where}, its copy`).toEqual([]);
  }
}

export interface Scenario {
  name: string;
  task: Task;
  /** Prepares what is there before the run that meets the fault. */
  prepare?: (world: World) => Promise<void>;
  args: readonly string[];
  options?: ProcessOptions;
  /** The kinds of records that a run must leave; otherwise the scenario does not do what it is meant to. */
  writes?: readonly string[];
  /** How fast the model streams. */
  pace?: Pace;
}
