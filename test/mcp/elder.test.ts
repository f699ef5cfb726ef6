import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { EngineOptions } from "../../src/index.ts";
import { openMcpAdmin } from "../../src/session/mcp/admin.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openSession, turn } from "../session/support.ts";
import { calling, serverOf } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

async function names(laid: ReturnType<typeof layGround>, options: EngineOptions = {}) {
  const { engine } = await openSession(calling(), options, laid);
  await turn(engine, "go");
  return engine.mcpServerStatus().map(({ name, scope, status }) => `${name} ${scope} ${status}`);
}

test("starts the servers in another tool's configuration, with lower precedence than the user's own", async () => {
  const laid = layGround();
  const file = join(laid.home, ".claude.json");
  const off = { command: "/nowhere/at-all" };
  const projects = {
    [laid.work]: { mcpServers: { here: serverOf(), mine: off }, history: ["much else"] },
    "/somewhere": { mcpServers: { there: serverOf() } },
  };
  const text = JSON.stringify({ numStartups: 7, mcpServers: { all: serverOf(), here: off }, projects });
  writeFileSync(file, text);
  expect(await names(laid)).toEqual(["all user connected", "here local connected", "mine local failed"]);

  mkdirSync(laid.pawlHome, { recursive: true });
  writeFileSync(
    join(laid.pawlHome, "mcp.json"),
    JSON.stringify({ projects: { [laid.work]: { mcpServers: { mine: serverOf() } } } }),
  );
  expect(await names(laid)).toContain("mine local connected");
  expect(await names(laid, { strictMcpConfig: true })).toEqual([]);
  expect(await names(laid, { settingSources: ["project"] })).toEqual(["mine local connected"]);
  const settings = JSON.stringify({ deniedMcpServers: [{ serverName: "all" }] });
  expect(await names(laid, { settings })).toContain("all user disabled");

  const admin = openMcpAdmin({ cwd: laid.work, home: laid.home, env: { HOME: laid.home } });
  await expect(admin.remove("all")).rejects.toThrow(/which pawl reads and does not write/u);
  await expect(admin.remove("constructor")).rejects.toThrow("There is no server constructor to remove.");
  expect(readFileSync(file, "utf8")).toBe(text);
});

// Seen: "There are no MCP servers", although a file that could not be read contained all of them.
test.each([
  ["a folder", (path: string) => mkdirSync(path), "it is not a regular file"],
  ["a broken link", (path: string) => symlinkSync("gone", path), "it is a link to something that does not exist"],
])("reports a project file that is %s when servers are listed", async (_, put, why) => {
  const { work: cwd, home } = layGround();
  put(join(cwd, ".mcp.json"));
  const notices: string[] = [];
  const admin = openMcpAdmin({ cwd, home, env: { HOME: home }, onNotice: (text) => void notices.push(text) });
  expect(await admin.list()).toEqual([]);
  expect(notices).toEqual([`${join(cwd, ".mcp.json")} cannot be read: ${why}. None of its servers is started.`]);
});

test("starts nothing if another tool's file has no servers or is not JSON", async () => {
  const laid = layGround();
  const file = join(laid.home, ".claude.json");
  writeFileSync(file, JSON.stringify({ projects: { [laid.work]: { mcpServers: {} } } }));
  expect(await names(laid)).toEqual([]);
  writeFileSync(file, "{");
  const notices: string[] = [];
  expect(await names(laid, { onNotice: (text) => void notices.push(text) })).toEqual([]);
  expect(notices.join()).toContain(".claude.json");
});

test.each([".claude.json", ".pawl/mcp.json"])(
  "reports a user's file that is a broken or circular link: %s",
  async (name) => {
    const laid = layGround();
    const file = join(laid.home, name);
    mkdirSync(laid.pawlHome, { recursive: true });
    for (const [target, why] of [
      [file, "a symbolic link is in its way (ELOOP)"],
      [join(laid.home, "gone"), "it is a link to something that does not exist"],
    ] as const) {
      rmSync(file, { force: true });
      symlinkSync(target, file);
      const notices: string[] = [];
      expect(await names(laid, { onNotice: (text) => void notices.push(text) })).toEqual([]);
      expect(notices.join()).toContain(`${file}: ${why}`);
    }
  },
);
