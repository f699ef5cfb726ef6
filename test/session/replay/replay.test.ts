// Recorded sessions played to today's loop: the same where nothing changed, and a difference named where something did.
import { copyFileSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { forkSession, replaySessions, type EngineOptions } from "../../../src/index.ts";
import type { PermissionAnswer } from "../../../src/protocol/permission.ts";
import type { Tool } from "../../../src/protocol/tool.ts";
import type { Part, Reply } from "../../../src/testing/index.ts";
import { plainPng } from "../../support/pictures.ts";
import { put } from "../../support/put.ts";
import { clearGroundsAfterwards, disposeAll, impatientClock, layGround, openOn, scripted, turn } from "../support.ts";
import { altered, recorded, replay, withoutNotes, type Entry } from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

const call = (tool: string, input: Record<string, string>): Reply => ({ content: [{ tool, input }] });
const safe = {
  description: "",
  inputSchema: { type: "object", properties: { n: { type: "number" } } },
  isConcurrencySafe: () => true,
  isReadOnly: () => true,
  replay: "safe",
  maxResultSizeChars: 1_000,
} as const;
const reading = {
  steps: [call("Glob", { pattern: "*" }), call("Bash", { command: "echo one" }), "Done."],
  fallback: "Yes.",
};

const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));

function decisionsOf(report: Awaited<ReturnType<typeof replay>>): string[][] {
  return report.sessions.flatMap(({ turns }) => turns.map(({ decisions }) => decisions));
}

