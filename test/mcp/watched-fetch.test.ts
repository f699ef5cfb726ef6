import { expect, test } from "vitest";
import { connectFailure } from "../../src/mcp/connect-failure.ts";
import { watchedFetch } from "../../src/mcp/watched-fetch.ts";
import { repairMessage } from "../../src/mcp/message-repair.ts";

const url = new URL("https://server.test/mcp");
const listening = { method: "GET", headers: { accept: "text/event-stream" } };
const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

function watched(type: "http" | "sse", answers: (Response | Error)[]) {
  const lost: string[] = [];
  const answer = () => {
    const next = answers.shift();
    return next instanceof Response ? Promise.resolve(next) : Promise.reject(next ?? new Error("no more"));
  };
  const timers: (() => void)[] = [];
  const clock = {
    timer: (_ms: number, fire: () => void) => {
      timers.push(fire);
      return () => undefined;
    },
  };
  const ask = watchedFetch({ type, url, onLost: (why) => void lost.push(why), clock }, answer);
  return { lost, timers, ask };
}

const refused = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) });

test("ignores failures of login requests when it reports a lost connection", async () => {
  const { lost, ask } = watched("http", [stream(""), new Response(null, { status: 404 }), refused(), refused()]);
  await ask(url, listening);
  await ask("https://server.test/.well-known/oauth-protected-resource", { method: "GET" });
  await expect(ask("https://login.test/token", { method: "POST" })).rejects.toThrow("fetch failed");
  expect(lost).toEqual([]);
  await expect(ask(url, { method: "POST", body: "{}" })).rejects.toThrow("fetch failed");
  expect(lost).toEqual(["nobody answers at its address any more"]);
});

