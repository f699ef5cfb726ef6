// What settings block outside the working directories is denied in every mode. Also: settings under which nobody may add rules.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { PermissionAnswer } from "../../src/protocol/permission.ts";
import { call, make, makePlace, type Setup } from "./support.ts";

const place = makePlace();
afterAll(() => place.remove());
const { cwd, home } = place;
for (const folder of ["docs", "private"]) mkdirSync(join(home, folder));
for (const name of ["docs/a.txt", "private/a.txt"]) writeFileSync(join(home, name), "");
writeFileSync(join(cwd, "in.txt"), "");
symlinkSync(join(home, "private"), join(cwd, "way"));
symlinkSync(join(home, "private"), join(home, "docs/way"));

const outside = () => ({ reads: "policy", writes: "policy", exempt: [join(home, "docs")] });
const all: Setup = { mode: "bypassPermissions", outsideBlocks: outside };

async function decided(tool: string, input: Record<string, unknown>, setup: Setup = all): Promise<string> {
  return (await call(make(place, setup), cwd, tool, input)).behavior;
}

describe("what settings block outside the working directories", () => {
  test.each([
    ["Read", { file_path: join(home, "private/a.txt") }],
    ["Read", { file_path: "/etc/passwd" }],
    ["Read", { file_path: join(cwd, "way/a.txt") }],
    ["Grep", { path: home }],
    ["Glob", { path: "/" }],
    ["Write", { file_path: join(home, "new.txt") }],
    ["Write", { file_path: join(home, "docs/new.txt") }],
    ["Edit", { file_path: join(cwd, "way/a.txt") }],
    ["Bash", { command: "cat /etc/passwd" }],
    ["Bash", { command: "cat in.txt ~/private/a.txt" }],
    ["Bash", { command: "cat way/a.txt" }],
    ["Bash", { command: "cd /etc && cat passwd" }],
    ["Bash", { command: "echo x > ../out.txt" }],
    ["Bash", { command: "cp in.txt /tmp/out.txt" }],
    ["Bash", { command: "cp in.txt ~/docs/" }],
    ["Bash", { command: "true; ls $HOME" }],
    ["Read", { file_path: join(home, "docs/way/a.txt") }],
    ["Bash", { command: "cat ~/docs/way/a.txt" }],
    ["Bash", { command: "ls /etc" }],
    ["Bash", { command: "cp in.txt /no/such/folder/out.txt" }],
    ["Bash", { command: "rm ~/docs/a.txt" }],
  ])("is denied in bypassPermissions mode: %s %j", async (tool, input) => {
    expect(await decided(tool, input)).toBe("deny");
  });

  test.each([
    ["Read", { file_path: join(cwd, "in.txt") }],
    ["Read", { file_path: join(home, "docs/a.txt") }],
    ["Write", { file_path: join(cwd, "new.txt") }],
    ["Bash", { command: "cat in.txt > /dev/null 2>&1" }],
    ["Bash", { command: "cat ~/docs/a.txt" }],
    ["Bash", { command: "grep -n '/api/v1' in.txt | sed 's/a/b/'" }],
    ["Bash", { command: "grep -n '/api' in.txt" }],
    ["Bash", { command: "npm test -- --reporter=dot" }],
  ])("does not include %s %j", async (tool, input) => {
    expect(await decided(tool, input)).toBe("allow");
  });

  test("may be reading alone or writing alone", async () => {
    const reads: Setup = { mode: "bypassPermissions", outsideBlocks: () => ({ reads: "x", exempt: [] }) };
    const writes: Setup = { mode: "bypassPermissions", outsideBlocks: () => ({ writes: "x", exempt: [] }) };
    const [read, write] = [{ file_path: join(home, "docs/a.txt") }, { file_path: join(home, "n") }];
    expect([await decided("Read", read, reads), await decided("Write", write, reads)]).toEqual(["deny", "allow"]);
    expect([await decided("Read", read, writes), await decided("Write", write, writes)]).toEqual(["allow", "deny"]);
  });

  test("is opened by no allow rule, and the denial explains it", async () => {
    const decision = await call(make(place, { allow: ["Read"], outsideBlocks: outside }), cwd, "Read", {
      file_path: "/etc/passwd",
    });
    expect(decision).toMatchObject({
      behavior: "deny",
      message: expect.stringMatching(/outside the working directories, and policy \(permissions\.blockReads/u),
    });
  });
});

test("with managed rules only, an answer counts once: no rule of an answer, a hook or a skill is added", async () => {
  const asked: (string | undefined)[] = [];
  const rules = [{ toolName: "Bash", ruleContent: "touch *" }];
  const answer: PermissionAnswer = {
    behavior: "allow",
    rule: "Bash(touch a)",
    updates: [{ type: "addRules", rules, behavior: "allow", destination: "session" }],
  };
  const permissions = make(place, {
    takesAllowRules: () => false,
    ask: async ({ suggestedRule }) => (asked.push(suggestedRule), answer),
  });
  permissions.grants.grant("allow", [{ rule: "Bash(touch a)", source: "a skill" }]);
  for (let time = 0; time < 2; time += 1)
    expect((await call(permissions, cwd, "Bash", { command: "touch a" })).behavior).toBe("allow");
  expect(asked).toEqual([undefined, undefined]);
  const deny = { type: "addRules", rules, behavior: "deny", destination: "session" } as const;
  permissions.update(deny);
  expect((await call(permissions, cwd, "Bash", { command: "touch a" })).behavior).toBe("deny");
});
