// Agents in the background that report while a person is at the prompt.
import { describe, expect, test } from "vitest";
import type { SDKTaskNotification } from "../../../src/protocol/sdk-task.ts";
import type { Engine } from "../../../src/surface/engine-port.ts";
import { failure, success, type Turn } from "../support/messages.ts";
import { settled } from "../support/sink.ts";
import { bash, echo, start } from "./talk.ts";

describe("background agents that end at the prompt", () => {
  /** One works until `end`; what it has to tell is told with the next turn that is not a person's. */
  function working(answer: Turn = echo) {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    let open = 1;
    const turn: Turn = (engine, prompt) => {
      if (engine.prompts.at(-1)?.isMeta === true) open = 0;
      return answer(engine, prompt);
    };
    const overrides: Partial<Engine> = {
      get openAgents() {
        return open;
      },
      whenAgentsEnd: () => promise,
    };
    return { overrides, turn, end };
  }

  /** What is there to tell comes while a line is begun. */
  async function halfTyped(type: (keys: string) => Promise<void>, end: () => void): Promise<void> {
    await type("hello\r");
    await type("half");
    end();
    await settled(6);
  }

  test("make the session continue by itself", async () => {
    const { overrides, turn, end } = working();
    const { type, text, engine, done } = start(turn, { overrides });
    await type("hello\r");
    end();
    await settled(6);
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { isMeta: true }]);
    expect(text()).toContain("(background work has reported)\n");
    await type("again\r");
    await type("\x04");
    expect(await done).toBe(0);
    expect(engine.prompts).toHaveLength(3);
  });

  test.each([1, 0])("make it continue like hooks that have something for the model (%d)", async (toTell) => {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    let waiting = 0;
    const turn: Turn = (engine, prompt) => {
      waiting = 0;
      return echo(engine, prompt);
    };
    const overrides: Partial<Engine> = {
      get openAgents() {
        return waiting;
      },
      openHooks: 1,
      whenAgentsEnd: () => promise,
    };
    const { type, engine, done } = start(turn, { overrides });
    await type("hello\r");
    waiting = toTell;
    end();
    await settled(6);
    expect(engine.prompts.slice(1, 2)).toMatchObject(toTell === 1 ? [{ isMeta: true }] : []);
    expect(engine.prompts.length).toBeGreaterThanOrEqual(1 + toTell);
    await type("\x04");
    await done;
  });

  test("do not disturb an open question", async () => {
    const { overrides, turn, end } = working();
    const { type, raw, talk } = start(turn, { overrides });
    await type("hello\r");
    const answered = talk.ask(bash, new AbortController().signal);
    await type("");
    end();
    await settled(6);
    await type("y");
    expect(raw()).toMatch(/yes, no\? y$/u);
    expect(raw().split("yes, no? ")).toHaveLength(2);
    await type("\r");
    expect(await answered).toEqual({ behavior: "allow" });
  });

  test("do not remove half-typed text", async () => {
    const { overrides, turn, end } = working();
    const { type, engine, done } = start(turn, { overrides });
    await halfTyped(type, end);
    expect(engine.prompts).toHaveLength(1);
    await type(" and whole\r");
    await type("\x04");
    await done;
    expect(engine.prompts[1]).toMatchObject({ prompt: "half and whole" });
  });

  test("make the session continue once the line is empty again", async () => {
    const { overrides, turn, end } = working();
    const { type, engine, done } = start(turn, { overrides });
    await halfTyped(type, end);
    await type("\x15");
    await settled(6);
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { isMeta: true }]);
    await type("\x04");
    await done;
  });

  test("wait for the next prompt after a failed turn", async () => {
    const { overrides, turn, end } = working(() => [
      failure("error_during_execution", "model_error", ["the disk is full"]),
    ]);
    const { type, engine, done } = start(turn, { overrides });
    await type("hello\r");
    end();
    await settled(6);
    expect(engine.prompts).toHaveLength(1);
    await type("\x04");
    await done;
  });

  test("do not delay the exit", async () => {
    const { overrides, turn } = working();
    const { type, done } = start(turn, { overrides });
    await type("hello\r");
    await type("/exit\r");
    expect(await done).toBe(0);
  });
});

