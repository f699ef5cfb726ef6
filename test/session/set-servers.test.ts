// MCP servers, skills and commands that a host changes while the session runs.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createSdkMcpServer, tool, type McpServerConfig, type QueryEngine } from "../../src/index.ts";
import type { Reply } from "../../src/testing/index.ts";
import { calls, clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const says = (name: string, text: string) =>
  createSdkMcpServer({ name, tools: [tool("say", "Says.", { type: "object" }, async () => text)] });
const call = (server: string): Reply => ({ content: [{ tool: `mcp__${server}__say`, input: {} }] });
const names = (engine: QueryEngine): string[] =>
  engine.mcpServerStatus().map(({ name, status }) => `${name} ${status}`);

async function said(engine: QueryEngine): Promise<string> {
  const { messages } = await turn(engine, "Go.");
  return JSON.stringify(messages.filter(({ type }) => type === "user"));
}

test("starts, keeps, replaces and ends servers as the host names them, even if there were none before", async () => {
  const model = scripted({ steps: [call("one"), "1", call("one"), "2", call("one"), "3"] });
  const engine = await openOn(layGround(), model, { allowedTools: ["mcp__one", "mcp__two"] });
  const [one, two] = [says("one", "first"), says("two", "second")];
  expect(await engine.desk.setMcpServers({})).toEqual({ added: [], removed: [], errors: {} });
  expect(await engine.desk.setMcpServers({ one })).toEqual({ added: ["one"], removed: [], errors: {} });
  expect(await said(engine)).toContain("first");
  expect(calls(model)[0]?.body?.tools?.map(({ name }) => name)).toContain("mcp__one__say");
  expect(await engine.desk.setMcpServers({ one, two })).toEqual({ added: ["two"], removed: [], errors: {} });
  expect(await engine.desk.setMcpServers({ one: says("one", "other"), two })).toMatchObject({ added: ["one"] });
  expect(await said(engine)).toContain("other");
  expect(await engine.desk.setMcpServers({ two })).toEqual({ added: [], removed: ["one"], errors: {} });
  expect(names(engine)).toEqual(["two connected"]);
  expect(await said(engine)).toContain("the host has removed it");
  expect(await engine.desk.setMcpServers({ one, two })).toMatchObject({ added: ["one"], errors: {} });
});

// Seen: the model was told that the server is started again for the next call, and called it again.
test.each<[string, (engine: QueryEngine) => Promise<unknown>]>([
  ["removes", (engine) => engine.desk.setMcpServers({})],
  ["switches off", (engine) => engine.desk.toggleMcpServer("one", false)],
  ["restarts", (engine) => engine.desk.reconnectMcpServer("one")],
])(
  "a call whose server the host %s meanwhile is not said to have lost a server that starts again",
  async (_, change) => {
    const model = scripted({ steps: [call("one"), "1"] });
    const engine = await openOn(layGround(), model, { allowedTools: ["mcp__one"] });
    const changed = Promise.withResolvers<unknown>();
    const ends = async (): Promise<string> => (changed.resolve(change(engine)), await changed.promise, "late");
    const tools = [tool("say", "Says.", { type: "object" }, ends)];
    await engine.desk.setMcpServers({ one: createSdkMcpServer({ name: "one", tools }) });
    expect(await said(engine)).toContain("was switched off or restarted during the call; it may have had an effect.");
    await changed.promise;
  },
);

test("reports unusable servers without affecting others, and keeps those of files and options", async () => {
  const ground = layGround();
  mkdirSync(join(ground.home, ".pawl"), { recursive: true });
  const engine = await openOn(ground, scripted({ steps: [] }), {
    mcpServers: { mine: says("mine", "x"), filed: { command: "/nowhere/at/all" } },
    settings: JSON.stringify({ deniedMcpServers: [{ serverCommand: ["/forbidden"] }] }),
  });
  const set = await engine.desk.setMcpServers({
    good: says("good", "y"),
    bad: { command: "/nowhere" },
    odd: { type: "odd" } as never,
    empty: { type: "sdk" } as never,
    forbidden: { command: "/forbidden" },
  });
  expect([set.added, set.removed]).toEqual([["good", "bad"], ["mine"]]);
  expect(Object.keys(set.errors).toSorted()).toEqual(["bad", "empty", "forbidden", "odd"]);
  expect(set.errors["forbidden"]).toContain("deniedMcpServers");
  expect(names(engine)).toEqual(["filed failed", "good connected", "bad failed"]);
});

test("a host's server does not replace one of the same name that settings disable", async () => {
  const ground = layGround();
  writeFileSync(join(ground.work, ".mcp.json"), JSON.stringify({ mcpServers: { folders: { command: "/nowhere" } } }));
  const settings = JSON.stringify({ disabledMcpjsonServers: ["folders"] });
  const engine = await openOn(ground, scripted({ steps: [] }), { trust: true, settings });
  const before = engine.mcpServerStatus();
  expect(before).toMatchObject([{ name: "folders", status: "disabled" }]);
  expect(await engine.desk.setMcpServers({ folders: says("folders", "x"), other: says("other", "y") })).toEqual({
    added: ["other"],
    removed: [],
    errors: { folders: "a server of this name already exists, and the host cannot change it" },
  });
  expect(engine.mcpServerStatus()).toEqual(expect.arrayContaining(before));
});

test("/clear keeps the host's servers, and the end of the session ends them", async () => {
  const ends: string[] = [];
  const engine = await openOn(layGround(), scripted({ steps: [call("one"), "1"] }), { allowedTools: ["mcp__one"] });
  const one = says("one", "first");
  const instance: typeof one.instance = {
    async connect(transport) {
      await one.instance.connect(transport);
      const { onclose } = transport;
      transport.onclose = () => (ends.push("closed"), onclose?.());
    },
  };
  await engine.desk.setMcpServers({ one: { type: "sdk", instance } });
  await engine.clear();
  expect(await said(engine)).toContain("first");
  expect(ends).toEqual([]);
  await engine.dispose();
  expect(ends).toEqual(["closed"]);
});

test("a closed or closing session starts no server", async () => {
  let connected = 0;
  const closed: Promise<void>[] = [];
  const watched = (name: string) => {
    const { instance } = says(name, "x");
    const connect: typeof instance.connect = async (transport) => {
      connected += 1;
      await instance.connect(transport);
      const { onclose } = transport;
      closed.push(new Promise((resolve) => (transport.onclose = () => (resolve(), onclose?.()))));
    };
    return { [name]: { type: "sdk" as const, instance: { connect } } };
  };
  for (const first of [[], [["first", says("first", "x")]]]) {
    const mcpServers: Record<string, McpServerConfig> = Object.fromEntries(first);
    const engine = await openOn(layGround(), scripted({ steps: [] }), { mcpServers });
    const { desk } = engine;
    const begun = desk.setMcpServers(watched("late")).catch((error: unknown) => error);
    await engine.dispose();
    await begun;
    const before = connected;
    await expect(desk.setMcpServers(watched("later"))).rejects.toMatchObject({ code: "session_closed" });
    expect(connected).toBe(before);
    for (const { name, status } of engine.mcpServerStatus()) {
      expect([name, status]).toEqual([name, "disabled"]);
      await expect(desk.reconnectMcpServer(name)).rejects.toMatchObject({ code: "session_closed" });
    }
  }
  // Whatever was begun before the end was seen is ended with it.
  await Promise.all(closed);
});

test("tells the model of new, changed and removed skills when the host says that they changed", async () => {
  const ground = layGround();
  const folder = (name: string): string => join(ground.home, ".pawl/skills", name);
  const put = (name: string, about: string): void => {
    mkdirSync(folder(name), { recursive: true });
    writeFileSync(join(folder(name), "SKILL.md"), `---\nname: ${name}\ndescription: ${about}\n---\nDo it.\n`);
  };
  put("stay", "stays as it is");
  put("change", "before");
  put("leave", "goes away");
  const model = scripted({ steps: ["1", "2", "3"] });
  const engine = await openOn(ground, model);
  await turn(engine, "1");
  put("change", "after");
  put("come", "comes now");
  rmSync(folder("leave"), { recursive: true });
  const own = (await engine.desk.reloadSkills()).filter(({ builtin }) => builtin === false).map(({ name }) => name);
  expect(own).toEqual(["change", "come", "stay"]);
  await turn(engine, "2");
  const last = JSON.stringify(calls(model)[1]?.body?.messages.at(-1));
  expect(last).toContain("change: after");
  expect(last).toContain("come: comes now");
  expect(last).toContain("no longer exist: leave");
  expect(last).not.toContain("stays as it is");
  await engine.desk.reloadSkills();
  await turn(engine, "3");
  expect(JSON.stringify(calls(model)[2]?.body?.messages.at(-1))).not.toContain("comes now");
});

test("a call goes on without the command it waits for when the host moves it to the background", async () => {
  const wait: Reply = { content: [{ tool: "Bash", input: { command: "sleep 30 & wait" } }] };
  const engine = await openOn(layGround(), scripted({ steps: [wait, "On."] }), { allowedTools: ["Bash"] });
  expect(await engine.desk.backgroundTasks("toolu_none")).toBe(false);
  expect(await engine.desk.backgroundTasks()).toBe(true);
  const running = said(engine);
  while (!(await engine.desk.backgroundTasks(lastCall(engine)))) await new Promise((resolve) => setImmediate(resolve));
  expect(await running).toContain("was moved to the background by the user");
  const [task] = engine.desk.tasks();
  expect(task).toMatchObject({ status: "running" });
  await engine.desk.stopTask(task?.task_id ?? "");
});

function lastCall(engine: QueryEngine): string {
  const ids = JSON.stringify(engine.getMessages()).matchAll(/"type":"tool_use","id":"([^"]+)"/gu);
  return [...ids].at(-1)?.[1] ?? "none yet";
}
