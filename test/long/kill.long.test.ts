// `kill -9` at random instants of a run, then `--resume`: the next request is valid, and no recorded effect is lost or doubled.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { startScriptedServer, type Script, type ScriptedServer } from "../../src/testing/index.ts";
import { demoPrompt, demoScript } from "../../demo/script.ts";
import { readRecords, recordedCalls } from "../support/faults/world.ts";
import { jsonLines } from "../support/json-lines.ts";
import { createKillFixture, resumeOrRestart, runAndKill, startCommand, findTranscript } from "../support/kill.ts";

const instants = Number(process.env["KILLS"] ?? 200);
const seed = Number(process.env["SEED"] ?? 20_261_120);

/** Deterministic, so that a failure names an instant that can be tried again. */
function* randomInstants(count: number, most: number): Generator<number> {
  let state = seed;
  for (let at = 0; at < count; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield Math.round((state / 2 ** 32) * most);
  }
}

/** How long a run takes here, ms: the instants lie within it. The quickest of three, for the machine may be busy with something else. */
async function wholeRun(script: Script, prompt: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < 3; run++) times.push(await timedRun(script, prompt));
  return Math.min(...times);
}

async function timedRun(script: Script, prompt: string): Promise<number> {
  const unhindered = await startScriptedServer(script);
  const ground = await createKillFixture(unhindered);
  const from = performance.now();
  const { code } = await startCommand(ground, ["-p", prompt, "--session-id", ground.sessionId]).ended;
  const took = performance.now() - from;
  await ground.clear();
  await unhindered.close();
  expect(code).toBe(0);
  return took;
}

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe("killed at any instant", () => {
  test(`the demo goes on to its end (${instants} instants)`, { timeout: 1_800_000 }, async () => {
    let killed = 0;
    for (const afterMs of randomInstants(instants, await wholeRun(demoScript, demoPrompt))) {
      server = await startScriptedServer(demoScript);
      const ground = await createKillFixture(server);
      const first = await runAndKill(ground, demoPrompt, afterMs);
      if (first.signal === "SIGKILL") killed++;
      const second = first.signal === "SIGKILL" ? await resumeOrRestart(ground, demoPrompt) : first;
      const where = `killed after ${afterMs} ms: ${second.stderr}`;
      expect(second.code, where).toBe(0);
      expect(server.violations, where).toEqual([]);
      const code = await readFile(join(ground.work, "src/paginate.js"), "utf8");
      expect(code.match(/Math\.ceil\(total \/ perPage\)/g), where).toHaveLength(1);
      expect(code.match(/\(page - 1\) \* perPage/g), where).toHaveLength(1);
      await ground.clear();
      await server.close();
    }
    console.log(`kill: ${killed} of ${instants} runs of the demo were killed before their end`);
    expect(killed).toBeGreaterThan(instants * 0.7);
  });

  test(`no effect of a shell command is lost or doubled (${instants} instants)`, { timeout: 1_800_000 }, async () => {
    let recorded = 0;
    for (const afterMs of randomInstants(instants, await wholeRun(effects, "count"))) {
      server = await startScriptedServer(effects);
      const ground = await createKillFixture(server);
      const first = await runAndKill(ground, "count", afterMs);
      const path = findTranscript(ground);
      const before = recordedCalls(readRecords(path));
      const second = first.signal === "SIGKILL" ? await resumeOrRestart(ground, "count") : first;
      const where = `killed after ${afterMs} ms: ${second.stderr}`;
      expect(second.code, where).toBe(0);
      expect(server.violations, where).toEqual([]);
      const log = join(ground.work, "effects.log");
      const lines = existsSync(log) ? (await readFile(log, "utf8")).trim().split("\n") : [];
      expect(new Set(lines).size, where).toBe(lines.length);
      const after = findTranscript(ground) ?? path;
      const records = after === undefined ? [] : jsonLines(await readFile(after, "utf8"));
      for (const [id, call] of recordedCalls(records)) {
        recorded++;
        expect(call.results, `${where} ${id}`).toHaveLength(1);
        const line = String((call.input as { command: unknown }).command).split(" ")[1]!;
        if (!call.results[0]!.isError) expect(lines, where).toContain(line);
        if (before.get(id)?.results.length === 1) expect(call.results).toEqual(before.get(id)?.results);
      }
      await ground.clear();
      await server.close();
    }
    // A run whose transcript is not there yet when it is killed begins anew in another session; most runs are recorded.
    expect(recorded).toBeGreaterThan(instants);
  });
});

/** Ten commands, each with an effect that shows whether it ran once. The next one follows from the calls made so far. */
const effects: Script = {
  fallback(request) {
    const made = request.toolResults.length;
    if (made >= 10) return { content: ["done"] };
    return {
      content: [`step ${made}`, { tool: "Bash", input: { command: `echo ${request.turns}-${made} >> effects.log` } }],
    };
  },
};
