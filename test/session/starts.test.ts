// Sessions that are started at once look at the disk together; each finds what was there when it was asked for, and nothing of the others.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { QueryEngine } from "../../src/index.ts";
import { findStartFiles, findStartFilesShared } from "../../src/session/settings/found-files.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const setModel = ({ pawlHome }: Ground, model: string): void =>
  write(join(pawlHome, "settings.json"), JSON.stringify({ model }));

const placesOf = ({ work: cwd, home }: Ground, sources?: string[]) => ({
  cwd,
  home,
  env: {},
  ...(sources === undefined ? {} : { settingSources: sources as ("user" | "project")[] }),
});

test("a start finds what was written before it, even if another start came earlier", async () => {
  const ground = layGround();
  setModel(ground, "claude-opus-4-8");
  const open = () => openOn(ground, scripted({ steps: [] }), { model: undefined });
  const first = open();
  setModel(ground, "claude-haiku-4-5");
  write(join(ground.home, ".claude/skills/late/SKILL.md"), "---\nname: late\ndescription: d\n---\nBe late.\n");
  const second = open();
  await first;
  const engine = await second;
  expect(engine.getModel()).toMatch(/haiku/u);
  expect(engine.supportedCommands().map(({ name }) => name)).toContain("late");
  setModel(ground, "claude-opus-4-8");
  rmSync(join(ground.home, ".claude"), { recursive: true });
  const third = await open();
  expect(third.getModel()).toMatch(/opus/u);
  expect(third.supportedCommands().map(({ name }) => name)).not.toContain("late");
});

test("starts in the same tick that seek the same share the search; others and later ones do not", async () => {
  const [ground, other] = [layGround(), layGround()];
  const first = findStartFilesShared(placesOf(ground));
  expect(findStartFilesShared(placesOf(ground))).toBe(first);
  for (const places of [
    placesOf(other),
    { ...placesOf(ground), cwd: ground.home },
    placesOf(ground, ["user"]),
    { ...placesOf(ground), env: { PAWL_HOME: other.pawlHome } },
    { ...placesOf(ground), env: { CLAUDE_CONFIG_DIR: join(ground.home, ".claude") } },
    { ...placesOf(ground), settings: "flag.json" },
  ])
    expect(findStartFilesShared(places)).not.toBe(first);
  expect(await first).toEqual({
    ...findStartFiles(placesOf(ground)),
    sight: expect.anything(),
    further: expect.anything(),
  });
  expect(findStartFilesShared(placesOf(ground))).not.toBe(first);
});

test("options and changes of one start do not affect the others", async () => {
  const ground = layGround();
  write(join(ground.pawlHome, "settings.json"), JSON.stringify({ permissions: { allow: ["Bash(touch a)"] } }));
  const model = scripted({ steps: [{ content: [{ tool: "Bash", input: { command: "touch a" } }] }, "Ok."] });
  const forbid = { permissions: { deny: ["Bash(touch a)"] } };
  const [plain, flagged, told] = await Promise.all([
    openOn(ground, model, { env: { MARK: "1" } }),
    openOn(ground, scripted({ steps: [] }), { settings: JSON.stringify(forbid), env: { MARK: "2" } }),
    openOn(ground, scripted({ steps: [] })),
  ]);
  await told.desk.applyFlagSettings({ ...forbid, env: { MINE: "x" } });
  const effective = async (engine: typeof plain) => (await engine.desk.settings()).effective;
  expect(await effective(flagged)).toMatchObject({ permissions: { deny: ["Bash(touch a)"] } });
  expect(await effective(told)).toMatchObject({ permissions: { deny: ["Bash(touch a)"] }, env: { MINE: "x" } });
  expect(await effective(plain)).not.toMatchObject({ permissions: { deny: expect.anything() } });
  expect(await effective(plain)).not.toHaveProperty("env.MINE");
  const { result } = await turn(plain, "Touch it.");
  expect(result.permission_denials).toEqual([]);
  expect(calls(model)).toHaveLength(2);
});

test("each start reports a broken file", async () => {
  const ground = layGround();
  write(join(ground.pawlHome, "settings.json"), "{ broken");
  const told: string[][] = [[], []];
  await Promise.all(
    told.map((list) => openOn(ground, scripted({ steps: [] }), { onNotice: (text) => list.push(text) })),
  );
  for (const list of told) expect(list.join("\n")).toContain("settings.json");
});

test("a repository created during a session is found by the session that replaces it", async () => {
  const ground = layGround();
  const model = scripted({ steps: ["1", "2"] });
  const engine = await openOn(ground, model);
  await turn(engine, "Before.");
  const git = join(ground.work, ".git");
  for (const name of ["objects", "refs"]) mkdirSync(join(git, name), { recursive: true });
  write(join(git, "HEAD"), "ref: refs/heads/made-meanwhile\n");
  await engine.clear();
  await turn(engine, "Behind.");
  const told = calls(model).map(({ body }) => JSON.stringify(body?.system).includes("(git repository)"));
  expect(told).toEqual([false, true]);
  expect(readFileSync(engine.getTranscriptPath() ?? "", "utf8")).toContain('"gitBranch":"made-meanwhile"');
});

test("a first prompt finds the memory files that existed when it was given, whatever other sessions do", async () => {
  const ground = layGround();
  const models = ["1", "2", "3"].map((step) => scripted({ steps: [step] }));
  const [one, two, three] = (await Promise.all(models.map((model) => openOn(ground, model)))) as [
    QueryEngine,
    QueryEngine,
    QueryEngine,
  ];
  const memory = ground.file("AGENTS.md", "Told to the first.");
  const first = turn(one, "1");
  writeFileSync(memory, "Told to whoever reads it now.");
  write(join(ground.work, ".claude/CLAUDE.md"), "Told to the second.");
  const second = turn(two, "2");
  await Promise.all([first, second]);
  rmSync(join(ground.work, ".claude"), { recursive: true });
  writeFileSync(memory, "Told to the third.");
  await turn(three, "3");
  const said = models.map((model) => JSON.stringify(calls(model)[0]?.body?.messages));
  expect(said[1]).toContain("Told to the second.");
  expect(said[2]).toContain("Told to the third.");
  expect(said[2]).not.toContain("Told to the second.");
});
