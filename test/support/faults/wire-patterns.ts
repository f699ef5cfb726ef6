/**
 * Ways in which a connection to the model goes wrong, byte by byte over a bare socket: what the server says, when it stops,
 * and how. Each says what a good client makes of it.
 */
import { gzipSync } from "node:zlib";
import type { Json } from "../../e2e/support/strict.ts";
import { messageEvents } from "../../e2e/support/wire.ts";

/** How a connection ends: politely, with a reset, or not at all. */
export type ConnectionEnd = "fin" | "reset" | "stall" | "keep";

export interface Step {
  bytes: Buffer;
  /** Waits before the bytes go out, ms. */
  afterMs?: number;
}

export interface Pattern {
  name: string;
  /** What the server sends to the first request of the turn, and how that connection ends. */
  steps: readonly Step[];
  end: ConnectionEnd;
  /**
   * `again`: nothing of it counts, and it is asked again. `whole`: it is the answer. `tool`: the call that was complete
   * runs, and the turn goes on from there. `error`: the run ends with one error.
   */
  expected: "again" | "whole" | "tool" | "error";
  /** How long the command waits for a byte, ms. Long where it shall not run out on a machine that is busy. */
  watchdogMs: number;
}

const longWatchdogMs = 10_000;
const usage = { input_tokens: 10, output_tokens: 1 };

function sse(events: readonly Json[], eol = "\n"): Buffer {
  return Buffer.from(
    events.map((event) => `event: ${String(event["type"])}${eol}data: ${JSON.stringify(event)}${eol}${eol}`).join(""),
  );
}

function headersOf(fields: Record<string, string | number> = {}, status = "200 OK", version = "1.1"): Buffer {
  const all = { "content-type": "text/event-stream", ...fields };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`HTTP/${version} ${status}\r\n${lines.join("")}\r\n`);
}

function chunked(...pieces: readonly Buffer[]): Buffer {
  return Buffer.concat(
    pieces.flatMap((piece) => [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]),
  );
}

const chunks = { "transfer-encoding": "chunked" };
const lastChunk = Buffer.from("0\r\n\r\n");
const answer = "Ganz gut – 完了 😀.";
const thinking = { type: "thinking", thinking: "Let me think.", signature: "c2ln" };
const callOf = (id: string): Json => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command: "echo ran >> effects.log", description: "Mark" },
});

const textEvents = messageEvents([{ type: "text", text: answer }], { id: "msg_text", usage });
const toolEvents = messageEvents([{ type: "text", text: "First." }, callOf("toolu_first"), callOf("toolu_second")], {
  id: "msg_tool",
  usage,
  stopReason: "tool_use",
});
const thinkEvents = messageEvents([thinking, { type: "text", text: answer }], { id: "msg_think", usage });

const indexOfStop = (events: readonly Json[], index: number): number =>
  events.findIndex((event) => event["type"] === "content_block_stop" && event["index"] === index);

/** The head and a part of the body, sent at once. */
const chunkedSteps = (...bodies: readonly Buffer[]): Step[] => [
  { bytes: Buffer.concat([headersOf(chunks), ...bodies]) },
];
const completeSteps = (...bodies: readonly Buffer[]): Step[] => chunkedSteps(chunked(...bodies), lastChunk);
const ends = ["fin", "reset", "stall"] as const;

/** Each place where a stream can break, with each way of breaking. */
function breakPatterns(): Pattern[] {
  const text = sse(textEvents);
  const emoji = text.indexOf(Buffer.from("😀"));
  const second = indexOfStop(toolEvents, 1);
  const places: readonly [name: string, steps: Step[], expected: Pattern["expected"]][] = [
    ["before the headers", [], "again"],
    ["inside the headers", [{ bytes: headersOf(chunks).subarray(0, 25) }], "again"],
    ["after the headers", chunkedSteps(), "again"],
    ["inside an event's name", chunkedSteps(chunked(text.subarray(0, 12))), "again"],
    ["inside an event's data", chunkedSteps(chunked(text.subarray(0, 60))), "again"],
    ["inside a character", chunkedSteps(chunked(text.subarray(0, emoji + 2))), "again"],
    [
      "between the two line ends of an event",
      chunkedSteps(chunked(sse(textEvents.slice(0, 3)).subarray(0, -1))),
      "again",
    ],
    ["inside a chunk", chunkedSteps(chunked(text).subarray(0, 200)), "again"],
    ["after thinking", chunkedSteps(chunked(sse(thinkEvents.slice(0, indexOfStop(thinkEvents, 0) + 1)))), "again"],
    ["inside thinking", chunkedSteps(chunked(sse(thinkEvents.slice(0, 3)))), "again"],
    ["after text", chunkedSteps(chunked(sse(textEvents.slice(0, indexOfStop(textEvents, 0) + 1)))), "again"],
    ["inside a call's input", chunkedSteps(chunked(sse(toolEvents.slice(0, second - 1)))), "again"],
    ["after a call", chunkedSteps(chunked(sse(toolEvents.slice(0, second + 1)))), "tool"],
    ["inside the second call", chunkedSteps(chunked(sse(toolEvents.slice(0, second + 3)))), "tool"],
    ["between message_delta and message_stop", chunkedSteps(chunked(sse(textEvents.slice(0, -1)))), "again"],
    ["after message_stop, before the last chunk", chunkedSteps(chunked(text)), "whole"],
  ];
  return places.flatMap(([where, steps, expected]) =>
    ends.map((end): Pattern => ({
      name: `${end} ${where}`,
      steps,
      end,
      expected,
      watchdogMs: end === "stall" ? 400 : longWatchdogMs,
    })),
  );
}