test("ends a stream that breaks off before its answer with an error, unless it can be resumed", async () => {
  const note = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n';
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const answer = 'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n';
  const { ask, lost } = watched("http", [stream(note), stream(note + answer), stream(`id: e1\n${note}`), stream(note)]);
  expect(await (await ask(url, post)).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
  expect(await (await ask(url, post)).text()).toBe(note + answer);
  expect(await (await ask(url, post)).text()).toBe(`id: e1\n${note}`);
  const asked = { method: "POST", body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' };
  expect(await (await ask(url, asked)).text()).toBe(note);
  expect(lost).toEqual([]);
});

// Seen: the call waited for minutes, although the transport had read the answer to its end.
test("follows streams and checks JSON whose type is written in capital letters", async () => {
  const typed = (type: string, text: string) => new Response(text, { headers: { "content-type": type } });
  const { ask } = watched("http", [
    typed("Text/Event-Stream; charset=utf-8", "data: \n\n"),
    typed("Application/JSON", '{"jsonrpc":"2.0","id":99,"result":{}}'),
  ]);
  expect(await (await ask(url, call)).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
  expect(await errorOf(await ask(url, call))).toMatch(/answered another request/u);
});

// Python's json writes them by itself: of an answer that had come it was said that it could not be read, or that the connection was lost.
test("replaces NaN and Infinity in an answer, as JSON and in a stream", async () => {
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const answer = '{"jsonrpc":"2.0","id":7,"result":{"a":[NaN,-Infinity],"said":"NaN"}}';
  const told = { jsonrpc: "2.0", id: 7, result: { a: [null, null], said: "NaN" } };
  const headers = { "content-type": "application/json" };
  const { ask } = watched("http", [new Response(answer, { headers }), stream(`data: ${answer}\n\n`)]);
  expect(await (await ask(url, post)).json()).toEqual(told);
  const events = (await (await ask(url, post)).text()).trim().split(/\n+/u);
  expect(events.map((event) => event.slice("data: ".length))).toEqual([answer, JSON.stringify(told)]);
});

// Seen: the server was given up after half a minute, and a call after five.
test.each(["response", "result"])(
  "repeats an answer in an event called %s in a form that the transport reads",
  async (name) => {
    const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
    const answer = '{"jsonrpc":"2.0","id":7,"result":{}}';
    const { ask } = watched("http", [
      stream(`event: ${name}\ndata: ${answer}\n\n`),
      stream(`event: ${name}\nid: e1\ndata: ${answer}\n\n`),
      stream(`event: message\ndata: ${answer}\n\n`),
    ]);
    expect(await (await ask(url, post)).text()).toMatch(/^event: \w+\ndata: (.*)\n\n\n\ndata: \1\n\n$/u);
    expect(await (await ask(url, post)).text()).toMatch(/^event: \w+\nid: e1\ndata: (.*)\n\n\n\ndata: \1\n\n$/u);
    expect(await (await ask(url, post)).text()).toBe(`event: message\ndata: ${answer}\n\n`);
  },
);

// Seen: behind a first event with an id, as servers that can be asked for the rest send it, nothing more was read.
test("follows a stream after events with an id, for its answer and for where to resume it", async () => {
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const pieces = (...texts: string[]) =>
    new Response(ReadableStream.from(texts.map((text) => Buffer.from(text))), {
      headers: { "content-type": "text/event-stream" },
    });
  const answer = '{"jsonrpc":"2.0","id":7,"result":{}}';
  const note = '{"jsonrpc":"2.0","method":"notifications/message","params":{}}';
  const named = `event: response\nid: e2\ndata: ${answer}\n\n`;
  const { ask } = watched("http", [
    pieces("id: e1\ndata: \n\n", named),
    pieces("id: e1\ndata: \n\n", `id: e2\ndata: ${note}\n\n`),
    new Response(null, { status: 405 }),
  ]);
  expect(await (await ask(url, post)).text()).toBe(`id: e1\ndata: \n\n${named}\n\ndata: ${answer}\n\n`);
  await (await ask(url, post)).text();
  const rest = { ...listening, headers: { ...listening.headers, "last-event-id": "e2" } };
  expect(await (await ask(url, rest)).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
});

// Seen: an answer in the rest was ignored, and a call whose rest broke off, too, waited for minutes.
test("follows the rest of a resumed stream like its beginning", async () => {
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const from = (id: string) => ({ ...listening, headers: { ...listening.headers, "last-event-id": id } });
  const named = 'event: response\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n';
  const begun = (id: string) => stream(`id: ${id}\ndata: \n\n`);
  const { ask } = watched("http", [
    begun("e1"),
    stream(named),
    begun("e1"),
    begun("e2"),
    begun("e3"),
    new Response("", { status: 404 }),
    begun("e1"),
    stream(": here\n\n"),
  ]);
  await (await ask(url, post)).text();
  expect(await (await ask(url, from("e1"))).text()).toBe(`${named}\n\ndata: {"jsonrpc":"2.0","id":7,"result":{}}\n\n`);
  await (await ask(url, post)).text();
  for (const id of ["e1", "e2"]) expect(await (await ask(url, from(id))).text()).not.toContain("error");
  expect(await (await ask(url, from("e3"))).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
  // Seen: the transport then listened without naming an event, and the call waited all the same.
  await (await ask(url, post)).text();
  expect(await (await ask(url, from("e1"))).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
});

// Seen: the call waited for five minutes.
test("ends with an error if the server has no stream to resume", async () => {
  const note = (id: string) => `id: ${id}\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n`;
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const from = (id: string) => ({ ...listening, headers: { ...listening.headers, "last-event-id": id } });
  const none = () => new Response(null, { status: 405 });
  const { ask, lost } = watched("http", [stream(note("e1") + note("e2")), none(), none(), none(), none()]);
  await (await ask(url, post)).text();
  expect((await ask(url, listening)).status).toBe(405);
  expect((await ask(url, from("e1"))).status).toBe(405);
  expect(await (await ask(url, from("e2"))).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
  expect((await ask(url, from("e2"))).status).toBe(405);
  expect(lost).toEqual([]);
});

// Seen: five tries of it, up to 30 s apart, before the call failed.
test("ends with an error if resuming is refused for good, but not if it may work later", async () => {
  const note = 'id: e1\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n';
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const rest = { ...listening, headers: { ...listening.headers, "last-event-id": "e1" } };
  for (const status of [400, 404, 405, 410, 422]) {
    const { ask, lost } = watched("http", [stream(note), new Response("no", { status })]);
    await (await ask(url, post)).text();
    expect(await (await ask(url, rest)).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
    expect(lost).toEqual([]);
  }
  // Seen: with these, too, the call waited for all the time it has.
  for (const none of [new Response(null, { status: 204 }), new Response("<p>gone</p>"), Response.json({})]) {
    const { ask } = watched("http", [stream(note), none]);
    await (await ask(url, post)).text();
    expect(await (await ask(url, rest)).text()).toMatch(/"id":7,"error":\{.*before the answer came/u);
  }
  const unnamed = 'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n';
  const odd = watched("http", [stream(note), new Response(unnamed)]);
  await (await odd.ask(url, post)).text();
  expect(await (await odd.ask(url, rest)).text()).toBe(unnamed);
  // Logging in, or waiting, may help: with 409 a server says that it takes the lost connection for one that is still there.
  for (const status of [401, 403, 408, 409, 425, 429, 500, 503]) {
    const { ask } = watched("http", [stream(note), new Response("no", { status })]);
    await (await ask(url, post)).text();
    expect((await ask(url, rest)).status).toBe(status);
  }
  const { ask, lost } = watched("http", [stream(note), stream(""), new Response(null, { status: 404 })]);
  await (await ask(url, post)).text();
  await (await ask(url, listening)).text();
  expect(await (await ask(url, rest)).text()).toMatch(/before the answer came/u);
  expect(lost).toEqual(["its session has ended"]);
});

test("stops reading a message of more than 16 MiB, but not a long stream of small ones", async () => {
  const piece = new Uint8Array(1 << 20).fill(97);
  const body = (chunk: Uint8Array) => {
    let left = 20;
    return new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        if (left < 0) controller.close();
        else controller.enqueue(chunk);
      },
    });
  };
  const ended = Buffer.concat([Buffer.from("data: "), piece, Buffer.from("\n\n")]);
  const headers = { "content-type": "text/event-stream" };
  const answers = [piece, piece, ended].map((chunk) => new Response(body(chunk), { headers }));
  const { ask } = watched("http", answers);
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  expect((await (await ask(url, post)).text()).slice(-200)).toContain("more than 16 MiB at once");
  await expect((await ask(url, listening)).arrayBuffer()).rejects.toThrow("more than 16 MiB at once");
  expect((await (await ask(url, listening)).arrayBuffer()).byteLength).toBe(20 * ended.length);
});

test("counts events correctly if the empty line between them comes in pieces", async () => {
  const piece = Buffer.concat([Buffer.from("data: "), new Uint8Array(1 << 20).fill(97)]);
  // A line end that may be half of one is made whole.
  for (const [line, end, added] of [
    ["\n", "\n", 0],
    ["\r\n\r", "\n", 0],
    ["\r", "\r", 2],
  ] as const) {
    let left = 20;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        if (left < 0) return controller.close();
        controller.enqueue(Buffer.concat([piece, Buffer.from(line)]));
        controller.enqueue(Buffer.from(end));
      },
    });
    const { ask } = watched("sse", [new Response(body, { headers: { "content-type": "text/event-stream" } })]);
    const read = await (await ask(url, listening)).arrayBuffer();
    expect(read.byteLength).toBe(20 * (piece.length + `${line}${end}`.length + added));
  }
});

const call = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
const taken = () => new Response(null, { status: 202 });
const errorOf = async (response: Response): Promise<unknown> =>
  ((await response.json()) as { id: unknown; error: { message: string } }).error.message;

test("answers a request that was only accepted with an error, but not a notification", async () => {
  const { ask } = watched("http", [taken(), new Response(null, { status: 204 }), taken(), taken()]);
  expect(await errorOf(await ask(url, call))).toMatch(/took the request and gave no answer/u);
  expect(await errorOf(await ask(url, call))).toMatch(/took the request and gave no answer/u);
  const told = { method: "POST", body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' };
  expect((await ask(url, told)).status).toBe(202);
  expect((await watched("sse", [taken()]).ask(url, call)).status).toBe(202);
});

test("waits a while for an answer on the listening stream", async () => {
  const { promise: more, resolve: sendMore } = Promise.withResolvers<string>();
  const listened = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(Buffer.from('data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n'));
      controller.enqueue(Buffer.from(await more));
    },
  });
  const headers = { "content-type": "text/event-stream" };
  const { ask, timers } = watched("http", [new Response(listened, { headers }), taken(), taken(), taken()]);
  const reader = (await ask(url, listening)).body?.getReader();
  await reader?.read();
  expect((await ask(url, call)).status).toBe(202);
  const later = ask(url, { ...call, body: call.body.replace("7", "8") });
  sendMore('data: {"jsonrpc":"2.0","id":8,"result":{}}\n\n');
  await reader?.read();
  expect((await later).status).toBe(202);
  const never = ask(url, { ...call, body: call.body.replace("7", "9") });
  while (timers.length < 2) await new Promise((resolve) => setImmediate(resolve));
  timers.at(-1)?.();
  expect(await errorOf(await never)).toMatch(/gave no answer/u);
});

/** A listening stream that sends what it is given, read to its end. */
function listenedStream() {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  return {
    response: new Response(readable, { headers: { "content-type": "text/event-stream" } }),
    send: (text: string) => writer.write(Buffer.from(text)),
    end: () => writer.close(),
  };
}

// Seen: each call's request stayed open for ten seconds, and then said that no answer had come.
test("takes an answer on the listening stream whose id is the number as text", async () => {
  const { response, send, end } = listenedStream();
  const { ask, timers } = watched("http", [response, taken(), taken(), taken()]);
  const read = (await ask(url, listening)).text();
  const before = ask(url, call);
  while (timers.length === 0) await new Promise((resolve) => setImmediate(resolve));
  const other = ask(url, { ...call, body: call.body.replace("7", '"7"') });
  while (timers.length === 1) await new Promise((resolve) => setImmediate(resolve));
  await send('data: {"jsonrpc":"2.0","id":"7","result":{}}\n\n');
  expect((await other).status, "the request that has this very id").toBe(202);
  const after = ask(url, { ...call, body: call.body.replace("7", "8") });
  await send('data: {"jsonrpc":"2.0","id":"8","result":{}}\n\n');
  expect((await after).status).toBe(202);
  await send('data: {"jsonrpc":"2.0","id":"7","result":{}}\n\n');
  expect((await before).status).toBe(202);
  await end();
  await read;
});

// Seen: the call waited for five minutes, because the answer had come and the transport had ignored it.
test("repeats what comes on the listening stream in a form that the transport ignores", async () => {
  const answer = '{"jsonrpc":"2.0","id":7,"result":{}}';
  const { response, send, end } = listenedStream();
  const { ask } = watched("http", [response, taken()]);
  const read = (await ask(url, listening)).text();
  const asked = ask(url, call);
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}';
  const sent = [
    `event: response\ndata: ${answer}\n\n`,
    'data: {"id":7,"result":{},"error":null}\n\n',
    `data: ${progress.replace("}}", ',"total":null}}')}\n\n`,
    `data: ${answer}\n\n`,
    // The stream ends before another event does.
    `event: response\ndata: ${answer}\n\n: ping\n`,
  ];
  for (const text of sent) await send(text);
  await end();
  const repeated = (text: string) => `\n\ndata: ${text}\n\n`;
  expect(await read).toBe(
    `${sent[0]}${repeated(answer)}${sent[1]}${repeated(answer)}${sent[2]}${repeated(progress)}${sent[3]}${sent[4]}${repeated(answer)}`,
  );
  expect((await asked).status).toBe(202);
});

