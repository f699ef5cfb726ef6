// Sessions with strictMcpConfig, in which only the flag's and the host's servers count.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, type Ground } from "../session/support.ts";
import { calling } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function noticesIn(ground: Ground, strictMcpConfig: boolean): Promise<string[]> {
  const notices: string[] = [];
  await openSession(calling(), { strictMcpConfig, onNotice: (text) => void notices.push(text) }, ground);
  return notices;
}

// Seen: the notice named servers that would not have counted anyway.
describe("a notice about an untrusted folder", () => {
  test("does not name the folder's servers if they do not count anyway", async () => {
    const ground = layGround();
    ground.file(".mcp.json", '{"mcpServers": {"one": {"command": "x"}}}');
    expect(await noticesIn(ground, false)).toEqual([expect.stringContaining("Left out: 1 MCP server in")]);
    expect(await noticesIn(ground, true)).toEqual([]);
  });

  test("names what else the folder wants", async () => {
    const ground = layGround();
    ground.file(".mcp.json", '{"mcpServers": {"one": {"command": "x"}}}');
    mkdirSync(join(ground.work, ".claude"));
    const settings = { mcpServers: { two: { command: "x" } }, permissions: { allow: ["Bash"] } };
    ground.file(".claude/settings.json", JSON.stringify(settings));
    const [notice, ...others] = await noticesIn(ground, true);
    expect(others).toEqual([]);
    expect(notice).toMatch(/Left out: 1 allow rule in \S*settings\.json\./u);
  });
});
