// System programs that start others by name, and builtins that become programs behind a wrapper.
import { afterAll, beforeAll, expect, test } from "vitest";
import { bash, make, makePlace, type Place, type Setup } from "./support.ts";

let place: Place;
beforeAll(() => {
  place = makePlace();
});
afterAll(() => place.remove());

const run = (command: string, setup: Setup) => bash(make(place, setup), place.cwd, command);

test("a repository file may stand in for a program that another starts by name, or for a builtin behind nice", async () => {
  const bring = (...names: string[]): Setup => ({
    repositoryProgram: (name) => (names.includes(name) ? `/r/${name}` : undefined),
  });
  for (const [command, name] of [
    ["egrep x a.txt", "grep"],
    ["locale -m", "gzip"],
    ["git submodule status", "sed"],
    ["git --no-pager bisect log", "basename"],
    ["nice echo a", "echo"],
    ["timeout 5 pwd", "pwd"],
    ["time nohup true", "true"],
  ] as const) {
    expect(await run(command, bring(name)), command).toBe("ask");
    expect(await run(command, bring("other")), command).toBe("allow");
  }
  for (const command of ["echo a", "time echo a", "command pwd"])
    expect(await run(command, bring("echo", "pwd")), command).toBe("allow");
});
