// What is typed while an answer comes: when it is sent, in which order, and what it does to the answer's rows.
import { expect, test } from "vitest";
import { delta, failure, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { start } from "./talk.ts";

/** Each turn stops after each of its parts but the last until `proceed()`. */
function stepwise(
  parts: readonly string[] = ["begin ", "end\n"],
  env?: Record<string, string>,
  commands: readonly string[] = [],
) {
  const known = commands.map((name) => ({ name, description: "", argumentHint: "", builtin: false }));
  const overrides = { supportedCommands: () => known };
  let go = (): void => undefined;
  const talk = start(
    async function* (engine) {
      for (const [at, part] of parts.entries()) {
        if (at > 0) await new Promise<void>((resolve) => (go = resolve));
        yield delta(part);
      }
      yield engine.causes.length > 0
        ? failure("error_during_execution", "aborted_streaming", ["Interrupted by user"])
        : success("x");
      engine.causes.splice(0);
    },
    env === undefined ? { overrides } : { overrides, env },
  );
  const proceed = async (): Promise<void> => {
    go();
    await settled(8);
  };
  const sent = (): unknown[] => talk.engine.prompts.map(({ prompt }) => prompt);
  return { ...talk, proceed, sent };
}

test("a prompt typed after a command waits and comes after it", async () => {
  const { type, text, proceed, sent } = stepwise();
  await type("one\r");
  await type("/clear\r");
  await type("two\r");
  expect(text()).toMatch(/\+ two\n\(comes next\)\n$/u);
  for (let turn = 0; turn < 3; turn += 1) await proceed();
  expect(sent()).toEqual(["one", "/clear", "two"]);
});

// Seen: below the output of a command, the next line looked like a part of it.
test("an empty row stands above each line that was typed ahead", async () => {
  const turn = Promise.withResolvers<void>();
  const { type, text } = start(async function* (_engine, prompt) {
    if (prompt === "one") await turn.promise;
    yield prompt === "one" ? success("x") : { ...success("said"), local_command: "cost", num_turns: 0 };
  });
  await type("one\r");
  await type("/cost\r");
  await type("/cost now\r");
  turn.resolve();
  await settled(12);
  expect(text()).toMatch(/so far\)\n\n> \/cost\nsaid\n\n> \/cost now\nsaid\n\n> $/u);
});

// Seen: "total" stood as "to" above what was typed and as "tal" below it.
test.each<Record<string, string>>([{}, { NO_COLOR: "1" }])(
  "a line of code stays whole if a prompt is typed in its middle: %j",
  async (env) => {
    const { type, text, proceed } = stepwise(["```ts\nconst to", "tal = 1;\n```\n"], env);
    await type("one\r");
    await type("two\r");
    await proceed();
    expect(text()).toContain("const total = 1;\n");
  },
);

test("a typed exit is not reported as unsent when the person leaves first", async () => {
  const { type, text, proceed, done } = stepwise();
  await type("one\r");
  for (const line of ["/clear", "exit"]) await type(`${line}\r`);
  await type("\x04");
  await proceed();
  await done;
  expect(text()).toContain("Not sent: /clear");
  expect(text()).not.toContain("Not sent: exit");
});

test("what was typed after an exit is reported as unsent", async () => {
  const { type, text, proceed, done, sent } = stepwise();
  await type("one\r");
  for (const line of ["exit", "two", "/cost"]) await type(`${line}\r`);
  await proceed();
  expect(await done).toBe(0);
  expect(text()).toContain("Not sent: two\nNot sent: /cost\n");
  expect(sent()).toEqual(["one"]);
});

// Seen: the line said that the Up key brings it back, which no later session's does.
test("a prompt that waits for a step is named when the person leaves", async () => {
  const { type, text, proceed, done } = stepwise();
  await type("one\r");
  for (const line of ["two", "three"]) await type(`${line}\r`);
  await type("\x04");
  await proceed();
  await done;
  expect(text()).toContain("Not sent: two\nNot sent: three\n");
  expect(text()).not.toContain("Up key");
});

test("a prompt that an interrupt dropped is named when the person leaves before the answer has ended", async () => {
  const { type, text, proceed, done } = stepwise();
  await type("one\r");
  for (const line of ["two", "/cost", "three"]) await type(`${line}\r`);
  await type("\x03");
  await type("\x04");
  await proceed();
  await done;
  expect(text()).toContain("Not sent: two\nNot sent: three\n");
  expect(text()).toContain("Not sent: /cost\n");
  expect(text()).not.toContain("brings");
});

test("a prompt typed during /compact comes next", async () => {
  const { type, text, proceed, sent } = stepwise();
  await type("/compact\r");
  await type("two\r");
  expect(text()).toMatch(/\+ two\n\(comes next\)\n$/u);
  await proceed();
  await type("three\r");
  expect(text()).toMatch(/\+ three\n\(joins at the next step\)\n$/u);
  await proceed();
  await proceed();
  expect(sent()).toEqual(["/compact", [{ type: "text", text: "two" }], [{ type: "text", text: "three" }]]);
});

