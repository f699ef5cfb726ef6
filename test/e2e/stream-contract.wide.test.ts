// What a client of the headless formats may count on.
import { describe, expect, test } from "vitest";
import { ask, atWire, calls, says } from "./support/ask.ts";
import { userLine } from "./support/soak.ts";
import type { Json } from "./support/strict.ts";
import { messageEvents, type Answer } from "./support/wire.ts";

const talk = ["-p", "--input-format", "stream-json", "--output-format", "stream-json"];
const glob = calls(["Glob", { pattern: "*" }], ["Read", { file_path: "none" }]);

function kinds(lines: readonly Json[]): string[] {
  return lines.map(({ type, subtype, event }) =>
    [type, subtype, (event as Json | undefined)?.["type"]].filter((part) => typeof part === "string").join(":"),
  );
}

describe("stream-json in and out", () => {
  test("each message gets one init and one result, in order, whatever comes between them", () =>
    atWire(
      (_, at) => (at === 0 ? glob : says(`answer ${at}`)),
      async (place, server) => {
        const input = [
          userLine("one"),
          "not json\n\n",
          userLine([]),
          '{"type":"control_request","request_id":"r1","request":{"subtype":"initialize"}}\n{"type":"keep_alive"}\n',
          userLine("two", { uuid: "0b0b0b0b-1111-4222-8333-444444444444" }),
          userLine("three").trimEnd(),
        ].join("");
        const { code, lines, stderr } = await place.run(talk, { input });
        const turns = lines.filter(({ type, subtype }) => type === "result" || subtype === "init");
        expect(kinds(turns)).toEqual([
          "system:init",
          "result:success",
          "system:init",
          "result:error_during_execution",
          "system:init",
          "result:success",
          "system:init",
          "result:success",
        ]);
        expect(turns.filter(({ type }) => type === "result").map(({ result }) => result)).toEqual([
          "answer 1",
          undefined,
          "answer 2",
          "answer 3",
        ]);
        expect(lines.filter(({ type }) => type === "control_response")).toMatchObject([
          { response: { subtype: "success", request_id: "r1" } },
        ]);
        expect(stderr).toContain("line 2 of standard input was not used");
        expect(new Set(lines.map(({ session_id: id }) => id).filter(Boolean)).size).toBe(1);
        expect(code).toBe(1);
        expect(server.requests).toHaveLength(4);
      },
    ));

  test("a message after a result starts another turn", () =>
    atWire([says("one"), says("two")], async (place, server) => {
      const started = place.start(talk, { stdin: "open" });
      started.child.stdin.write(userLine("a"));
      await started.saw(/"result":"one"/);
      started.child.stdin.write(userLine("b"));
      await server.whenAsked(2);
      started.child.stdin.end();
      const { code, lines } = await started.ended;
      expect(lines.filter(({ type }) => type === "result")).toHaveLength(2);
      expect(code).toBe(0);
    }));

  test("the end of the input does not cut off the running turn", () =>
    atWire([calls(["Bash", { command: "sleep 0.2; echo late" }]), says("done")], async (place) => {
      const { code, lines } = await place.run([...talk, "--allowed-tools", "Bash"], { input: userLine("a") });
      expect([code, lines.at(-1)?.["result"]]).toEqual([0, "done"]);
    }));

  test("a message sent twice under one id is answered once", () =>
    atWire([says("one")], async (place, server) => {
      const line = userLine("a", { uuid: "0b0b0b0b-1111-4222-8333-444444444444" });
      const { lines } = await place.run(talk, { input: line + line });
      expect(lines.filter(({ type }) => type === "result").map(({ is_error: failed }) => failed)).toEqual([
        false,
        true,
      ]);
      expect(server.requests).toHaveLength(1);
    }));
});

