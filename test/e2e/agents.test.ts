// Agents through the real command: one in the foreground, one that outlasts the turn that began it.
import { afterEach, describe, expect, test } from "vitest";
import type { Reply, RequestView, Script } from "../../src/testing/index.ts";
import { createWorld, type World } from "./command.ts";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const isAgent = ({ systemText }: RequestView): boolean => systemText.includes("another agent has given a task");

function script(isBackground: boolean): Script {
  const input = { description: "count", prompt: "Count.", run_in_background: isBackground };
  const call: Reply = { content: [{ tool: "Agent", input }] };
  const own = (request: RequestView): Reply | string => {
    if (request.turns === 0) return call;
    const isTold = JSON.stringify(request.body.messages).includes("the agent counted 7");
    return isTold ? "There are 7." : "It counts.";
  };
  const below = ({ turns }: RequestView): Reply | string =>
    turns === 0 ? { content: [{ tool: "Bash", input: { command: "echo 7" } }] } : "the agent counted 7";
  return { rules: [{ when: {}, reply: (request) => (isAgent(request) ? below(request) : own(request)) }] };
}

describe("pawl -p", () => {
  test("shows an agent's calls in the stream, and answers with what it found", async () => {
    world = await createWorld(script(false));
    const { code, stdout } = await world.run(["-p", "How many?", "--output-format", "stream-json", "--verbose"]);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.at(-1)).toMatchObject({ type: "result", result: "There are 7." });
    const below = lines.filter(({ parent_tool_use_id: parent }) => typeof parent === "string");
    expect(below.map(({ type, subagent_type: kind }) => [type, kind])).toEqual([
      ["assistant", "general-purpose"],
      ["user", "general-purpose"],
    ]);
  });

  test("waits for one in the background, and lets the model go on with what it says", async () => {
    world = await createWorld(script(true));
    const { code, stdout } = await world.run(["-p", "How many?"]);
    expect(code).toBe(0);
    expect(stdout.trim().split("\n").at(-1)).toBe("There are 7.");
  });

  test("so does a session over pipes whose input has ended", async () => {
    world = await createWorld(script(true));
    const prompt = { type: "user", message: { role: "user", content: "How many?" } };
    const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const { code, stdout } = await world.run(flags, { input: `${JSON.stringify(prompt)}\n` });
    expect(code).toBe(0);
    const results = stdout.split("\n").filter((line) => line.includes('"type":"result"'));
    expect(results).toHaveLength(2);
    expect(results[1]).toContain("There are 7.");
  });
});
