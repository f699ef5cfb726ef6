// What an answer to a question changes for good: each kind of change in the file it names, and nothing where it is for the session.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { PermissionUpdate } from "../../src/protocol/permission.ts";
import { put } from "../support/put.ts";
import { clearGroundsAfterwards, disposeAll, layGround, openOn, scripted, turn, type Ground } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const known = { permissions: { allow: ["Bash(known)"], deny: ["Bash(bad)"], additionalDirectories: ["/kept"] } };
const rules = (...contents: string[]) => contents.map((ruleContent) => ({ toolName: "Bash", ruleContent }));

const files = {
  userSettings: ({ pawlHome }: Ground) => join(pawlHome, "settings.json"),
  projectSettings: ({ work }: Ground) => join(work, ".pawl/settings.json"),
  localSettings: ({ work }: Ground) => join(work, ".pawl/settings.local.json"),
};

/** A session in which the one question is answered so. */
async function answered(ground: Ground, updates: PermissionUpdate[]) {
  const notices: string[] = [];
  const asked: string[] = [];
  const commands = ["touch made", "touch made too"];
  const steps = commands.map((command) => ({ content: [{ tool: "Bash", input: { command } }] }));
  const engine = await openOn(ground, scripted({ steps, fallback: "Done." }), {
    onNotice: (text) => void notices.push(text),
    ask: async ({ input }) => {
      asked.push(String(input["command"]));
      return { behavior: "allow", updates };
    },
  });
  await turn(engine, "Go.");
  const mode = engine.getPermissionMode();
  await engine.dispose();
  return { notices, asked, mode };
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

test.each<[string, Exclude<PermissionUpdate, { destination: "session" }>, object]>([
  [
    "a rule is added",
    { type: "addRules", behavior: "ask", rules: rules("new"), destination: "userSettings" },
    { ask: ["Bash(new)"] },
  ],
  [
    "rules are added to existing ones",
    { type: "addRules", behavior: "allow", rules: rules("new", "newer"), destination: "userSettings" },
    { allow: ["Bash(known)", "Bash(new)", "Bash(newer)"] },
  ],
  [
    "a rule is taken away",
    { type: "removeRules", behavior: "deny", rules: rules("bad"), destination: "userSettings" },
    { deny: [] },
  ],
  [
    "rules are replaced",
    { type: "replaceRules", behavior: "allow", rules: rules("new"), destination: "userSettings" },
    { allow: ["Bash(new)"] },
  ],
  [
    "the mode to begin in is set",
    { type: "setMode", mode: "acceptEdits", destination: "userSettings" },
    { defaultMode: "acceptEdits" },
  ],
  [
    "the mode bypassPermissions is not set",
    { type: "setMode", mode: "bypassPermissions", destination: "userSettings" },
    {},
  ],
  [
    "a folder is added",
    { type: "addDirectories", directories: ["/new"], destination: "userSettings" },
    { additionalDirectories: ["/kept", "/new"] },
  ],
  [
    "a folder is taken away",
    { type: "removeDirectories", directories: ["/kept"], destination: "userSettings" },
    { additionalDirectories: [] },
  ],
])("after a permission update, %s in the user's settings", async (_, update, becomes) => {
  const ground = layGround();
  put(files.userSettings(ground), known);
  expect((await answered(ground, [update])).notices).toEqual([]);
  const { permissions } = read(files.userSettings(ground)) as typeof known;
  expect(permissions).toEqual({ ...known.permissions, ...becomes });
});

test.each(["userSettings", "projectSettings", "localSettings"] as const)(
  "a permission update for %s is written to that settings file only",
  async (one) => {
    const ground = layGround();
    await answered(ground, [{ type: "addRules", behavior: "allow", rules: rules("new"), destination: one }]);
    for (const [name, file] of Object.entries(files)) expect(existsSync(file(ground)), name).toBe(name === one);
    expect(read(files[one](ground))).toEqual({ permissions: { allow: ["Bash(new)"] } });
  },
);

test.each(["session", "cliArg"] as const)(
  "a permission update for the %s applies there and is written to no file",
  async (one) => {
    const ground = layGround();
    const { asked, notices } = await answered(ground, [
      { type: "addRules", behavior: "allow", rules: rules("touch *"), destination: one },
    ]);
    expect([asked, notices]).toEqual([["touch made"], []]);
    for (const file of Object.values(files)) expect(existsSync(file(ground))).toBe(false);
  },
);

test("removing a rule that is not there changes nothing and is not reported", async () => {
  const ground = layGround();
  put(files.userSettings(ground), known);
  const removed = {
    type: "removeRules",
    behavior: "allow",
    rules: rules("other"),
    destination: "userSettings",
  } as const;
  expect((await answered(ground, [removed])).notices).toEqual([]);
  expect(read(files.userSettings(ground))).toEqual(known);
});

test("an update that cannot be written is reported, and does not keep others from being written", async () => {
  const ground = layGround();
  put(join(ground.work, ".pawl"), "no folder");
  const added = { type: "addRules", behavior: "allow", rules: rules("new") } as const;
  const { notices } = await answered(ground, [
    { ...added, destination: "localSettings" },
    { ...added, destination: "userSettings" },
  ]);
  expect(existsSync(join(ground.work, "made"))).toBe(true);
  const why = `${files.localSettings(ground)} cannot be written: `;
  expect(notices.find((text) => text.includes("this session only"))).toContain(
    `The change to permissions.allow holds for this session only: ${why}`,
  );
  expect(read(files.userSettings(ground))).toEqual({ permissions: { allow: ["Bash(new)"] } });
});