// Seen: the answer had begun in the chunk of an odd notification, and was torn apart by its repetition.
test("repeats a message behind the event that has begun in the same chunk", async () => {
  const progress = '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":2}}';
  const odd = `data: ${progress.replace("}}", ',"total":null}}')}\n\n`;
  const answer = 'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n';
  const pieces = [`${odd}${answer.slice(0, 20)}`, answer.slice(20)];
  const body = ReadableStream.from(pieces.map((text) => Buffer.from(text)));
  const { ask } = watched("http", [new Response(body, { headers: { "content-type": "text/event-stream" } })]);
  expect(await (await ask(url, call)).text()).toBe(`${odd}${answer}\n\ndata: ${progress}\n\n`);
});

test("turns an answer to another request into an error, as JSON and in a stream", async () => {
  const other = '{"jsonrpc":"2.0","id":99,"result":{}}';
  const right = '{"jsonrpc":"2.0","id":7,"result":{"ok":true}}';
  const unread = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}';
  const asJson = (text: string) => new Response(text, { headers: { "content-type": "application/json" } });
  const open = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from(`data: ${other}\n\n`)),
  });
  const stays = new Response(open, { headers: { "content-type": "text/event-stream" } });
  const { ask } = watched("http", [asJson(other), asJson(`[${other},${right}]`), asJson(unread), asJson("no"), stays]);
  expect(await errorOf(await ask(url, call))).toMatch(/answered another request/u);
  expect(await (await ask(url, call)).text()).toBe(`[${other},${right}]`);
  expect(await (await ask(url, call)).json()).toMatchObject({ id: 7, error: { message: "Parse error" } });
  expect(await (await ask(url, call)).text()).toBe("no");
  const reader = (await ask(url, call)).body?.getReader();
  await reader?.read();
  const { value } = (await reader?.read()) ?? {};
  expect(Buffer.from(value ?? []).toString()).toMatch(/"id":7,"error":\{.*answered another request/u);
  await reader?.cancel();
});

