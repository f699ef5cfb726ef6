/** Thousands of turns in one process, with faults in between: what it holds after the first few hundred it holds at the end. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { commandWords } from "../../e2e/command.ts";
import { makePlace, type Place } from "../../e2e/support/place.ts";
import { startForgetfulServer } from "./forgetful-server.ts";
import { sampleVariable, type Sample } from "./sampler.ts";
import { findLeftovers } from "./world.ts";

export type Host = "command" | "library";

export interface SoakResult {
  turns: number;
  samples: Sample[];
  counts: Record<string, number>;
  seconds: number;
}

const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
/** Small, so that what was said is shortened again and again. */
const windowTokens = "24000";

function programArguments(host: Host): string[] {
  const program = new URL("soak-program.ts", import.meta.url).pathname;
  const own =
    host === "command" ? [...commandWords(), ...flags, "--allowed-tools", "Bash", "Write", "Edit"] : [program];
  return ["--expose-gc", "--import", new URL("sampler.ts", import.meta.url).href, ...own];
}

/** Two turns a prompt: a call, and what is said of its result. A sample every `every` turns. */
export async function soak(
  host: Host,
  { turns, every }: { turns: number; every: number },
  cache: string,
): Promise<SoakResult> {
  const ground = { folder: "" };
  const server = await startForgetfulServer(() => ground.folder);
  const place = makePlace(server.url);
  ground.folder = place.folder;
  const started = performance.now();
  try {
    place.write("notes.txt", "a note\n");
    const { samples, turns: made } = await driveTurns(place, programArguments(host), { turns, every }, cache);
    expect(server.problems).toEqual([]);
    expect(findLeftovers(place)).toEqual([]);
    expectUniqueEffects(place);
    return { turns: made, samples, counts: server.counts, seconds: (performance.now() - started) / 1000 };
  } finally {
    await server.close();
    place.clear();
  }
}

async function driveTurns(
  place: Place,
  args: readonly string[],
  plan: { turns: number; every: number },
  cache: string,
) {
  const file = join(place.home, "samples");
  const env = {
    ...place.env,
    XDG_CACHE_HOME: cache,
    [sampleVariable]: file,
    CLAUDE_CODE_MAX_CONTEXT_TOKENS: windowTokens,
  };
  const child = spawn(process.execPath, args, { cwd: place.folder, env, stdio: ["pipe", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = once(child, "close") as Promise<[number | null]>;
  const samples: Sample[] = [];
  let turns = 0;
  let prompt = 0;
  const ask = (): void => {
    const message = { role: "user", content: `Prompt ${prompt++}, please.` };
    child.stdin.write(`${JSON.stringify({ type: "user", message })}\n`);
  };
  ask();
  for await (const line of createInterface({ input: child.stdout })) {
    if (!line.startsWith('{"type":"result"')) continue;
    const result = JSON.parse(line) as { subtype: string; num_turns: number; errors?: string[] };
    expect(result.subtype, JSON.stringify(result.errors)).toBe("success");
    turns += result.num_turns;
    if (turns >= (samples.length + 1) * plan.every)
      samples.push(await takeSample(child.pid ?? 0, file, samples.length));
    if (turns < plan.turns) ask();
    else child.stdin.end();
  }
  const [code] = await closed;
  expect(code, stderr).toBe(0);
  return { samples, turns };
}

async function takeSample(pid: number, file: string, known: number): Promise<Sample> {
  process.kill(pid, "SIGUSR2");
  for (;;) {
    const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    if (lines.length > known && lines[known] !== "") return JSON.parse(lines[known] ?? "") as Sample;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function expectUniqueEffects(place: Place): void {
  const marks = readFileSync(join(place.folder, "effects.log"), "utf8").trim().split("\n");
  expect(new Set(marks).size, "a call ran twice").toBe(marks.length);
}

/** Bytes a turn by which a figure grows, by least squares over the second half: until then code and caches still warm up. */
export function growthPerTurn(samples: readonly Sample[], every: number, figure: (sample: Sample) => number): number {
  const settled = samples.slice(Math.floor(samples.length / 2));
  const points = settled.map((sample, at) => ({ x: at * every, y: figure(sample) }));
  const mean = (list: readonly number[]): number => list.reduce((sum, each) => sum + each, 0) / list.length;
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))];
  const across = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0);
  return across / points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0);
}
