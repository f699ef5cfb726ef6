import { expect, test } from "vitest";
import { watchedFetch } from "../../src/mcp/watched-fetch.ts";

const url = new URL("https://server.test/mcp");
const listening = { method: "GET", headers: { accept: "text/event-stream" } };
const stream = (text: string) => new Response(text, { headers: { "content-type": "text/event-stream" } });

function watched(type: "http" | "sse", answers: (Response | Error)[]) {
  const lost: string[] = [];
  const answer = () => {
    const next = answers.shift();
    return next instanceof Response ? Promise.resolve(next) : Promise.reject(next ?? new Error("no more"));
  };
  return { lost, ask: watchedFetch({ type, url, onLost: (why) => void lost.push(why) }, answer) };
}

const refused = () =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("no"), { code: "ECONNREFUSED" }) });

test("what logging in asks of others is no news of the server", async () => {
  const { lost, ask } = watched("http", [stream(""), new Response(null, { status: 404 }), refused(), refused()]);
  await ask(url, listening);
  await ask("https://server.test/.well-known/oauth-protected-resource", { method: "GET" });
  await expect(ask("https://login.test/token", { method: "POST" })).rejects.toThrow("fetch failed");
  expect(lost).toEqual([]);
  await expect(ask(url, { method: "POST", body: "{}" })).rejects.toThrow("fetch failed");
  expect(lost).toEqual(["nobody answers at its address any more"]);
});

test("a stream that ends before its answer ends with one, unless it can be taken up again", async () => {
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

test("one message of more than 16 MiB is not read to its end; a long stream of small ones is", async () => {
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

test("a stream whose empty lines come by themselves is one of many events: it ended after 16 MiB in all", async () => {
  const piece = Buffer.concat([Buffer.from("data: "), new Uint8Array(1 << 20).fill(97)]);
  for (const [line, end] of [
    ["\n", "\n"],
    ["\r\n\r", "\n"],
    ["\r", "\r"],
  ]) {
    let left = 20;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        left -= 1;
        if (left < 0) return controller.close();
        controller.enqueue(Buffer.concat([piece, Buffer.from(line ?? "")]));
        controller.enqueue(Buffer.from(end ?? ""));
      },
    });
    const { ask } = watched("sse", [new Response(body, { headers: { "content-type": "text/event-stream" } })]);
    const read = await (await ask(url, listening)).arrayBuffer();
    expect(read.byteLength).toBe(20 * (piece.length + `${line}${end}`.length));
  }
});
