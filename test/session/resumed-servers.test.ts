// What is asked before the first turn of a resumed session has the tools of MCP servers, as the conversation's requests had.
import { afterEach, describe, expect, test } from "vitest";
import { createSdkMcpServer, tool, type QueryEngine } from "../../src/index.ts";
import { offered, serverOf, toolNamed } from "../mcp/support.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const wide = "Some words to be summed up. ".repeat(400);

async function resumed() {
  const ground = layGround();
  const model = scripted({ fallback: { content: [{ thinking: "It is about words." }, wide] } });
  const say = tool("say", "Says.", { type: "object" }, async () => "said");
  const options = () => ({ mcpServers: { own: createSdkMcpServer({ name: "own", tools: [say] }) } });
  const first = await openOn(ground, model, options());
  for (const prompt of ["Tell me.", "More."]) await turn(first, prompt);
  await first.dispose();
  return { model, engine: await openOn(ground, model, { ...options(), resume: first.getSessionId() }) };
}

async function drained(run: AsyncGenerator<unknown>): Promise<void> {
  for await (const message of run) expect(message).toBeDefined();
}

test.each<[string, (engine: QueryEngine) => Promise<unknown>]>([
  ["a compaction by hand", (engine) => drained(engine.compact())],
  ["a side question", (engine) => engine.sideQuestion("Which words?")],
  ["/btw", (engine) => drained(engine.submitMessage("/btw Which words?"))],
])("%s in a resumed session sends the same tools as before", async (_name, ask) => {
  const { model, engine } = await resumed();
  const [before] = calls(model);
  await ask(engine);
  expect(model.violations).toEqual([]);
  expect(calls(model).length).toBeGreaterThan(2);
  expect(calls(model).at(-1)?.body?.tools).toEqual(before?.body?.tools);
});

test.each<[string, (engine: QueryEngine) => Promise<unknown>]>([
  ["the next turn", (engine) => turn(engine, "Go on.")],
  ["a compaction by hand", (engine) => drained(engine.compact())],
  ["a side question", (engine) => engine.sideQuestion("Which words?")],
])("the API refuses nothing when a session is resumed with other tools: %s", async (_name, ask) => {
  const ground = layGround();
  const model = scripted({ fallback: { content: [{ thinking: "It is about words." }, wide] } });
  const first = await openOn(ground, model, { tools: ["Read", "Grep"] });
  for (const prompt of ["Tell me.", "More."]) await turn(first, prompt);
  await first.dispose();
  const again = await openOn(ground, model, { tools: ["Read"], resume: first.getSessionId() });
  await ask(again);
  await turn(again, "And more.");
  expect(model.violations).toEqual([]);
  expect(calls(model).map(({ status }) => status)).not.toContain(400);
  expect(JSON.stringify(calls(model).at(-1)?.body?.tools)).not.toContain('"Grep"');
});

test("a turn interrupted while servers start leaves the wait to the next turn", async () => {
  const model = scripted({ fallback: "Fine." });
  const engine = await openOn(layGround(), model, { mcpServers: { own: serverOf({ tools: [toolNamed("say")] }) } });
  const interrupted = turn(engine, "Go.");
  engine.interrupt();
  expect((await interrupted).result.terminal_reason).toBe("aborted_streaming");
  await turn(engine, "Go on.");
  expect(offered(model).map(({ name }) => name)).toContain("mcp__own__say");
});

describe("a resumed conversation", () => {
  const server = (more: object = {}) => serverOf({ tools: [toolNamed("say")], ...more });

  test("has the tools of its earlier requests in its first turn", async () => {
    const ground = layGround();
    const model = scripted({ fallback: { content: [{ thinking: "It is about words." }, "Fine."] } });
    // As a program has it, so that its first turn has the tools.
    const first = await openOn(ground, model, { mcpServers: { own: server() } });
    for (const prompt of ["Tell me.", "More."]) await turn(first, prompt);
    await first.dispose();
    const options = { mcpServers: { own: server() }, headless: false };
    const engine = await openOn(ground, model, { ...options, resume: first.getSessionId() });
    await turn(engine, "Go on.");
    expect(model.violations).toEqual([]);
    expect(calls(model).at(-1)?.body?.tools).toEqual(calls(model)[0]?.body?.tools);
  });

  test("reports which servers it waits for, and goes on without those that do not come", async () => {
    const ground = layGround();
    const model = scripted({ fallback: "Fine." });
    const first = await openOn(ground, model, {});
    await turn(first, "Tell me.");
    await first.dispose();
    const notices: string[] = [];
    const engine = await openOn(ground, model, {
      mcpServers: { slow: server({ hangs: true }) },
      env: { MCP_TIMEOUT: "1500" },
      headless: false,
      resume: first.getSessionId(),
      onNotice: (text) => void notices.push(text),
    });
    expect((await turn(engine, "Go on.")).result).toMatchObject({ result: "Fine." });
    expect(notices[0]).toContain("Waiting for MCP servers (slow)");
  });
});
