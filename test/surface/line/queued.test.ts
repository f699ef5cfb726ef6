// What waits for the running turn: where a person sees it, and when it is gone.
import { describe, expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { assistant, delta, failure, success, toolResult } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { Grid } from "./grid.ts";
import { start } from "./talk.ts";

const modes = new RegExp(String.raw`\x1b\[\?\d+[hl]`, "gu");
const call = (id: string): SDKMessage =>
  assistant({ type: "tool_use", id, name: "Bash", input: { command: `make ${id}` } });

/** A turn of two calls. What is typed during the first joins the turn after it. */
function twoCalls(columns = 80) {
  const gates: (() => void)[] = [];
  const gate = (): Promise<void> => new Promise((resolve) => void gates.push(resolve));
  const talk = start(async function* (engine, prompt) {
    if (prompt !== "go") return yield success("x");
    yield call("t1");
    await gate();
    if (engine.causes.splice(0).length > 0)
      return yield failure("error_during_execution", "aborted_tools", ["Interrupted by user"]);
    yield toolResult("one", false, "t1");
    for (let left = engine.takeQueued(); left !== undefined; left = engine.takeQueued()) {
      const own = { uuid: left.uuid, session_id: "s", parent_tool_use_id: null };
      yield { ...own, type: "user", message: { role: "user", content: left.prompt as never }, isReplay: true };
    }
    yield call("t2");
    await gate();
    yield toolResult("two", false, "t2");
    yield delta("Done.\n");
    return yield success("x");
  });
  talk.output.columns = columns;
  const screen = (): string[] => {
    const grid = new Grid(columns, 24);
    grid.write(talk.raw().replaceAll(modes, ""));
    return grid.text.slice(2);
  };
  const proceed = async (): Promise<void> => {
    gates.shift()?.();
    await settled(8);
  };
  return { ...talk, screen, proceed };
}

test("prompts and commands that wait are listed below what is running, also while another one is being typed", async () => {
  const { type, pause, screen } = twoCalls();
  await type("go\r");
  await type("first\r");
  await type("/cost\r");
  await pause();
  const queued = ["  queued: first", "  queued: /cost"];
  expect(screen().slice(-3)).toEqual(["  Bash make t1 · 4 s · Esc interrupts", ...queued]);
  await type("thi");
  expect(screen().slice(-4)).toEqual(["+ thi", "  Bash make t1 · 5 s · Esc interrupts", ...queued]);
  for (const line of ["rd\r", "fourth\nwith more\r"]) await type(line);
  await pause();
  expect(screen().slice(-3)).toEqual([...queued, "  queued: 2 more"]);
});

test("a waiting prompt longer than a row is cut", async () => {
  const { type, pause, screen } = twoCalls(40);
  await type("go\r");
  await type(`${"word ".repeat(12)}\r`);
  await pause();
  expect(screen().at(-1)).toBe("  queued: word word word word word wor…");
});

// Seen: the person could not tell whether the model had read the prompt.
test("a prompt that joins the turn is shown where it joins, and is not listed any more", async () => {
  const { type, pause, proceed, screen } = twoCalls();
  await type("go\r");
  await type("and this\r");
  await proceed();
  await pause();
  const rows = ["+ and this", "(joins at the next step)", "  └ one", "", "> and this", "", "● Bash make t2"];
  expect(screen().slice(-8, -1)).toEqual(rows);
  expect(screen().at(-1)).toMatch(/^ {2}Bash make t2 · /u);
});

test("an interrupt takes back all that waits but commands", async () => {
  const { type, pause, screen } = twoCalls();
  await type("go\r");
  for (const line of ["first\r", "/cost\r", "second\r"]) await type(line);
  await type("\x03");
  await pause();
  expect(screen().slice(-2)).toEqual([expect.stringMatching(/Ctrl\+C exits at once$/u), "  queued: /cost"]);
});

test("a prompt that gets its own turn is not listed during it", async () => {
  const first = Promise.withResolvers<void>();
  const talk = start(async function* (_engine, prompt) {
    await (prompt === "go" ? first.promise : new Promise(() => undefined));
    yield success("x");
  });
  await talk.type("go\r");
  await talk.type("next\r");
  first.resolve();
  await settled(8);
  const { length } = talk.raw();
  await talk.pause();
  expect(talk.text()).toMatch(/> next\n/u);
  expect(talk.raw().slice(length)).toContain("waiting for the model");
  expect(talk.raw().slice(length)).not.toContain("queued: next");
});

test("with Vim's keys the row under typed text names Ctrl+C, because Esc leaves insert mode", async () => {
  const working = (): Promise<never> => new Promise(() => undefined);
  const talk = start(
    async function* () {
      yield await working();
    },
    { vim: { escapes: [], isHidden: () => true } },
  );
  await talk.type("go\r");
  await talk.press("wait");
  expect(talk.raw()).toContain("waiting for the model · 1 s · Esc interrupts");
  expect(talk.raw().replaceAll(modes, "")).toContain("+ wait\n  waiting for the model · 1 s · Ctrl+C interrupts");
});

describe("the Up key, while prompts wait", () => {
  test("takes them back for editing, the newest first, and they are not sent as they were", async () => {
    const { type, proceed, engine, text } = twoCalls();
    await type("go\r");
    for (const line of ["first\r", "second\r", "third\r"]) await type(line);
    await type("\x1b[A");
    expect(text()).toMatch(/\+ third$/u);
    await type("\x1b[A");
    expect(text()).toMatch(/\+ second\n {2}third$/u);
    await type(" edited\r");
    await proceed();
    await proceed();
    expect(text()).toMatch(/> first\n[^]*> second edited\nthird\n/u);
    expect(text()).not.toMatch(/> third\n/u);
    expect(engine.takeQueued()).toBeUndefined();
  });

  test("puts a prompt before what is typed already, and lists it no longer", async () => {
    const { type, pause, screen } = twoCalls();
    await type("go\r");
    for (const line of ["first\r", "second\r"]) await type(line);
    await type("more");
    await type("\x1b[A");
    await pause();
    const rows = ["+ second", "  more", expect.stringMatching(/^ {2}Bash make t1 · /u), "  queued: first"];
    expect(screen().slice(-4)).toEqual(rows);
  });

  test("takes back a waiting command before the prompts that were typed before it", async () => {
    const { type, text } = twoCalls();
    await type("go\r");
    for (const line of ["first\r", "/cost\r"]) await type(line);
    await type("\x1b[A");
    expect(text()).toMatch(/\+ \/cost$/u);
  });

  // The command would take the prompt for its argument, and a shell command for its next line.
  test.each(["/cost", "!ls"])("does not join %s with what is typed, and says so", async (command) => {
    const { type, screen, pause } = twoCalls();
    await type("go\r");
    for (const line of [`${command}\r`, "second\r"]) await type(line);
    await type("\x1b[A");
    await type("\x1b[A");
    expect(screen().slice(-2)).toEqual(["+ second", "(clear the line first: a command is not joined with other text)"]);
    await type("\x15");
    await type("\x1b[A");
    expect(screen()).toContain(`+ ${command}`);
    await pause();
    expect(screen().at(-1)).not.toContain("queued");
  });

  test("does not put a prompt before a command that is typed", async () => {
    const { type, screen, pause } = twoCalls();
    await type("go\r");
    await type("first\r");
    await type("!ls");
    await type("\x1b[A");
    expect(screen().slice(-2)[0]).toBe("+ !ls");
    await type(" ");
    await pause();
    expect(screen().at(-1)).toBe("  queued: first");
  });

  test("goes on to the earlier prompts when none waits any more", async () => {
    const { type, text } = twoCalls();
    await type("go\r");
    await type("first\r");
    for (const shown of ["first", "go", "go"]) {
      await type("\x1b[A");
      expect(text().endsWith(`+ ${shown}`)).toBe(true);
    }
  });

  test("does not take back a prompt that the turn has taken, nor one that an interrupt has dropped", async () => {
    const taken = twoCalls();
    await taken.type("go\r");
    await taken.type("first\r");
    taken.engine.takeQueued();
    await taken.type("\x1b[A");
    await taken.pause();
    expect(taken.screen().at(-1)).toBe("  queued: first");
    const dropped = twoCalls();
    await dropped.type("go\r");
    await dropped.type("first\r");
    await dropped.type("\x03");
    await dropped.type("\x1b[A");
    await dropped.proceed();
    expect(dropped.text()).toContain("Not sent: what you typed during the answer (the Up key brings it back).");
  });
});

// Seen while a hook judged the prompt: Up brought back a copy of it, which was sent as well.
test("the Up key brings back no copy of a prompt that is listed and being sent, and says so", async () => {
  const { type, engine, screen } = twoCalls();
  await type("go\r");
  await type("first\r");
  engine.takeQueued();
  await type("\x1b[A");
  expect(screen().filter((row) => row === "+ first")).toHaveLength(1);
  await type("more");
  await type("\x1b[A");
  expect(screen().slice(-2)).toEqual(["+ more", "(what is queued is being sent already)"]);
});

// Seen: the rows were gone for one to two seconds after each Enter.
test("what waits stays listed when a prompt is sent or its text is deleted during a long call", async () => {
  const { type, press, pause, screen } = twoCalls();
  await type("go\r");
  await pause();
  await press("first\r");
  expect(screen().at(-1)).toBe("  queued: first");
  await press("x");
  await press("\x7f");
  expect(screen().at(-1)).toBe("  queued: first");
});

// Seen: a long paste filled the screen twice.
test("a prompt of many lines is shown again by its beginning", async () => {
  const { type, proceed, text, screen } = twoCalls();
  await type("go\r");
  await type(`\x1b[200~${Array.from({ length: 90 }, (_, at) => `row ${at}`).join("\n")}\x1b[201~\r`);
  await proceed();
  expect(text()).toMatch(/> row 0\nrow 1\nrow 2\n\(87 more lines, shown above\)\n/u);
  expect(screen().filter((row) => row.includes("row 89"))).toEqual(["  row 89"]);
});

test("the note on a waiting prompt is broken between its words in a narrow window", async () => {
  const { type, screen } = twoCalls(20);
  await type("go\r");
  await type("first\r");
  expect(screen()).toEqual(expect.arrayContaining(["(joins at the next", "step)"]));
});