describe("replays without a difference", () => {
  test("a turn that sent unsigned thinking back after the server had required it", async () => {
    const block = { type: "thinking", thinking: "hm", signature: "" };
    const message = "The `content[].thinking` in the thinking mode must be passed back to the API.";
    const refused = { fault: { kind: "bad_request", message } } as const;
    const called = { content: [{ block }, { tool: "Glob", input: { pattern: "*" } }] };
    const steps = [called, refused, called, "Done.", called, "Done."];
    const model = scripted({ steps }, { validate: "off" });
    const session = await recorded(model, {}, ["One.", "Two."]);
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 2, differs: 0 });
    expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('"thinking":"hm"');
  });

  test("a session with tool calls and answers, without changing the transcript", async () => {
    const session = await recorded(reading);
    const before = readFileSync(session.path, "utf8");
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 1, differs: 0, skipped: 0 });
    expect(decisionsOf(report)).toEqual([["next_turn", "next_turn", "completed"]]);
    expect(readFileSync(session.path, "utf8")).toBe(before);
  });

  test("questions that were answered, declined, and declined with the end of the turn", async () => {
    const options = ["Postgres", "SQLite"].map((label) => ({ label, description: label }));
    const questions = [{ question: "Which?", header: "Database", options }];
    const asks = { content: [{ tool: "AskUserQuestion", input: { questions } }] };
    const answers: PermissionAnswer[] = [
      { behavior: "allow", updatedInput: { answers: { "Which?": "SQLite" } } },
      { behavior: "deny" },
      { behavior: "deny", interrupt: true },
    ];
    const ask = async () => answers.shift()!;
    const session = await recorded({ steps: [asks, asks, "Done.", asks] }, { ask, headless: false }, ["One.", "Two."]);
    expect(answers).toEqual([]);
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 2, differs: 0, skipped: 0 });
  });

  test("a refusal that ended the turn while the message was still arriving", async () => {
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "deny", interrupt: true });
    const steps = [call("Write", { file_path: "/srv/made", content: "x" })];
    const session = await recorded({ steps }, { ask, headless: false, permissionMode: "default" });
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 1, differs: 0 });
  });

  // Seen: a call that could not run was taken for the failure, and one that ended the turn for one of those that it ended.
  test.each<[what: string, last: Part, terminal: string]>([
    ["an invalid call", { tool: "Wait", input: { n: "two" } }, "completed"],
    [
      "a call that ends the turn",
      { tool: "Write", input: { file_path: "/srv/made", content: "x" } },
      "aborted_streaming",
    ],
  ])("a failed call that cancelled its siblings before the model had asked for %s", async (_, last, terminal) => {
    const failed = Promise.withResolvers<void>();
    const over = Promise.withResolvers<string>();
    const wait: Tool = {
      ...safe,
      name: "Wait",
      async call(_input, { signal }) {
        await aborted(signal);
        failed.resolve();
        return { content: await over.promise, isError: true };
      },
    };
    const fail: Tool = {
      ...safe,
      name: "Fail",
      failureCancelsSiblings: true,
      call: async () => ({ content: "no", isError: true }),
    };
    const note: Tool = { ...safe, name: "Note", call: async () => (over.resolve("late"), { content: "noted" }) };
    // Where nothing stands in a call, only what follows tells whether it was cut.
    const at = (name: string): Part => ({ tool: name, input: { n: 1 } });
    const content: Part[] = [at("Wait"), at("Fail"), last, at("Note")];
    let blocks = 0;
    const sleep = async (_: number, signal: AbortSignal | undefined): Promise<void> => {
      if (++blocks === 2) await failed.promise;
      if (terminal === "completed") return;
      if (blocks === 3) over.resolve("late");
      if (blocks === 4) await aborted(signal!);
    };
    const model = scripted({ steps: [{ content, pace: { blockDelayMs: 1 } }, "Done."] }, { sleep });
    const ask = async (): Promise<PermissionAnswer> => ({ behavior: "deny", interrupt: true });
    const options: EngineOptions = {
      ask,
      headless: false,
      permissionMode: "default",
      customTools: [wait, fail, note],
      allowedTools: ["Wait", "Fail", "Note"],
    };
    const session = await recorded(model, options);
    const report = await replay(session, session.sessionId);
    expect(report.sessions[0]?.turns).toMatchObject([{ outcome: "same" }]);
    expect(decisionsOf(report).flat().at(-1)).toBe(terminal);
  });

  test("turn limits, refusals, hooks and cut answers", async () => {
    const cut = { content: "a", stopReason: "max_tokens" };
    const session = await recorded(
      { steps: [cut, cut, "rest", call("Nothing", {}), call("Bash", { command: "echo" })], fallback: "Still." },
      {
        maxTurns: 2,
        hooks: { Stop: [{ callback: async () => ({ decision: "block", reason: "not yet" }) }] },
      },
      ["One.", "Two."],
    );
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 2, differs: 0 });
    expect(new Set(decisionsOf(report).flat())).toEqual(
      new Set([
        "max_output_tokens_escalate",
        "max_output_tokens_recovery",
        "next_turn",
        "stop_hook_blocking",
        "max_turns",
        "completed",
      ]),
    );
  });

  test("an answer that was never finished", async () => {
    const session = await recorded({ steps: [], fallback: { content: "a", stopReason: "pause_turn" } });
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 1, differs: 0 });
    expect(decisionsOf(report)).toEqual([["completed"]]);
  });

  // Seen: the retry was compared with the request of a turn without a pause, and the turn was reported as different.
  test("a paused answer whose continuation needed a retry", async () => {
    const paused = { content: "a", stopReason: "pause_turn" };
    const session = await recorded({ steps: [paused, { fault: { kind: "overloaded", retryAfter: 0 } }, "rest"] });
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 1, differs: 0 });
    expect(decisionsOf(report)).toEqual([["completed"]]);
  });

  test("a call that hooks deferred twice and that ran on the third run", async () => {
    const answers = ["defer", "defer", "allow"];
    const callback = async () => ({ hookSpecificOutput: { permissionDecision: answers.shift() } });
    const script = { steps: [call("Bash", { command: "echo one" }), "Done."], fallback: "Yes." };
    const prompts = ["One.", "Two.", "Three.", "Four."];
    const session = await recorded(script, { hooks: { PreToolUse: [{ callback }] } }, prompts);
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 3, differs: 0, skipped: 0 });
    expect(decisionsOf(report)).toEqual([["hook_stopped"], ["completed"], ["completed"]]);
  });

  test("a run that a hook ended at a permission question", async () => {
    const callback = async () => ({ continue: false, stopReason: "Enough." });
    const script = { steps: [call("Bash", { command: "touch made" })] };
    const session = await recorded(
      script,
      { hooks: { PermissionRequest: [{ callback }] }, permissionMode: "default" },
      ["One."],
    );
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 1, differs: 0, skipped: 0 });
    expect(decisionsOf(report)).toEqual([["hook_stopped"]]);
  });

  test("a run that a hook ended when a task was completed", async () => {
    const callback = async () => ({ continue: false, stopReason: "Enough." });
    const done = call("TaskUpdate", { taskId: "1", status: "completed" });
    const script = { steps: [call("TaskCreate", { subject: "Write", description: "" }), done] };
    const options = { hooks: { TaskCompleted: [{ callback }] }, env: { CLAUDE_CODE_ENABLE_TASKS: "1" } };
    const session = await recorded(script, options, ["One."]);
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 1, differs: 0, skipped: 0 });
    expect(decisionsOf(report)).toEqual([["next_turn", "hook_stopped"]]);
  });

  // Seen: the files they name, which follow each prompt, were replayed after all prompts, and pictures not at all.
  test("prompts with mentions that joined a running turn, including one that a hook blocked", async () => {
    const callback = async ({ prompt = "" }: { prompt?: unknown }) =>
      prompt === "Two."
        ? { decision: "block", reason: "Not that." }
        : { hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: `heard ${String(prompt)}` } };
    const hooks = { UserPromptSubmit: [{ callback }] } as EngineOptions["hooks"];
    const ground = layGround();
    ground.file("a.ts", "one");
    put(join(ground.work, "b.png"), plainPng(8, 8));
    const engine = await openOn(ground, scripted({ steps: [call("Glob", { pattern: "*" })], fallback: "Yes." }), {
      hooks,
    });
    let isDone = false;
    const onMessage = ({ type }: { type: string }): void => {
      if (type === "assistant" && !isDone)
        for (const text of ["One: @a.ts, @b.png", "Two.", "Three: @b.png, @a.ts"]) engine.enqueue(text);
      isDone ||= type === "assistant";
    };
    await turn(engine, "Go.", { onMessage });
    await engine.dispose();
    const session = { ground, sessionId: engine.getSessionId(), path: engine.getTranscriptPath()! };
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 1, differs: 0, skipped: 0 });
  });

  test("a session that was resumed, compacted by hand and forked", async () => {
    const session = await recorded(reading);
    const more = { permissionMode: "bypassPermissions", resume: session.sessionId } as const;
    const again = await openOn(session.ground, scripted({ fallback: "A summary, or an answer." }), more);
    await turn(again, "/compact");
    await turn(again, "Go on.");
    await again.dispose();
    const fork = await openOn(session.ground, scripted({ fallback: "Elsewhere." }), { ...more, forkSession: true });
    await turn(fork, "Another way.");
    await fork.dispose();
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 2, differs: 0, skipped: 0 });
    expect(await replay(session, fork.getSessionId())).toMatchObject({ same: 3, differs: 0, skipped: 0 });
    const { work: cwd, home } = session.ground;
    const all = await replaySessions(undefined, { cwd, home, env: {} });
    expect(all).toMatchObject({ same: 5, differs: 0, skipped: 0 });
  });

  // Seen: each turn after a turn with thinking was reported to leave out that thinking.
  test("thinking bound to the messages before it, both resent and left out", async () => {
    const thinking = { fallback: { content: [{ thinking: "hm" }, "So."] } };
    const session = await recorded(thinking, {}, ["One.", "Two."]);
    for (const words of [{ appendSystemPrompt: "Rhyme." }, {}]) {
      const more = { ...words, resume: session.sessionId };
      const again = await openOn(session.ground, scripted(thinking), more);
      await turn(again, "Go on.");
      await again.dispose();
    }
    const marks = readFileSync(session.path, "utf8").match(/"type":"thinking_stripped","/gu);
    expect(marks).toHaveLength(1);
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 4, differs: 0, skipped: 0 });
  });

  test("all sessions in a folder, whatever their files are called", async () => {
    const { ground, path } = await recorded({ fallback: "Hello." });
    const { work: cwd, home } = ground;
    mkdirSync(join(cwd, "kept"));
    for (const name of [basename(path), "retry storm.jsonl"]) copyFileSync(path, join(cwd, "kept", name));
    const all = await replaySessions("kept", { cwd, home, env: {} });
    expect(all).toMatchObject({ same: 2, differs: 0, skipped: 0 });
    writeFileSync(join(cwd, "kept", "other.jsonl"), "no transcript\n");
    expect((await replaySessions("kept", { cwd, home, env: {} })).skipped).toBe(1);
  });

  test("subagents, which have transcripts of their own", async () => {
    const agent = { description: "look", prompt: "Look.", subagent_type: "general-purpose" };
    const session = await recorded({
      steps: [call("Agent", agent), call("Bash", { command: "echo below" }), "Seen.", "All is well."],
    });
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 2, differs: 0, skipped: 0 });
    expect(report.sessions[0]?.agents.map(({ turns }) => turns[0]?.decisions)).toEqual([["next_turn", "completed"]]);
  });

  test("an interrupted turn, and one whose reader left", async () => {
    const session = await recorded({ fallback: "Hello." });
    const more = { permissionMode: "bypassPermissions", resume: session.sessionId } as const;
    const engine = await openOn(session.ground, scripted({ fallback: call("Bash", { command: "sleep 20" }) }), more);
    await turn(engine, "Wait.", {
      onMessage: (message) => message.type === "assistant" && void setImmediate(() => engine.interrupt()),
    });
    for await (const message of engine.submitMessage("Wait again.")) if (message.type === "assistant") break;
    await engine.dispose();
    const report = await replay(session, session.sessionId);
    expect(report).toMatchObject({ same: 3, differs: 0, skipped: 0 });
    expect(decisionsOf(report)[1]).toEqual(["aborted_tools"]);
  });

  // Seen: sessions of versions that recorded nothing of an answer that broke off after its calls were reported as different.
  test("a recording of an older version with fewer notices, and remarks on that", async () => {
    const cutOff = {
      content: [{ tool: "Bash", input: { command: "echo one" } }],
      fault: { kind: "reset" as const, at: "before_stop" as const },
    };
    const session = await recorded({ steps: [cutOff, "Done."] });
    const untold = (lines: Entry[]) => lines.filter(({ message }) => message?.["name"] !== "answer_cut");
    const report = await replay(session, altered(session, untold));
    expect(report).toMatchObject({ same: 1, differs: 0, skipped: 0 });
    expect(report.sessions[0]?.turns[0]?.remark).toBe("Today, people get further notices: answer_cut.");
    const remarks = (await replay(session, session.sessionId)).sessions[0]?.turns.map(({ remark }) => remark);
    expect(remarks).toEqual([undefined]);
  });

  test("a recording cut off after any of its lines", async () => {
    const session = await recorded(reading);
    const count = readFileSync(session.path, "utf8").trimEnd().split("\n").length;
    for (let lines = 1; lines <= count; lines++) {
      const file = altered(session, (all) => all.slice(0, lines));
      expect(await replay(session, file), `${lines} lines`).toMatchObject({ differs: 0 });
    }
  });

  test("a recording of an older version without notes about its runs", async () => {
    const session = await recorded(reading, {}, ["One.", "Two."]);
    const report = await replay(session, altered(session, withoutNotes));
    expect(report).toMatchObject({ same: 2, differs: 0, skipped: 0 });
    expect(decisionsOf(report)).toEqual([["next_turn", "next_turn", "completed"], ["completed"]]);
  });
});

