// Plan mode at a terminal: the way into it by a key and by a command, and the plan that is shown for its approval.
import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/lib/usage-error.ts";
import type { PermissionQuestion } from "../../../src/protocol/permission.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import { createPermissionQuestion } from "../../../src/surface/line/question.ts";
import { styleFor } from "../../../src/surface/show/style.ts";
import { delta, success } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start } from "./talk.ts";

const shiftTab = "\x1b[Z";
const question: PermissionQuestion = {
  ...bash,
  toolName: "ExitPlanMode",
  input: { plan: "# Two steps\n\n1. Touch it.\n\t- here\n2. Look\u202e at it.\n" },
  reason: { type: "safety", text: "each call of this tool is for a person to answer" },
  modeAfter: "default",
};
const mode = (name: string) => [{ type: "setMode", mode: name, destination: "session" }];

/** Modes as they are set. */
function moded(first: string): { modes: string[]; overrides: Partial<Engine> } {
  const modes = [first];
  const overrides: Partial<Engine> = {
    getPermissionMode: () => modes.at(-1) as "plan",
    setPermissionMode: (wanted) => {
      if (wanted === "dontAsk") throw new UsageError("The administrator has ruled that out.");
      modes.push(wanted);
    },
  };
  return { modes, overrides };
}

describe("Shift+Tab", () => {
  test("cycles through the modes, which the prompt shows, and keeps the typed text", async () => {
    const { modes, overrides } = moded("default");
    const { type, text, engine } = start(echo, { overrides });
    await type(`ab${shiftTab}`);
    expect(text()).toMatch(/acceptEdits > ab$/u);
    await type(`${shiftTab}c`);
    expect(text()).toMatch(/plan > abc$/u);
    await type(shiftTab);
    expect(text()).toMatch(/\n?> abc$/u);
    expect(modes).toEqual(["default", "acceptEdits", "plan", "default"]);
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["abc"]);
  });

  test("includes the initial mode, and says why a mode is not available", async () => {
    const bold = moded("bypassPermissions");
    const one = start(echo, { overrides: bold.overrides });
    await one.type(shiftTab.repeat(4));
    expect(bold.modes.slice(1)).toEqual(["default", "acceptEdits", "plan", "bypassPermissions"]);
    const other = moded("dontAsk");
    const two = start(echo, { overrides: other.overrides });
    await two.type(shiftTab.repeat(3));
    await two.type(shiftTab);
    expect(two.text()).toContain("The administrator has ruled that out.\nplan > ");
  });

  test("shows the new mode in a line during an answer, and does nothing at a question", async () => {
    const { modes, overrides } = moded("default");
    const answers: unknown[] = [];
    let go = (): void => undefined;
    const talk = start(
      async function* () {
        yield delta("begin\n");
        await new Promise<void>((resolve) => (go = resolve));
        answers.push(await talk.talk.ask(question, new AbortController().signal));
        yield success("x");
      },
      { overrides },
    );
    await talk.type("go\r");
    await talk.type(shiftTab);
    expect(talk.text()).toMatch(/begin\n\(the permission mode is acceptEdits\)\n$/u);
    go();
    await settled(4);
    await talk.pause();
    await talk.type(shiftTab);
    await talk.type("1\r");
    expect(modes).toEqual(["default", "acceptEdits"]);
    expect(answers).toEqual([{ behavior: "allow", updates: mode("acceptEdits") }]);
    expect(talk.text()).toMatch(/acceptEdits > $/u);
  });
});

test("the prompt shows a set goal beside the mode", async () => {
  const { overrides } = moded("plan");
  let condition: string | null = null;
  const goal = () => (condition === null ? null : { condition });
  const desk = { goal, onTaskEnd: () => () => undefined, tasks: () => [] } as unknown as Engine["desk"];
  const { type, text } = start(echo, { overrides: { ...overrides, desk } });
  condition = "the tests pass";
  await type("go\r");
  expect(text()).toMatch(/plan, goal > $/u);
  condition = null;
  await type("on\r");
  expect(text()).toMatch(/plan > $/u);
});

describe("/plan", () => {
  test("switches to plan mode and sends the text after it", async () => {
    const { modes, overrides } = moded("default");
    const { type, text, engine } = start(echo, { overrides });
    await type("/plan\r");
    expect(text()).toContain(
      "From the next tool call on, the permission mode is plan: the model only reads\nand plans.\n\nplan > ",
    );
    await type("/plan the cellar\r");
    expect(modes).toEqual(["default", "plan", "plan"]);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["the cellar"]);
    expect(text()).toMatch(/plan > \/plan the cellar\nFrom the next tool call on, [^>]*\n\nyou said "the cellar"\n/u);
    await type("/plan the attic\rthen the roof\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["the cellar", "the attic", "then the roof"]);
  });
});

