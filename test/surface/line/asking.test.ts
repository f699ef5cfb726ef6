// A question that comes while somebody types for the prompt.
import { describe, expect, test } from "vitest";
import type { McpElicitation } from "../../../src/protocol/mcp.ts";
import { Asking } from "../../../src/surface/line/asking.ts";
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

describe("a question that comes while somebody types", () => {
  test("is not answered by keys that were pressed before it was seen", async () => {
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

  test("waits until no key has come for a moment, however long one types", async () => {
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

  test("a prompt that was begun before it is sent by its Enter, and answers nothing", async () => {
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

  test("two that follow each other take an answer each", async () => {
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

  test("that cannot be put keeps no later one from being asked: each was refused with its error", async () => {
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

  test("an answer that was typed too early for two questions is not sent as a prompt", async () => {
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

  test("a prompt that waits from before the question before is not sent by its Enter", async () => {
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

  test("at an empty prompt gives it back, too", async () => {
    const { type, talk, text } = start(echo);
    await type("");
    const answered = talk.ask(bash, new AbortController().signal);
    await settled(4);
    await type("");
    await type("n\r");
    expect(await answered).toEqual({ behavior: "deny" });
    expect(text()).toMatch(/yes, no\? n\n> $/u);
  });

  test("that outlives the turn it came in keeps its line, and the prompt comes after it", async () => {
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

  test("Ctrl+D before it may be answered is a no", async () => {
    const { type, press, ask, answers, done } = asking();
    await type("go\r");
    await ask();
    await press("\x04");
    expect(await done).toBe(0);
    expect(answers).toEqual([{ behavior: "deny" }]);
  });

  test("at the prompt gives it back after the answer, with what was typed and its cursor", async () => {
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

  test("is asked in full, field by field, without a wait between the fields", async () => {
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

test("what a file is to hold is shown whole when it is asked for, and then the question stands below it", async () => {
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
    expect(text()).toMatch(new RegExp(`row ${last}\n[^>]*yes, no, show \\(in full\\)\\? $`, "u"));
    await type("y\r");
  }
  await whenAsked(/row 39\n[^>]*yes, no\? $/u);
  await type("show\r");
  await type("n\r");
  expect(answers).toEqual([{ behavior: "allow" }, { behavior: "allow" }, { behavior: "deny" }]);
});

test("words that answer nothing are not passed over in silence: how the model is told them stands below", async () => {
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

test("has a reason of several lines as a prompt has them: its lines ran together, and a backslash sent it early", async () => {
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
  test("says which one asks: it passed for one of the conversation's own call", async () => {
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

describe("a question that is taken back, as by an always for the one before it", () => {
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

  test("says that it needs no answer, before it could be given one and after", async () => {
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

  test("says so also where it is an agent's of the background, behind a turn that was interrupted", async () => {
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

  test("says nothing to who has interrupted", async () => {
    const { type, answers, text } = takenBack();
    await type("go\r");
    await type("\x03");
    expect(answers).toEqual([{ behavior: "deny" }]);
    expect(text()).not.toContain("no answer");
  });

  test("is not put where an always for the one before it takes it back, however long that is judged, and else a moment later", async () => {
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

test("what is looked up for a question does not hold it up for long: a dead network kept it, and all that came after it", async () => {
  let fire = (): void => undefined;
  const after = (_: number, then: () => void) => ((fire = then), () => undefined);
  const asking = new Asking({ after } as unknown as ConstructorParameters<typeof Asking>[0]);
  const never = new Promise<string>(() => undefined);
  const { signal } = new AbortController();
  expect(await asking.lookUp(Promise.resolve("found"), signal)).toBe("found");
  const late = asking.lookUp(never, signal);
  fire();
  expect(await late).toBeUndefined();
  expect(await asking.lookUp(never, AbortSignal.abort())).toBeUndefined();
});
