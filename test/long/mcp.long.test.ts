// Servers as processes, over several sessions, and such that are no good: each is found out, said, and keeps nobody from working.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { calling, serverOf, toolNamed } from "../mcp/support.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

describe("a broken server", () => {
  const bad = {
    hangs: /did not answer|took longer/u,
    exits: /It said: no licence/u,
    neverEndsALine: /more than 16 MiB|took longer|ended|closed/iu,
    paginatesForEver: undefined,
  };
  test.each(Object.keys(bad) as (keyof typeof bad)[])("that %s does not keep the session from working", async (way) => {
    const servers = { bad: serverOf({ [way]: true }), good: serverOf() };
    const { engine } = await openSession(calling({ tool: "mcp__good__echo", input: { text: "fine" } }), {
      mcpServers: servers,
      allowedTools: ["mcp__good"],
      // The good one has its time where the other one's hanging is not what is waited for.
      env: { ANTHROPIC_API_KEY: "scripted", MCP_TIMEOUT: way === "hangs" ? "3000" : "10000" },
    });
    const { result } = await turn(engine, "call it");
    expect(result).toMatchObject({ result: "It said: fine" });
    const status = engine.mcpServerStatus().find(({ name }) => name === "bad");
    if (bad[way] === undefined) expect(status).toMatchObject({ status: "connected" });
    else expect(status).toMatchObject({ status: "failed", error: expect.stringMatching(bad[way]) });
  });
});

test("a tool that settings allow is asked about again in a later session if its definition has changed", async () => {
  const laid = layGround();
  mkdirSync(laid.pawlHome, { recursive: true });
  const rules = { permissions: { allow: ["mcp__test__echo"] } };
  writeFileSync(join(laid.pawlHome, "settings.json"), JSON.stringify(rules));
  const denials = async (description: string, more: EngineOptions = {}): Promise<string[]> => {
    // Its definition comes from a file, so that the server is the same program with the same arguments.
    laid.file("tools.json", JSON.stringify([toolNamed("echo", { description })]));
    const mcpServers = { test: { ...serverOf(), env: { TOOLS_FILE: join(laid.work, "tools.json") } } };
    const script = calling({ tool: "mcp__test__echo", input: { text: "x" } });
    const { engine } = await openSession(script, { mcpServers, ...more }, laid);
    const { result } = await turn(engine, "go");
    return result.permission_denials.map(({ tool_name: name }) => name);
  };
  expect(await denials("Says it again")).toEqual([]);
  expect(await denials("Says it again")).toEqual([]);
  expect(await denials("Sends it away")).toEqual(["mcp__test__echo"]);
  // A person who sees what it is now allows that.
  expect(await denials("Sends it away", { ask: async () => ({ behavior: "allow" }) })).toEqual([]);
  expect(await denials("Sends it away")).toEqual([]);
});