test("repairs an answer in a form that the transport ignores", async () => {
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const odd = { id: 7, result: { content: [] }, error: null };
  const event = `id: e1\ndata: ${JSON.stringify(odd)}\n\n`;
  const { ask } = watched("http", [Response.json(odd), Response.json({ ...odd, id: "7" }), stream(event)]);
  const right = { jsonrpc: "2.0", id: 7, result: { content: [] } };
  expect(await (await ask(url, post)).json()).toEqual(right);
  expect(await (await ask(url, post)).json()).toEqual({ ...right, id: "7" });
  expect(await (await ask(url, post)).text()).toBe(`${event}\n\ndata: ${JSON.stringify(right)}\n\n`);
});

test("repairs an answer even if other malformed messages come in the same chunk", async () => {
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  const event = (message: object): string => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
  const progress = (progress: number, rest: object): string =>
    event({ method: "notifications/progress", params: { progressToken: 1, progress, ...rest } });
  const odd = { id: 7, result: { content: [] }, error: null };
  const sent = progress(1, { total: null }) + progress(2, { total: null }) + event(odd) + progress(3, { total: null });
  const { ask } = watched("http", [stream(sent)]);
  const told = (await (await ask(url, post)).text()).slice(sent.length);
  const events = told.split("\n\n").filter((text) => text !== "");
  expect(events.map((text) => JSON.parse(text.slice("data: ".length)) as object)).toEqual([
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } },
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 2 } },
    { jsonrpc: "2.0", id: 7, result: { content: [] } },
    { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 3 } },
  ]);
});

