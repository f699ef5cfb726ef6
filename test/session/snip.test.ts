// Spans taken out of a real session: now, at a border, at every resume, and what happens without the callback.
import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import { SnipError, snipReplay, type EngineOptions, type Message, type QueryEngine } from "../../src/index.ts";
import type { SDKMessage } from "../../src/protocol/sdk.ts";
import type { SnipReplay } from "../../src/protocol/message.ts";
import { put } from "../support/put.ts";
import {
  calls,
  clearGroundsAfterwards,
  disposeAll,
  layGround,
  linesOf,
  openOn,
  scripted,
  turn,
  type Ground,
} from "./support.ts";

clearGroundsAfterwards();
afterEach(disposeAll);

/** Reads a note in each turn and answers with what the prompt says last. */
function reader(ground: Ground) {
  const note = ground.file("note.txt", "the note's text\n".repeat(200));
  return scripted({
    fallback(request) {
      const said = request.lastUserText ?? "";
      return request.lastToolResults.length === 0
        ? {
            content: [
              { thinking: "hm" },
              { tool: "Read", id: `toolu_${said.slice(-3).trim()}`, input: { file_path: note } },
            ],
          }
        : `answer to ${said.slice(-3)}`;
    },
  });
}

async function threeTurns(extra: EngineOptions = {}) {
  const ground = layGround();
  const model = reader(ground);
  const engine = await openOn(ground, model, { snipReplay, ...extra });
  for (const prompt of ["one", "two", "three"]) await turn(engine, `topic ${prompt}`, { uuid: `prompt-${prompt}` });
  return { ground, model, engine };
}

const uuids = (engine: QueryEngine): string[] => engine.getMessages().map(({ uuid }) => uuid);

/** From the prompt to the message before the next. */
function turnSpan(engine: QueryEngine, prompt: string): { fromUuid: string; toUuid: string } {
  const messages = engine.getMessages();
  const isPrompt = ({ uuid }: Message) => uuid.startsWith("prompt-");
  const start = messages.findIndex(({ uuid }) => uuid === `prompt-${prompt}`);
  const next = messages.findIndex((message, at) => at > start && isPrompt(message));
  return { fromUuid: messages[start]!.uuid, toUuid: messages[(next < 0 ? messages.length : next) - 1]!.uuid };
}

const lastBody = (model: ReturnType<typeof reader>): string => JSON.stringify(calls(model).at(-1)!.body);

// Seen: the rules of a folder went with the span in which a file there had been read, and were never told again.
test("repeats the instructions of a folder with its next file after their span was removed", async () => {
  const ground = layGround();
  put(`${ground.work}/sub/CLAUDE.md`, "Indent with tabs.");
  const path = put(`${ground.work}/sub/a.txt`, "a");
  const model = scripted({
    fallback: ({ lastToolResults, lastUserText }) =>
      lastToolResults.length === 0 && /two|four/u.test(lastUserText)
        ? { content: [{ tool: "Read", input: { file_path: path } }] }
        : "done",
  });
  const engine = await openOn(ground, model, { snipReplay });
  for (const prompt of ["one", "two", "three"]) await turn(engine, `topic ${prompt}`, { uuid: `prompt-${prompt}` });
  expect(lastBody(model).split("Indent with tabs.")).toHaveLength(2);
  engine.snip(turnSpan(engine, "two"));
  for (const prompt of ["four", "four again"]) {
    await turn(engine, prompt);
    expect(lastBody(model).split("Indent with tabs.")).toHaveLength(2);
  }
});

test("repeats the current folder of commands if the removed span had changed it", async () => {
  const ground = layGround();
  const model = scripted({
    fallback: ({ lastToolResults, lastUserText }) =>
      lastToolResults.length === 0 && lastUserText.includes("two")
        ? { content: [{ tool: "Bash", input: { command: "mkdir sub && cd sub" } }] }
        : "done",
  });
  const engine = await openOn(ground, model, { snipReplay, allowedTools: ["Bash"] });
  for (const prompt of ["one", "two", "three"]) await turn(engine, `topic ${prompt}`, { uuid: `prompt-${prompt}` });
  engine.snip(turnSpan(engine, "two"));
  for (const prompt of ["four", "five"]) await turn(engine, prompt);
  expect(lastBody(model)).not.toContain("cd sub");
  expect(lastBody(model).split(`relative paths is ${ground.work}/sub now.`)).toHaveLength(2);
});

