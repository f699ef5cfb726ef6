// How a person's answer, a hook or a host changes the session's rules and folders.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { PermissionUpdate } from "../../src/protocol/permission.ts";
import { bash, call, make, makePlace, verdict } from "./support.ts";

const place = makePlace();
afterAll(() => place.remove());
mkdirSync(join(place.root, "other"));
writeFileSync(join(place.root, "other/a.txt"), "");

type Rules = Extract<PermissionUpdate, { behavior: string }>;

function rules(type: Rules["type"], behavior: Rules["behavior"], ...contents: string[]): PermissionUpdate {
  return {
    type,
    behavior,
    rules: contents.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
    destination: "session",
  };
}

test("session rules can be added, removed and replaced, while rules of files and flags stay", async () => {
  const permissions = make(place, { allow: ["Bash(make a)"], deny: ["Bash(make d)"] });
  const judged = async () =>
    (await Promise.all(["a", "b", "c", "d"].map((name) => bash(permissions, place.cwd, `make ${name}`)))).join(" ");
  expect(await judged()).toBe("allow ask ask deny");
  permissions.update(rules("addRules", "allow", "make b", "make c", "make d"));
  permissions.update(rules("addRules", "deny", "make c"));
  expect(await judged()).toBe("allow allow deny deny");
  permissions.update(rules("removeRules", "deny", "make c", "make d"));
  expect(await judged()).toBe("allow allow allow deny");
  permissions.update(rules("removeRules", "allow", "make a", "make b"));
  expect(await judged()).toBe("allow ask allow deny");
  permissions.update(rules("replaceRules", "allow", "make b"));
  expect(await judged()).toBe("allow allow ask deny");
  permissions.update(rules("replaceRules", "deny"));
  expect(await judged()).toBe("allow allow ask deny");
});

// Seen: a rule was not added because a skill had granted the same one, and was gone after the skill's turn.
test("a rule added while a skill grants the same rule stays after the skill's turn", async () => {
  const permissions = make(place, {});
  const source = "a skill";
  permissions.grants.grant("deny", [{ rule: "Bash(make d)", source }]);
  permissions.grants.grant("allow", [{ rule: "Bash(make a)", source }]);
  permissions.update(rules("addRules", "deny", "make d"));
  permissions.update(rules("addRules", "allow", "make a"));
  permissions.grants.endGrants();
  expect(await bash(permissions, place.cwd, "make d")).toBe("deny");
  expect(await bash(permissions, place.cwd, "make a")).toBe("allow");
});

test("without permission to add allow rules, deny rules are still added and allow rules removed", async () => {
  let takesAllowRules = true;
  const permissions = make(place, { takesAllowRules: () => takesAllowRules });
  permissions.update(rules("addRules", "allow", "make b"));
  takesAllowRules = false;
  permissions.update(rules("addRules", "allow", "make a"));
  permissions.update(rules("replaceRules", "allow", "make a"));
  expect(await bash(permissions, place.cwd, "make a")).toBe("ask");
  permissions.update(rules("removeRules", "allow", "make b"));
  permissions.update(rules("addRules", "deny", "make c"));
  expect(await bash(permissions, place.cwd, "make b")).toBe("ask");
  expect(await bash(permissions, place.cwd, "make c")).toBe("deny");
  const source = "a skill";
  permissions.grants.grant("allow", [{ rule: "Bash(make d)", source }]);
  permissions.grants.grant("deny", [{ rule: "Bash(make e)", source }]);
  expect(await bash(permissions, place.cwd, "make d")).toBe("ask");
  expect(await bash(permissions, place.cwd, "make e")).toBe("deny");
  permissions.grants.endGrants();
  expect(await bash(permissions, place.cwd, "make e")).toBe("ask");
});

test("folders can be added and removed, except for the session's working directory", async () => {
  const permissions = make(place, { mode: "acceptEdits" });
  const write = () => verdict(permissions, place.cwd, "Write", { file_path: join(place.root, "other/a.txt") });
  const change = (type: "addDirectories" | "removeDirectories", ...directories: string[]) =>
    permissions.update({ type, directories, destination: "session" });
  expect(await write()).toBe("ask");
  change("addDirectories", "../other");
  expect(permissions.folders()).toEqual([place.cwd, join(place.root, "other")]);
  expect(await write()).toBe("allow");
  change("removeDirectories", join(place.root, "other"), place.cwd, "/nowhere");
  expect(permissions.folders()).toEqual([place.cwd]);
  expect(await write()).toBe("ask");
});

test("an answer with an unreadable deny rule permits nothing, and its other changes are not saved", async () => {
  const kept: unknown[] = [];
  const answered = async (...contents: string[]) => {
    const updates = contents.map((content): PermissionUpdate => ({
      ...rules("addRules", "deny", content),
      destination: "userSettings",
    }));
    const permissions = make(place, {
      ask: async () => ({ behavior: "allow", updates }),
      persist: async (all) => void kept.push(all),
    });
    return await call(permissions, place.cwd, "Bash", { command: "npm test" });
  };
  expect(await answered("curl *", ":*")).toMatchObject({ behavior: "deny", reason: { type: "unanswered" } });
  expect(await answered()).toMatchObject({ behavior: "allow" });
  expect(kept).toEqual([]);
  expect(await answered("curl *")).toMatchObject({ behavior: "allow" });
  expect(kept).toHaveLength(1);
});
