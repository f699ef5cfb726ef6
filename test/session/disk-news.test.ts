import {
  appendFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createDiskNews } from "../../src/session/tools/disk-news.ts";
import { createReadFileState } from "../../src/tools/read-state.ts";
import type { Part, RequestRecord, Step } from "../../src/testing/index.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  lastUserTexts,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** The time of a file may be some milliseconds behind the clock's: one made right behind a notice is no younger. */
function untilFilesAreYounger(folder: string): void {
  const asked = Date.now();
  const probe = join(folder, "probe");
  do writeFileSync(probe, "");
  while (statSync(probe).mtimeMs <= asked);
  rmSync(probe);
}

function watching(count: number) {
  const folder = temporaryFolder();
  const readState = createReadFileState();
  const paths = Array.from({ length: count }, (_, at) => join(folder, `note-${at}.txt`));
  for (const path of paths) {
    writeFileSync(path, "as it was read");
    const { mtimeMs, size } = statSync(path);
    readState.set(path, { mtimeMs, size });
  }
  let now = 0;
  let hasActed = false;
  const takeActed = (): boolean => {
    const acted = hasActed;
    hasActed = false;
    return acted;
  };
  const news = createDiskNews({ readState, clock: { elapsed: () => now }, takeActed });
  return {
    paths,
    touchAll: () => paths.forEach((path, at) => utimesSync(path, 1_000_000 + at, 1_000_000 + at)),
    pass: (ms: number) => (now += ms),
    act: () => (hasActed = true),
    told: () => news(true).map(({ path }) => path),
  };
}

test("a few read files are checked for changes at every border", () => {
  const { paths, touchAll, told } = watching(4);
  expect(told()).toEqual([]);
  touchAll();
  expect(told().toSorted()).toEqual(paths);
  expect(told()).toEqual([]);
});

test("many read files are checked in turn at quick successive borders, each reported exactly once", () => {
  const { paths, touchAll, told } = watching(20);
  expect(told()).toEqual([]);
  touchAll();
  const seen = Array.from({ length: 5 }, told);
  expect(seen.map((each) => each.length)).toEqual([4, 4, 4, 4, 4]);
  expect(seen.flat().toSorted()).toEqual(paths.toSorted());
  expect(told()).toEqual([]);
});

test("all read files are checked again after two seconds", () => {
  const { paths, touchAll, pass, told } = watching(20);
  expect(told()).toEqual([]);
  touchAll();
  pass(1_999);
  expect(told()).toHaveLength(4);
  pass(1);
  expect(told()).toHaveLength(16);
  expect(told().concat(paths)).toEqual(paths);
});

test("all read files are checked once a call has run that may have changed them", () => {
  const { paths, touchAll, act, told } = watching(20);
  expect(told()).toEqual([]);
  touchAll();
  act();
  expect(told().toSorted()).toEqual(paths.toSorted());
});

test("a change by a command is reported at the next border, however many files were read since", async () => {
  const ground = layGround();
  const paths = Array.from({ length: 20 }, (_, at) => ground.file(`note-${at}.txt`, `note ${at}`));
  const model = scripted({
    steps: [
      { content: paths.map((path) => ({ tool: "Read", input: { file_path: path } })) },
      { content: [{ tool: "Read", input: { file_path: ground.file("one-more.txt", "one more") } }] },
      { content: [{ tool: "Bash", input: { command: "echo more >> note-1.txt" } }] },
      "Ok.",
    ],
  });
  const engine = await openOn(ground, model, { allowedTools: ["Bash"] });
  await turn(engine, "Read them.");
  const sent = calls(model).map(({ body }) => JSON.stringify(body?.messages.at(-1)).includes("note-1.txt was changed"));
  expect(sent).toEqual([false, false, false, true]);
});

const read = (path: string): Part => ({ tool: "Read", input: { file_path: path } });
const newsIn = (record: RequestRecord) => lastUserTexts(record).filter((text) => text.includes("was changed on disk"));

test("a change is reported once, however often the session is resumed, and another change again", async () => {
  const ground = layGround();
  const [path, gone] = [ground.file("a.txt", "one\n"), ground.file("b.txt", "one\n")];
  const model = scripted({ steps: [{ content: [read(path), read(gone)] }, "One.", "Two.", "Three.", "Four."] });
  let engine = await openOn(ground, model);
  const resumed = async () => {
    await engine.dispose();
    engine = await openOn(ground, model, { resume: engine.getSessionId() });
    await turn(engine, "And?");
  };
  await turn(engine, "Read.");
  appendFileSync(path, "two\n");
  rmSync(gone);
  await resumed();
  await resumed();
  utimesSync(path, 1_000, 1_000);
  await resumed();
  expect(calls(model).map((call) => newsIn(call).length)).toEqual([0, 0, 2, 0, 1]);
});

test("a resumed session reports the fate of a file that was reported as gone", async () => {
  const ground = layGround();
  const [path, aside, made] = [
    ground.file("a.txt", "one\n"),
    join(ground.work, "aside.txt"),
    ground.file("b.txt", "one\n"),
  ];
  const write: Part = { tool: "Write", input: { file_path: made, content: "two\n" } };
  const steps: Step[] = [
    { content: [read(path), read(made)] },
    "One.",
    () => {
      untilFilesAreYounger(ground.work);
      return { content: [write] };
    },
    "Two.",
    "Three.",
    "Four.",
  ];
  const model = scripted({ steps });
  let engine = await openOn(ground, model, { allowedTools: ["Write"] });
  const resumed = async () => {
    await engine.dispose();
    engine = await openOn(ground, model, { resume: engine.getSessionId(), allowedTools: ["Write"] });
    await turn(engine, "And?");
  };
  await turn(engine, "Read.");
  renameSync(path, aside);
  rmSync(made);
  await turn(engine, "Write.");
  renameSync(aside, path);
  rmSync(made);
  await resumed();
  await resumed();
  const told = calls(model).map((call) => newsIn(call).map((text) => /gone|exists again/u.exec(text)?.[0]));
  expect(told).toEqual([[], [], ["gone", "gone"], [], ["gone", "exists again"], []]);
});

