// A person's own command: run as Bash runs one, and the model knows of it only what it is told.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
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

clearGroundsAfterwards();
afterEach(disposeAll);

const never = new AbortController().signal;

test("a person's command runs in the session's folder, can change it, needs no permission and sees no key", async () => {
  const ground = layGround();
  mkdirSync(join(ground.work, "sub"));
  writeFileSync(join(ground.work, "sub", "note.txt"), "violet\n");
  const model = scripted({ steps: ["Fine."] });
  const options = { permissionMode: "dontAsk" as const, env: { ANTHROPIC_API_KEY: "sk-secret" } };
  const engine = await openOn(ground, model, options);
  expect(await engine.desk.runCommand("cd sub && cat note.txt", never)).toEqual({ text: "violet", isError: false });
  expect((await engine.desk.runCommand("pwd; env", never)).text).toMatch(/^\S+\/sub\n/u);
  expect((await engine.desk.runCommand("env", never)).text).not.toContain("sk-secret");
  const failed = await engine.desk.runCommand("echo no >&2; exit 3", never);
  expect(failed).toEqual({ text: expect.stringMatching(/Exit code 3[^]*no/u) as string, isError: true });
  expect(calls(model)).toHaveLength(0);
  await turn(engine, "go on");
  expect(JSON.stringify(calls(model)[0]?.body)).not.toContain("violet");
});

test("the report of a person's command goes with the next prompt", async () => {
  const ground = layGround();
  const model = scripted({ steps: ["Fine."] });
  const engine = await openOn(ground, model);
  engine.append("I ran: ls", { isMeta: true });
  await turn(engine, "go on");
  expect(lastUserTexts(calls(model)[0]!)).toEqual(expect.arrayContaining(["I ran: ls", "go on"]));
});

test("a person's command ends when it is interrupted", async () => {
  const engine = await openOn(layGround(), scripted({ steps: [] }));
  const stop = new AbortController();
  const running = engine.desk.runCommand("echo begun; sleep 600", stop.signal);
  stop.abort("user");
  expect((await running).isError).toBe(true);
});

test("a person's command tells what it has printed while it runs", async () => {
  const engine = await openOn(layGround(), scripted({ steps: [] }));
  const stop = new AbortController();
  const printed = Promise.withResolvers<string>();
  const running = engine.desk.runCommand("echo begun; sleep 600", stop.signal, printed.resolve);
  expect(await printed.promise).toBe("begun\n");
  stop.abort("user");
  await running;
});

test("reports a session without Bash and an invalid command", async () => {
  const engine = await openOn(layGround(), scripted({ steps: [] }), { tools: ["Read"] });
  await expect(engine.desk.runCommand("ls", never)).rejects.toThrow("There is no Bash tool in this session");
  const other = await openOn(layGround(), scripted({ steps: [] }));
  expect(await other.desk.runCommand("a\0b", never)).toMatchObject({ isError: true });
});

test("starts no command in a closed session, and says so in one sentence", async () => {
  const engine = await openOn(layGround(), scripted({ steps: [] }));
  await engine.dispose();
  const text = "The command could not be started: the session is closing.";
  expect(await engine.desk.runCommand("touch made", never)).toEqual({ text, isError: true });
});