test("removes a span between turns from the next request and from those of every resume", async () => {
  const { ground, model, engine } = await threeTurns();
  const answer = engine.snip({ ...turnSpan(engine, "two"), reason: "off topic" });
  expect(answer).toMatchObject({ state: "applied", boundary: { by: "host", reason: "off topic" } });
  expect(uuids(engine)).not.toContain("prompt-two");
  expect(uuids(engine)).toEqual(expect.arrayContaining(["prompt-one", "prompt-three"]));
  const before = JSON.parse(JSON.stringify(engine.getMessages())) as unknown;
  await engine.dispose();
  const notices: string[] = [];
  const again = await openOn(ground, model, {
    snipReplay,
    resume: engine.getSessionId(),
    onNotice: (text) => notices.push(text),
  });
  expect(again.getMessages()).toEqual(before);
  expect(notices.filter((text) => text.includes("taken out"))).toEqual([]);
  await turn(again, "topic four");
  expect(lastBody(model)).toContain("topic one");
  expect(lastBody(model)).not.toContain("topic two");
  expect(model.violations).toEqual([]);
  expect(readFileSync(engine.getTranscriptPath()!, "utf8")).toContain("topic two");
});

test("sends the same bytes after a resume as without it", async () => {
  const bodies: string[] = [];
  for (const resumes of [false, true]) {
    const { ground, model, engine } = await threeTurns({ clock: fixedClock, ids: countingIds() });
    engine.snip(turnSpan(engine, "two"));
    if (resumes) await engine.dispose();
    const ids = countingIds("later");
    const next = resumes
      ? await openOn(ground, model, { snipReplay, resume: engine.getSessionId(), clock: fixedClock, ids })
      : engine;
    await turn(next, "topic four");
    const { messages, system } = calls(model).at(-2)!.body!;
    bodies.push(JSON.stringify([messages, system]).replaceAll(ground.work, "/work"));
  }
  expect(bodies[1]).toBe(bodies[0]);
});

test("a resume without the callback keeps the span, says so, and leaves the record for one with it", async () => {
  const { ground, model, engine } = await threeTurns();
  engine.snip(turnSpan(engine, "two"));
  await engine.dispose();
  const resumed = async (extra: EngineOptions) => {
    const notices: string[] = [];
    const opened = await openOn(ground, model, {
      resume: engine.getSessionId(),
      onNotice: (text) => notices.push(text),
      ...extra,
    });
    return { opened, said: notices.filter((text) => text.includes("history that was removed")) };
  };
  const without = await resumed({});
  expect(uuids(without.opened)).toContain("prompt-two");
  expect(without.said).toEqual([expect.stringContaining("opened without snipReplay") as string]);
  await turn(without.opened, "topic four", { uuid: "prompt-four" });
  expect(lastBody(model)).toContain("topic two");
  expect(() => without.opened.snip(turnSpan(without.opened, "two"))).toThrow(
    expect.objectContaining({ code: "no_callback" }) as Error,
  );
  await without.opened.dispose();
  const off = await resumed({ snipReplay, env: { DISABLE_SNIP: "1" } });
  expect(off.said).toEqual([expect.stringContaining("switched off") as string]);
  expect(() => off.opened.snip(turnSpan(off.opened, "two"))).toThrow(
    expect.objectContaining({ code: "switched_off" }) as Error,
  );
  await off.opened.dispose();
  const back = await resumed({ snipReplay });
  expect(back.said).toEqual([]);
  expect(uuids(back.opened)).not.toContain("prompt-two");
  expect(uuids(back.opened)).toContain("prompt-four");
  await turn(back.opened, "topic five");
  expect(lastBody(model)).not.toContain("topic two");
  // Turn four's thinking is bound to turn two: refused once, then left out.
  expect(model.violations).toHaveLength(1);
  expect(model.violations[0]?.message).toContain("bound to a different conversation");
});

