/** One pattern on the wire, and what the run makes of it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { makePlace } from "../../e2e/support/place.ts";
import { problemsOf } from "../../e2e/support/strict.ts";
import { startSocketServer } from "./socket-server.ts";
import { closingAnswer, expectedAnswer, type Pattern } from "./wire-patterns.ts";
import { expectPlainStderr, findLeftovers, testSessionId, usualArguments } from "./world.ts";

export async function runPattern(pattern: Pattern, cache: string): Promise<void> {
  const server = await startSocketServer(pattern);
  const place = makePlace(server.url);
  try {
    const { name, expected, watchdogMs } = pattern;
    const limit = String(watchdogMs);
    const env = { PAWL_IDLE_TIMEOUT_MS: limit, PAWL_FIRST_BYTE_TIMEOUT_MS: limit, XDG_CACHE_HOME: cache };
    const ended = await place.run([...usualArguments, "--session-id", testSessionId, "--", "go"], { env });
    const { lines } = ended;
    const results = lines.filter(({ type }) => type === "result");
    expect(results, name).toHaveLength(1);
    const result = results[0] ?? {};
    expectPlainStderr(ended.stderr, name);
    for (const { body } of server.requests) expect(problemsOf(body, { signatures: false }), name).toEqual([]);
    const effects = join(place.folder, "effects.log");
    const runs = existsSync(effects) ? readFileSync(effects, "utf8").split("\n").length - 1 : 0;
    const summary = { code: ended.code, text: result["result"], requests: server.requests.length, runs };
    expect(summary, `${name}: ${ended.stderr}`).toEqual(outcomes[expected]);
    expect(findLeftovers(place), name).toEqual([]);
  } finally {
    await server.close();
    place.clear();
  }
}

const outcomes: Record<Pattern["expected"], object> = {
  whole: { code: 0, text: expectedAnswer, requests: 1, runs: 0 },
  again: { code: 0, text: closingAnswer, requests: 2, runs: 0 },
  // The first call ran once; the second one was never complete.
  tool: { code: 0, text: closingAnswer, requests: 2, runs: 1 },
  error: { code: 1, text: undefined, requests: 1, runs: 0 },
};
