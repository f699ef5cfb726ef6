// A fan-out of agents whose commands change one folder.
import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import type { Reply, RequestView } from "../../../src/testing/index.ts";
import { layGround, openOn, scripted, turn } from "../support.ts";
import { pictureOf } from "./support.ts";
import { isAgent } from "../../support/is-agent.ts";

const uuid = "aaaaaaaa-0000-4000-8000-000000000001";

/** Every second one works in the background. One rewind brings back the folder as it was. */
export async function undoesAgents(count: number): Promise<void> {
  const ground = layGround();
  ground.file("a.txt", "one\n");
  mkdirSync(join(ground.work, "src"));
  symlinkSync("a.txt", join(ground.work, "link"));
  const before = pictureOf(ground.work);
  const agents = Array.from({ length: count }, (_, at) => ({
    tool: "Agent",
    input: { description: "write", prompt: `Write agent-${at}.`, run_in_background: at % 2 === 0 },
  }));
  const reply = ({ systemText, turns, lastUserText }: RequestView): Reply => {
    if (!isAgent({ systemText })) return turns === 0 ? { content: agents } : { content: ["Done."] };
    const name = /agent-\d+/u.exec(lastUserText)?.[0];
    const command = `mkdir -p made && echo ${name} > made/${name} && echo x >> a.txt`;
    return turns === 0 ? { content: [{ tool: "Bash", input: { command } }] } : { content: ["Done."] };
  };
  const engine = await openOn(ground, scripted({ rules: [{ when: {}, reply }] }), {
    permissionMode: "bypassPermissions",
    enableFileCheckpointing: true,
    agentLimits: { concurrent: count },
  });
  await turn(engine, "Go.", { uuid });
  await engine.whenAgentsEnd();
  expect(readdirSync(join(ground.work, "made"))).toHaveLength(count);
  await engine.rewindFiles(uuid);
  expect(pictureOf(ground.work)).toEqual(before);
}
