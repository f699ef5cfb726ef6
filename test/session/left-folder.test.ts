// A session that goes on in another run: its commands begin in its folder again, and the model is told where they had gone elsewhere.
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import {
  calls,
  clearGroundsAfterwards,
  compact,
  disposeAll,
  lastUserTexts,
  layGround,
  openOn,
  scripted,
  turn,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

test.each([
  ["cd sub", true],
  ["cd sub && ls; true", true],
  ["cd 'sub'\npwd", true],
  ["pwd", false],
  ["cd sub; cd /", false],
  ["cd sub; cd $FOLDER", false],
])(
  "a resumed session is told after %j that commands start in the project's folder again: %s",
  async (command, isTold) => {
    const ground = layGround();
    mkdirSync(join(ground.work, "sub"));
    const steps = [
      { content: [{ tool: "Bash", input: { command: command.replace("$FOLDER", ground.work) } }] },
      "Done.",
      "Yes.",
      "Still.",
    ];
    const model = scripted({ steps });
    const options = { permissionMode: "bypassPermissions" as const };
    const engine = await openOn(ground, model, options);
    await turn(engine, "Go.");
    await engine.dispose();
    const resumed = await openOn(ground, model, { ...options, resume: engine.getSessionId() });
    await turn(resumed, "And?");
    await turn(resumed, "Again?");
    const told = calls(model).map((call) => lastUserTexts(call).filter((text) => text.includes("was started anew")));
    expect(told.map((each) => each.length)).toEqual([0, 0, isTold ? 1 : 0, 0]);
    if (isTold) expect(told[2]![0]).toContain(`commands and relative paths begin in ${ground.work} again.`);
  },
);

// The reset line was taken to name the project's folder.
test("a resumed session is told that commands start in the project's folder again after a reset to another one", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "sub/inner"), { recursive: true });
  const bash = (command: string) => ({ content: [{ tool: "Bash", input: { command } }] });
  const model = scripted({ steps: [bash("cd sub"), bash("cd inner; exec true"), "Done.", "Yes."] });
  const options = { permissionMode: "bypassPermissions" as const };
  const engine = await openOn(ground, model, options);
  await turn(engine, "Go.");
  expect(JSON.stringify(calls(model).at(-1)?.body?.messages)).toContain(
    `Shell cwd was reset to ${join(ground.work, "sub")}"`,
  );
  await engine.dispose();
  const resumed = await openOn(ground, model, { ...options, resume: engine.getSessionId() });
  await turn(resumed, "And?");
  expect(lastUserTexts(calls(model).at(-1)!).join("\n")).toContain("was started anew");
});

test("a resumed session is told nothing if the folder does not carry over between commands", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "sub"));
  const model = scripted({
    steps: [{ content: [{ tool: "Bash", input: { command: "cd sub; cd .." } }] }, "Done.", "Yes."],
  });
  const env = { CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR: "1" };
  const options = { permissionMode: "bypassPermissions" as const, env };
  const engine = await openOn(ground, model, options);
  await turn(engine, "Go.");
  await engine.dispose();
  const resumed = await openOn(ground, model, { ...options, resume: engine.getSessionId() });
  await turn(resumed, "And?");
  expect(lastUserTexts(calls(model).at(-1)!).filter((text) => text.includes("was started anew"))).toEqual([]);
});

// The reset stood within a sentence, or before what is said of the call: nobody who looks for its line at the end found it.
test.each([
  ["the folder that commands had entered was removed", { command: "pwd" }, true],
  ["commands left the project in a call with an unknown parameter", { command: "cd /", shell: "zsh" }, false],
])(
  "a resumed session is told nothing if a command already reported the reset, because %s",
  async (_, input, isRemoved) => {
    const ground = layGround();
    mkdirSync(join(ground.work, "sub"));
    const bash = (given: Record<string, string>) => ({ content: [{ tool: "Bash", input: given }] });
    const model = scripted({ steps: [bash({ command: "cd sub" }), "Done.", bash(input), "Gone.", "Yes."] });
    const options = { permissionMode: "bypassPermissions" as const };
    const engine = await openOn(ground, model, options);
    await turn(engine, "Go.");
    if (isRemoved) rmSync(join(ground.work, "sub"), { recursive: true });
    await turn(engine, "Where?");
    await engine.dispose();
    const resumed = await openOn(ground, model, { ...options, resume: engine.getSessionId() });
    await turn(resumed, "And?");
    expect(lastUserTexts(calls(model).at(-1)!).filter((text) => text.includes("was started anew"))).toEqual([]);
  },
);

