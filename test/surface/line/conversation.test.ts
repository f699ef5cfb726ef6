import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/lib/usage-error.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import type { PermissionQuestion } from "../../../src/protocol/permission.ts";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { assistant, blockEvent, delta, failure, success, system, toolResult, type Turn } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start } from "./talk.ts";

/** A turn that goes on until `go` is called. */
function paused(): { turn: Turn; go: () => void } {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  return {
    go: () => go(),
    turn: async function* (engine, prompt) {
      yield delta(`begin ${typeof prompt === "string" ? prompt : "queued"} `);
      await gate;
      yield delta("end\n");
      yield engine.causes.length > 0
        ? failure("error_during_execution", "aborted_streaming", ["Interrupted by user"])
        : success("x");
    },
  };
}

const ruled: PermissionQuestion = { ...bash, suggestedRule: "Bash(npm test *)" };

describe("a conversation", () => {
  test("shows prompt and streamed answer in turn, and says at the end how to resume", async () => {
    const { type, text, done, engine } = start(echo);
    await type("hello\r");
    await type("again\r");
    await type("/exit\r");
    expect(await done).toBe(0);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["hello", "again"]);
    expect(text()).toContain('> hello\n\nyou said "hello"\n\n(1 turn, $0.0123 so far)\n\n> ');
    expect(text().match(/you said/gu)).toHaveLength(2);
    expect(text()).toMatch(/session s1, kept in .*s1\.jsonl\nresume with: pawl --resume s1\n$/u);
  });

  test("shows a hook's replacement of the answer once, without control sequences", async () => {
    const shown = { ...assistant({ type: "text", text: "secret" }), display_content: "***\x1b[2J" } as SDKMessage;
    const streams = [
      blockEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      delta("***\x1b[2J"),
      blockEvent({ type: "content_block_stop", index: 0 }),
    ];
    for (const before of [streams, []]) {
      const { type, text, raw } = start(() => [...before, shown, success("secret")]);
      await type("go\r");
      expect(text().match(/\*{3}/gu)).toHaveLength(1);
      expect(raw()).not.toContain("secret");
      expect(raw()).not.toContain("\x1b[2J");
    }
  });

  test("starts with a given first prompt", async () => {
    const { type, done, engine, text } = start(echo, { first: "fix it" });
    await settled(6);
    expect(text()).toContain('> fix it\n\nyou said "fix it"');
    await type("\x04");
    expect(await done).toBe(0);
    expect(engine.prompts).toHaveLength(1);
  });

  test("shows tool calls and results on one line each, without control sequences", async () => {
    const { type, text, raw } = start(() => [
      assistant({ type: "tool_use", id: "t", name: "Read", input: { file_path: "/w/src/a\x1b]0;x\x07.ts" } }),
      toolResult("1\tone\n2\ttwo"),
      toolResult("not \x1b[31mfound", true),
      system({ subtype: "permission_denied", tool_name: "Bash", tool_use_id: "t1", message: "Refused: ls" }),
      toolResult("<tool_use_error>Refused: ls</tool_use_error>", true),
      system({
        subtype: "api_retry",
        attempt: 2,
        max_retries: 10,
        retry_delay_ms: 1000,
        error_status: 529,
        error: "overloaded",
        message: "Overloaded",
      }),
      assistant({ type: "text", text: "not streamed \u202e" }),
      failure("error_during_execution", "model_error", ["no key"]),
    ]);
    await type("go\r");
    expect(text()).toContain(
      "> go\n\n● Read src/a.ts\n  └ 2 lines: one\n  └ not found\nRefused: ls\nOverloaded (attempt 2 of 10); retrying in 1 s\n\nnot streamed <U+202E>\n\nno key\n",
    );
    expect(raw()).not.toContain("\x1b]0");
    expect(raw()).not.toContain("\x1b[31m");
  });

  test("names the call in a result that is not right below it", async () => {
    const { type, text } = start(() => [
      assistant({ type: "tool_use", id: "a", name: "Write", input: { file_path: "/w/new.txt" } }),
      assistant({ type: "tool_use", id: "b", name: "NoSuch", input: {} }),
      toolResult("Created new.txt.", false, "a"),
      toolResult("No such tool.", true, "b"),
      success(""),
    ]);
    await type("go\r");
    expect(text()).toContain(
      "● Write new.txt\n● NoSuch\n  └ Write new.txt: Created new.txt.\n  └ NoSuch: No such tool.\n",
    );
  });

  test("shows and changes the permission mode with /mode, also during an answer, without a prompt", async () => {
    const { turn, go } = paused();
    let mode = "plan";
    const overrides: Partial<Engine> = {
      getPermissionMode: () => mode as "plan",
      setPermissionMode: (wanted) => {
        if (wanted === "dontAsk") throw new UsageError("The administrator has ruled that out.");
        mode = wanted;
      },
    };
    const { type, text, engine } = start(turn, { overrides });
    await type("/mode\r");
    expect(text()).toContain("> /mode\nThe permission mode is plan. The modes are:\n  default  ");
    await type("go\r");
    await type("/mode acceptedits\r");
    expect(text()).toMatch(
      /\+ \/mode acceptedits\nFrom the next tool call on, the permission mode is acceptEdits: edits [^]*asked\sabout\.\n$/u,
    );
    expect(mode).toBe("acceptEdits");
    go();
    await settled(8);
    for (const wish of ["bypassPermissions", "dontAsk", "plan"]) await type(`/mode ${wish}\r`);
    expect(text()).toContain('"bypassPermissions" is not a permission mode available here; the modes are\ndefault,');
    expect(text()).toContain("\nThe administrator has ruled that out.\n\nacceptEdits > ");
    expect(mode).toBe("plan");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go"]);
  });

  test("leaves /mode to a user's command of that name, and can return to the initial mode", async () => {
    const own = { name: "mode", description: "", argumentHint: "", builtin: false };
    const { type, engine } = start(echo, { overrides: { supportedCommands: () => [own] } });
    await type("/mode x\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["/mode x"]);
    const modes: string[] = ["bypassPermissions"];
    const overrides: Partial<Engine> = {
      getPermissionMode: () => modes.at(-1) as "plan",
      setPermissionMode: (wanted) => void modes.push(wanted),
    };
    const bold = start(echo, { overrides });
    for (const wish of ["plan", "bypassPermissions"]) await bold.type(`/mode ${wish}\r`);
    expect(modes).toEqual(["bypassPermissions", "plan", "bypassPermissions"]);
  });

  test("does not repeat a refusal to the user who gave it, and says how to end a long wait", async () => {
    const denied = { subtype: "permission_denied", tool_name: "Bash", tool_use_id: "t1", message: "The user refused" };
    const retry = { subtype: "api_retry", attempt: 1, max_retries: 10, error_status: 429, error: "rate_limit" };
    const { type, text } = start(() => [
      system({ ...denied, decision_reason_type: "user" }),
      toolResult("<tool_use_error>The user refused</tool_use_error>", true),
      system({ ...retry, retry_delay_ms: 300_000, message: "Too many" }),
      success("x"),
    ]);
    await type("go\r");
    expect(text()).toContain("> go\n\nToo many (attempt 1 of 10); retrying in 5 min (press Esc to give up)\n(1 turn");
  });

  test("shows an API error once, in red", async () => {
    const said = "No such model (404). Choose another.";
    const failed = [
      { ...assistant({ type: "text", text: said }), error: "model_not_found" as const },
      failure("error_during_execution", "model_error", [said]),
    ];
    const { type, raw } = start(() => failed, { env: {} });
    await type("go\r");
    expect(raw().split(said)).toHaveLength(2);
    expect(raw()).toContain(`\x1b[31m${said}\x1b[39m\n`);
  });

  test("takes a paste of many lines as one prompt", async () => {
    const { type, engine } = start(echo);
    await type("see: \x1b[200~one\ntwo\nthree\x1b[201~");
    expect(engine.prompts).toEqual([]);
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["see: one\ntwo\nthree"]);
  });

  test("brings the last prompt back with the Up key", async () => {
    const { type, engine } = start(echo);
    await type("first\r");
    await type("\x1b[A");
    await type("\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["first", "first"]);
  });

  test("passes commands to the session, and shows their output without turn figures", async () => {
    const { type, text, engine } = start((_engine, prompt) => {
      const said = `two\nlines of ${String(prompt)}`;
      const output = { subtype: "local_command_output", content: said, command: "help" };
      const name = String(prompt).slice(1);
      return [
        system(output),
        success(said, { local_command: name, local_command_output: { argument: "" }, num_turns: 0 }),
      ];
    });
    await type("/help\r");
    await type("/frob\r");
    expect(text()).toMatch(
      /\ntwo\nlines of \/help\n\/mode.*\n\/plan.*\n\/resume[^]*\n\/branch.*\n\/rewind[^]*\n!command.*\n\/exit {2,}exit/u,
    );
    expect(text()).toContain("  Ctrl+R                      search earlier prompts");
    expect(text().match(/lines of/gu)).toHaveLength(2);
    expect(text()).not.toContain("so far");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["/help", "/frob"]);
  });

  test("begins a resumed session with its last exchange", async () => {
    const base = { timestamp: "" };
    const { text } = start(echo, {
      overrides: {
        getMessages: () => [
          { ...base, type: "user", uuid: "1", origin: "human", content: [{ type: "text", text: "and before?" }] },
          {
            ...base,
            type: "assistant",
            uuid: "2",
            messageId: "m",
            model: "x",
            content: [{ type: "text", text: "This." }],
          },
        ],
      },
    });
    await settled(2);
    expect(text()).toMatch(/\/help\n\n> and before\?\n\nThis\.\n\n> $/u);
  });

  test("answers /btw during the turn and marks the answer", async () => {
    const { turn, go } = paused();
    const questions: string[] = [];
    const usage = { inputTokens: 1, outputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0 };
    const sideQuestion = async (question: string) => {
      questions.push(question);
      return { answered: true as const, text: "A heron.\nOr a\x1b[31m stork.", usage };
    };
    const { type, engine, text } = start(turn, { overrides: { sideQuestion } });
    await type("one\r");
    await type("/btw which bird?\r");
    expect(questions).toEqual(["which bird?"]);
    expect(text()).toContain("│ A heron.\n│ Or a stork.\n");
    await type("/btw\r");
    expect(text()).toContain("(comes next)");
    go();
    await settled(8);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "/btw"]);
  });

  test("delays a command typed during an answer to the turn's end", async () => {
    const { turn, go } = paused();
    const { type, engine, text } = start(turn);
    await type("one\r");
    await type("/cost\r");
    expect(text()).toContain("(comes next)");
    go();
    await settled(8);
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "/cost"]);
  });
});

