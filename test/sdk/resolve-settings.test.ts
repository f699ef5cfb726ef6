// What a session in a folder would have of settings, told without one.
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEngine, resolveSettings, UsageError, type ResolveSettingsOptions } from "../../src/index.ts";
import { clearGroundsAfterwards, layGround, type Ground } from "../session/support.ts";
import { put } from "../support/put.ts";

clearGroundsAfterwards();

const at = ({ home, work }: Ground): ResolveSettingsOptions => ({ cwd: work, home, env: {} });

function laid() {
  const ground = layGround();
  const user = put(join(ground.home, ".claude/settings.json"), {
    model: "opus",
    cleanupPeriodDays: 7,
    env: { ONE: "user", TWO: "user" },
    permissions: { deny: ["Bash(rm *)"], allow: ["Read"] },
    tui: "fullscreen",
  });
  const project = put(join(ground.work, ".claude/settings.json"), {
    model: "haiku",
    env: { TWO: "project" },
    permissions: { deny: ["WebFetch"], allow: ["Bash(make *)"] },
  });
  return { ground, user, project };
}

test("the result has the effective settings, their sources, and the content of each file", async () => {
  const { ground, user, project } = laid();
  const found = await resolveSettings({ ...at(ground), trust: true });
  expect(found.effective).toEqual({
    model: "haiku",
    cleanupPeriodDays: 7,
    env: { ONE: "user", TWO: "project" },
    permissions: { deny: ["Bash(rm *)", "WebFetch"], allow: ["Read", "Bash(make *)"] },
  });
  expect(found.provenance).toMatchObject({
    model: { value: "haiku", source: "project", path: project },
    cleanupPeriodDays: { value: 7, source: "user", path: user },
    env: { source: "project" },
    permissions: { value: found.effective["permissions"], source: "project" },
  });
  expect(found.sources).toMatchObject([
    { source: "user", path: user, settings: { model: "opus", tui: "fullscreen" } },
    { source: "project", path: project, settings: { model: "haiku" } },
  ]);
  expect(found.errors).toEqual([]);
});

test("only restrictions of an untrusted folder count", async () => {
  const { ground, user } = laid();
  const { effective, provenance } = await resolveSettings(at(ground));
  expect(effective).toMatchObject({
    model: "opus",
    env: { ONE: "user", TWO: "user" },
    permissions: { deny: ["Bash(rm *)", "WebFetch"], allow: ["Read"] },
  });
  expect(provenance["model"]).toMatchObject({ source: "user", path: user });
});

test("only the requested files are read, and managed settings may only restrict", async () => {
  const { ground } = laid();
  const managedSettings = { permissions: { deny: ["Edit"] }, model: "sonnet" };
  const { effective, provenance, sources } = await resolveSettings({
    ...at(ground),
    settingSources: [],
    managedSettings,
  });
  expect(effective).toEqual({ permissions: { deny: ["Edit"] } });
  expect(provenance).toEqual({ permissions: { value: { deny: ["Edit"] }, source: "managed" } });
  expect(sources).toMatchObject([{ source: "managed" }]);
});

test.each([
  ["{oops", "", "not valid JSON"],
  ['{"model": 5, "effortLevel": "low"}', "model", "a model's name"],
  // Seen: only the command's lists told of these.
  ['{"permissions": {"deny": ["Bash(rm", "Edit"]}}', "permissions.deny", "it is not a rule; rules look like"],
  ['{"hooks": {"Stopp": []}}', "hooks", 'the event is called "Stop"'],
])("a mistake in a file is reported: %s", async (text, path, message) => {
  const ground = layGround();
  const file = put(join(ground.home, ".claude/settings.json"), text);
  const { errors } = await resolveSettings(at(ground));
  expect(errors).toEqual([{ file, path, message: expect.stringContaining(message) as unknown }]);
  const { home, work: cwd } = ground;
  await using engine = await createEngine({ home, cwd, env: { ANTHROPIC_API_KEY: "any" }, persistSession: false });
  expect((await engine.desk.settings()).errors).toEqual(errors);
});

test("invalid options are refused", async () => {
  const ground = layGround();
  for (const wrong of [{ cwd: 5 }, { settingSources: ["global"] }, { serverManagedSettings: {} }, 5])
    await expect(resolveSettings(wrong as never)).rejects.toThrow(UsageError);
  await expect(resolveSettings({ ...at(ground), cwd: "/no/such/folder" })).rejects.toThrow("/no/such/folder");
});
