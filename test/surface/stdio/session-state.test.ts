// Clients that ask for the session's state are told it, and may take `idle` for the end of what they wanted.
import { expect, test } from "vitest";
import type { SDKMessage } from "../../../src/protocol/sdk.ts";
import { ClientRequests } from "../../../src/surface/stdio/client-requests.ts";
import { WaitNoticeFilter } from "../../../src/surface/stdio/informational.ts";
import { beginsAgent, calls, drive, says, type Client, type Json } from "./client.ts";

const env = { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1" };
const write = calls(["Write", { file_path: "made.txt", content: "x" }]);

const states = (client: Client): unknown[] =>
  client.messages.flatMap(({ subtype, state }) => (subtype === "session_state_changed" ? [state] : []));

/** Results and states, as they came. */
const told = (client: Client): unknown[] =>
  client.messages.flatMap(({ type, subtype, state }) =>
    type === "result" ? [type] : subtype === "session_state_changed" ? [state] : [],
  );

const isIdle = (client: Client, times: number) => (): boolean =>
  states(client).filter((state) => state === "idle").length === times;

test("each turn reports running, requires_action for a question, and idle after its result", () =>
  drive(
    [says("hello"), write, says("made")],
    { args: ["--permission-prompt-tool", "stdio"], env, answer: () => ({ behavior: "allow" }) },
    async (client) => {
      client.sendPrompt("hi");
      await client.until(isIdle(client, 1), "idle");
      expect(told(client)).toEqual(["running", "result", "idle"]);
      client.sendPrompt("make it");
      await client.until(isIdle(client, 2), "idle");
      expect(told(client).slice(3)).toEqual(["running", "requires_action", "running", "result", "idle"]);
      const [state] = client.messages.filter(({ subtype }) => subtype === "session_state_changed") as [Json];
      const { uuid } = state;
      expect(uuid).toEqual(expect.any(String));
      expect(state).toMatchObject({ type: "system", session_id: (await client.result())["session_id"] });
    },
  ));

test("the state is also reported if env of the settings asks for it", () =>
  drive([says("hello")], { args: ["--settings", JSON.stringify({ env })] }, async (client) => {
    client.sendPrompt("hi");
    await client.result();
    client.link.stdin.end();
    await client.ended;
    expect(told(client)).toEqual(["running", "result", "idle"]);
  }));

test("an interrupted turn reports idle only after the waiting messages", () =>
  drive(
    [write, says("second"), says("third")],
    { args: ["--permission-prompt-tool", "stdio"], env, answer: () => new Promise(() => undefined) },
    async (client) => {
      client.sendPrompt("make it");
      await client.until(() => states(client).includes("requires_action"), "a question");
      client.sendPrompt("and then");
      client.sendPrompt("and then");
      await client.request("interrupt");
      await client.until(isIdle(client, 1), "idle");
      expect(told(client).slice(2)).toEqual(["running", "result", "result", "result", "idle"]);
    },
  ));

test("a message without a query during a turn is no turn, and idle comes after it", () => {
  const answered = Promise.withResolvers<Json>();
  return drive(
    [write, says("made")],
    { args: ["--permission-prompt-tool", "stdio"], env, answer: () => answered.promise },
    async (client) => {
      client.sendPrompt("make it");
      await client.until(() => states(client).includes("requires_action"), "a question");
      client.sendPrompt("by the way", { shouldQuery: false });
      answered.resolve({ behavior: "allow" });
      await client.until(isIdle(client, 1), "idle");
      expect(told(client).slice(2)).toEqual(["running", "result", "idle"]);
    },
  );
});

test("idle waits for background agents, but not after an interrupt", () =>
  drive(beginsAgent(new Promise(() => undefined)), { env }, async (client) => {
    client.sendPrompt("begin");
    await client.result();
    await client.request("get_session_cost");
    expect(told(client)).toEqual(["running", "result"]);
    await client.request("interrupt");
    await client.until(isIdle(client, 1), "idle");
    expect(told(client)).toEqual(["running", "result", "idle"]);
  }));

// An agent SDK closes the input behind the result of a single prompt, and then nobody can be asked what the agent wants to do.
test("running is reported before the result to every client while background agents run", () => {
  const counted = Promise.withResolvers<ReturnType<typeof says>>();
  return drive(beginsAgent(counted.promise), {}, async (client) => {
    client.sendPrompt("begin");
    await client.result();
    expect(told(client)).toEqual(["running", "result"]);
    counted.resolve(says("three"));
    await client.until(isIdle(client, 1), "idle");
    expect(told(client)).toEqual(["running", "result", "result", "idle"]);
    client.sendPrompt("thanks");
    await client.result(3);
    await client.close();
    expect(told(client).slice(4)).toEqual(["result"]);
  });
});

test("requires_action is reported if a background agent asks before the result", () => {
  const agent = calls(["Agent", { description: "counts", prompt: "Count.", run_in_background: true }]);
  const isAsked = Promise.withResolvers<unknown>();
  const answered = Promise.withResolvers<Json>();
  const ofAgent = [write, says("three")];
  const own = [() => agent, () => isAsked.promise.then(() => says("begun")), () => says("all is counted")];
  return drive(
    ({ body }) => {
      if (JSON.stringify(body.messages[0]).includes("Count.")) return ofAgent.shift() ?? says("more");
      return own.shift()?.() ?? says("more");
    },
    {
      args: ["--permission-prompt-tool", "stdio"],
      answer: () => {
        isAsked.resolve(undefined);
        return answered.promise;
      },
    },
    async (client) => {
      client.sendPrompt("begin");
      await client.result();
      expect(told(client)).toEqual(["running", "requires_action", "result"]);
      answered.resolve({ behavior: "allow" });
      await client.until(isIdle(client, 1), "idle");
      expect(told(client).slice(3)).toEqual(["running", "result", "idle"]);
    },
  );
});

test("nothing is reported to a client that does not ask for the state", () =>
  drive([says("hello")], {}, async (client) => {
    client.sendPrompt("hi");
    await client.result();
    await client.close();
    expect(states(client)).toEqual([]);
  }));

// Seen: "Waiting for permission (Bash), at most 24 h 1 min" after the answer, while a rule was written into a settings file.
test("a wait notice that comes after a person's answer is omitted until the next message", () => {
  const place = { uuid: "u", session_id: "s", type: "system" as const };
  const notice = { ...place, subtype: "informational" as const, level: "info" as const, content: "x" };
  const wait = { ...notice, tag: "waiting:t1.permission" };
  const notices = new WaitNoticeFilter();
  const isOmitted = (message: SDKMessage, answers: number) => notices.shouldOmit(message, false, answers);
  expect([isOmitted(wait, 0), isOmitted(wait, 1), isOmitted(notice, 1), isOmitted(wait, 1)]).toEqual([
    false,
    true,
    false,
    false,
  ]);
});

// Seen: of a call that a person had allowed, nothing said that a slow hook was waited for after it.
test("a wait notice of a hook is shown after a person's answer too", () => {
  const place = { uuid: "u", session_id: "s", type: "system" as const };
  const notice = { ...place, subtype: "informational" as const, level: "info" as const, content: "x" };
  const notices = new WaitNoticeFilter();
  const tags = ["waiting:t1.tool.0.permission", "waiting:t1.tool.0.PostToolUse"];
  expect(tags.map((tag) => notices.shouldOmit({ ...notice, tag }, false, 1))).toEqual([true, false]);
});

test("requests count the answers of people, but neither those of hooks nor late ones", () => {
  let made = 0;
  const requests = new ClientRequests(
    () => undefined,
    () => String(++made),
  );
  const answers = ["can_use_tool", "hook_callback", "elicitation"].map((subtype) => requests.send({ subtype }));
  for (const id of ["1", "2", "3", "3", "9"]) requests.answer(id, { ok: true, value: {} });
  expect(requests.answersOfPeople).toBe(2);
  return Promise.all(answers);
});

test("wait notices are omitted while the client is asked or after a reported compaction", () => {
  const place = { uuid: "u", session_id: "s", type: "system" as const };
  const news = (tag?: string) => {
    const said = { subtype: "informational" as const, level: "info" as const, content: "x" };
    return { ...place, ...said, ...(tag === undefined ? {} : { tag }) };
  };
  const status = (status: "compacting" | "requesting" | null) => ({ ...place, subtype: "status" as const, status });
  const wait = news("waiting:t1.permission");
  const notices = new WaitNoticeFilter();
  const isSpared = (message: SDKMessage) => notices.shouldOmit(message, false);
  expect([notices.shouldOmit(wait, true), isSpared(wait)]).toEqual([true, false]);
  expect([news("stop_hook_summary"), news()].map((each) => notices.shouldOmit(each, true))).toEqual([false, false]);
  expect([status("compacting"), wait, news(), wait].map(isSpared)).toEqual([false, true, false, true]);
  expect([status("requesting"), wait].map(isSpared)).toEqual([false, false]);
  // One that was interrupted says nothing of its own end.
  const over = { ...place, type: "result" } as unknown as SDKMessage;
  expect([status("compacting"), over, wait].map(isSpared)).toEqual([false, false, false]);
  const begins = {
    ...place,
    subtype: "compact_boundary" as const,
    compact_metadata: { trigger: "auto" as const, pre_tokens: 1 },
  };
  expect([status("compacting"), begins, wait].map(isSpared)).toEqual([false, false, false]);
});