describe("reports as the first difference", () => {
  /** The recording with the first line of this kind changed. */
  const changing = (type: string, change: (line: Entry) => void) => (lines: Entry[]) => {
    const found = lines.find((line) => line.type === type);
    if (found === undefined) throw new Error(`no ${type}`);
    change(found);
    return lines;
  };

  test("a transition with another reason", async () => {
    const session = await recorded(reading);
    const file = altered(
      session,
      changing("transition", ({ message }) => (message!["transition"] = { reason: "reactive_compact_retry" })),
    );
    const [turnOf] = (await replay(session, file)).sessions[0]!.turns;
    expect(turnOf).toMatchObject({ outcome: "differs", difference: { pass: 1, kind: "decision" } });
    expect(turnOf?.difference?.recorded).toContain("reactive_compact_retry");
    expect(turnOf?.difference?.replayed).toContain("next_turn");
  });

  test("another end of the run", async () => {
    const session = await recorded(reading);
    const ended = (lines: Entry[]) => {
      lines.findLast(({ type }) => type === "run")!.data!["terminal"] = { reason: "max_turns", turnCount: 3 };
      return lines;
    };
    const [turnOf] = (await replay(session, altered(session, ended))).sessions[0]!.turns;
    expect(turnOf?.difference).toMatchObject({
      kind: "decision",
      pass: 3,
      recorded: "the end max_turns (3)",
      replayed: "the end completed",
    });
  });

  test("an end that comes earlier because of a lower limit", async () => {
    const session = await recorded(reading);
    const file = altered(
      session,
      changing("run", ({ data }) => (data!["limits"] = { maxTurns: 1 })),
    );
    const [turnOf] = (await replay(session, file)).sessions[0]!.turns;
    expect(turnOf?.difference).toMatchObject({ kind: "decision", pass: 1 });
    expect(turnOf?.difference?.replayed).toBe("the end max_turns (2)");
  });

  test("a record that the loop no longer writes", async () => {
    const session = await recorded(reading);
    const file = altered(session, (lines) => {
      const at = lines.findIndex(({ type }) => type === "transition");
      const text = "Your last message was cut off.";
      const base = { ...lines[at]!, type: "user", uuid: "extra" };
      const message = { type: "user", uuid: "extra", timestamp: "t", content: [{ type: "text", text }], isMeta: true };
      return lines.toSpliced(at, 0, { ...base, message: { ...message, origin: "recovery" } });
    });
    const [turnOf] = (await replay(session, file)).sessions[0]!.turns;
    expect(turnOf?.difference).toMatchObject({ kind: "record", pass: 1, replayed: "nothing more" });
    expect(turnOf?.difference?.recorded).toContain("Your last message was cut off.");
  });
});

