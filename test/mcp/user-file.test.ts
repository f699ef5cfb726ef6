import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { changeServers, readUserFile } from "../../src/mcp/user-file.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

// Seen: of servers that a script added at the same time most were lost.
test("keeps all servers that are added and removed at the same time, and leaves no lock", async () => {
  const folder = temporaryFolder();
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

test("reports a repeated name, and leaves the file unchanged", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "mcp.json");
  const text = '{"mcpServers": {"a": {"command": "one"}, "a": {"command": "two"}}}';
  writeFileSync(path, text);
  expect(readUserFile(path, "/")).toMatchObject({ ok: true, text, repeated: ["mcpServers.a"] });
  const added = changeServers(path, (servers) => void (servers["b"] = {}));
  await expect(added).rejects.toThrow('"mcpServers.a" appears twice; fix it first');
  expect(readFileSync(path, "utf8")).toBe(text);
});

// Seen: a link to the user's settings folder was replaced by a file, and the link's target stayed unchanged.
test("writes to the target of a link, and reports a broken link", async () => {
  const folder = temporaryFolder();
  const [path, real] = [join(folder, "mcp.json"), join(folder, "real.json")];
  symlinkSync("real.json", path);
  const add = () => changeServers(path, (servers) => void (servers["a"] = { command: "a" }));
  await expect(add()).rejects.toThrow(`${path}: it is a link to something that does not exist; fix it first`);
  writeFileSync(real, "{}");
  await add();
  expect(lstatSync(path).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(real, "utf8"))).toEqual({ mcpServers: { a: { command: "a" } } });
});

test("keeps the mode of a project's file, also behind a link", async () => {
  const folder = temporaryFolder();
  const [path, real] = [join(folder, ".mcp.json"), join(folder, "real.json")];
  writeFileSync(real, "{}", { mode: 0o600 });
  symlinkSync("real.json", path);
  const add = (to: string) => changeServers(to, (servers) => void (servers["a"] = { command: "a" }), { mode: 0o644 });
  await add(path);
  await add(join(folder, "new.json"));
  const modes = ["real.json", "new.json"].map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o644]);
});

test.each([
  ['{"mcpServers": ["a"]}', '"mcpServers" should be an object'],
  ['{"projects": [], "mcpServers": {}}', '"projects" should be an object', "/work"],
  ['{"projects": {"/work": "a"}}', "the entry for /work should be an object", "/work"],
  ["[]", "it should hold one JSON object"],
])("rejects %s and leaves the file unchanged", async (text, why, project?: string) => {
  const folder = temporaryFolder();
  const path = join(folder, "mcp.json");
  writeFileSync(path, text);
  const added = changeServers(path, (servers) => void (servers["b"] = {}), { project });
  await expect(added).rejects.toThrow(new RegExp(`${why}; fix it first`, "u"));
  expect(readFileSync(path, "utf8")).toBe(text);
});
