import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changeServers, readUserFile } from "../../src/mcp/user-file.ts";

// Seen: of servers that a script added at the same time most were lost.
test("servers that are added and removed at the same time all count, and no lock is left", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-user-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "mcp.json");
  const add = (name: string) => changeServers(path, (servers) => void (servers[name] = { command: name }));
  await add("old");
  const names = ["a", "b", "c", "d"];
  await Promise.all([...names.map(add), changeServers(path, (servers) => delete servers["old"])]);
  expect(readUserFile(path, "/")).toMatchObject({ ok: true });
  const read = readUserFile(path, "/") as { servers: object };
  expect(Object.keys(read.servers).toSorted()).toEqual(names);
  expect(readdirSync(folder)).toEqual(["mcp.json"]);
});