test.each([{}, { excludeDynamicSections: true }])(
  "a session resumed in another folder is told once, and again when it is back: %j",
  async (options) => {
    const ground = layGround();
    const sub = join(ground.work, "sub");
    mkdirSync(sub);
    const model = scripted({ fallback: "Fine." });
    let resume: string | undefined;
    for (const cwd of [ground.work, sub, sub, ground.work, ground.work]) {
      const engine = await openOn(ground, model, { ...options, cwd, resume });
      await turn(engine, "Go on.");
      resume = engine.getSessionId();
      await engine.dispose();
    }
    const told = calls(model).map((call) => lastUserTexts(call).filter((text) => text.includes("was started anew")));
    expect(told.map((each) => each.length)).toEqual([0, 1, 0, 1, 0]);
    expect(told[1]![0]).toContain(`in another folder: commands and relative paths begin in ${sub} from here on.`);
    expect(told[3]![0]).toContain(`commands and relative paths begin in ${ground.work} from here on.`);
  },
);

test("a session resumed in another folder is told again after a compaction", async () => {
  const ground = layGround();
  const sub = join(ground.work, "sub");
  mkdirSync(sub);
  const model = scripted({
    rules: [{ when: { compacts: true }, reply: "They told stories." }],
    fallback: "A long story. ".repeat(300),
  });
  const first = await openOn(ground, model, {});
  await turn(first, "1");
  await first.dispose();
  const engine = await openOn(ground, model, { cwd: sub, resume: first.getSessionId() });
  for (const prompt of ["2", "3", "4"]) await turn(engine, prompt);
  await compact(engine);
  await turn(engine, "5");
  const told = JSON.stringify(calls(model).at(-1)?.body?.messages).split("was started anew, in another folder");
  expect(told).toHaveLength(2);
});

test.each([{}, { excludeDynamicSections: true }])(
  "a session resumed in another folder is told so although a summary stands first: %j",
  async (options) => {
    const ground = layGround();
    const sub = join(ground.work, "sub");
    mkdirSync(sub);
    const model = scripted({
      rules: [{ when: { compacts: true }, reply: "They told stories." }],
      fallback: "A long story. ".repeat(300),
    });
    const first = await openOn(ground, model, options);
    for (const prompt of ["1", "2", "3", "4"]) await turn(first, prompt);
    await compact(first);
    await first.dispose();
    const engine = await openOn(ground, model, { ...options, cwd: sub, resume: first.getSessionId() });
    await turn(engine, "5");
    const told = JSON.stringify(calls(model).at(-1)?.body?.messages).split("was started anew, in another folder");
    expect(told).toHaveLength(2);
  },
);

test("the person who resumes is told if the folder that the session began in is gone", async () => {
  const ground = layGround();
  const sub = join(ground.work, "sub");
  mkdirSync(sub);
  const model = scripted({ fallback: "Fine." });
  const first = await openOn(ground, model, { cwd: sub });
  await turn(first, "1");
  await first.dispose();
  const notices: string[] = [];
  const resumed = async (): Promise<void> => {
    const options = { resume: first.getSessionId(), onNotice: (text: string) => void notices.push(text) };
    const engine = await openOn(ground, model, options);
    await turn(engine, "Go on.");
    await engine.dispose();
  };
  await resumed();
  expect(notices).toEqual([]);
  rmSync(sub, { recursive: true });
  await resumed();
  expect(notices).toEqual([`The folder this session began in is gone: ${sub}. It goes on in ${ground.work}.`]);
});
