// What programs of others find beside the transcripts of agents. Seen: session functions of other SDKs and tools that trace runs could not
// say which call had started an agent, and left it out.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

function metaFiles(engine: QueryEngine): Record<string, Record<string, unknown>> {
  const folder = join(engine.getTranscriptPath()!.replace(/\.jsonl$/u, ""), "subagents");
  const names = readdirSync(folder).filter((name) => name.endsWith(".meta.json"));
  return Object.fromEntries(
    names.map((name) => [
      /^agent-([0-9a-f]{16})\.meta\.json$/u.exec(name)?.[1],
      JSON.parse(readFileSync(join(folder, name), "utf8")) as Record<string, unknown>,
    ]),
  );
}

const call = (prompt: string) => ({ content: [{ tool: "Agent", input: { description: `${prompt} it`, prompt } }] });
const nested = {
  rules: [{ when: { lastUserText: "Outer" }, reply: call("Inner"), times: 1 }],
  steps: [call("Outer")],
  fallback: "Done.",
};

test("a file beside an agent's transcript names the agent's kind, its call and the agent that started it, also in a copy of the session", async () => {
  const ground = layGround();
  const model = scripted(nested);
  const engine = await openOn(ground, model);
  await turn(engine, "Go.");
  const found = metaFiles(engine);
  const [outer] = Object.entries(found).find(([, { spawnDepth }]) => spawnDepth === 1)!;
  const toolUseId = expect.stringMatching(/^toolu_/u);
  const kind = { agentType: "general-purpose", toolUseId };
  expect(
    Object.values(found).toSorted((one, other) => Number(one["spawnDepth"]) - Number(other["spawnDepth"])),
  ).toEqual([
    { ...kind, description: "Outer it", spawnDepth: 1 },
    { ...kind, description: "Inner it", spawnDepth: 2, parentAgentId: outer },
  ]);
  await engine.dispose();
  const copy = await openOn(ground, model, { resume: engine.getSessionId(), forkSession: true });
  await turn(copy, "Go on.");
  expect(copy.getSessionId()).not.toBe(engine.getSessionId());
  expect(metaFiles(copy)).toEqual(found);
});
