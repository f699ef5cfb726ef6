// The older way over HTTP: odd answers on a server's only stream are reported, and leave no call waiting.
import { expect, test } from "vitest";
import { watchedFetch } from "../../src/mcp/watched-fetch.ts";

const url = new URL("https://server.test/sse");
const listening = { method: "GET", headers: { accept: "text/event-stream" } };
const accepted = () => new Response("Accepted", { status: 202 });
const call = (id: number, method = "tools/call", params = {}) => ({
  method: "POST",
  body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
});

/** Posts these, has the server say that on its stream, and answers what is read there besides. */
async function heard(
  posts: { method: string; body: string }[],
  said: string[],
  answer: () => Response = accepted,
): Promise<object[]> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>();
  const body = new ReadableStream<Uint8Array>({ start: begin });
  const stream = new Response(body, { headers: { "content-type": "text/event-stream" } });
  const fetchImpl = async (_url: string | URL, init?: RequestInit) => (init?.method === "POST" ? answer() : stream);
  const clock = { timer: () => () => undefined };
  const ask = watchedFetch({ type: "sse", url, onLost: () => undefined, clock }, fetchImpl);
  const reading = (await ask(url, listening)).text();
  for (const post of posts) await (await ask(url, post)).text();
  const controller = await begun;
  for (const piece of said) {
    controller.enqueue(Buffer.from(piece));
    await new Promise((resolve) => setImmediate(resolve));
  }
  controller.close();
  const events = (await reading).split(/\n{2,}/u).filter((event) => event.startsWith("data: {"));
  const sent = new Set(said.join("").split("\n\n"));
  return events.filter((event) => !sent.has(event)).map((event) => JSON.parse(event.slice("data: ".length)) as object);
}

const notice = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" }) };
const event = (message: object) => `data: ${JSON.stringify(message)}\n\n`;
const right = { jsonrpc: "2.0", id: 7, result: { content: [] } };
const other = { jsonrpc: "2.0", id: 99, result: {} };
const otherTold = {
  jsonrpc: "2.0",
  id: 7,
  error: { code: -32_000, message: expect.stringContaining("another request") },
};

test.each<[what: string, said: string[], told: object[]]>([
  ["a correct answer", [event(right)], []],
  ["an answer in a form that the client ignores", [event({ id: 7, result: { content: [] }, error: null })], [right]],
  ["an answer whose id is a text", [event({ ...right, id: "7" })], []],
  ["an answer to an unknown request", [event(other)], [otherTold]],
  ["an answer in lines that end with carriage returns", [event(other).replace("\n\n", "\r\r")], [otherTold]],
  ["an answer that comes twice", [event(right), event(right)], []],
  [
    "an answer to a notification",
    [
      event({ jsonrpc: "2.0", id: null, error: { code: -32_600, message: "Invalid Request: no id" } }),
      event({ jsonrpc: "2.0", id: null, error: { code: -32_601, message: "Method not found" } }),
      event({ jsonrpc: "2.0", id: null, result: {} }),
      event(right),
    ],
    [],
  ],
  [
    "an error for a request that the server could not read",
    [event({ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "Parse error" } })],
    [{ jsonrpc: "2.0", id: 7, error: { code: -32_700, message: "Parse error" } }],
  ],
  [
    "a notification, and events of other kinds",
    [event({ jsonrpc: "2.0", method: "x" }), `event: ping\n${event(other)}`],
    [],
  ],
  // Seen: the call waited for its whole time.
  ["an answer in an event with another name", [`event: response\n${event(right)}`], [right]],
  ["text that is not a message", ["data: keep-alive\n\n", event(right)], []],
  [
    "an event that comes in pieces, and is not interrupted",
    [`${event(other)}data: {"jsonrpc":"2.0",`, '"method":"x"}\n\n'],
    [otherTold],
  ],
])("handles on the shared stream: %s", async (_what, said, told) => {
  expect(await heard([notice, notice, notice, call(7)], said)).toMatchObject(told);
});

test.each([
  ["nothing else was posted", [call(7)], []],
  ["a request after the notification was answered", [notice, call(6), call(7)], [event({ ...right, id: 6 })]],
])("takes an error without an id for one of the only request, if %s", async (_when, posts, before) => {
  const error = { code: -32_603, message: "Internal error" };
  const refused = { jsonrpc: "2.0", id: 7, error };
  expect(await heard(posts, [...before, event({ jsonrpc: "2.0", id: null, error })])).toEqual([refused]);
});

// The tool may still run: a false error would have the model call it again.
test("takes an error without an id for one of an answer that the server had asked for, and not of the only request", async () => {
  const pong = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }) };
  const error = { code: -32_600, message: "Invalid Request: no method" };
  const nameless = event({ jsonrpc: "2.0", id: null, error });
  expect(await heard([call(7), pong], [nameless, event(right)])).toEqual([]);
  expect(await heard([call(7), pong], [nameless, nameless])).toEqual([{ jsonrpc: "2.0", id: 7, error }]);
});

test("does not guess which of several requests a wrong answer is for, and ignores cancelled ones", async () => {
  expect(await heard([call(7), call(8)], [event(other)])).toEqual([]);
  const given = {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 8 } }),
  };
  expect(await heard([call(7), call(8), given], [event({ ...right, id: 8 }), event(other)])).toMatchObject([otherTold]);
});

test("reads an answer that comes in the response to the post", async () => {
  expect(await heard([call(7)], [], () => Response.json({ id: 7, result: { content: [] } }))).toEqual([right]);
  expect(await heard([call(7)], [event(right)], () => Response.json({ ok: true }))).toEqual([]);
});