describe("during an answer", () => {
  test("a sent prompt is queued, and gets its own turn if no step took it", async () => {
    const { turn, go } = paused();
    const { type, engine, text } = start(turn);
    await type("one\r");
    await type("two\r");
    expect(engine.prompts).toHaveLength(1);
    expect(text()).toMatch(/\+ two\n\(joins at the next step\)\n$/u);
    go();
    await settled(8);
    expect(engine.prompts.map(({ prompt, uuid }) => [prompt, uuid])).toEqual([
      ["one", undefined],
      [[{ type: "text", text: "two" }], "q0"],
    ]);
  });

  test("typing holds the answer back until the line is sent, and nothing is lost", async () => {
    let proceed = (): void => undefined;
    const { type, text } = start(async function* () {
      yield delta("begin ");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield delta("middle\n");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield success("x");
    });
    await type("one\r");
    await type("half typed");
    proceed();
    await settled(8);
    expect(text()).not.toContain("middle");
    await type(" line\r");
    expect(text()).toMatch(/begin\n(?:\+ half typed)?\+ half typed line\n\(joins at the next step\)\nmiddle\n/u);
    proceed();
  });

  test("half-typed text becomes the beginning of the next prompt", async () => {
    const { turn, go } = paused();
    const { type, text, engine } = start(turn);
    await type("one\r");
    await type("tw");
    go();
    await settled(8);
    expect(text()).toMatch(/end\n\n.*\n\n> tw$/u);
    await type("o\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "two"]);
  });

  test("emptying the line releases the answer", async () => {
    let proceed = (): void => undefined;
    const { type, text, engine } = start(async function* () {
      yield delta("begin\n");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield delta("middle\n");
      await new Promise<void>((resolve) => (proceed = resolve));
      yield success("x");
    });
    await type("one\r");
    await type("ab");
    proceed();
    await settled(4);
    expect(text()).not.toContain("middle");
    await type("\x7f\x7f");
    expect(text()).toContain("middle");
    proceed();
    await settled(4);
    expect(engine.prompts).toHaveLength(1);
  });

  test("Ctrl+C interrupts the turn and drops queued prompts, and the conversation continues", async () => {
    const { turn, go } = paused();
    const { type, engine, text, left } = start(turn);
    await type("one\r");
    await type("two\r");
    await type("\x03");
    expect(engine.causes).toEqual(["user"]);
    go();
    await settled(8);
    expect(text()).toContain("(interrupting; Ctrl+C again exits at once)");
    expect(text()).toContain("Not sent: what you typed during the answer");
    expect(left).toEqual([]);
    await type("three\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["one", "three"]);
  });

  test("Ctrl+C twice exits at once and restores the terminal", async () => {
    const { turn, go } = paused();
    const { type, left, raw, text, stop, done } = start(turn);
    await type("one\r");
    await type("\x03");
    await type("\x03");
    expect(left).toEqual(["interrupted"]);
    expect(raw()).toContain("\x1b[?2004l");
    const said = text();
    stop.stop("interrupted");
    stop.markLeaving();
    go();
    expect(await done).toBe(130);
    expect(text().slice(said.length).trim()).toBe("");
  });

  test("/exit waits for the answer's end", async () => {
    const { turn, go } = paused();
    const { type, text, done } = start(turn);
    await type("one\r");
    await type("/exit\r");
    expect(text()).toContain("(comes next)");
    go();
    expect(await done).toBe(0);
  });
});

describe("leaving the conversation", () => {
  test("Ctrl+C exits at an empty prompt, and otherwise clears the line first", async () => {
    const { type, done, engine, text } = start(echo);
    await type("oops");
    await type("\x03");
    await type("hello\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["hello"]);
    await type("\x03");
    expect(await done).toBe(0);
    expect(text()).toMatch(/\n> \nsession s1/u);
  });

  test("Ctrl+D during an answer interrupts it and exits", async () => {
    const { turn, go } = paused();
    const { type, done, engine } = start(turn);
    await type("one\r");
    await type("\x04");
    expect(engine.causes[0]).toBe("user");
    go();
    expect(await done).toBe(0);
  });

  test("a signal ends the conversation with the signal's exit code", async () => {
    const { stop, done, engine } = start(echo);
    await settled();
    stop.stop("terminated");
    expect(await done).toBe(143);
    expect(engine.causes[0]).toBe("terminate");
  });
});

describe("permission questions", () => {
  test("show the whole command, pass the answer on, and hold other output back", async () => {
    const answers: unknown[] = [];
    const { type, text, talk } = start(async function* () {
      const asked = talk.ask(ruled, new AbortController().signal);
      await settled();
      yield delta("meanwhile\n");
      answers.push(await asked);
      yield success("x");
    });
    await type("go\r");
    expect(text()).toContain(
      "Bash asks to run:\n  │ npm test\n  why it asks: default mode\nyes, no, always (Bash(npm test *))? ",
    );
    expect(text()).not.toContain("meanwhile");
    await type("maybe\r");
    expect(answers).toEqual([]);
    await type("always\r");
    expect(answers).toEqual([{ behavior: "allow", rule: "Bash(npm test *)" }]);
    expect(text()).toContain("meanwhile");
  });

  test("are asked one after another", async () => {
    const answers: unknown[] = [];
    const { type, text, talk } = start(async function* () {
      const { signal } = new AbortController();
      const other = { ...ruled, input: { command: "npm run lint" } };
      answers.push(...(await Promise.all([talk.ask(ruled, signal), talk.ask(other, signal)])));
      yield success("x");
    });
    await type("go\r");
    expect(text()).not.toContain("npm run lint");
    await type("y\r");
    expect(text()).toContain("npm run lint");
    await type("no, leave it\r");
    expect(answers).toEqual([{ behavior: "allow" }, { behavior: "deny", message: "leave it" }]);
  });

  test("are not answered by half-typed text, which returns to the prompt afterwards", async () => {
    const answers: unknown[] = [];
    let ask = (): void => undefined;
    const { type, pause, talk, engine, text } = start(async function* () {
      await new Promise<void>((resolve) => (ask = resolve));
      answers.push(await talk.ask(ruled, new AbortController().signal));
      yield success("x");
    });
    await type("go\r");
    await type("y");
    ask();
    await settled(4);
    await pause();
    await type("\r");
    expect(answers).toEqual([]);
    await type("n\r");
    expect(answers).toEqual([{ behavior: "deny" }]);
    await settled(8);
    expect(text()).toMatch(/> y$/u);
    await type("es, later\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go", "yes, later"]);
  });

  test("are denied by Ctrl+C, which interrupts the turn", async () => {
    const controller = new AbortController();
    const answers: unknown[] = [];
    const { type, talk, engine } = start(
      async function* () {
        answers.push(await talk.ask(ruled, controller.signal));
        yield failure("error_during_execution", "aborted_tools", ["Interrupted by user"]);
      },
      {
        overrides: {
          interrupt: () => {
            controller.abort();
            return true;
          },
        },
      },
    );
    await type("go\r");
    await type("ye\x03");
    expect(answers).toEqual([{ behavior: "deny" }]);
    await type("next\r");
    expect(engine.prompts.map(({ prompt }) => prompt)).toEqual(["go", "next"]);
  });

  test("are denied once the person has left", async () => {
    const { talk, type, done } = start(echo);
    await type("\x04");
    await done;
    expect(await talk.ask(ruled, new AbortController().signal)).toEqual({ behavior: "deny" });
  });
});