test("all changes are reported with the next prompt, however soon it comes", async () => {
  const ground = layGround();
  const paths = Array.from({ length: 8 }, (_, at) => ground.file(`${at}.txt`, "one\n"));
  const model = scripted({ steps: [{ content: paths.map(read) }, "One.", "Two.", "Three."] });
  const engine = await openOn(ground, model);
  await turn(engine, "Read.");
  for (const path of paths) appendFileSync(path, "two\n");
  await turn(engine, "And?");
  await turn(engine, "And?");
  expect(calls(model).map((call) => newsIn(call).length)).toEqual([0, 0, 8, 0]);
});

test("a file that a prompt shows as it is now is not also reported as changed", async () => {
  const ground = layGround();
  const [shown, other] = [ground.file("a.txt", "one\n"), ground.file("b.txt", "one\n")];
  const model = scripted({ steps: [{ content: [read(shown), read(other)] }, "One.", "Two."] });
  const engine = await openOn(ground, model);
  await turn(engine, "Read.");
  for (const path of [shown, other]) appendFileSync(path, "two\n");
  await turn(engine, "What does @a.txt say?");
  const last = calls(model).at(-1)!;
  expect(lastUserTexts(last).some((text) => text.includes(`names ${shown}`) && text.includes("two"))).toBe(true);
  expect(newsIn(last)).toEqual([expect.stringContaining(other)]);
});

test.each(["acceptEdits", "bypassPermissions"] as const)(
  "a change by the model through one name of a file is known under its other names (%s)",
  async (permissionMode) => {
    const ground = layGround();
    const [path, only] = [ground.file("a.txt", "one\n"), ground.file("b.txt", "one\n")];
    symlinkSync(ground.work, join(ground.work, "link"));
    const [linked, linkedOnly] = [join(ground.work, "link", "a.txt"), join(ground.work, "link", "b.txt")];
    const edit = (file_path: string, old_string: string, new_string: string): Part => ({
      tool: "Edit",
      input: { file_path, old_string, new_string },
    });
    const steps: Step[] = [
      { content: [read(linked), read(path), read(linkedOnly)] },
      { content: [edit(path, "one", "two")] },
      { content: [edit(only, "one", "two")] },
      "Changed.",
      { content: [edit(linked, "two", "three")] },
      { content: [edit(path, "three", "four")] },
      "Changed.",
    ];
    const model = scripted({ steps });
    let engine = await openOn(ground, model, { permissionMode });
    await turn(engine, "Change.");
    await engine.dispose();
    engine = await openOn(ground, model, { permissionMode, resume: engine.getSessionId() });
    await turn(engine, "Change.");
    expect([readFileSync(path, "utf8"), readFileSync(only, "utf8")]).toEqual(["four\n", "two\n"]);
    expect(calls(model).flatMap(newsIn)).toEqual([]);
  },
);

test("of a file with several names, only the last used one is watched and restored after a compaction", async () => {
  const ground = layGround();
  const path = ground.file("a.txt", "one\n");
  symlinkSync(ground.work, join(ground.work, "link"));
  const linked = join(ground.work, "link", "a.txt");
  const edit = { tool: "Edit", input: { file_path: linked, old_string: "one", new_string: "two" } };
  const steps: Step[] = [{ content: [read(linked), read(path)] }, { content: [edit] }, "Changed.", "Seen."];
  const model = scripted({ steps });
  const engine = await openOn(ground, model, { permissionMode: "acceptEdits" });
  await turn(engine, "Change.");
  appendFileSync(path, "three\n");
  await turn(engine, "Go on.");
  expect(calls(model).map((call) => newsIn(call).length)).toEqual([0, 0, 0, 1]);
  expect(calls(model).flatMap(newsIn)).toEqual([expect.stringContaining(linked)]);

  const state = createReadFileState();
  for (const name of ["/b", "/link/a", "/a"])
    state.set(name, { mtimeMs: 1, size: 1 }, { place: name.replace("/link", "") });
  expect(state.recent(2)).toEqual(["/a", "/b"]);
});

test("a file shown by a command or seeded by the host counts as read under its other names", async () => {
  const ground = layGround();
  const [path, seeded] = [ground.file("a.txt", "one\n"), ground.file("b.txt", "one\n")];
  symlinkSync(ground.work, join(ground.work, "link"));
  const names = [path, seeded].map((each) => [each, join(ground.work, "link", basename(each))] as const);
  const edits = (at: 0 | 1, old_string: string, new_string: string): Part[] =>
    names.map((each) => ({ tool: "Edit", input: { file_path: each[at], old_string, new_string } }));
  const steps: Step[] = [
    { content: [{ tool: "Bash", input: { command: "cat link/a.txt" } }] },
    { content: edits(0, "one", "two") },
    "Changed.",
    { content: edits(1, "two", "three") },
    "Changed.",
  ];
  const model = scripted({ steps });
  const engine = await openOn(ground, model, { permissionMode: "bypassPermissions" });
  await engine.desk.seedReadState(names[1]?.[1] ?? "", statSync(seeded).mtimeMs);
  await turn(engine, "Change.");
  await turn(engine, "Change.");
  expect([path, seeded].map((each) => readFileSync(each, "utf8"))).toEqual(["three\n", "three\n"]);
  expect(calls(model).flatMap(newsIn)).toEqual([]);
});