/** What is odd and has to be taken, or wrong and has to be seen. */
function oddPatterns(): Pattern[] {
  const text = sse(textEvents);
  const length = { "content-length": text.length };
  const all: Record<string, [steps: Step[], expected: Pattern["expected"], end?: ConnectionEnd]> = {
    "a byte at a time": [[{ bytes: headersOf(chunks) }, ...byteByByte(chunked(text)), { bytes: lastChunk }], "whole"],
    "a chunk a byte": [completeSteps(...[...text].map((byte) => Buffer.of(byte))), "whole"],
    "pings for longer than the watchdog, then the answer": [
      [{ bytes: headersOf(chunks) }, ...pings(20), { bytes: chunked(text) }, { bytes: lastChunk }],
      "whole",
    ],
    "pings and no answer": [[{ bytes: headersOf(chunks) }, ...pings(4), { bytes: lastChunk }], "again"],
    // Input that came twice is no JSON: the call does not run, and the model is told.
    "every event of a call twice": [completeSteps(sse(toolEvents.flatMap((event) => [event, event]))), "again"],
    "two answers glued together": [completeSteps(text, sse(toolEvents)), "whole"],
    "an event after message_stop": [
      completeSteps(text, sse([{ type: "error", error: { type: "api_error", message: "late" } }])),
      "whole",
    ],
    "unknown events between": [
      completeSteps(sse(textEvents.flatMap((event) => [{ type: "weather" }, event]))),
      "whole",
    ],
    "line ends of two bytes": [completeSteps(sse(textEvents, "\r\n")), "whole"],
    "line ends of a carriage return": [completeSteps(sse(textEvents, "\r")), "whole"],
    "a byte order mark": [completeSteps(Buffer.from("\ufeff"), text), "whole"],
    "HTTP/1.0, closed at the end": [[{ bytes: Buffer.concat([headersOf({}, "200 OK", "1.0"), text]) }], "whole", "fin"],
    "HTTP/1.0, reset in the middle": [
      [{ bytes: Buffer.concat([headersOf({}, "200 OK", "1.0"), text.subarray(0, 300)]) }],
      "again",
      "reset",
    ],
    "100 Continue before the answer": [
      [{ bytes: Buffer.from("HTTP/1.1 100 Continue\r\n\r\n") }, ...completeSteps(text)],
      "whole",
    ],
    "103 Early Hints before the answer": [
      [{ bytes: Buffer.from("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n") }, ...completeSteps(text)],
      "whole",
    ],
    "a content-length that is right": [[{ bytes: Buffer.concat([headersOf(length), text]) }], "whole"],
    "a content-length that is too short": [
      [{ bytes: Buffer.concat([headersOf({ "content-length": text.length - 150 }), text]) }],
      "again",
      "fin",
    ],
    "a content-length that is too long": [
      [{ bytes: Buffer.concat([headersOf({ "content-length": text.length + 150 }), text]) }],
      "whole",
      "fin",
    ],
    "a content-length of nothing": [[{ bytes: headersOf({ "content-length": 0 }) }], "again"],
    "a chunk size that is none": [
      chunkedSteps(chunked(text.subarray(0, 80)), Buffer.from("zz\r\nxx\r\n")),
      "again",
      "fin",
    ],
    "no HTTP at all": [[{ bytes: Buffer.from("SSH-2.0-OpenSSH_9.6\r\n") }], "error", "fin"],
    "headers without an end": [[{ bytes: Buffer.from(`HTTP/1.1 200 OK\r\nx: ${"x".repeat(70_000)}`) }], "again", "fin"],
    "a compressed answer nobody asked for": [
      [
        {
          bytes: Buffer.concat([
            headersOf({ ...chunks, "content-encoding": "gzip" }),
            chunked(gzipSync(text)),
            lastChunk,
          ]),
        },
      ],
      "whole",
    ],
    "trailers after the last chunk": [chunkedSteps(chunked(text), Buffer.from("0\r\nx-checksum: 7\r\n\r\n")), "whole"],
    "a proxy's page with status 200": [
      [
        {
          bytes: Buffer.concat([
            headersOf({ "content-type": "text/html", "content-length": 7 }),
            Buffer.from("<p>login"),
          ]),
        },
      ],
      "again",
    ],
  };
  return Object.entries(all).map(([name, [steps, expected, end = "keep"]]) => ({
    name,
    steps,
    expected,
    end,
    watchdogMs: name.startsWith("pings for longer") ? 1_000 : longWatchdogMs,
  }));
}

function byteByByte(bytes: Buffer): Step[] {
  return [...bytes].map((byte) => ({ bytes: Buffer.of(byte), afterMs: 0 }));
}

function pings(count: number): Step[] {
  return Array.from({ length: count }, () => ({ bytes: chunked(sse([{ type: "ping" }])), afterMs: 100 }));
}

export const patterns: readonly Pattern[] = [...breakPatterns(), ...oddPatterns()];
/** What an answer that counts says. */
export const expectedAnswer = answer;
/** After a call that ran, or where it was asked again. */
export const closingAnswer = "And done.";
export const closingAnswerBytes = Buffer.concat(
  completeSteps(sse(messageEvents([{ type: "text", text: closingAnswer }], { id: "msg_closing", usage }))).map(
    ({ bytes }) => bytes,
  ),
);