describe("background commands that end by themselves", () => {
  const end = (status: SDKTaskNotification["status"]): SDKTaskNotification => ({
    type: "system",
    subtype: "task_notification",
    uuid: "n1",
    session_id: "s1",
    task_id: "b1",
    status,
    exit_code: 0,
    output_file: "",
    summary: "npm test",
  });

  /** One works from the first turn on, and the turn that comes after its end tells of it. */
  function commanding() {
    let tell: (message: SDKTaskNotification) => void = () => undefined;
    let ended: SDKTaskNotification | undefined;
    const desk = {
      tasks: () => [],
      goal: () => null,
      onTaskEnd: (listener: typeof tell) => ((tell = listener), () => undefined),
    };
    const settle = (status: SDKTaskNotification["status"] = "completed"): void => tell((ended = end(status)));
    const turn: Turn = async function* (engine, prompt) {
      if (ended !== undefined) yield ended;
      yield* echo(engine, prompt);
      if (prompt === "ends within") settle();
    };
    return { overrides: { desk: desk as unknown as Engine["desk"] }, turn, settle };
  }

  test.each(["while nobody types", "after the last request of a turn"])(
    "make the session continue: %s",
    async (when) => {
      const { overrides, turn, settle } = commanding();
      const { type, pause, text, engine, done } = start(turn, { overrides });
      if (when === "while nobody types") {
        await type("hello\r");
        expect(engine.prompts).toHaveLength(1);
        settle();
      } else await type("ends within\r");
      await pause(250);
      expect(engine.prompts.slice(1)).toMatchObject([{ isMeta: true }]);
      expect(text()).toContain("(background work has reported)\n");
      await type("\x04");
      expect(await done).toBe(0);
      expect(engine.prompts).toHaveLength(2);
    },
  );

  // Seen: three that ended within a tenth of a second cost three turns.
  test("make the session continue once if they end at nearly the same time", async () => {
    const { overrides, turn, settle } = commanding();
    const { type, pause, engine, done } = start(turn, { overrides });
    await type("hello\r");
    settle();
    await pause(100);
    settle();
    await pause(100);
    expect(engine.prompts).toHaveLength(1);
    await pause(100);
    expect(engine.prompts.slice(1)).toMatchObject([{ isMeta: true }]);
    await type("\x04");
    await done;
  });

  // Seen: a model that restarted its command each time it was told of the end continued until somebody looked.
  test("make the session continue a hundred times in a row at most", async () => {
    const { overrides, turn, settle } = commanding();
    const { type, pause, text, engine, done } = start(turn, { overrides });
    const goOn = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count++) {
        settle();
        await pause(250);
      }
    };
    await type("hello\r");
    await goOn(103);
    expect(engine.prompts).toHaveLength(101);
    expect(text().split("100 times in a row")).toHaveLength(2);
    await type("go on\r");
    await goOn(2);
    expect(engine.prompts.slice(101)).toMatchObject([{ prompt: "go on" }, { isMeta: true }, { isMeta: true }]);
    await type("\x04");
    await done;
  });

  test("start no turn if a prompt has reported them already", async () => {
    const { overrides, turn, settle } = commanding();
    const { type, pause, engine, done } = start(turn, { overrides });
    await type("hello\r");
    await type("half");
    settle();
    await type(" and whole\r");
    await pause(250);
    await type("\x04");
    await done;
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { prompt: "half and whole" }]);
  });

  // Seen: a model that restarted its command each time continued after a Ctrl+C that came as its turn ended.
  test("start no turn after a Ctrl+C that was meant for the turn that has just ended", async () => {
    const { overrides, turn, settle } = commanding();
    const { type, pause, press, engine, done } = start(turn, { overrides });
    await press("hello\r");
    await type("\x03");
    settle();
    await pause(250);
    expect(engine.prompts).toHaveLength(1);
    await type("and?\r");
    await type("\x04");
    expect(await done).toBe(0);
    expect(engine.prompts).toHaveLength(2);
  });

  // Seen: /cost after a Ctrl+C made the model continue, and after a mistyped command nothing continued any more.
  test.each([
    ["/cost after a failed turn", true, false],
    ["a mistyped command after a successful turn", false, true],
  ])("start a turn depending on the last real turn, not on %s", async (_name, hasFailed, isWrong) => {
    const { overrides, settle } = commanding();
    const failed = failure("error_during_execution", "aborted_streaming");
    const turn: Turn = (engine, prompt) => {
      if (prompt === "/x") return [{ ...(isWrong ? failed : success("$0")), num_turns: 0 }];
      return hasFailed ? [failed] : echo(engine, prompt);
    };
    const { type, pause, engine, done } = start(turn, { overrides });
    await type("hello\r");
    await type("/x\r");
    settle();
    await pause(250);
    expect(engine.prompts).toHaveLength(hasFailed ? 2 : 3);
    await type("\x04");
    await done;
  });

  test("start no turn if they were stopped", async () => {
    const { overrides, turn, settle } = commanding();
    const { type, pause, engine, done } = start(turn, { overrides });
    await type("hello\r");
    settle("stopped");
    await pause(250);
    await type("\x04");
    await done;
    expect(engine.prompts).toHaveLength(1);
  });

  // Seen: they waited for the agent, which may work for an hour.
  test("make the session continue after a turn although an agent is still running", async () => {
    const { overrides, turn, settle } = commanding();
    const agent = { openAgents: 1, whenAgentsEnd: () => new Promise<void>(() => undefined) };
    const { type, pause, engine, done } = start(turn, { overrides: { ...overrides, ...agent } });
    await type("hello\r");
    await type("half");
    settle();
    await type("\x15");
    await pause(250);
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { isMeta: true }]);
    await type("\x04");
    await done;
  });

  // Seen: the copy was told that something had ended, and a request was paid for.
  test("are not reported to a session that has replaced theirs", async () => {
    const { overrides, turn, settle } = commanding();
    const { desk: other } = commanding().overrides;
    const branch = async () => void (overrides.desk = other);
    const place = {
      get desk() {
        return overrides.desk;
      },
      branch,
    };
    const { type, pause, engine, done } = start(turn, { overrides: place as unknown as Partial<Engine> });
    await type("hello\r");
    await type("/bra");
    settle();
    await type("nch\r");
    await pause(250);
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }]);
    await type("\x04");
    await done;
  });

  // Of more than fifty, the first are reported to nobody: the session continued for them again and again.
  test("make the session continue only once even if no turn reports them", async () => {
    const { overrides, settle } = commanding();
    const turn: Turn = (engine, prompt) =>
      engine.prompts.length > 3
        ? [failure("error_during_execution", "model_error", ["for ever"])]
        : echo(engine, prompt);
    const { type, pause, engine, done } = start(turn, { overrides });
    await type("hello\r");
    settle();
    await pause(250);
    await pause(250);
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { isMeta: true }]);
    await type("\x04");
    await done;
  });
});

