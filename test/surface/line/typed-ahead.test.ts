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

test("a prompt typed behind a command comes after it: it was sent before /clear, and was gone with the session of before", async () => {
  const { type, text, proceed, sent } = stepwise();
  await type("one\r");
  await type("/clear\r");
  await type("two\r");
  expect(text()).toMatch(/\+ two\n\(comes next\)\n$/u);
  for (let turn = 0; turn < 3; turn += 1) await proceed();
  expect(sent()).toEqual(["one", "/clear", "two"]);
});

test("a prompt typed while the conversation is made shorter comes next: no step of that takes it", async () => {
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

test("a command with a dot in its name waits for the answer's end, as others do: it joined a step, which begins no command", async () => {
  const { type, text, proceed, sent } = stepwise(undefined, undefined, ["kit:Speckit.plan"]);
  await type("one\r");
  await type("/speckit.plan two\r");
  expect(text()).toMatch(/\+ \/speckit\.plan two\n\(comes next\)\n$/u);
  for (let turn = 0; turn < 2; turn += 1) await proceed();
  expect(sent()).toEqual(["one", "/speckit.plan two"]);
});

test("a file's name with a slash in front joins the next step as any prompt, and an interrupt keeps it from being sent", async () => {
  const { type, text, proceed, sent } = stepwise(undefined, undefined, ["speckit.plan"]);
  await type("one\r");
  await type("/notes.md is wrong\r");
  expect(text()).toMatch(/\+ \/notes\.md is wrong\n\(joins at the next step\)\n$/u);
  await type("/cost\r");
  await type("/notes.md again\r");
  await type("\x03");
  for (let turn = 0; turn < 2; turn += 1) await proceed();
  expect(text().match(/Not sent: what you typed during the answer/gu)).toHaveLength(2);
  expect(sent()).toEqual(["one", "/cost"]);
});

test("exit typed while an answer comes leaves at its end: it was told to the model", async () => {
  const { type, proceed, sent, done } = stepwise();
  await type("one\r");
  await type("exit\r");
  await proceed();
  expect(await done).toBe(0);
  expect(sent()).toEqual(["one"]);
});

test("an interrupt keeps what was typed before it from being sent, behind a command too, and not what is typed after it", async () => {
  const { type, text, proceed, sent } = stepwise();
  await type("one\r");
  await type("joins\r");
  await type("/cost\r");
  await type("waits\r");
  await type("\x03");
  await type("instead\r");
  for (let turn = 0; turn < 3; turn += 1) await proceed();
  expect(text().match(/Not sent: what you typed during the answer/gu)).toHaveLength(2);
  expect(sent()).toEqual(["one", "/cost", "instead"]);
});

test("the answer goes on at the beginning of a row behind what is sent and behind an interrupt", async () => {
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

test("a question beside that cannot be asked is told of, and ends neither the answer nor the session", async () => {
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
test("/goal and /goal clear are answered while the answer comes, and a new goal waits for its turn", async () => {
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

test("what waited for its turn stands above its answer again, and what is not sent above the end of the turn it was typed at", async () => {
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

test("of what waited for its turn tabs are shown as blanks, as at the prompt", async () => {
  const { type, text, proceed } = stepwise();
  await type("one\r");
  await type("\x1b[200~a\tb\x1b[201~\r");
  await proceed();
  expect(text()).toContain("> a    b\n");
  expect(text()).not.toContain("\t");
});