test("removes a span during a turn at the next request, and reports it with a message", async () => {
  const { model, engine } = await threeTurns();
  const span = turnSpan(engine, "two");
  let answer: unknown;
  const shown: SDKMessage[] = [];
  await turn(engine, "topic four", {
    onMessage(message) {
      shown.push(message);
      if (message.type === "assistant") answer ??= engine.snip({ ...span, by: "model" });
    },
  });
  expect(answer).toEqual({ state: "waiting" });
  const boundary = shown.find((message) => message.type === "system" && message.subtype === "snip_boundary");
  expect(boundary).toMatchObject({ snip_metadata: { from_uuid: "prompt-two", by: "model" } });
  expect(shown.findIndex((message) => message.type === "assistant")).toBeLessThan(shown.indexOf(boundary!));
  expect(
    calls(model)
      .slice(-2)
      .map(({ body }) => JSON.stringify(body).includes("topic two")),
  ).toEqual([true, false]);
  expect(model.violations).toEqual([]);
});

test("removes a waiting span at the end of a turn that makes no further request", async () => {
  const { engine } = await threeTurns();
  const span = turnSpan(engine, "two");
  const { messages } = await turn(engine, "topic four", {
    onMessage(message) {
      // The last answer of the turn: no border follows.
      if (message.type === "assistant" && JSON.stringify(message.message.content).includes("answer to"))
        expect(engine.snip(span)).toEqual({ state: "waiting" });
    },
  });
  expect(messages.slice(-2).map((message) => (message.type === "system" ? message.subtype : message.type))).toEqual([
    "snip_boundary",
    "result",
  ]);
  expect(uuids(engine)).not.toContain("prompt-two");
  expect(linesOf(engine).filter(({ type }) => type === "snip_boundary")).toHaveLength(1);
});

test("removes a waiting span when the turn is interrupted just before the next request", async () => {
  const { model, engine } = await threeTurns();
  const [span, whole] = [turnSpan(engine, "two"), linesOf(engine).length];
  let asked = false;
  const { messages } = await turn(engine, "topic four", {
    onMessage(message) {
      if (message.type === "assistant" && !asked) {
        asked = true;
        // The second is refused at the border, which tells listeners that the first is being removed.
        engine.snip(span);
        engine.snip(span);
      }
      if (JSON.stringify(message).includes("A span of history was not taken out")) engine.interrupt();
    },
  });
  expect(messages.at(-1)).toMatchObject({ type: "result", terminal_reason: "aborted_streaming" });
  expect(uuids(engine)).not.toContain("prompt-two");
  const kinds = linesOf(engine)
    .slice(whole)
    .map(({ type }) => type);
  expect(kinds.filter((kind) => kind === "snip_boundary")).toHaveLength(1);
  await turn(engine, "topic five");
  expect(lastBody(model)).not.toContain("topic two");
  expect(model.violations).toEqual([]);
});

test("refuses spans that must stay, with a code, and changes or records nothing", async () => {
  const { engine } = await threeTurns();
  const before = uuids(engine);
  const { fromUuid, toUuid } = turnSpan(engine, "two");
  for (const [span, code] of [
    [{ fromUuid: "nobody", toUuid }, "unknown_message"],
    [{ fromUuid: toUuid, toUuid: fromUuid }, "reversed"],
    [{ fromUuid: before[0]!, toUuid }, "holds_head"],
    [{ fromUuid, toUuid: fromUuid }, "not_whole"],
  ] as const) {
    let thrown: unknown;
    try {
      engine.snip(span);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SnipError);
    expect(thrown).toMatchObject({ code });
  }
  expect(uuids(engine)).toEqual(before);
  expect(linesOf(engine).some(({ type }) => type === "snip_boundary")).toBe(false);
  await engine.dispose();
  expect(() => engine.snip({ fromUuid, toUuid })).toThrow(/closed/);
});