describe("a recording that cannot be replayed", () => {
  test("counts as skipped when it differs and its input was not recorded completely", async () => {
    const session = await recorded(
      { steps: [{ content: "a", stopReason: "max_tokens" }, "rest"] },
      { maxOutputTokens: 99 },
    );
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 1, differs: 0 });
    const report = await replay(session, altered(session, withoutNotes));
    expect(report).toMatchObject({ same: 0, differs: 0, skipped: 1 });
    expect(report.sessions[0]?.turns[0]).toMatchObject({ difference: { kind: "decision", pass: 1 } });
  });

  test("replays up to a damaged line and reports the damage", async () => {
    const session = await recorded(reading, {}, ["One.", "Two."]);
    const text = readFileSync(session.path, "utf8");
    const lines = text.split("\n");
    const at = lines.findLastIndex((line) => line.includes('"type":"assistant"'));
    const damaged = session.path.replace(".jsonl", "-damaged.jsonl");
    copyFileSync(session.path, damaged);
    writeFileSync(damaged, lines.with(at, "{ not a record").join("\n"));
    const report = await replay(session, damaged);
    expect(report).toMatchObject({ same: 1, differs: 0, skipped: 1 });
    expect(report.sessions[0]?.turns[1]?.remark).toContain("a line that cannot be read");
  });

  test("is skipped up to the next compaction when its first line is missing", async () => {
    const callback = async () => ({ continue: false, stopReason: "enough" });
    const hooks = { PostToolUse: [{ callback }] };
    const ground = layGround();
    const script = {
      fallback: call("Bash", { command: "echo one" }),
      rules: [{ when: { lastUserText: "shortened" }, reply: "Sum." }],
    };
    const engine = await openOn(ground, scripted(script), { hooks, permissionMode: "bypassPermissions" });
    for (const prompt of ["words ".repeat(9_000), "Two."]) await turn(engine, prompt);
    for await (const message of engine.compact()) expect(message.type).toBe("system");
    await turn(engine, "Three.");
    await engine.dispose();
    const session = { ground, sessionId: engine.getSessionId(), path: engine.getTranscriptPath()! };
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 3, differs: 0, skipped: 0 });
    const lines = readFileSync(session.path, "utf8").split("\n");
    writeFileSync(session.path, lines.slice(1).join("\n"));
    expect(await replay(session, session.sessionId)).toMatchObject({ same: 1, differs: 0, skipped: 2 });
  });

  test("is reported when it is a copy of a damaged recording", async () => {
    const session = await recorded(reading);
    const lines = readFileSync(session.path, "utf8").split("\n");
    const at = lines.findIndex((line) => line.includes('"type":"tool_result"'));
    writeFileSync(session.path, lines.toSpliced(at, 1).join("\n"));
    const { home, work } = session.ground;
    const { sessionId } = await forkSession(session.sessionId, { dir: work, home, env: {} });
    const report = await replay(session, sessionId);
    expect(report).toMatchObject({ same: 0, differs: 0, skipped: 1 });
    expect(report.sessions[0]?.turns[0]?.remark).toContain("messages that are not there");
  });

  test("is reported for an unknown session, a missing file and a session without a turn", async () => {
    const session = await recorded(reading);
    await expect(replay(session, "0a1b2c3d-0000-4000-8000-000000000000")).rejects.toMatchObject({
      name: "UsageError",
      code: "session_not_found",
      message: expect.stringContaining("No conversation found"),
    });
    const gone = await replay(session, "./gone.jsonl");
    expect(gone.skipped).toBe(1);
    expect(gone.sessions[0]?.problem).toContain("could not be opened");
    const empty = await replay(
      session,
      altered(session, (lines) => lines.slice(0, 3)),
    );
    expect(empty.sessions[0]?.problem).toBe("No turn is recorded in it.");
    expect(statSync(session.path).isFile()).toBe(true);
  });
});

test("repeats endlessly retried failures without counting them", async () => {
  const busy = { fault: { kind: "overloaded" as const } };
  const broken = { fault: { kind: "server_error" as const } };
  const steps = [busy, busy, broken, busy, busy, broken, busy];
  const env = { CLAUDE_CODE_RETRY_WATCHDOG: "1", CLAUDE_CODE_MAX_RETRIES: "2" };
  const session = await recorded({ steps: [...steps, "Done."] }, { env, clock: impatientClock });
  const report = await replay(session, session.path);
  expect(report).toMatchObject({ same: 1, differs: 0, skipped: 0 });
  expect(decisionsOf(report)).toEqual([["completed"]]);
});