test("removes null parameters and null totals from messages", () => {
  const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const asked = { ...notice, id: "q", method: "roots/list" };
  expect(repairMessage({ ...notice, params: null, id: null })).toEqual(notice);
  expect(repairMessage({ method: "roots/list", id: "q", params: { _meta: null } })).toEqual({ ...asked, params: {} });
  const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 2 } };
  const unknown = { ...progress, params: { ...progress.params, total: null, message: null } };
  expect(repairMessage(unknown)).toEqual(progress);
  for (const fine of [progress, notice, asked, { jsonrpc: "2.0", id: 1, result: {} }, { jsonrpc: "2.0", foo: 1 }, [1]])
    expect(repairMessage(fine)).toBe(fine);
});

test("removes nulls from login answers, but not from the server's own", async () => {
  const told = { client_id: "c1", client_secret: null, redirect_uris: [null] };
  const { ask } = watched("http", [
    Response.json(told, { status: 201 }),
    Response.json({ jsonrpc: "2.0", id: 7, result: told }),
  ]);
  const registered = await ask("https://login.test/register", { method: "POST", body: "{}" });
  expect([registered.status, await registered.json()]).toEqual([201, { client_id: "c1", redirect_uris: [null] }]);
  const post = { method: "POST", body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' };
  expect(await (await ask(url, post)).json()).toMatchObject({ result: told });
});

test("explains why the system refused to start a server", () => {
  const server = {
    type: "stdio",
    startsIn: "/",
    name: "s",
    command: "python3",
    args: [],
    env: {},
  } as unknown as Parameters<typeof connectFailure>[1];
  const error = Object.assign(new Error("spawn python3 EMFILE"), { code: "EMFILE", syscall: "spawn python3" });
  expect(connectFailure(error, server, "", 1_000).why).toBe(
    "its command python3 could not be started: this process has too many open files (EMFILE).",
  );
});

test("explains what is wrong with an invalid answer", () => {
  const issues = [{ code: "invalid_type", path: ["token_type"], message: "Invalid input: expected string" }];
  const server = { type: "http", name: "s" } as Parameters<typeof connectFailure>[1];
  const { why } = connectFailure(Object.assign(new Error(JSON.stringify(issues)), { issues }), server, "", 1_000);
  expect(why).toBe("its answer cannot be used (token_type: Invalid input: expected string).");
  const worded = new Error(`Invalid result for initialize: ${JSON.stringify(issues, null, 2)}`);
  expect(connectFailure(worded, server, "", 1_000).why).toBe(why);
  const unknown = new Error("Incompatible auth server: does not support dynamic client registration");
  expect(connectFailure(unknown, server, "", 1_000).why).toContain("set its id as oauth.clientId");
});

test("marks only calls and the shared stream as patient", async () => {
  const patience: (boolean | undefined)[] = [];
  const answer = (_url: unknown, init?: { isPatient?: boolean }) => {
    patience.push(init?.isPatient);
    return Promise.resolve(stream(""));
  };
  const call = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/call"}' };
  const notice = { method: "POST", body: '{"jsonrpc":"2.0","method":"notifications/initialized"}' };
  for (const type of ["http", "sse"] as const) {
    const ask = watchedFetch({ type, url, onLost: () => undefined, clock: { timer: () => () => undefined } }, answer);
    for (const init of [call, notice, listening]) await ask(url, init);
    await ask("https://login.test/token", call);
  }
  expect(patience).toEqual([true, false, false, false, true, false, true, false]);
});