test.each<[string, SnipReplay, string | undefined]>([
  ["does nothing", () => undefined, undefined],
  ["returns the same messages", (_boundary, messages) => [...messages], "left the span where it is"],
  [
    "throws",
    () => {
      throw new Error("no luck");
    },
    "no luck",
  ],
  ["takes more than the span", (_boundary, messages) => messages.slice(0, 2), "more than the span"],
  [
    "puts words in",
    (boundary, messages) => [...snipReplay(boundary, messages)!, messages[0]!],
    "added or changed messages",
  ],
  [
    "leaves half a call",
    (_boundary, messages) =>
      messages.filter((message) => !(message.type === "user" && message.content[0]?.type === "tool_result")),
    "more than the span",
  ],
  ["answers nonsense", () => "gone" as never, "not a list of messages"],
])("changes nothing if the callback %s", async (_name, replay, said) => {
  const notices: string[] = [];
  const { engine } = await threeTurns({ snipReplay: replay, onNotice: (text) => notices.push(text) });
  const before = uuids(engine);
  expect(() => engine.snip(turnSpan(engine, "two"))).toThrow(
    expect.objectContaining({ code: "not_executed" }) as Error,
  );
  expect(uuids(engine)).toEqual(before);
  expect(linesOf(engine).some(({ type }) => type === "snip_boundary")).toBe(false);
  expect(notices.filter((text) => text.startsWith("snipReplay"))).toEqual(
    said === undefined ? [] : [expect.stringContaining(said) as string],
  );
});

test("asks the callback once for a span and keeps its answer", async () => {
  let asked = 0;
  const once: SnipReplay = (boundary, messages) => (asked++ === 0 ? snipReplay(boundary, messages) : undefined);
  const { model, engine } = await threeTurns({ snipReplay: once });
  engine.snip(turnSpan(engine, "two"));
  expect(uuids(engine)).not.toContain("prompt-two");
  await turn(engine, "topic four");
  expect(lastBody(model)).not.toContain("topic two");
  expect(asked).toBe(1);
});

test("removes the span from a fork, too, and works without persistence", async () => {
  const { ground, model, engine } = await threeTurns();
  engine.snip(turnSpan(engine, "two"));
  await engine.dispose();
  const copy = await openOn(ground, model, { snipReplay, resume: engine.getSessionId(), forkSession: true });
  expect(copy.getSessionId()).not.toBe(engine.getSessionId());
  await turn(copy, "topic four");
  expect(lastBody(model)).not.toContain("topic two");
  expect(lastBody(model)).toContain("topic three");
  const { engine: passing, model: other } = await threeTurns({ persistSession: false });
  passing.snip(turnSpan(passing, "two"));
  await turn(passing, "topic four");
  expect(lastBody(other)).not.toContain("topic two");
});

test("shows a file from a removed span whole when it is read again", async () => {
  const { model, engine } = await threeTurns();
  expect(lastBody(model)).toContain("is unchanged since you last read these lines");
  engine.snip(turnSpan(engine, "two"));
  await turn(engine, "topic four");
  const results = calls(model).at(-1)!.body!.messages.at(-1);
  expect(JSON.stringify(results)).toContain("the note's text");
});

const fixedClock: NonNullable<EngineOptions["clock"]> = {
  now: () => Date.parse("2026-11-20T12:00:00.000Z"),
  elapsed: () => 0,
  timestamp: () => "2026-11-20T12:00:00.000Z",
  timer: (ms, onFire) => {
    const handle = setTimeout(onFire, Math.min(ms, 2_147_483_647));
    return () => clearTimeout(handle);
  },
};

function countingIds(prefix = "id"): NonNullable<EngineOptions["ids"]> {
  let next = 0;
  return {
    uuid: () => `00000000-0000-4000-8000-${prefix.length}${String(next++).padStart(11, "0")}`,
    random: () => 0.5,
  };
}