describe("a plan to approve", () => {
  const plain = styleFor(false, {});
  const size = { columns: 80, rows: 24 };

  test("is shown completely and safely, with the possible answers", () => {
    const long = { ...question, input: { plan: Array.from({ length: 60 }, (_, at) => `step ${at}`).join("\n") } };
    expect(createPermissionQuestion(question, plain, size)).toMatchObject({
      prompt: "1, 2 or 3? ",
      lines: [
        "The plan:",
        "  │ # Two steps",
        "  │ ",
        "  │ 1. Touch it.",
        "  │     - here",
        "  │ 2. Look<U+202E> at it.",
        "  1  yes, and accept edits",
        "  2  yes, ask about each edit",
        "  3  no, keep planning (the model gets the text you write after it)",
      ],
    });
    const code = {
      ...question,
      input: { plan: "Run **it** now:\n```sh\nnpm run build && npm run check && npm test\n```" },
    };
    const colours = styleFor(true, {});
    const bar = (sign: string): string => `  ${colours.dim(sign)} `;
    expect(createPermissionQuestion(code, colours, { ...size, columns: 30 }).lines.slice(1, 6)).toEqual([
      `${bar("│")}Run ${colours.bold("it")} now:`,
      `${bar("│")}${colours.dim("```sh")}`,
      `${bar("│")}npm run build && npm run c`,
      `${bar("┆")}heck && npm test`,
      `${bar("│")}${colours.dim("```")}`,
    ]);
    const option = `--skip=${"x".repeat(40)}`;
    const spanned = { ...question, input: { plan: `**Run** \`npm ${option}\`` } };
    const many = createPermissionQuestion(spanned, colours, { ...size, columns: 30 }).lines.slice(1, 4);
    expect(many).toEqual([
      `${bar("│")}${colours.bold("Run")} ${colours.paint("cyan", "npm")}`,
      `${bar("│")}${colours.paint("cyan", option.slice(0, 26))}`,
      `${bar("┆")}${colours.paint("cyan", option.slice(26))}`,
    ]);
    const narrow = createPermissionQuestion(question, plain, { ...size, columns: 44 }).lines;
    expect(narrow.slice(-2)).toEqual(["  3  no, keep planning (the model gets the", "     text you write after it)"]);
    const entering = { ...question, toolName: "EnterPlanMode" };
    expect(createPermissionQuestion(entering, plain, { ...size, columns: 44 }).lines).toEqual([
      "The model wants to plan first and to change",
      "nothing until you approve.",
    ]);
    const { lines } = createPermissionQuestion(long, plain, size);
    expect(lines).toContain("  │ step 59");
    expect(lines).toContain("  (60 lines: scroll up to read all of it)");
  });

  test.each([
    ["1", { behavior: "allow", updates: mode("acceptEdits") }],
    ["yes, and accept edits", { behavior: "allow", updates: mode("acceptEdits") }],
    ["2", { behavior: "allow", updates: mode("default") }],
    ["y", { behavior: "allow", updates: mode("default") }],
    ["Yes, ask about each edit", { behavior: "allow", updates: mode("default") }],
    ["3", { behavior: "deny" }],
    ["no", { behavior: "deny" }],
    ["１", { behavior: "allow", updates: mode("acceptEdits") }],
    ["３、一つのファイルで", { behavior: "deny", message: "一つのファイルで" }],
    ["3 use one file", { behavior: "deny", message: "use one file" }],
    ["no: use one file", { behavior: "deny", message: "use one file" }],
    ["12", undefined],
    ["use one file", undefined],
    ["always", undefined],
    ["go on planning", undefined],
    ["yes, and go on planning", undefined],
    ["2 is wrong", undefined],
    ["ask me first", undefined],
    ["yesterday it was one file", undefined],
    ["", undefined],
  ])("accepts the answer %j", (text, answer) => {
    expect(createPermissionQuestion(question, plain, size).read(text)).toEqual(answer);
  });

  test("offers the previous mode if that asks less", () => {
    const { lines, read } = createPermissionQuestion({ ...question, modeAfter: "bypassPermissions" }, plain, size);
    expect(lines).toContain("  1  yes, and go on in the mode bypassPermissions");
    for (const first of ["1", "yes, and go on in the mode bypassPermissions"])
      expect(read(first)).toEqual({ behavior: "allow", updates: mode("bypassPermissions") });
    expect([read("go on planning"), read("go on with it later")]).toEqual([undefined, undefined]);
    for (const other of ["default", "plan", "acceptEdits"]) expect(read(`go on in the mode ${other}`)).toBeUndefined();
    expect(read("2")).toEqual({ behavior: "allow", updates: mode("default") });
    const stricter = createPermissionQuestion({ ...question, modeAfter: "dontAsk" }, plain, size);
    expect(stricter.read("1")).toEqual({ behavior: "allow", updates: mode("acceptEdits") });
  });

  test("is preceded by a yes-or-no question when the model wants to enter plan mode", () => {
    const { lines, prompt, read } = createPermissionQuestion(
      { ...question, toolName: "EnterPlanMode", input: {} },
      plain,
      size,
    );
    expect([lines.length, prompt]).toEqual([1, "yes, no? "]);
    expect([read("y"), read("no, just do it"), read("1")]).toEqual([
      { behavior: "allow" },
      { behavior: "deny", message: "just do it" },
      undefined,
    ]);
  });
});
