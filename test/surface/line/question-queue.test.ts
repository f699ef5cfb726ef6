// A question that comes while somebody types for the prompt.
import { describe, expect, test } from "vitest";
import type { McpElicitation } from "../../../src/protocol/mcp.ts";
import { QuestionQueue } from "../../../src/surface/line/question-queue.ts";
import { success, system, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start, type Talk } from "./talk.ts";

/** A turn that asks once `ask` is called. */
function asking(questions = 1): Talk & { ask: () => Promise<void>; answers: unknown[] } {
  let ask = (): void => undefined;
  const answers: unknown[] = [];
  const talk = start(async function* () {
    await new Promise<void>((resolve) => (ask = resolve));
    const { signal } = new AbortController();
    const asked = Array.from({ length: questions }, () => talk.talk.ask(bash, signal));
    answers.push(...(await Promise.all(asked)));
    yield success("x");
  });
  const begin = async (): Promise<void> => {
    ask();
    await settled(4);
  };
  return { ...talk, ask: begin, answers };
}

describe("a question that appears while somebody types", () => {
  test("is not answered by keys pressed before it was seen", async () => {
    const { type, press, pause, ask, answers, engine, text } = asking();
    await type("go\r");
    await ask();
    await press("y\r");
    expect(text()).toMatch(/why it asks: default mode\n\+ y$/u);
    expect(answers).toEqual([]);
    await pause();
    expect(text()).toMatch(/yes, no\? $/u);
    await type("\r");
    expect(answers).toEqual([]);
    await type("n\r");
    expect(answers).toEqual([{ behavior: "deny" }]);
    expect(text()).toMatch(/> y$/u);
    expect(engine.prompts).toHaveLength(1);
  });

  test("accepts keys only after a pause in typing, however long the typing lasts", async () => {
    const { type, press, pause, ask, answers, text } = asking();
    await type("go\r");
    await type("a lo");
    await ask();
    for (const keys of ["ng", " ", "y", "\x1b[D", "\x7f"]) {
      await pause(500);
      await press(keys);
    }
    expect(text()).not.toContain("yes, no");
    await pause(600);
    expect(text()).toMatch(/yes, no\? $/u);
    await type("y\r");
    expect(answers).toEqual([{ behavior: "allow" }]);
    expect(text()).toMatch(/> a longy$/u);
  });

  test("does not take the Enter of a prompt that was begun before it as an answer", async () => {
    const { type, press, pause, ask, answers, engine, text } = asking();
    await type("go\r");
    await type("also the doc");
    await ask();
    await press("s, yes\r");
    expect(text()).toContain("+ also the docs, yes\n(joins at the next step)\n");
    await press("y\r");
    await pause();
    expect(answers).toEqual([]);
    await type("no\r");
    expect(answers).toEqual([{ behavior: "deny" }]);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go", [{ type: "text", text: "also the docs, yes" }]]);
    expect(text()).toMatch(/\+ y\(1 turn/u);
  });

  test("is followed by the next question, and each takes its own answer", async () => {
    const { type, press, ask, answers } = asking(2);
    await type("go\r");
    await ask();
    await type("");
    for (const keys of ["y\r", "y\r"]) await press(keys);
    expect(answers).toEqual([]);
    await type("\x7f");
    await type("n\r");
    expect(answers).toEqual([{ behavior: "allow" }, { behavior: "deny" }]);
  });

  test("that cannot be shown does not prevent later questions", async () => {
    const answers: unknown[] = [];
    const { talk, type } = start(async function* () {
      const { signal } = new AbortController();
      // No JSON has such a number, and none can be shown.
      const broken = talk.ask({ ...bash, input: { count: 1n } }, signal).catch(() => "not put");
      answers.push(...(await Promise.all([broken, talk.ask(bash, signal)])));
      yield success("x");
    });
    await type("go\r");
    await type("y\r");
    expect(answers).toEqual(["not put", { behavior: "allow" }]);
  });

  test("does not send an early second answer as a prompt", async () => {
    const { type, press, pause, ask, answers, engine, text } = asking(2);
    await type("go\r");
    await ask();
    await press("y\r");
    await pause();
    await press("y\r");
    await press("y\r");
    await pause();
    await type("n\r");
    expect(answers).toEqual([{ behavior: "allow" }, { behavior: "deny" }]);
    expect(engine.prompts).toHaveLength(1);
    expect(text()).toMatch(/> yy$/u);
  });

  test("does not send a prompt that was typed before the previous question", async () => {
    const { type, press, pause, ask, answers, engine } = asking(2);
    await type("go\r");
    await press("half");
    await ask();
    await pause(600);
    for (const keys of ["y\r", "y\r"]) await press(keys);
    await pause();
    await type("n\r");
    expect(answers).toEqual([{ behavior: "allow" }, { behavior: "deny" }]);
    expect(engine.prompts).toHaveLength(1);
  });

  test("at an empty prompt returns to the empty prompt after the answer", async () => {
    const { type, talk, text } = start(echo);
    await type("");
    const answered = talk.ask(bash, new AbortController().signal);
    await settled(4);
    await type("");
    await type("n\r");
    expect(await answered).toEqual({ behavior: "deny" });
    expect(text()).toMatch(/yes, no\? n\n> $/u);
  });

  test("that outlives its turn keeps its row, and the prompt comes after it", async () => {
    let proceed = (): void => undefined;
    const { type, talk, text, raw, engine } = start(async function* () {
      await new Promise<void>((resolve) => (proceed = resolve));
      yield success("x");
    });
    await type("go\r");
    const answered = talk.ask(bash, new AbortController().signal);
    await settled(4);
    await type("");
    proceed();
    await settled(8);
    expect(raw()).toMatch(/default mode\n[^\n]*yes, no\? $/u);
    await type("y\r");
    expect(await answered).toEqual({ behavior: "allow" });
    expect(text()).toMatch(/\(1 turn.*\)\n\n> $/u);
    expect(engine.prompts).toHaveLength(1);
  });

  test("is denied by Ctrl+D before it accepts keys", async () => {
    const { type, press, ask, answers, done } = asking();
    await type("go\r");
    await ask();
    await press("\x04");
    expect(await done).toBe(0);
    expect(answers).toEqual([{ behavior: "deny" }]);
  });

  test("returns the typed text and its cursor to the prompt after the answer", async () => {
    const { type, press, pause, talk, engine, text } = start(echo);
    for (const keys of ["half", "\x1b[D"]) await type(keys);
    await pause();
    const answered = talk.ask(bash, new AbortController().signal);
    await settled(4);
    await press("-");
    expect(text()).toMatch(/> hal-f$/u);
    await press("\r");
    await pause();
    await type("y\r");
    expect(await answered).toEqual({ behavior: "allow" });
    await type("-\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["hal--f"]);
  });

  test("asks the fields of a form one after another without further pauses", async () => {
    const properties = { name: { type: "string" }, age: { type: "integer" } };
    const form: McpElicitation = { serverName: "crm", message: "Who?", mode: "form", requestedSchema: { properties } };
    const { type, press, talk } = start(echo);
    await type("");
    const answered = talk.elicit(form, { requestId: "1", signal: new AbortController().signal });
    await settled(4);
    await press("y\r");
    await type("\x7f");
    for (const keys of ["y\r", "Ada\r", "36\r"]) await press(keys);
    expect(await answered).toEqual({ action: "accept", content: { name: "Ada", age: 36 } });
  });
});

test("a question shows a file's whole content on request and is then repeated", async () => {
  const answers: unknown[] = [];
  const rows = (count: number) => Array.from({ length: count }, (_, at) => `row ${at}`).join("\n");
  const write = (count: number) => ({ ...bash, toolName: "Write", input: { file_path: "/w/a", content: rows(count) } });
  const { type, text, talk, whenAsked, output } = start(async function* () {
    const { signal } = new AbortController();
    for (const count of [42, 100, 41]) answers.push(await talk.ask(write(count), signal));
    yield success("x");
  });
  output.rows = 60;
  await type("go\r");
  for (const last of [41, 99]) {
    await whenAsked(/are not shown>\n[^]*yes, no, show \(in full\)\? $/u);
    expect(text()).not.toContain(`row ${last}\n`);
    await type("show\r");
    // What was shown is not offered again.
    expect(text()).toMatch(new RegExp(`row ${last}\n[^>]*yes, no\\? $`, "u"));
    await type("y\r");
  }
  await whenAsked(/row 39\n[^>]*yes, no\? $/u);
  await type("show\r");
  await type("n\r");
  expect(answers).toEqual([{ behavior: "allow" }, { behavior: "allow" }, { behavior: "deny" }]);
});

test("a question explains how to answer after text that is no answer", async () => {
  const { type, press, ask, answers, text } = asking();
  await press("go\r");
  await ask();
  await type("");
  await press("\r");
  expect(text()).toMatch(/default mode\nyes, no\? \nyes, no\? $/u);
  await press("use git mv\r");
  expect(text()).toMatch(
    /\? use git mv\n {2}\(that is not an answer; the model gets the text you write after "no"\)\nyes, no\? $/u,
  );
  await press("no, use git mv\r");
  expect(answers).toEqual([{ behavior: "deny", message: "use git mv" }]);
});

test("a question gives words that are no answer back to the Up key, but no mistyped word", async () => {
  const { type, press, ask, engine } = asking();
  await press("go\r");
  await ask();
  await type("");
  await press("and then the docs\r");
  await press("yse\r");
  await press("y\r");
  await type("\x1b[A");
  await type("\r");
  expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go", "and then the docs"]);
});

test("words that are no answer leave the draft where the Down key finds it", async () => {
  const { type, press, ask, text } = asking();
  await press("go\r");
  await type("half typed");
  await type("\x1b[A");
  await ask();
  await type("");
  await press("and then the docs\r");
  await press("y\r");
  expect(text()).toMatch(/> go$/u);
  await type("\x1b[B");
  await type("\x1b[B");
  expect(text()).toMatch(/> half typed$/u);
});

test("a question accepts a reason of several lines", async () => {
  for (const newLine of ["\n", "\x1b\r", "\\\r"]) {
    const { type, ask, answers } = asking();
    await type("go\r");
    await ask();
    await type("");
    await type(`no, use git mv${newLine}and git rm\r`);
    expect(answers).toEqual([{ behavior: "deny", message: "use git mv\nand git rm" }]);
  }
});

describe("a question of an agent", () => {
  test("names the agent that asks", async () => {
    const { signal } = new AbortController();
    const answers: unknown[] = [];
    const { type, text, talk } = start(async function* () {
      yield system({ subtype: "task_started", task_id: "a1", description: "look\naround" });
      for (const agentId of ["a1", "a2"]) answers.push(await talk.ask({ ...bash, agentId }, signal));
      yield success("x");
    });
    await type("go\r");
    expect(text()).toContain('Bash asks to run, for the agent "look around":\n  │ npm test\n');
    await type("y\r");
    expect(text()).toContain("Bash asks to run, for an agent:\n");
    await type("n\r");
    expect(answers).toEqual([{ behavior: "allow" }, { behavior: "deny" }]);
  });
});

describe("a question that is withdrawn", () => {
  /** A turn whose question is taken back by `take()`. */
  function takenBack(): Talk & { take: () => Promise<void>; answers: unknown[] } {
    const controller = new AbortController();
    const answers: unknown[] = [];
    const interrupt = (): boolean => {
      controller.abort();
      return true;
    };
    const talk = start(
      async function* () {
        answers.push(await talk.talk.ask(bash, controller.signal));
        yield toolResult("done");
        yield success("x");
      },
      { overrides: { interrupt } },
    );
    const take = async (): Promise<void> => {
      controller.abort();
      await settled(8);
    };
    return { ...talk, take, answers };
  }

  test("says that it needs no answer, before and after it accepts keys", async () => {
    for (const isOpen of [false, true]) {
      const { press, pause, take, answers, text } = takenBack();
      await press("go\r");
      if (isOpen) await pause();
      await take();
      expect(answers).toEqual([{ behavior: "deny" }]);
      const row = isOpen ? "yes, no\\? \n" : "";
      expect(text()).toMatch(
        new RegExp(`why it asks: default mode\n${row}\\(no answer is needed any more\\)\n  └ done\n`, "u"),
      );
    }
  });

  test("says so for a background agent after an interrupted turn", async () => {
    const { type, text, talk } = takenBack();
    await type("go\r");
    await type("\x03");
    const controller = new AbortController();
    const answer = talk.ask({ ...bash, agentId: "a1" }, controller.signal);
    await settled(8);
    controller.abort();
    expect(await answer).toEqual({ behavior: "deny" });
    expect(text().slice(text().indexOf("for an agent"))).toContain("(no answer is needed any more)");
  });

  test("says nothing after an interrupt of the user", async () => {
    const { type, answers, text } = takenBack();
    await type("go\r");
    await type("\x03");
    expect(answers).toEqual([{ behavior: "deny" }]);
    expect(text()).not.toContain("no answer");
  });

  test("is not shown if the answer to the previous question settles it in time", async () => {
    for (const isSettled of [true, false]) {
      const controller = new AbortController();
      const answers: unknown[] = [];
      const { press, pause, text, talk } = start(async function* () {
        const asked = talk.ask({ ...bash, suggestedRule: "Bash(npm test)" }, new AbortController().signal);
        const other = talk.ask({ ...bash, agentId: "a1" }, controller.signal);
        answers.push(await asked);
        await settled(8);
        if (isSettled) controller.abort();
        answers.push(await other);
        yield success("x");
      });
      await press("go\r");
      await pause();
      await press("a\r");
      await settled(8);
      expect(text()).not.toContain("for an agent");
      await pause();
      expect(text().includes("asks to run, for an agent:")).toBe(!isSettled);
      await pause();
      await press("n\r");
      expect(answers).toEqual([{ behavior: "allow", rule: "Bash(npm test)" }, { behavior: "deny" }]);
      expect(text()).not.toContain("no answer");
    }
  });
});

test("a lookup for a question is given up after a limit", async () => {
  let fire = (): void => undefined;
  const after = (_: number, then: () => void) => ((fire = then), () => undefined);
  const asking = new QuestionQueue({ after } as unknown as ConstructorParameters<typeof QuestionQueue>[0]);
  const never = new Promise<string>(() => undefined);
  const { signal } = new AbortController();
  expect(await asking.lookUp(Promise.resolve("found"), signal)).toBe("found");
  const late = asking.lookUp(never, signal);
  fire();
  expect(await late).toBeUndefined();
  expect(await asking.lookUp(never, AbortSignal.abort())).toBeUndefined();
});