test("a command with a dot in its name waits for the answer's end", async () => {
  const { type, text, proceed, sent } = stepwise(undefined, undefined, ["kit:Speckit.plan"]);
  await type("one\r");
  await type("/speckit.plan two\r");
  expect(text()).toMatch(/\+ \/speckit\.plan two\n\(comes next\)\n$/u);
  for (let turn = 0; turn < 2; turn += 1) await proceed();
  expect(sent()).toEqual(["one", "/speckit.plan two"]);
});

test("a file path that begins with a slash joins the turn like a prompt, and an interrupt drops it", async () => {
  const { type, text, proceed, sent } = stepwise(undefined, undefined, ["speckit.plan"]);
  await type("one\r");
  await type("/notes.md is wrong\r");
  expect(text()).toMatch(/\+ \/notes\.md is wrong\n\(joins at the next step\)\n$/u);
  await type("/cost\r");
  await type("/notes.md again\r");
  await type("\x03");
  for (let turn = 0; turn < 2; turn += 1) await proceed();
  expect(text().match(/Not sent: 2 prompts typed during the answer \(the Up key brings them back\)/gu)).toHaveLength(1);
  expect(sent()).toEqual(["one", "/cost"]);
});

test("exit typed during an answer exits at its end", async () => {
  const { type, proceed, sent, done } = stepwise();
  await type("one\r");
  await type("exit\r");
  await proceed();
  expect(await done).toBe(0);
  expect(sent()).toEqual(["one"]);
});

test("an interrupt drops prompts typed before it, but neither commands nor later prompts", async () => {
  const { type, text, proceed, sent } = stepwise();
  await type("one\r");
  await type("joins\r");
  await type("/cost\r");
  await type("waits\r");
  await type("\x03");
  await type("instead\r");
  for (let turn = 0; turn < 3; turn += 1) await proceed();
  expect(text().match(/Not sent: 2 prompts typed during the answer \(the Up key brings them back\)/gu)).toHaveLength(1);
  expect(sent()).toEqual(["one", "/cost", "instead"]);
});

test("the answer continues at the start of a row after a sent prompt and after an interrupt", async () => {
  const { press, text, proceed } = stepwise(["It says", " some words", " and so on\n"], { TERM: "xterm-256color" });
  await press("one\r");
  await press("tw");
  await proceed();
  await press("o\r");
  expect(text()).toMatch(/\+ two\n\(joins at the next step\)\nsays some$/u);
  await press("\x03");
  await proceed();
  expect(text()).toContain("words\n(interrupting; Ctrl+C again exits at once)\nand so on\n");
});

test("a failed /btw is reported and ends neither the answer nor the session", async () => {
  const { type, proceed, text, engine } = stepwise();
  engine.sideQuestion = () => Promise.reject(new Error("its file is gone"));
  await type("one\r");
  await type("/btw which bird?\r");
  // Other commands may have been answered since.
  expect(text()).toContain("There is no answer to /btw: its file is gone\n");
  await proceed();
  expect(text()).toMatch(/end\n[^]*> $/u);
});

// The turn ends no sooner than the goal: `/goal clear` would have waited for what it was to take away.
test("/goal and /goal clear are answered during the answer, and a new goal waits", async () => {
  const { type, text, engine, sent, proceed } = stepwise();
  const asked: unknown[] = [];
  const base = { type: "system" as const, subtype: "local_command_output" as const, command: "goal" };
  async function* beside() {
    yield { ...base, uuid: "u", session_id: "s", content: "Goal: it\n\x1b[31mSet for 2 s." };
  }
  engine.submitBeside = (prompt) => {
    asked.push(prompt);
    return prompt === "/goal other" ? undefined : beside();
  };
  await type("one\r");
  for (const line of ["/goal", "/goal clear", "/goal other", "/cost"]) await type(`${line}\r`);
  expect(asked).toEqual(["/goal", "/goal clear", "/goal other"]);
  expect(text().match(/Goal: it\nSet for 2 s\.\n/gu)).toHaveLength(2);
  for (let turn = 0; turn < 3; turn += 1) await proceed();
  expect(sent()).toEqual(["one", "/goal other", "/cost"]);
});

test("a waiting prompt is shown again above its answer, and dropped prompts above the turn's end", async () => {
  const { type, text, proceed, sent } = stepwise();
  await type("one\r");
  await type("two\r");
  await type("/cost\r");
  for (let turn = 0; turn < 3; turn += 1) await proceed();
  expect(sent()).toEqual(["one", [{ type: "text", text: "two" }], "/cost"]);
  expect(text()).toMatch(/so far\)\n\n> two\n\nbegin end\n[^]*so far\)\n\n> \/cost\n\nbegin end\n/u);
  await type("three\r");
  await type("four\r");
  await type("\x03");
  await proceed();
  expect(text()).toMatch(/Not sent: what you typed during the answer[^\n]*\nInterrupted[^]*so far\)\n\n> $/u);
});

test("tabs of a waiting prompt are shown as blanks", async () => {
  const { type, text, proceed } = stepwise();
  await type("one\r");
  await type("\x1b[200~a\tb\x1b[201~\r");
  await proceed();
  expect(text()).toContain("> a    b\n");
  expect(text()).not.toContain("\t");
});