describe("partial messages", () => {
  test("come in order, and each block's message follows its end", async () => {
    const { lines } = await ask([glob, says("thrice")], { args: ["--include-partial-messages"] });
    const block = [
      "stream_event:content_block_start",
      ...Array(3).fill("stream_event:content_block_delta"),
      "stream_event:content_block_stop",
      "assistant",
    ];
    const end = ["stream_event:message_delta", "stream_event:message_stop"];
    expect(kinds(lines)).toEqual([
      "system:init",
      "system:status",
      "stream_event:message_start",
      ...block,
      ...block,
      ...end,
      "user",
      "user",
      "system:transition",
      "system:status",
      "stream_event:message_start",
      ...block,
      ...end,
      "result:success",
    ]);
  });

  test("of an attempt that broke off leave no message and no error", async () => {
    const cut: Answer = { kind: "stream", events: messageEvents([{ type: "text", text: "half" }]).slice(0, 4) };
    const { lines } = await ask([cut, says("whole")], { args: ["--include-partial-messages"] });
    const texts = lines.filter(({ type }) => type === "assistant").map(({ message }) => (message as Json)["content"]);
    expect(texts).toEqual([[{ type: "text", text: "whole" }]]);
    expect(lines.filter(({ subtype }) => subtype === "api_retry")).toMatchObject([{ attempt: 1, error_status: null }]);
  });

  test("of a block that was taken back are followed by its tombstone", async () => {
    const events = messageEvents([{ type: "text", text: "whole block" }]).slice(0, -2);
    const { lines } = await ask([{ kind: "stream", events }, says("again")]);
    const [first, second] = lines.filter(({ type }) => type === "assistant") as [Json, Json];
    expect(lines.find(({ subtype }) => subtype === "tombstone")).toMatchObject({
      retracted_message_uuids: [first["uuid"]],
    });
    expect((second["message"] as Json)["content"]).toEqual([{ type: "text", text: "again" }]);
  });

  test("are followed by a message with the usage so far and a result with all of it", async () => {
    const usage = { input_tokens: 11, output_tokens: 1, cache_read_input_tokens: 4000, cache_creation_input_tokens: 5 };
    const events = messageEvents([{ type: "text", text: "x" }], { usage, endUsage: { output_tokens: 7 } });
    const { lines, result } = await ask([{ kind: "stream", events }]);
    const message = lines.find(({ type }) => type === "assistant")?.["message"];
    expect(message).toMatchObject({ stop_reason: null, usage });
    expect(result["usage"]).toMatchObject({ ...usage, output_tokens: 7 });
  });
});

describe("older clients that fail on unknown message types", () => {
  const olderPython = { CLAUDE_CODE_ENTRYPOINT: "sdk-py", CLAUDE_AGENT_SDK_VERSION: "0.1.39" };
  const types = ({ lines }: { lines: readonly Json[] }): unknown[] => lines.map(({ type }) => type);

  test("get no such messages, with a prompt or over pipes", () =>
    atWire([], async (place) => {
      const once = ["-p", "--output-format", "stream-json", "--verbose", "/clear"];
      const piped = { input: userLine("/clear") };
      for (const [args, options] of [
        [once, {}],
        [talk, piped],
      ] as const) {
        expect(types(await place.run(args, options))).toContain("conversation_reset");
        const older = await place.run(args, { ...options, env: olderPython });
        expect(new Set(types(older))).toEqual(new Set(["system", "result"]));
      }
    }));
});

describe("limits", () => {
  test("--max-turns 1: the turn's results are there, and no further request is made", async () => {
    const { code, result, lines, requests } = await ask([glob], { args: ["--max-turns", "1"] });
    expect([code, requests.length]).toEqual([3, 1]);
    expect(result).toMatchObject({ subtype: "error_max_turns", terminal_reason: "max_turns", num_turns: 1 });
    expect(lines.filter(({ type }) => type === "user")).toHaveLength(2);
  });

  test("a budget that covers no call: no request is made", async () => {
    const { code, result, requests } = await ask([says("x")], { args: ["--max-budget-usd", "0.0001"] });
    expect(requests.filter(({ path }) => path.endsWith("/messages"))).toEqual([]);
    expect(result).toMatchObject({
      subtype: "error_max_budget_usd",
      terminal_reason: "budget_exhausted",
      total_cost_usd: 0,
    });
    expect(code).toBe(4);
  });
});

describe("text and json", () => {
  test("text has only the answer, without control characters", () =>
    atWire([says("two\u001b[31m lines\nhere")], async (place) => {
      const { code, stdout } = await place.run(["-p", "x"]);
      expect([code, stdout]).toEqual([0, "two lines\nhere\n"]);
    }));

  test("after an error, text is empty and json is complete", () =>
    atWire([{ kind: "plain", status: 400, body: '{"error":{"message":"no"}}' }], async (place) => {
      const text = await place.run(["-p", "x"]);
      expect([text.code, text.stdout]).toEqual([1, ""]);
      const json = await place.run(["-p", "--output-format", "json", "x"]);
      expect(JSON.parse(json.stdout)).toMatchObject({ type: "result", is_error: true, api_error_status: 400 });
    }));
});
