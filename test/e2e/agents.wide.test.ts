// Agents through the real command: one in the foreground, one that outlasts the turn that began it.
import { afterEach, describe, expect, test } from "vitest";
import type { Reply, RequestView, Script } from "../../src/testing/index.ts";
import { createWorld, type World } from "./command.ts";
import { isAgent } from "../support/is-agent.ts";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

/** No answer to a message of the client's. */
const asNews = { origin: { kind: "task-notification" } };

function resultsIn(stdout: string): Record<string, unknown>[] {
  const lines = stdout.split("\n").filter((line) => line.includes('"type":"result"'));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

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
  test("shows a subagent's calls in the stream, and answers with what it found", async () => {
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

  test("offers the agent types that --agents defines, with their own prompts", async () => {
    const input = { description: "count", prompt: "Count.", subagent_type: "counter" };
    const isCounter = ({ systemText }: RequestView): boolean => systemText.includes("You count beans.");
    const own = ({ turns }: RequestView): Reply | string =>
      turns === 0 ? { content: [{ tool: "Agent", input }] } : "There are 7.";
    world = await createWorld({
      rules: [{ when: {}, reply: (request) => (isCounter(request) ? "7" : own(request)) }],
    });
    const agents = JSON.stringify({ counter: { description: "Counts beans.", prompt: "You count beans." } });
    const { code, stdout } = await world.run(["-p", "How many?", "--agents", agents]);
    expect([code, stdout]).toEqual([0, "There are 7.\n"]);
    expect(JSON.stringify(world.server.requests[0]?.body?.tools)).toContain("Counts beans.");
    expect(world.server.requests).toHaveLength(3);
  });

  test("waits for a background agent and gives the model another turn with its result", async () => {
    world = await createWorld(script(true));
    const { code, stdout } = await world.run(["-p", "How many?", "--output-format", "stream-json"]);
    expect(code).toBe(0);
    expect(resultsIn(stdout)).toMatchObject([{ result: "It counts." }, { result: "There are 7.", ...asNews }]);
  });

  test("does the same for a session over pipes whose input has ended", async () => {
    world = await createWorld(script(true));
    const prompt = { type: "user", message: { role: "user", content: "How many?" } };
    const flags = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
    const { code, stdout } = await world.run(flags, { input: `${JSON.stringify(prompt)}\n` });
    expect(code).toBe(0);
    const [first, ...others] = resultsIn(stdout);
    expect(first).not.toHaveProperty("origin");
    expect(others).toMatchObject([{ result: "There are 7.", ...asNews }]);
  });

  test("keeps running while a team of three works on one task list, and ends when all is done", async () => {
    world = await createWorld(teamScript());
    const env = { CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS: "1" };
    const { code, stdout } = await world.run(["-p", "Build it.", "--output-format", "stream-json", "--verbose"], {
      env,
    });
    expect(code).toBe(0);
    const results = stdout.split("\n").filter((line) => line.includes('"type":"result"'));
    expect(results.at(-1)).toContain("All three are done.");
    expect(stdout).toContain('"status":"paused"');
  });
});

/** Two tasks side by side, and one that waits for both. */
function teamScript(): Script {
  const call = (tool: string, input: Record<string, string | string[]>) => ({ tool, input });
  const task = (subject: string) => call("TaskCreate", { subject, description: "" });
  const mate = (name: string) => call("Agent", { name, description: name, prompt: "Do your task." });
  const take = (taskId: string) => [
    { content: [call("TaskUpdate", { taskId, status: "in_progress" })] },
    { content: [call("TaskUpdate", { taskId, status: "completed" })] },
  ];
  const tell = (message: string) => ({ content: [call("SendMessage", { to: "cyd", message })] });
  const roles: Record<string, (Reply | string)[]> = {
    lead: [
      { content: [task("Parser"), task("Printer"), task("Docs")] },
      { content: [call("TaskUpdate", { taskId: "3", addBlockedBy: ["1", "2"] })] },
      { content: ["ada", "bob", "cyd"].map(mate) },
    ],
    ada: [...take("1"), tell("One is done.")],
    bob: [...take("2"), tell("Two is done.")],
  };
  const last = (text: string): Reply | string => {
    const [isFirst, isSecond] = [text.includes("One is done."), text.includes("Two is done.")];
    if (!isFirst || !isSecond) return "Not yet.";
    if (!text.includes("#3: in_progress")) return take("3")[0]!;
    return text.includes("#3: completed") ? "Three is done." : take("3")[1]!;
  };
  const reply = ({ systemText, turns, body }: RequestView): Reply | string => {
    const who = /You are (\w+), one of a team/u.exec(systemText)?.[1] ?? "lead";
    const text = JSON.stringify(body.messages);
    if (who === "cyd") return last(text);
    if (who === "lead" && text.includes("Three is done.")) return "All three are done.";
    return roles[who]?.[turns] ?? "Waiting.";
  };
  return { rules: [{ when: {}, reply }] };
}
