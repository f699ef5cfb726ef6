// Servers that are no good, as processes: each is found out, said, and keeps nobody from working.
import { afterEach, describe, expect, test } from "vitest";
import { calling, serverOf } from "../mcp/support.ts";
import { clearGroundsAfterwards, disposeAll, openSession, turn } from "../session/support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

describe("a server that is no good", () => {
  const bad = {
    hangs: /did not answer|took longer/u,
    exits: /It said: no licence/u,
    neverEndsALine: /more than 16 MiB|took longer|ended|closed/iu,
    paginatesForEver: /^$/u,
  };
  test.each(Object.keys(bad) as (keyof typeof bad)[])("that %s keeps nobody from working", async (way) => {
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
    expect(status?.error ?? "").toMatch(bad[way]);
  });
});
