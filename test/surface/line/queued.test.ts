// What waits for the running turn: where a person sees it, and when it is gone.
import { expect, test } from "vitest";
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