describe("an end that the session does not continue with", () => {
  const ended = (id: string, usage?: SDKTaskNotification["usage"], file = "/out"): SDKTaskNotification => ({
    type: "system",
    subtype: "task_notification",
    uuid: "n1",
    session_id: "s1",
    task_id: id,
    status: "completed",
    exit_code: usage === undefined ? 0 : null,
    output_file: usage === undefined ? file : "",
    summary: `task ${id}`,
    ...(usage === undefined ? {} : { usage }),
  });
  /** A command and two agents work; the next prompt reports what has ended. */
  function workingBeside(file = "/out") {
    let tell: (message: SDKTaskNotification) => void = () => undefined;
    const desk = {
      tasks: () => [],
      goal: () => null,
      onTaskEnd: (listener: typeof tell) => ((tell = listener), () => undefined),
    };
    const notifications: SDKTaskNotification[] = [];
    let next: PromiseWithResolvers<void> | undefined = Promise.withResolvers<void>();
    const usage = { tool_uses: 1, total_tokens: 2_000, duration_ms: 3_000 };
    const background = {
      settle: async () => undefined,
      dropSuggestion: () => undefined,
      agentEnds: () => ({ notifications, next: next?.promise }),
    };
    const overrides: Partial<Engine> = {
      desk: desk as unknown as Engine["desk"],
      background,
      openAgents: 2,
      whenAgentsEnd: () => new Promise<void>(() => undefined),
    };
    const endAgent = async (id: string): Promise<void> => {
      notifications.push(ended(id, usage));
      const done = next;
      next = Promise.withResolvers<void>();
      done?.resolve();
      await settled(4);
    };
    const turn: Turn = async function* (engine, prompt) {
      if (engine.prompts.length > 1) yield* [ended("b1"), ...notifications.splice(0)];
      if (prompt === "fails") yield failure("error_during_execution", "model_error", ["the disk is full"]);
      else yield* echo(engine, prompt);
    };
    return { overrides, turn, endCommand: () => tell(ended("b1", undefined, file)), endAgent };
  }

  // Seen: whoever had begun to type learned of the end only from the answer to the next prompt.
  test("is shown above a half-typed prompt, and not again when a turn reports it", async () => {
    const { overrides, turn, endCommand } = workingBeside();
    const { type, pause, text, raw, engine, done } = start(turn, { overrides });
    await type("hello\r");
    await type("half");
    endCommand();
    await pause(250);
    const line = "background command ended (exit code 0): task b1, output in /out\n";
    expect(text()).toContain(line);
    expect(raw().endsWith("> half")).toBe(true);
    await pause(250);
    await type(" and whole\r");
    await type("\x04");
    await done;
    expect(engine.prompts).toMatchObject([{ prompt: "hello" }, { prompt: "half and whole" }]);
    expect(text().split(line)).toHaveLength(2);
  });

  // Seen: the path of the output took two rows of its own.
  test("shortens the path of the output", async () => {
    const folder = `/home/ada/.pawl/projects/-home-ada-work/${"0".repeat(36)}/tool-results`;
    const { overrides, turn, endCommand } = workingBeside(`${folder}/output-2db4b1187d1d.txt`);
    const { type, pause, text } = start(turn, { overrides, env: { NO_COLOR: "1", HOME: "/home/ada" } });
    await type("hello\r");
    await type("half");
    endCommand();
    await pause(250);
    expect(text()).toContain("task b1, output in\n~/.pawl/projects/…/tool-results/output-2db4b1187d1d.txt\n");
  });

  // Seen: a dumb terminal had the prompt between the rows of the line.
  test("is written in one piece although it takes several rows", async () => {
    const { overrides, turn, endCommand } = workingBeside();
    const { type, pause, text, output } = start(turn, { overrides, env: { TERM: "dumb" } });
    output.columns = 40;
    await type("hello\r");
    await type("half");
    endCommand();
    await pause(250);
    expect(text()).toMatch(/> half\nbackground command ended \(exit code 0\):\ntask b1, output in \/out\n> half$/u);
  });

  test("is shown after a failed turn, too", async () => {
    const { overrides, turn, endCommand } = workingBeside();
    const { type, pause, text, engine, done } = start(turn, { overrides });
    await type("fails\r");
    endCommand();
    await pause(250);
    expect(text()).toContain("background command ended");
    expect(engine.prompts).toHaveLength(1);
    await type("\x04");
    await done;
  });

  test("is shown for each agent while others still work", async () => {
    const { overrides, turn, endAgent } = workingBeside();
    const { type, text, done } = start(turn, { overrides });
    await type("hello\r");
    await type("half");
    for (const id of ["a1", "a2"]) {
      await endAgent(id);
      expect(text()).toContain(`agent done: task ${id} (1 call, 2.0k tokens, 3 s)\n> half`);
    }
    await type("\r");
    await type("\x04");
    await done;
    expect(text().match(/agent done/gu)).toHaveLength(2);
  });
});
