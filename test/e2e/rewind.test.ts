// --rewind-files through the real command: what commands of a turn did is undone by another process, which asks no model.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createWorld, type World } from "./command.ts";

let world: World | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const session = "0a0a0a0a-1111-4222-8333-444444444444";

test("--rewind-files lists the files with --dry-run, then restores them, by number or by message id", async () => {
  const commands = ["rm -rf src && sed -i s/one/1/ a.txt && echo x > new.txt"];
  world = await createWorld({
    steps: [{ content: commands.map((command) => ({ tool: "Bash", input: { command } })) }, { content: ["Done."] }],
  });
  const { run, folder, server } = world;
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src", "b.txt"), "b\n");
  writeFileSync(join(folder, "a.txt"), "one\n");
  const first = await run(["-p", "--session-id", session, "--dangerously-skip-permissions", "--", "Tidy up."]);
  expect([first.code, first.stderr]).toEqual([0, expect.any(String)]);
  expect(readdirSync(folder).toSorted()).toEqual(["a.txt", "new.txt"]);
  const asked = server.requests.length;
  const dry = await run(["--resume", session, "--rewind-files", "1", "--dry-run"]);
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining("These files would be put back")]);
  expect(dry.stdout).toContain("Without --dry-run it is done.");
  expect(dry.stdout).not.toContain("confirm");
  expect(readdirSync(folder).toSorted()).toEqual(["a.txt", "new.txt"]);
  const json = await run(["--resume", session, "--rewind", "1", "--dry-run", "--output-format", "json"]);
  const { data } = (
    JSON.parse(json.stdout) as { local_command_output: { data: { message: string; filesChanged: string[] } } }
  ).local_command_output;
  expect(data.filesChanged.toSorted()).toEqual(["a.txt", "new.txt", "src/b.txt"].map((name) => join(folder, name)));
  const done = await run(["--resume", session, "--rewind-files", data.message], { env: { ANTHROPIC_API_KEY: "" } });
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("Put back to what they were")]);
  expect(readdirSync(folder).toSorted()).toEqual(["a.txt", "src"]);
  expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n");
  expect(server.requests.length).toBe(asked);
});
